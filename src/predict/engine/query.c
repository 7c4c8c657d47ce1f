/*
 * query.c - sets up a question, and its first tier: sync-preserving reorderings.
 */
#include "query.h"
#include <string.h>

void pf_query_release(struct pf_query *p)
{
    void *all[] = {p->limit,   p->need, p->correct,    p->clock,
                   p->succ_at, p->succ, p->derived_at, p->writer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&p->derived);
    pf_vec_release(&p->stack);
    pf_vec_release(&p->order);
    memset(p, 0, sizeof *p);
}

static void reserve(struct pf_query *p, const struct pf_window *w)
{
    if (pf_vec_outgrown(&p->cap, w->n + 1ull)) {
        p->succ_at = pf_mem_resize(p->succ_at, p->cap + 2, sizeof *p->succ_at);
        p->derived_at = pf_mem_resize(p->derived_at, p->cap, sizeof *p->derived_at);
    }
    if (pf_vec_outgrown(&p->cap_nt, w->nt + 1ull)) {
        p->limit = pf_mem_resize(p->limit, p->cap_nt, sizeof *p->limit);
        p->need = pf_mem_resize(p->need, p->cap_nt, sizeof *p->need);
        p->correct = pf_mem_resize(p->correct, p->cap_nt, sizeof *p->correct);
    }
    if (pf_vec_outgrown(&p->cap_access, w->accesses.len + 1))
        p->writer = pf_mem_resize(p->writer, p->cap_access, sizeof *p->writer);
    if (pf_vec_outgrown(&p->cap_succ, w->pred.len + 1))
        p->succ = pf_mem_resize(p->succ, p->cap_succ, sizeof *p->succ);
    if (pf_vec_outgrown(&p->cap_clock, (size_t)w->n * w->nt + 1))
        p->clock = pf_mem_resize(p->clock, p->cap_clock, sizeof *p->clock);
}

static void start_clocks(struct pf_query *p)
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

bool pf_query_init(struct pf_query *p, const struct pf_window *w, uint32_t a, uint32_t b)
{
    p->w = w;
    p->a = a;
    p->b = b;
    p->nchain = 0;
    reserve(p, w);
    start_clocks(p);
    for (uint32_t u = 0; u < w->nt; u++) {
        p->limit[u] = pf_window_len(w, u);
        p->need[u] = p->correct[u] = 0;
    }
    p->limit[w->thread[a]] = w->pos[a];
    p->limit[w->thread[b]] = w->pos[b];
    /* An event that must come after an impossible event is impossible, too. */
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->pred_at[i]; k < w->pred_at[i + 1] && pf_query_possible(p, i); k++)
            if (!pf_query_possible(p, w->pred.at[k]))
                p->limit[w->thread[i]] = w->pos[i];
    return p->limit[w->thread[a]] == w->pos[a] && p->limit[w->thread[b]] == w->pos[b] &&
           (a == b || (!pf_query_before(p, a, b) && !pf_query_before(p, b, a)));
}

struct closure {
    struct pf_query *p;
    uint32_t *last; /* per lock: the newest included acquire, PF_NONE if none */
    uint32_t *seen; /* per thread: number of events processed */
    uint32_t *reads; /* per thread: number of events whose reads were processed */
    bool ok;
};

static void include_event(struct closure *s, uint32_t e)
{
    struct pf_query *p = s->p;
    uint32_t t = p->w->thread[e], k = p->w->pos[e] + 1;
    if (k > p->limit[t])
        s->ok = false;
    else if (k > p->need[t])
        p->need[t] = k;
}

static void include_release(struct closure *s, uint32_t section)
{
    uint32_t release = s->p->w->sections.at[section].release;
    if (release == PF_NONE)
        s->ok = false;
    else
        include_event(s, release);
}

static void close_event(struct closure *s, uint32_t e)
{
    const struct pf_window *w = s->p->w;
    for (uint32_t k = w->pred_at[e]; k < w->pred_at[e + 1]; k++)
        include_event(s, w->pred.at[k]);
    if (w->section[e] == PF_NONE || !pf_event_acquires(pf_window_event(w, e)))
        return;
    uint32_t now = w->section[e], lock = w->sections.at[now].lock;
    uint32_t before = s->last[lock];
    if (before == PF_NONE) { /* sections that were entered before the window */
        for (uint32_t k = w->lock_at.at[lock]; k < w->lock_at.at[lock + 1]; k++) {
            uint32_t h = w->lock_section.at[k];
            if (w->sections.at[h].acquire == PF_NONE && w->sections.at[h].thread != w->thread[e])
                include_release(s, h);
        }
        s->last[lock] = now;
    } else if (w->sections.at[before].acquire < e) {
        include_release(s, before);
        s->last[lock] = now;
    } else
        include_release(s, now);
}

static void close_reads(struct closure *s, uint32_t e)
{
    const struct pf_window *w = s->p->w;
    for (uint32_t k = w->access_at[e]; k < w->access_at[e + 1]; k++) {
        const struct pf_window_access *x = &w->accesses.at[k];
        if (!x->reads || x->pinned || x->source == PF_FROM_START)
            continue;
        uint32_t from = w->accesses.at[x->source].event;
        include_event(s, from);
        uint32_t t = w->thread[from], upto = w->pos[from] + w->accesses.at[x->source].reads;
        if (upto > s->p->correct[t])
            s->p->correct[t] = upto;
    }
    if (pf_window_event(w, e)->kind != PF_EV_TRYFAIL)
        return;
    for (uint32_t k = w->lock_at.at[w->section[e]]; k < w->lock_at.at[w->section[e] + 1]; k++) {
        const struct pf_window_section *h = &w->sections.at[w->lock_section.at[k]];
        if (h->acquire != PF_NONE && h->acquire < e && (h->release == PF_NONE || h->release > e))
            include_event(s, h->acquire);
    }
}

bool pf_query_sync_preserving(struct pf_query *p)
{
    const struct pf_window *w = p->w;
    size_t nlocks = w->lock_list.len;
    pf_vec_clear(&p->stack);
    pf_vec_reserve(&p->stack, nlocks + 2 * w->nt + 1);
    struct closure s = {p, p->stack.at, p->stack.at + nlocks, p->stack.at + nlocks + w->nt, true};
    memset(s.last, 0xff, nlocks * sizeof *s.last);
    memset(s.seen, 0, 2 * w->nt * sizeof *s.seen);
    const uint32_t goal[2] = {p->a, p->b};
    for (int g = 0; g < 2; g++) {
        uint32_t t = w->thread[goal[g]];
        p->need[t] = w->pos[goal[g]];
        p->correct[t] = pf_query_correct_reads(p, goal[g]);
        for (uint32_t k = w->pred_at[goal[g]]; k < w->pred_at[goal[g] + 1]; k++)
            include_event(&s, w->pred.at[k]);
    }
    for (bool more = true; more && s.ok;) {
        more = false;
        for (uint32_t t = 0; t < w->nt && s.ok; t++) {
            for (; s.seen[t] < p->need[t] && s.ok; more = true)
                close_event(&s, pf_window_at(w, t, s.seen[t]++));
            uint32_t dep = p->need[t] ? w->branch[pf_window_at(w, t, p->need[t] - 1)] : 0;
            p->correct[t] = dep > p->correct[t] ? dep : p->correct[t];
            for (; s.reads[t] < p->correct[t] && s.ok; more = true)
                close_reads(&s, pf_window_at(w, t, s.reads[t]++));
        }
    }
    pf_vec_clear(&p->order);
    if (s.ok)
        for (uint32_t i = 0; i < w->n; i++)
            if (pf_query_needed(p, i))
                pf_vec_push(&p->order, i);
    for (uint32_t u = 0; u < w->nt; u++)
        p->need[u] = p->correct[u] = 0;
    return s.ok;
}
