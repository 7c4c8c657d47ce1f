/*
 * pair.c - setting up a question, and the first tier: sync-preserving reorderings.
 */
#include "pair.h"
#include <string.h>

void pf_pair_release(struct pf_pair *p)
{
    void *all[] = {p->limit,   p->need, p->right,   p->clock,
                   p->succ_at, p->succ, p->more_at, p->writer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&p->more);
    pf_vec_release(&p->stack);
    pf_vec_release(&p->order);
    memset(p, 0, sizeof *p);
}

static void reserve(struct pf_pair *p, const struct pf_window *w)
{
    if (w->n + 1 > p->cap) {
        p->cap = w->n + 1 > 2 * p->cap ? w->n + 1 : 2 * p->cap;
        p->succ_at = pf_mem_resize(p->succ_at, p->cap + 2ull, sizeof *p->succ_at);
        p->more_at = pf_mem_resize(p->more_at, p->cap, sizeof *p->more_at);
    }
    if (w->nt + 1 > p->cap_nt) {
        p->cap_nt = w->nt + 1;
        p->limit = pf_mem_resize(p->limit, p->cap_nt, sizeof *p->limit);
        p->need = pf_mem_resize(p->need, p->cap_nt, sizeof *p->need);
        p->right = pf_mem_resize(p->right, p->cap_nt, sizeof *p->right);
    }
    if (w->touches.len + 1 > p->cap_touch) {
        p->cap_touch = (uint32_t)w->touches.len * 2 + 1;
        p->writer = pf_mem_resize(p->writer, p->cap_touch, sizeof *p->writer);
    }
    if (w->pred.len + 1 > p->cap_succ) {
        p->cap_succ = (uint32_t)w->pred.len * 2 + 1;
        p->succ = pf_mem_resize(p->succ, p->cap_succ, sizeof *p->succ);
    }
    uint64_t cells = (uint64_t)w->n * w->nt + 1;
    if (cells > p->cap_clock) {
        p->cap_clock = 2 * cells;
        p->clock = pf_mem_resize(p->clock, p->cap_clock, sizeof *p->clock);
    }
}

static void start_clocks(struct pf_pair *p)
{
    const struct pf_window *w = p->w;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t *c = p->clock + (size_t)i * w->nt;
        if (w->pos[i])
            memcpy(c, p->clock + (size_t)pf_window_at(w, w->thread[i], w->pos[i] - 1) * w->nt,
                   w->nt * sizeof *c);
        else
            memset(c, 0, w->nt * sizeof *c);
        c[w->thread[i]] = w->pos[i] + 1;
        for (uint32_t k = w->pred_at[i]; k < w->pred_at[i + 1]; k++) {
            const uint32_t *d = p->clock + (size_t)w->pred.at[k] * w->nt;
            for (uint32_t u = 0; u < w->nt; u++)
                c[u] = c[u] > d[u] ? c[u] : d[u];
        }
    }
}

bool pf_pair_init(struct pf_pair *p, const struct pf_window *w, uint32_t a, uint32_t b)
{
    p->w = w;
    p->a = a;
    p->b = b;
    p->nchain = 0;
    reserve(p, w);
    start_clocks(p);
    for (uint32_t u = 0; u < w->nt; u++) {
        p->limit[u] = pf_window_len(w, u);
        p->need[u] = p->right[u] = 0;
    }
    p->limit[w->thread[a]] = w->pos[a];
    p->limit[w->thread[b]] = w->pos[b];
    /* What must come after an impossible event is impossible. */
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->pred_at[i]; k < w->pred_at[i + 1] && pf_pair_possible(p, i); k++)
            if (!pf_pair_possible(p, w->pred.at[k]))
                p->limit[w->thread[i]] = w->pos[i];
    return p->limit[w->thread[a]] == w->pos[a] && p->limit[w->thread[b]] == w->pos[b] &&
           (a == b || (!pf_pair_before(p, a, b) && !pf_pair_before(p, b, a)));
}

struct preserve {
    struct pf_pair *p;
    uint32_t *last; /* per lock: newest included acquire, PF_NONE if none */
    uint32_t *seen; /* per thread: events looked at */
    uint32_t *reads; /* per thread: positions in which reads were looked at */
    bool ok;
};

static void take(struct preserve *s, uint32_t e)
{
    struct pf_pair *p = s->p;
    uint32_t t = p->w->thread[e], k = p->w->pos[e] + 1;
    if (k > p->limit[t])
        s->ok = false;
    else if (k > p->need[t])
        p->need[t] = k;
}

static void finish(struct preserve *s, uint32_t section)
{
    uint32_t release = s->p->w->sections.at[section].release;
    if (release == PF_NONE)
        s->ok = false;
    else
        take(s, release);
}

static void look(struct preserve *s, uint32_t e)
{
    const struct pf_window *w = s->p->w;
    for (uint32_t k = w->pred_at[e]; k < w->pred_at[e + 1]; k++)
        take(s, w->pred.at[k]);
    if (w->section[e] == PF_NONE || !pf_event_acquires(pf_window_event(w, e)))
        return;
    uint32_t now = w->section[e], lock = w->sections.at[now].lock;
    uint32_t before = s->last[lock];
    if (before == PF_NONE) { /* sections held since before the window */
        for (uint32_t k = w->lock_at.at[lock]; k < w->lock_at.at[lock + 1]; k++) {
            uint32_t h = w->lock_section.at[k];
            if (w->sections.at[h].acquire == PF_NONE && w->sections.at[h].thread != w->thread[e])
                finish(s, h);
        }
        s->last[lock] = now;
    } else if (w->sections.at[before].acquire < e) {
        finish(s, before);
        s->last[lock] = now;
    } else
        finish(s, now);
}

static void look_read(struct preserve *s, uint32_t e)
{
    const struct pf_window *w = s->p->w;
    for (uint32_t k = w->touch_at[e]; k < w->touch_at[e + 1]; k++) {
        const struct pf_touch *x = &w->touches.at[k];
        if (!x->reads || x->pinned || x->source == PF_START)
            continue;
        uint32_t from = w->touches.at[x->source].event;
        take(s, from);
        uint32_t t = w->thread[from], upto = w->pos[from] + w->touches.at[x->source].reads;
        if (upto > s->p->right[t])
            s->p->right[t] = upto;
    }
    if (pf_window_event(w, e)->kind != PF_EV_TRYFAIL)
        return;
    for (uint32_t k = w->lock_at.at[w->section[e]]; k < w->lock_at.at[w->section[e] + 1]; k++) {
        const struct pf_section *h = &w->sections.at[w->lock_section.at[k]];
        if (h->acquire != PF_NONE && h->acquire < e && (h->release == PF_NONE || h->release > e))
            take(s, h->acquire);
    }
}

bool pf_pair_preserve(struct pf_pair *p)
{
    const struct pf_window *w = p->w;
    size_t nlocks = w->lock_list.len;
    pf_vec_clear(&p->stack);
    pf_vec_reserve(&p->stack, nlocks + 2 * w->nt + 1);
    struct preserve s = {p, p->stack.at, p->stack.at + nlocks, p->stack.at + nlocks + w->nt, true};
    memset(s.last, 0xff, nlocks * sizeof *s.last);
    memset(s.seen, 0, 2 * w->nt * sizeof *s.seen);
    const uint32_t goal[2] = {p->a, p->b};
    for (int g = 0; g < 2; g++) {
        uint32_t t = w->thread[goal[g]];
        p->need[t] = w->pos[goal[g]];
        p->right[t] = pf_pair_right(p, goal[g]);
        for (uint32_t k = w->pred_at[goal[g]]; k < w->pred_at[goal[g] + 1]; k++)
            take(&s, w->pred.at[k]);
    }
    for (bool more = true; more && s.ok;) {
        more = false;
        for (uint32_t t = 0; t < w->nt && s.ok; t++) {
            for (; s.seen[t] < p->need[t] && s.ok; more = true)
                look(&s, pf_window_at(w, t, s.seen[t]++));
            uint32_t dep = p->need[t] ? w->branch[pf_window_at(w, t, p->need[t] - 1)] : 0;
            p->right[t] = dep > p->right[t] ? dep : p->right[t];
            for (; s.reads[t] < p->right[t] && s.ok; more = true)
                look_read(&s, pf_window_at(w, t, s.reads[t]++));
        }
    }
    pf_vec_clear(&p->order);
    if (s.ok)
        for (uint32_t i = 0; i < w->n; i++)
            if (pf_pair_needed(p, i))
                pf_vec_push(&p->order, i);
    for (uint32_t u = 0; u < w->nt; u++)
        p->need[u] = p->right[u] = 0;
    return s.ok;
}
