/*
 * trace_seal.c - derives the rest of a trace from its events: cells, lock nesting, barrier
 * generations, wakers, initial values and the items of reach sets.
 */
#include "intern_tables.h"
#include <assert.h>
#include <string.h>

struct bound {
    uint64_t addr;
    uint32_t block;
};

static int by_bound(const void *x, const void *y)
{
    const struct bound *a = x, *b = y;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* Cells are the intervals between neighbouring bounds of the places of one generation. */
static void cut_cells(struct pf_trace *t)
{
    size_t n = t->places.len, m = 0;
    struct bound *b = pf_mem_resize(NULL, 2 * n + 1, sizeof *b);
    for (size_t i = 0; i < n; i++) {
        struct pf_range *p = &t->places.at[i];
        b[2 * i] = (struct bound){p->addr, p->block};
        b[2 * i + 1] = (struct bound){p->addr + p->size, p->block};
    }
    qsort(b, 2 * n, sizeof *b, by_bound);
    for (size_t i = 0; i < 2 * n; i++)
        if (!m || by_bound(&b[m - 1], &b[i]))
            b[m++] = b[i];
    pf_vec_clear(&t->cells);
    for (size_t i = 0; i < m;
         i++) { /* the last bound of a generation makes an empty, unused cell */
        uint64_t size = i + 1 < m && b[i + 1].block == b[i].block ? b[i + 1].addr - b[i].addr : 0;
        pf_vec_push(&t->cells, (struct pf_cell){.addr = b[i].addr, .size = size});
    }
    for (size_t i = 0; i < n; i++) {
        struct pf_range *p = &t->places.at[i];
        struct bound key = {p->addr, p->block}, end = {p->addr + p->size, p->block};
        struct bound *first = bsearch(&key, b, m, sizeof *b, by_bound);
        struct bound *last = bsearch(&end, b, m, sizeof *b, by_bound);
        assert(first && last);
        p->cell0 = (uint32_t)(first - b);
        p->ncells = (uint32_t)(last - first);
    }
    free(b);
}

struct held_depth {
    uint32_t lock, depth;
};

/* Marks the inner levels of recursive locks, which have no effect on other threads. A wait releases
 * all levels at once and its wake acquires them all again, so the depth is kept during the wait. */
static void find_nesting(struct pf_trace *t)
{
    PF_VEC(struct held_depth) *held = pf_mem_zero(t->threads.len, sizeof *held);
    for (size_t i = 0; i < t->events.len; i++) {
        struct pf_event *e = &t->events.at[i];
        uint8_t class = pf_event_class[e->kind];
        if ((class != PF_CLASS_ACQUIRE && class != PF_CLASS_RELEASE) ||
            pf_event_operand[e->kind] == PF_OPERAND_COND_LOCK)
            continue;
        struct held_depth *h = NULL;
        for (size_t k = 0; k < held[e->thread].len; k++)
            if (held[e->thread].at[k].lock == e->what)
                h = &held[e->thread].at[k];
        if (!h) {
            pf_vec_push(&held[e->thread], (struct held_depth){e->what, 0});
            h = &held[e->thread].at[held[e->thread].len - 1];
        }
        if (class == PF_CLASS_ACQUIRE) {
            if (h->depth++)
                e->flags |= PF_EF_NESTED;
        } else if (h->depth && --h->depth)
            e->flags |= PF_EF_NESTED;
        if (!h->depth)
            *h = held[e->thread].at[--held[e->thread].len];
    }
    for (size_t i = 0; i < t->threads.len; i++)
        pf_vec_release(&held[i]);
    free(held);
}

/* A barrier generation accepts arrivals until a thread departs. A thread departs from the
 * generation in which it arrived. */
static void find_generations(struct pf_trace *t)
{
    size_t nb = t->barriers.len, nt = t->threads.len;
    uint32_t *open = pf_mem_zero(nb, sizeof *open);
    bool *closed = pf_mem_zero(nb, sizeof *closed);
    uint32_t *mine = pf_mem_zero(nb * nt, sizeof *mine);
    for (size_t i = 0; i < t->events.len; i++) {
        struct pf_event *e = &t->events.at[i];
        if (e->kind == PF_EV_ARRIVE) {
            if (closed[e->what]) {
                open[e->what]++;
                closed[e->what] = false;
            }
            e->link = mine[e->what * nt + e->thread] = open[e->what];
        } else if (e->kind == PF_EV_DEPART) {
            e->link = mine[e->what * nt + e->thread];
            if (e->link == open[e->what])
                closed[e->what] = true;
        }
    }
    free(open);
    free(closed);
    free(mine);
}

/* If a wake does not name its waker, the newest notification since its wait is taken. Any choice is
 * sound: POSIX lets a notification wake any waiter. */
static void find_wakers(struct pf_trace *t)
{
    pf_vec_u32 given = t->wakers;
    memset(&t->wakers, 0, sizeof t->wakers);
    uint32_t *notify = pf_mem_resize(NULL, t->conds.len, sizeof *notify);
    uint32_t *waiting = pf_mem_resize(NULL, t->threads.len, sizeof *waiting);
    memset(notify, 0xff, t->conds.len * sizeof *notify);
    memset(waiting, 0xff, t->threads.len * sizeof *waiting);
    size_t s = 0;
    for (uint32_t i = 0; i < t->events.len; i++) {
        struct pf_event *e = &t->events.at[i];
        if (pf_event_class[e->kind] == PF_CLASS_NOTIFY)
            notify[e->what] = i;
        else if (e->kind == PF_EV_WAIT)
            waiting[e->thread] = i;
        else if (e->kind == PF_EV_WAKE) {
            uint32_t by = notify[e->what], since = waiting[e->thread];
            if (e->flags & PF_EF_TIMEOUT || since == PF_NONE || by < since)
                by = PF_NONE;
            if (s < given.len && given.at[s] == i) {
                by = given.at[s + 1];
                s += 2;
            }
            if (by != PF_NONE) {
                pf_vec_push(&t->wakers, i);
                pf_vec_push(&t->wakers, by);
            }
        }
    }
    pf_vec_release(&given);
    free(notify);
    free(waiting);
}

static void find_values(struct pf_trace *t)
{
    /* per cell: the first thread that accesses it; PF_NONE: none so far */
    uint32_t *first = pf_mem_resize(NULL, t->cells.len, sizeof *first);
    memset(first, 0xff, t->cells.len * sizeof *first);
    /* per cell: the thread that allocated it (pf_event_creates); PF_NONE: none */
    uint32_t *creator = pf_mem_resize(NULL, t->cells.len, sizeof *creator);
    memset(creator, 0xff, t->cells.len * sizeof *creator);
    for (size_t i = 0; i < t->initials.len; i++) {
        struct pf_range *p = &t->places.at[t->initials.at[i].place];
        struct pf_event e = {
            .kind = PF_EV_WRITE, .what = t->initials.at[i].place, .value = t->initials.at[i].value};
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
            t->cells.at[c].initial_known =
                pf_trace_cell_value(t, &e, c, false, &t->cells.at[c].initial);
    }
    for (size_t i = 0; i < t->events.len; i++) {
        struct pf_event *e = &t->events.at[i];
        if (!pf_event_is_access(e) && !pf_event_creates(e))
            continue;
        struct pf_range *p = &t->places.at[e->what];
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
            struct pf_cell *x = &t->cells.at[c];
            if (pf_event_creates(e)) {
                creator[c] = e->thread;
                continue;
            }
            x->handed_on |= creator[c] != PF_NONE && creator[c] != e->thread;
            if (first[c] == PF_NONE) {
                first[c] = e->thread;
                if (!x->initial_known && pf_event_reads(e))
                    x->initial_known = pf_trace_cell_value(t, e, c, true, &x->initial);
            } else if (first[c] != e->thread)
                x->shared = true;
            x->written |= pf_event_writes(e);
        }
    }
    free(first);
    free(creator);
}

static int by_item(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

/* --- items of reach sets --- */

static int by_object(const void *x, const void *y)
{
    const struct pf_located_object *a = x, *b = y;
    return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* All cells except those of address ranges, sorted by the bit length of their size, then by
 * address. With one list for all sizes, a single long cell would force every lookup to scan all
 * small cells before it. */
struct mapped_cell {
    uint64_t addr;
    uint32_t cell;
    uint8_t bits; /* bit length of the size */
};
struct mapped_cells {
    struct mapped_cell *at;
    size_t begin[66]; /* per bit length: first entry in `at` */
};

static int by_mapped(const void *x, const void *y)
{
    const struct mapped_cell *a = x, *b = y;
    if (a->bits != b->bits)
        return a->bits < b->bits ? -1 : 1;
    return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void make_map(struct pf_trace *t, struct mapped_cells *m)
{
    bool *used = pf_mem_zero(t->cells.len + 1, sizeof *used);
    size_t n = 0;
    *m = (struct mapped_cells){.at = pf_mem_resize(NULL, t->cells.len + 1, sizeof *m->at)};
    for (size_t i = 0; i < t->places.len; i++) {
        const struct pf_range *p = &t->places.at[i];
        for (uint32_t c = p->cell0; p->block != PF_BLOCK_RANGE && c < p->cell0 + p->ncells; c++)
            used[c] = true;
    }
    for (uint32_t c = 0; c < t->cells.len; c++)
        if (used[c] && t->cells.at[c].size) {
            unsigned bits = 64u - (unsigned)__builtin_clzll(t->cells.at[c].size);
            m->at[n++] = (struct mapped_cell){t->cells.at[c].addr, c, (uint8_t)bits};
            m->begin[bits + 1]++;
        }
    for (size_t i = 1; i < sizeof m->begin / sizeof *m->begin; i++)
        m->begin[i] += m->begin[i - 1];
    if (n)
        qsort(m->at, n, sizeof *m->at, by_mapped);
    if (t->tables->objects.len)
        qsort(t->tables->objects.at, t->tables->objects.len, sizeof *t->tables->objects.at,
              by_object);
    free(used);
}

static void add_range(struct pf_trace *t, const struct mapped_cells *m, const struct pf_range *p)
{
    uint64_t end = p->addr + p->size;
    for (unsigned bits = 1; bits <= 64; bits++) {
        uint64_t longest = ~0ull >> (64 - bits);
        uint64_t from = p->addr > longest ? p->addr - longest : 0;
        size_t lo = m->begin[bits], hi = m->begin[bits + 1];
        while (lo < hi) { /* finds the first cell that can overlap the range */
            size_t mid = (lo + hi) / 2;
            if (m->at[mid].addr < from)
                lo = mid + 1;
            else
                hi = mid;
        }
        for (; lo < m->begin[bits + 1] && m->at[lo].addr < end; lo++)
            if (m->at[lo].addr + t->cells.at[m->at[lo].cell].size > p->addr)
                pf_vec_push(&t->reach_items, m->at[lo].cell);
    }
    const struct pf_located_object *o = t->tables->objects.at;
    size_t lo = 0, hi = t->tables->objects.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (o[mid].addr < p->addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < t->tables->objects.len && o[lo].addr < end; lo++)
        pf_vec_push(&t->reach_items, pf_trace_object_item(t, o[lo].role, o[lo].number));
}

static void add_items(struct pf_trace *t, const struct mapped_cells *map, uint32_t item0,
                      uint32_t nitems)
{
    for (uint32_t k = item0; k < item0 + nitems; k++) {
        struct pf_reach_raw_item *raw = &t->tables->raw.at[k];
        if (raw->place != PF_NONE) {
            struct pf_range *p = &t->places.at[raw->place];
            for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
                pf_vec_push(&t->reach_items, c);
            if (p->block == PF_BLOCK_RANGE)
                add_range(t, map, p);
        }
        for (int role = 0; raw->name != PF_NONE && role < PF_ROLE_CALL; role++) {
            uint32_t n = pf_trace_role_find(t, role, raw->name);
            if (n != PF_NONE)
                pf_vec_push(&t->reach_items, pf_trace_object_item(t, role, n));
        }
    }
}

/* Sorts the items from `start` on and removes duplicates. `marks` has one bit per item, all clear
 * before and after. */
static void sort_items(struct pf_trace *t, uint32_t start, uint64_t *marks)
{
    uint32_t *at = t->reach_items.at, n = (uint32_t)t->reach_items.len, lo = UINT32_MAX, hi = 0;
    uint32_t to = start;
    for (uint32_t k = start; k < n; k++) {
        lo = at[k] < lo ? at[k] : lo;
        hi = at[k] > hi ? at[k] : hi;
    }
    if (start < n && (hi - lo) / 64 > 8 * (n - start)) { /* few items, far apart */
        qsort(at + start, n - start, sizeof *at, by_item);
        for (uint32_t k = start; k < n; k++)
            if (to == start || at[to - 1] != at[k])
                at[to++] = at[k];
    } else if (start < n) {
        for (uint32_t k = start; k < n; k++)
            marks[at[k] / 64] |= 1ull << at[k] % 64;
        for (uint32_t word = lo / 64; word <= hi / 64; word++) {
            for (uint64_t left = marks[word]; left; left &= left - 1)
                at[to++] = word * 64 + (uint32_t)__builtin_ctzll(left);
            marks[word] = 0;
        }
    }
    t->reach_items.len = to;
}

static int by_set(const void *a, const void *b)
{
    const struct pf_reach_growth *x = a, *y = b;
    return (x->set > y->set) - (x->set < y->set);
}

static void find_items(struct pf_trace *t)
{
    struct mapped_cells map = {0};
    const struct pf_reach_growth *grown = t->tables->growths.at;
    size_t g = 0, ngrown = t->tables->growths.len;
    uint64_t *marks = pf_mem_zero(pf_trace_nitems(t) / 64 + 1, sizeof *marks);
    if (t->reaches.len)
        make_map(t, &map);
    if (ngrown)
        qsort(t->tables->growths.at, ngrown, sizeof *grown, by_set);
    for (size_t r = 0; r < t->reaches.len; r++) {
        struct pf_reach *d = &t->reaches.at[r];
        uint32_t start = (uint32_t)t->reach_items.len;
        if (d->nitems == PF_REACH_SAME_AS) {
            *d = t->reaches.at[d->item0];
            continue;
        }
        add_items(t, &map, d->item0, d->nitems);
        for (; g < ngrown && grown[g].set == r; g++)
            add_items(t, &map, grown[g].item0, grown[g].nitems);
        sort_items(t, start, marks);
        *d = (struct pf_reach){start, (uint32_t)t->reach_items.len - start};
    }
    free(map.at);
    free(marks);
    for (size_t i = 0; i < t->places.len; i++) /* real block numbers never have this value */
        if (t->places.at[i].block == PF_BLOCK_RANGE)
            t->places.at[i].block = 0;
}

/* A cell that a missing call reaches counts as used by the thread of the call. */
static void share_reached(struct pf_trace *t)
{
    if (!t->has_calls)
        return;
    /* per cell: the first thread that accesses it; PF_NONE: none */
    uint32_t *first = pf_mem_resize(NULL, t->cells.len, sizeof *first);
    memset(first, 0xff, t->cells.len * sizeof *first);
    for (size_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        const struct pf_range *p = pf_event_is_access(e) ? &t->places.at[e->what] : NULL;
        for (uint32_t c = p ? p->cell0 : 0; p && c < p->cell0 + p->ncells; c++)
            if (first[c] == PF_NONE)
                first[c] = e->thread;
    }
    /* per thread: first item of the set that its last call reached */
    uint32_t *last = pf_mem_resize(NULL, t->threads.len, sizeof *last);
    memset(last, 0xff, t->threads.len * sizeof *last);
    for (size_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        const struct pf_reach *d = e->kind == PF_EV_CALL ? &t->reaches.at[e->link] : NULL;
        /* An empty set begins where the next set begins. */
        if (!d || !d->nitems || d->item0 == last[e->thread])
            continue;
        last[e->thread] = d->item0;
        for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
            uint32_t c = t->reach_items.at[k];
            if (c < t->cells.len && first[c] != PF_NONE && first[c] != e->thread)
                t->cells.at[c].shared = true;
        }
    }
    free(first);
    free(last);
}

void pf_trace_seal(struct pf_trace *t)
{
    assert(!t->sealed);
    cut_cells(t);
    find_nesting(t);
    find_generations(t);
    find_wakers(t);
    find_values(t);
    find_items(t);
    pf_trace_add_call_uses(t);
    share_reached(t);
    t->sealed = true;
}
