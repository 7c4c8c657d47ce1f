/*
 * window.c - see window.h. Everything is filled by linear scans over the window.
 */
#include "window.h"
#include <string.h>

void pf_window_init(struct pf_window *w, const struct pf_trace_index *x)
{
    memset(w, 0, sizeof *w);
    w->x = x;
    const struct pf_trace *t = x->t;
    w->cell_map = pf_mem_resize(NULL, t->cells.len, sizeof *w->cell_map);
    memset(w->cell_map, 0xff, t->cells.len * sizeof *w->cell_map);
    w->thread_map = pf_mem_resize(NULL, t->threads.len, sizeof *w->thread_map);
    memset(w->thread_map, 0xff, t->threads.len * sizeof *w->thread_map);
    w->lock_map = pf_mem_resize(NULL, t->locks.len + x->nspins, sizeof *w->lock_map);
    memset(w->lock_map, 0xff, (t->locks.len + x->nspins) * sizeof *w->lock_map);
    w->global_thread = pf_mem_resize(NULL, t->threads.len, sizeof *w->global_thread);
    w->by_thread_at = pf_mem_resize(NULL, t->threads.len + 1, sizeof *w->by_thread_at);
}

void pf_window_release(struct pf_window *w)
{
    void *all[] = {w->thread,        w->pos,      w->by_thread_at, w->by_thread,
                   w->global_thread, w->pred_at,  w->access_at,    w->section,
                   w->branch,        w->cell_map, w->thread_map,   w->lock_map};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&w->pred);
    pf_vec_release(&w->soft);
    pf_vec_release(&w->accesses);
    pf_vec_release(&w->cells);
    pf_vec_release(&w->write_access);
    pf_vec_release(&w->sections);
    pf_vec_release(&w->wakes);
    pf_vec_release(&w->lock_at);
    pf_vec_release(&w->lock_section);
    pf_vec_release(&w->cell_list);
    pf_vec_release(&w->written);
    pf_vec_release(&w->writer);
    pf_vec_release(&w->lock_list);
    memset(w, 0, sizeof *w);
}

static void reserve(struct pf_window *w, uint32_t n)
{
    if (!pf_vec_outgrown(&w->cap, n + 1ull))
        return;
    uint32_t **all[] = {&w->thread,    &w->pos,     &w->by_thread, &w->pred_at,
                        &w->access_at, &w->section, &w->branch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = pf_mem_resize(*all[i], w->cap, sizeof **all[i]);
}

static void fill_threads(struct pf_window *w)
{
    const struct pf_event *e = pf_window_event(w, 0);
    const struct pf_trace *t = w->x->t;
    w->nt = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t *m = &w->thread_map[e[i].thread];
        if (*m == PF_NONE) {
            w->global_thread[w->nt] = e[i].thread;
            w->by_thread_at[w->nt] = 0;
            *m = w->nt++;
        }
        w->thread[i] = *m;
        w->pos[i] = w->by_thread_at[*m]++;
    }
    uint32_t sum = 0;
    for (uint32_t k = 0; k <= w->nt; k++) {
        uint32_t len = k < w->nt ? w->by_thread_at[k] : 0;
        w->by_thread_at[k] = sum;
        sum += len;
    }
    for (uint32_t i = 0; i < w->n; i++)
        w->by_thread[w->by_thread_at[w->thread[i]] + w->pos[i]] = i;
    for (uint32_t k = 0; k < w->nt; k++) {
        w->thread_map[w->global_thread[k]] = PF_NONE;
        uint32_t need = 0;
        for (uint32_t p = 0; p < pf_window_len(w, k); p++) {
            uint32_t i = pf_window_at(w, k, p);
            bool missing = w->x->missing != PF_MISSING_IGNORE;
            if (pf_event_decided(t, &e[i]))
                need = p;
            if (missing && w->x->borders && w->x->borders[w->lo + i])
                need = p; /* whether it happens may depend on code of the call */
            if (missing && pf_event_class[e[i].kind] == PF_CLASS_CALL)
                need = p + 1; /* it is unknown what the call does with the values it reads */
            if (missing && w->x->exposed && w->x->exposed[w->lo + i])
                need = p + pf_event_reads(&e[i]);
            w->branch[i] = need;
        }
    }
}

static void fill_preds(struct pf_window *w)
{
    const struct pf_trace_index *x = w->x;
    pf_vec_clear(&w->pred);
    pf_vec_clear(&w->soft);
    size_t k = pf_edges_of(&x->pred, w->lo);
    for (uint32_t i = 0; i < w->n; i++) {
        w->pred_at[i] = (uint32_t)w->pred.len;
        for (; k < x->pred.at.len && x->pred.at.at[k] == w->lo + i; k += 2)
            if (x->pred.at.at[k + 1] >= w->lo)
                pf_vec_push(&w->pred, x->pred.at.at[k + 1] - w->lo);
    }
    w->pred_at[w->n] = (uint32_t)w->pred.len;
    for (k = pf_edges_of(&x->soft, w->lo); k < x->soft.at.len && x->soft.at.at[k] < w->lo + w->n;
         k += 2)
        if (x->soft.at.at[k + 1] >= w->lo) {
            pf_vec_push(&w->soft, x->soft.at.at[k + 1] - w->lo);
            pf_vec_push(&w->soft, x->soft.at.at[k] - w->lo);
        }
}

static uint32_t local_cell(struct pf_window *w, uint32_t c)
{
    const struct pf_trace_index *x = w->x;
    if (w->cell_map[c] != PF_NONE)
        return w->cell_map[c];
    const struct pf_cell *g = &x->t->cells.at[c];
    struct pf_window_cell cell = {.initial = g->initial, .initial_known = g->initial_known};
    /* finds the last write before the window */
    uint32_t lo = x->write_at[c], hi = x->write_at[c + 1];
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (x->writes[mid] < w->lo)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo > x->write_at[c])
        cell.initial_known =
            pf_trace_cell_value(x->t, &x->t->events.at[x->writes[lo - 1]], c, false, &cell.initial);
    uint32_t since = lo > x->write_at[c] ? x->writes[lo - 1] + 1 : 0;
    if (pf_trace_index_overwritten(x, c, since, w->lo))
        cell.initial_known = false;
    w->cell_map[c] = (uint32_t)w->cells.len;
    pf_vec_push(&w->cells, cell);
    pf_vec_push(&w->cell_list, c);
    return w->cell_map[c];
}

/* Finds the cells that are written in the window, if the window contains missing calls, which may
 * read them. */
static void find_written(struct pf_window *w)
{
    const struct pf_trace *t = w->x->t;
    bool calls = false;
    pf_vec_clear(&w->written);
    pf_vec_clear(&w->writer);
    for (uint32_t i = 0; i < w->n && !calls && w->x->missing != PF_MISSING_IGNORE; i++)
        calls = pf_window_event(w, i)->kind == PF_EV_CALL;
    for (uint32_t i = 0; i < w->n && calls; i++) {
        const struct pf_event *e = pf_window_event(w, i);
        if (!pf_event_writes(e))
            continue;
        const struct pf_range *p = &t->places.at[e->what];
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
            if (t->cells.at[c].shared && w->cell_map[c] == PF_NONE) {
                local_cell(w, c);
                pf_vec_push(&w->written, c);
                pf_vec_push(&w->writer, PF_NONE);
            }
    }
}

/* Adds the reads of a missing call. A cell that no other thread has written in the window before
 * the call needs no check: writes that follow the call in the trace stay after it, and the call's
 * own thread is correct by then. */
static void fill_call(struct pf_window *w, uint32_t i)
{
    const struct pf_trace *t = w->x->t;
    const struct pf_reach *d = &t->reaches.at[pf_window_event(w, i)->link];
    for (uint32_t k = 0; k < w->written.len; k++)
        if (w->writer.at[k] != PF_NONE && w->writer.at[k] != w->thread[i] &&
            pf_trace_reaches(t, d, w->written.at[k]))
            pf_vec_push(&w->accesses, (struct pf_window_access){.event = i,
                                                                .cell = k,
                                                                .source = PF_FROM_START,
                                                                .global = w->written.at[k],
                                                                .reads = true});
}

/* The call saw what the last write stored. (If another missing call came in between, no other write
 * can match, because all of them precede that call.) */
static void find_seen(const struct pf_window *w, struct pf_window_access *r)
{
    const struct pf_window_access *x =
        r->source == PF_FROM_START ? NULL : &w->accesses.at[r->source];
    r->seen = x ? x->stored : w->cells.at[r->cell].initial;
    r->seen_known = x ? x->stored_known : w->cells.at[r->cell].initial_known;
}

/* Cells that only one thread uses, or that are never written, impose no constraints. */
static void fill_accesses(struct pf_window *w)
{
    const struct pf_trace *t = w->x->t;
    pf_vec_clear(&w->accesses);
    pf_vec_clear(&w->cells);
    pf_vec_clear(&w->cell_list);
    find_written(w);
    for (uint32_t i = 0; i < w->n; i++) {
        const struct pf_event *e = pf_window_event(w, i);
        w->access_at[i] = (uint32_t)w->accesses.len;
        if (e->kind == PF_EV_CALL && w->written.len)
            fill_call(w, i);
        if (!pf_event_is_access(e))
            continue;
        const struct pf_range *p = &t->places.at[e->what];
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
            if (!t->cells.at[c].shared || !t->cells.at[c].written)
                continue;
            struct pf_window_access x = {.event = i,
                                         .cell = local_cell(w, c),
                                         .source = PF_FROM_START,
                                         .global = c,
                                         .reads = pf_event_reads(e),
                                         .writes = pf_event_writes(e),
                                         .pinned = pf_trace_index_pinned(w->x, e)};
            if (x.reads)
                x.seen_known = pf_trace_cell_value(t, e, c, true, &x.seen);
            if (x.writes) {
                x.stored_known = pf_trace_cell_value(t, e, c, false, &x.stored);
                uint32_t *by = x.cell < w->writer.len ? &w->writer.at[x.cell] : NULL;
                if (by)
                    *by = *by == PF_NONE || *by == w->thread[i] ? w->thread[i] : PF_SEVERAL_THREADS;
            }
            pf_vec_push(&w->accesses, x);
        }
    }
    w->access_at[w->n] = (uint32_t)w->accesses.len;
    for (size_t k = 0; k < w->cell_list.len; k++)
        w->cell_map[w->cell_list.at[k]] = PF_NONE;

    for (size_t k = 0; k < w->accesses.len; k++)
        w->cells.at[w->accesses.at[k].cell].count += w->accesses.at[k].writes;
    uint32_t sum = 0;
    for (size_t c = 0; c < w->cells.len; c++) {
        w->cells.at[c].first = sum;
        sum += w->cells.at[c].count;
        w->cells.at[c].count = 0;
    }
    w->write_access.len = 0;
    pf_vec_reserve(&w->write_access, sum + 1);
    w->write_access.len = sum;
    for (uint32_t k = 0; k < w->accesses.len; k++) {
        struct pf_window_access *x = &w->accesses.at[k];
        struct pf_window_cell *c = &w->cells.at[x->cell];
        if (x->reads && c->count)
            x->source = w->write_access.at[c->first + c->count - 1];
        if (x->reads && pf_window_event(w, x->event)->kind == PF_EV_CALL)
            find_seen(w, x);
        if (x->writes)
            w->write_access.at[c->first + c->count++] = k;
    }
}

static uint32_t local_lock(struct pf_window *w, uint32_t l)
{
    if (w->lock_map[l] == PF_NONE) {
        w->lock_map[l] = (uint32_t)w->lock_list.len;
        pf_vec_push(&w->lock_list, l);
    }
    return w->lock_map[l];
}

static void fill_sections(struct pf_window *w)
{
    pf_vec_clear(&w->sections);
    pf_vec_clear(&w->lock_list);
    for (uint32_t i = 0; i < w->n; i++) {
        const struct pf_event *e = pf_window_event(w, i);
        w->section[i] = PF_NONE;
        if (e->kind == PF_EV_TRYFAIL)
            w->section[i] = local_lock(w, e->what);
        bool acquires = pf_trace_index_acquires(w->x, w->lo + i);
        if (!acquires && !pf_trace_index_releases(w->x, w->lo + i))
            continue;
        uint32_t other = w->x->match[w->lo + i];
        if (acquires || other == PF_NONE || other < w->lo) {
            w->section[i] = (uint32_t)w->sections.len;
            pf_vec_push(&w->sections,
                        (struct pf_window_section){
                            .acquire = acquires ? i : PF_NONE,
                            .release = acquires ? PF_NONE : i,
                            .lock = local_lock(w, pf_trace_index_lock(w->x, w->lo + i)),
                            .thread = w->thread[i],
                            .shared = pf_event_shared(e)});
        } else {
            w->section[i] = w->section[other - w->lo];
            w->sections.at[w->section[i]].release = i;
        }
    }
    for (size_t k = 0; k < w->lock_list.len; k++)
        w->lock_map[w->lock_list.at[k]] = PF_NONE;
    pf_vec_clear(&w->lock_at);
    for (size_t k = 0; k <= w->lock_list.len; k++)
        pf_vec_push(&w->lock_at, 0);
    for (size_t k = 0; k < w->sections.len; k++)
        w->lock_at.at[w->sections.at[k].lock + 1]++;
    for (size_t k = 0; k < w->lock_list.len; k++)
        w->lock_at.at[k + 1] += w->lock_at.at[k];
    w->lock_section.len = 0;
    pf_vec_reserve(&w->lock_section, w->sections.len + 1);
    w->lock_section.len = w->sections.len;
    uint32_t *at = pf_mem_zero(w->lock_list.len, sizeof *at);
    /* sections held at the window's start come first */
    for (uint32_t k = 0; k < w->sections.len; k++) {
        uint32_t l = w->sections.at[k].lock;
        if (w->sections.at[k].acquire == PF_NONE)
            w->lock_section.at[w->lock_at.at[l] + at[l]++] = k;
    }
    for (uint32_t k = 0; k < w->sections.len; k++) {
        uint32_t l = w->sections.at[k].lock;
        if (w->sections.at[k].acquire != PF_NONE)
            w->lock_section.at[w->lock_at.at[l] + at[l]++] = k;
    }
    free(at);
}

static void fill_wakes(struct pf_window *w)
{
    pf_vec_clear(&w->wakes);
    for (uint32_t i = 0; i < w->n; i++) {
        if (pf_window_event(w, i)->kind != PF_EV_WAKE)
            continue;
        uint32_t by = pf_trace_waker(w->x->t, w->lo + i), pos = w->pos[i];
        while (pos &&
               pf_window_event(w, pf_window_at(w, w->thread[i], pos - 1))->kind != PF_EV_WAIT)
            pos--; /* skip signal handlers and cleanup handlers that ran during the wait */
        if (!pos || by == PF_NONE || by < w->lo)
            continue;
        pf_vec_push(&w->wakes, i);
        pf_vec_push(&w->wakes, pf_window_at(w, w->thread[i], pos - 1));
        pf_vec_push(&w->wakes, by - w->lo);
    }
}

void pf_window_fill(struct pf_window *w, uint32_t lo, uint32_t hi)
{
    w->lo = lo;
    w->n = hi - lo;
    reserve(w, w->n);
    fill_threads(w);
    fill_preds(w);
    fill_accesses(w);
    fill_sections(w);
    fill_wakes(w);
}

bool pf_window_matches(const struct pf_window *w, uint32_t read_access, uint32_t write_access)
{
    const struct pf_window_access *r = &w->accesses.at[read_access];
    if (r->source == write_access)
        return true;
    if (!r->seen_known)
        return false;
    const struct pf_window_access *x =
        write_access == PF_FROM_START ? NULL : &w->accesses.at[write_access];
    /* A missing call between the two may have stored another value. */
    uint32_t since = w->lo + (x ? x->event + 1 : 0), until = w->lo + r->event;
    if (since <= until && pf_trace_index_overwritten(w->x, r->global, since, until))
        return false;
    if (!x)
        return w->cells.at[r->cell].initial_known && w->cells.at[r->cell].initial == r->seen;
    return x->stored_known && x->stored == r->seen;
}
