/*
 * query_closure.c - the second of the three tiers of query.h: computes, as a fixpoint, the events
 * that every answer must include and the order that every answer must have. A contradiction rejects
 * the question.
 *
 * The clocks are kept transitively closed while edges are added. So "x must come before y" is a
 * single comparison, and a cycle is detected at the edge that closes it.
 */
#include "query.h"
#include <string.h>

/* Includes event e and everything that must come before it. */
static bool include(struct pf_query *p, uint32_t e)
{
    const struct pf_window *w = p->w;
    const uint32_t *c = p->clock + (size_t)e * w->nt;
    for (uint32_t u = 0; u < w->nt; u++)
        if (c[u] > p->need[u]) {
            if (c[u] > p->limit[u])
                return false;
            p->need[u] = c[u];
            p->changed = true;
        }
    return true;
}

/* Includes everything that must come before the goal (one of the two events a and b), without the
 * goal itself. */
static bool include_before(struct pf_query *p, uint32_t goal)
{
    const struct pf_window *w = p->w;
    const uint32_t *c = p->clock + (size_t)goal * w->nt;
    for (uint32_t u = 0; u < w->nt; u++) {
        uint32_t k = c[u] - (u == w->thread[goal]);
        if (k > p->limit[u])
            return false;
        if (k > p->need[u]) {
            p->need[u] = k;
            p->changed = true;
        }
    }
    return true;
}

static bool join_clock(struct pf_query *p, uint32_t from, uint32_t to)
{
    uint32_t nt = p->w->nt;
    const uint32_t *c = p->clock + (size_t)from * nt;
    uint32_t *d = p->clock + (size_t)to * nt;
    bool grew = false;
    for (uint32_t u = 0; u < nt; u++)
        if (c[u] > d[u]) {
            d[u] = c[u];
            grew = true;
        }
    return grew;
}

static bool raise_clock(struct pf_query *p, uint32_t from, uint32_t to)
{
    const struct pf_window *w = p->w;
    if (w->pos[to] > p->limit[w->thread[to]] || !join_clock(p, from, to))
        return true;
    pf_vec_push(&p->stack, to);
    if (to == p->a || to == p->b)
        return include_before(p, to);
    return !pf_query_needed(p, to) || include(p, to);
}

/* Adds the edge x -> y between two included events. Returns false if it closes a cycle. */
static bool put_before(struct pf_query *p, uint32_t x, uint32_t y)
{
    const struct pf_window *w = p->w;
    if (pf_query_before(p, y, x))
        return false;
    if (pf_query_before(p, x, y))
        return true;
    p->changed = true;
    pf_vec_push(&p->derived, x);
    pf_vec_push(&p->derived, y);
    pf_vec_push(&p->derived, p->derived_at[x]);
    p->derived_at[x] = (uint32_t)p->derived.len - 3;
    pf_vec_clear(&p->stack);
    if (!raise_clock(p, x, y))
        return false;
    while (p->stack.len) {
        uint32_t e = p->stack.at[--p->stack.len], t = w->thread[e];
        if (w->pos[e] + 1 < pf_window_len(w, t) &&
            !raise_clock(p, e, pf_window_at(w, t, w->pos[e] + 1)))
            return false;
        for (uint32_t k = p->succ_at[e]; k < p->succ_at[e + 1]; k++)
            if (!raise_clock(p, e, p->succ[k]))
                return false;
        for (uint32_t k = p->derived_at[e]; k != PF_NONE; k = p->derived.at[k + 2])
            if (!raise_clock(p, e, p->derived.at[k + 1]))
                return false;
    }
    return true;
}

/* Finds the included writes to the cell that must come before the read: the last one of each
 * thread. */
static uint32_t covering(const struct pf_query *p, uint32_t access, uint32_t *out)
{
    const struct pf_window *w = p->w;
    const struct pf_window_access *r = &w->accesses.at[access];
    const struct pf_window_cell *c = &w->cells.at[r->cell];
    uint32_t n = 0;
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        uint32_t e = w->accesses.at[w->write_access.at[k]].event;
        if (e == r->event || !pf_query_needed(p, e) || !pf_query_before(p, e, r->event))
            continue;
        uint32_t i = 0;
        while (i < n && w->thread[out[i]] != w->thread[e])
            i++;
        out[i] = e;
        n += i == n;
    }
    return n;
}

/* The read has only one possible writer: it must come before the read, and no other included write
 * may come between. */
static bool fix_writer(struct pf_query *p, uint32_t access, uint32_t from)
{
    const struct pf_window *w = p->w;
    const struct pf_window_access *r = &w->accesses.at[access];
    const struct pf_window_cell *c = &w->cells.at[r->cell];
    uint32_t we = from == PF_FROM_START ? PF_NONE : w->accesses.at[from].event;
    p->writer[access] = from;
    if (we != PF_NONE) {
        uint32_t t = w->thread[we], upto = w->pos[we] + w->accesses.at[from].reads;
        if (upto > p->correct[t]) {
            p->correct[t] = upto;
            p->changed = true;
        }
        if (!include(p, we) || !put_before(p, we, r->event))
            return false;
    }
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        uint32_t e = w->accesses.at[w->write_access.at[k]].event;
        if (e == we || e == r->event || !pf_query_needed(p, e))
            continue;
        if (we == PF_NONE || pf_query_before(p, we, e)) {
            if (!put_before(p, r->event, e))
                return false;
        } else if (pf_query_before(p, e, r->event) && !put_before(p, e, we))
            return false;
    }
    return true;
}

static bool close_read(struct pf_query *p, uint32_t access)
{
    const struct pf_window *w = p->w;
    const struct pf_window_access *r = &w->accesses.at[access];
    if (p->writer[access] != PF_WRITER_OPEN)
        return fix_writer(p, access, p->writer[access]);
    uint32_t cover[w->nt + 1], ncover = covering(p, access, cover);
    uint32_t common[w->nt], viable = 0, one = PF_FROM_START;
    const struct pf_window_cell *c = &w->cells.at[r->cell];
    bool start = !ncover && pf_window_matches(w, access, PF_FROM_START);
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        uint32_t x = w->write_access.at[k], e = w->accesses.at[x].event;
        if (e == r->event || !pf_query_possible(p, e) || !pf_window_matches(w, access, x) ||
            pf_query_before(p, r->event, e))
            continue;
        bool covered = false;
        for (uint32_t i = 0; i < ncover && !covered; i++)
            covered = cover[i] != e && pf_query_before(p, e, cover[i]);
        if (covered)
            continue;
        const uint32_t *d = p->clock + (size_t)e * w->nt;
        for (uint32_t u = 0; u < w->nt; u++)
            common[u] = viable && common[u] < d[u] ? common[u] : d[u];
        viable++;
        one = x;
    }
    if (viable + start == 0)
        return false;
    if (viable + start == 1)
        return fix_writer(p, access, start ? PF_FROM_START : one);
    for (uint32_t u = 0; u < w->nt && !start; u++)
        if (common[u] > p->clock[(size_t)r->event * w->nt + u]) {
            uint32_t e = pf_window_at(w, u, common[u] - 1);
            if (!include(p, e) || !put_before(p, e, r->event))
                return false;
        }
    return true;
}

static bool ends(const struct pf_query *p, const struct pf_window_section *s)
{
    return s->release != PF_NONE && pf_query_possible(p, s->release);
}

/* Both sections are included. True if x cannot come after y. */
static bool must_precede(const struct pf_query *p, const struct pf_window_section *x,
                         const struct pf_window_section *y)
{
    return x->acquire == PF_NONE || !ends(p, y) || pf_query_before(p, x->acquire, y->release);
}

static bool close_lock(struct pf_query *p, uint32_t lock)
{
    const struct pf_window *w = p->w;
    for (uint32_t i = w->lock_at.at[lock]; i < w->lock_at.at[lock + 1]; i++) {
        const struct pf_window_section *x = &w->sections.at[w->lock_section.at[i]];
        if (x->acquire != PF_NONE && !pf_query_needed(p, x->acquire))
            continue;
        for (uint32_t k = i + 1; k < w->lock_at.at[lock + 1]; k++) {
            const struct pf_window_section *y = &w->sections.at[w->lock_section.at[k]];
            if (y->thread == x->thread || (x->shared && y->shared) || y->acquire == PF_NONE ||
                !pf_query_needed(p, y->acquire))
                continue;
            bool xy = must_precede(p, x, y), yx = must_precede(p, y, x);
            if (xy && (yx || !ends(p, x) || !include(p, x->release) ||
                       !put_before(p, x->release, y->acquire)))
                return false;
            if (yx && (!include(p, y->release) || !put_before(p, y->release, x->acquire)))
                return false;
        }
    }
    return true;
}

/* Requires the chain, in its order, before a and b. */
static bool close_chain(struct pf_query *p)
{
    for (uint32_t i = 0; i < p->nchain; i++) {
        if (!include(p, p->chain[i]) || (i && !put_before(p, p->chain[i - 1], p->chain[i])))
            return false;
        if (i + 1 == p->nchain &&
            (!put_before(p, p->chain[i], p->a) || !put_before(p, p->chain[i], p->b)))
            return false;
    }
    return true;
}

bool pf_query_close(struct pf_query *p)
{
    const struct pf_window *w = p->w;
    memset(p->succ_at, 0, (w->n + 2ull) * sizeof *p->succ_at);
    for (size_t k = 0; k < w->pred.len; k++)
        p->succ_at[w->pred.at[k] + 2]++;
    for (uint32_t i = 0; i < w->n; i++)
        p->succ_at[i + 2] += p->succ_at[i + 1];
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = w->pred_at[i]; k < w->pred_at[i + 1]; k++)
            p->succ[p->succ_at[w->pred.at[k] + 1]++] = i;
    pf_vec_clear(&p->derived);
    memset(p->derived_at, 0xff, w->n * sizeof *p->derived_at);
    for (size_t k = 0; k < w->accesses.len; k++)
        p->writer[k] = PF_WRITER_OPEN;
    p->correct[w->thread[p->a]] = pf_query_correct_reads(p, p->a);
    p->correct[w->thread[p->b]] = pf_query_correct_reads(p, p->b);
    if (!include_before(p, p->a) || !include_before(p, p->b) || !close_chain(p))
        return false;
    do {
        p->changed = false;
        for (uint32_t t = 0; t < w->nt; t++) {
            uint32_t dep = p->need[t] ? w->branch[pf_window_at(w, t, p->need[t] - 1)] : 0;
            p->correct[t] = dep > p->correct[t] ? dep : p->correct[t];
            for (uint32_t k = 0; k < p->correct[t]; k++) {
                uint32_t e = pf_window_at(w, t, k);
                for (uint32_t x = w->access_at[e]; x < w->access_at[e + 1]; x++)
                    if (w->accesses.at[x].reads && !w->accesses.at[x].pinned && !close_read(p, x))
                        return false;
            }
        }
        for (uint32_t l = 0; l + 1 < w->lock_at.len; l++)
            if (!close_lock(p, l))
                return false;
        for (size_t k = 0; k < w->soft.len; k += 2)
            if (pf_query_needed(p, w->soft.at[k]) && pf_query_needed(p, w->soft.at[k + 1]) &&
                !put_before(p, w->soft.at[k], w->soft.at[k + 1]))
                return false;
        for (size_t k = 0; k < w->wakes.len; k += 3)
            if (pf_query_needed(p, w->wakes.at[k]) &&
                !put_before(p, w->wakes.at[k + 1], w->wakes.at[k + 2]))
                return false;
    } while (p->changed);
    return true;
}
