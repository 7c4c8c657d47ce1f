/*
 * units.c - see units.h. One pass over the trace builds the units; hashing finds those that are
 * equal.
 */
#include "units.h"
#include "check_act.h"
#include "hash_mix.h"
#include <string.h>

/* True if a region ends before this event. */
static bool ends_region(const struct pf_event *e)
{
    switch (e->kind) {
    case PF_EV_FORK:
    case PF_EV_JOIN:
    case PF_EV_WAIT:
    case PF_EV_WAKE:
    case PF_EV_SIGNAL:
    case PF_EV_BROADCAST:
        return true;
    default:
        return false;
    }
}

/* The field `mark` of an access with this many marked regions around it. */
static uint32_t mark_of(uint32_t marks, uint32_t mark) { return marks ? mark : 0; }

/* Appends the relevant accesses of an event: those to cells that several threads use and at least
 * one writes. */
static void add_event(const struct pf_partial_order *g, uint32_t i, uint32_t mark,
                      pf_unit_accesses *out)
{
    const struct pf_trace *t = g->t;
    const struct pf_event *e = &t->events.at[i];
    if (!pf_event_is_access(e))
        return;
    const struct pf_range *p = &t->places.at[e->what];
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
        if (t->cells.at[c].shared && t->cells.at[c].written)
            pf_vec_push(out, (struct pf_unit_access){.event = i,
                                                     .cell = c,
                                                     .site = e->site,
                                                     .held = g->held[i],
                                                     .mark = mark,
                                                     .same = PF_NONE,
                                                     .reads = pf_event_reads(e),
                                                     .writes = pf_event_writes(e),
                                                     .atomic = pf_event_atomic(e)});
}

static uint64_t entry_hash(const struct pf_unit_access *e)
{
    uint64_t kind =
        (uint64_t)e->mark << 3 | (uint64_t)e->reads << 2 | (uint64_t)e->writes << 1 | e->atomic;
    return pf_hash_mix(pf_hash_mix((uint64_t)e->cell << 32 | e->site, e->held), kind);
}

static bool equal_accesses(const struct pf_unit_access *a, const struct pf_unit_access *b)
{
    return a->cell == b->cell && a->site == b->site && a->held == b->held && a->reads == b->reads &&
           a->writes == b->writes && a->atomic == b->atomic && a->mark == b->mark;
}

/* Keeps only the first and the last of equal accesses. */
static void drop_inner_accesses(pf_unit_accesses *v)
{
    if (v->len < 3)
        return;
    struct pf_hash_map newest = {0}; /* of equal accesses: index of the newest one in v */
    bool *inner = pf_mem_zero(v->len, sizeof *inner);
    bool *repeated = pf_mem_zero(v->len, sizeof *repeated);
    for (uint32_t i = 0; i < v->len; i++) {
        uint64_t hash = entry_hash(&v->at[i]);
        struct pf_hash_walk w = pf_hash_map_walk(&newest, hash);
        while (!repeated[i] && pf_hash_map_next(&newest, &w))
            repeated[i] = equal_accesses(&v->at[w.value], &v->at[i]);
        if (repeated[i]) {
            inner[w.value] = repeated[w.value];
            pf_hash_map_set(&newest, &w, i);
        } else
            pf_hash_map_add(&newest, hash, i);
    }
    size_t keep = 0;
    for (size_t i = 0; i < v->len; i++)
        if (!inner[i])
            v->at[keep++] = v->at[i];
    v->len = keep;
    pf_hash_map_release(&newest);
    free(inner);
    free(repeated);
}

void pf_units_read_instance(const struct pf_units *w, const struct pf_unit_instance *i,
                            pf_unit_accesses *out)
{
    const struct pf_partial_order *g = w->g;
    pf_vec_clear(out);
    if (i->pair)
        add_event(g, i->begin, i->marks != 0, out);
    uint32_t marks = i->marks, mark = marks != 0; /* as scan_event counts them */
    for (uint32_t k = i->pair ? g->pos[i->end] : g->pos[i->begin]; k <= g->pos[i->end]; k++) {
        const struct pf_event *e = &g->t->events.at[g->by_thread[k]];
        if (e->kind == PF_EV_REGION)
            mark += !marks++;
        add_event(g, g->by_thread[k], mark_of(marks, mark), out);
        if (e->kind == PF_EV_ENDREGION && marks)
            marks--;
    }
    drop_inner_accesses(out);
}

/* --- classes --- */

static bool same_class(const struct pf_units *w, const struct pf_unit_class *c,
                       const struct pf_unit_class *d, const pf_unit_accesses *accesses)
{
    if (c->thread != d->thread || c->n != d->n || c->outer != d->outer || c->region != d->region ||
        c->pair != d->pair)
        return false;
    for (uint32_t k = 0; k < c->n; k++)
        if (!equal_accesses(&w->accesses.at[c->first + k], &accesses->at[k]))
            return false;
    return true;
}

static uint64_t class_hash(const struct pf_unit_class *c, const struct pf_unit_access *e)
{
    uint64_t h = pf_hash_mix(c->thread, c->outer);
    for (uint32_t k = 0; k < c->n; k++)
        h = pf_hash_mix(h, entry_hash(&e[k]));
    return h;
}

static void add_unit(struct pf_units *w, struct pf_unit_class c, struct pf_unit_instance instance,
                     pf_unit_accesses *accesses)
{
    drop_inner_accesses(accesses);
    c.n = (uint32_t)accesses->len;
    uint64_t hash = class_hash(&c, accesses->at);
    struct pf_hash_walk same = pf_hash_map_walk(&w->by_hash, hash);
    uint32_t found = PF_NONE;
    while (found == PF_NONE && pf_hash_map_next(&w->by_hash, &same))
        if (same_class(w, &w->classes.at[same.value], &c, accesses))
            found = same.value;
    if (found == PF_NONE) {
        found = (uint32_t)w->classes.len;
        pf_hash_map_add(&w->by_hash, hash, found);
        c.first = (uint32_t)w->accesses.len;
        c.instance = PF_NONE;
        for (size_t k = 0; k < accesses->len; k++)
            pf_vec_push(&w->accesses, accesses->at[k]);
        pf_vec_push(&w->classes, c);
    }
    instance.older = w->classes.at[found].instance;
    w->classes.at[found].instance = (uint32_t)w->instances.len;
    pf_vec_push(&w->instances, instance);
}

/* --- regions --- */

struct open_region { /* the region in which a thread is */
    bool inside;
    uint32_t depth, marks; /* locks held; marked regions around */
    uint32_t begin, last;
    uint32_t outer;
    uint32_t marks_before; /* `marks` before the region began */
    uint32_t mark;         /* number of marked regions in it so far */
    pf_unit_accesses accesses;
};

static void close_region(struct pf_units *w, uint32_t thread, struct open_region *o)
{
    struct pf_unit_class c = {.thread = thread, .outer = o->outer, .region = true};
    if (o->inside && o->accesses.len)
        add_unit(
            w, c,
            (struct pf_unit_instance){.begin = o->begin, .end = o->last, .marks = o->marks_before},
            &o->accesses);
    pf_vec_clear(&o->accesses);
    o->inside = false;
}

static void enter(struct open_region *o, uint32_t i)
{
    if (!o->inside)
        *o = (struct open_region){.inside = true,
                                  .depth = o->depth,
                                  .marks = o->marks,
                                  .begin = i,
                                  .last = i,
                                  .marks_before = o->marks,
                                  .mark = o->marks != 0,
                                  .accesses = o->accesses};
}

/* The set that contains only the lock of this event. */
static uint32_t lock_alone(struct pf_partial_order *g, const struct pf_event *e)
{
    uint32_t word = pf_event_lock(e) * 2 + pf_event_shared(e);
    return pf_locksets_intern(&g->locks, &word, 1);
}

static void scan_event(struct pf_units *w, struct open_region *o, uint32_t i,
                       pf_unit_accesses *single)
{
    /* changes only the interned sets */
    struct pf_partial_order *g = (struct pf_partial_order *)w->g;
    const struct pf_event *e = &g->t->events.at[i];
    if (ends_region(e)) {
        close_region(w, e->thread, o);
        if (pf_event_acquires(e))
            o->depth++;
        if (pf_event_releases(e) && o->depth)
            o->depth--;
        return;
    }
    if (e->kind == PF_EV_REGION || (pf_event_acquires(e) && !o->depth++ && !o->marks)) {
        enter(o, i);
        if (e->kind == PF_EV_REGION)
            o->mark += !o->marks++;
        else
            o->outer = lock_alone(g, e);
    } else if (pf_event_is_access(e)) {
        if (o->depth || o->marks)
            enter(o, i); /* continues a region that was cut */
        if (o->inside)
            add_event(g, i, mark_of(o->marks, o->mark), &o->accesses);
        else {
            pf_vec_clear(single);
            add_event(g, i, 0, single);
            if (single->len)
                add_unit(w, (struct pf_unit_class){.thread = e->thread},
                         (struct pf_unit_instance){.begin = i, .end = i}, single);
        }
    }
    o->last = i;
    if (pf_event_releases(e) && o->depth + o->marks > 1 && o->outer == lock_alone(g, e))
        o->outer = 0; /* not nested: the lock is not held to the end */
    if (e->kind == PF_EV_ENDREGION && o->marks)
        o->marks--;
    if (pf_event_releases(e) && o->depth)
        o->depth--;
    if (o->inside && !o->depth && !o->marks)
        close_region(w, e->thread, o);
}

static void find_marked_regions(struct pf_units *w)
{
    const struct pf_trace *t = w->g->t;
    uint32_t n = 0, *depth = pf_mem_zero(w->g->nt, sizeof *depth);
    uint32_t *current = pf_mem_zero(w->g->nt, sizeof *current);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (e->kind == PF_EV_REGION) {
            if (!w->marked_region)
                w->marked_region = pf_mem_zero(t->events.len, sizeof *w->marked_region);
            if (!depth[e->thread]++)
                current[e->thread] = ++n;
        }
        if (w->marked_region)
            w->marked_region[i] = current[e->thread];
        if (e->kind == PF_EV_ENDREGION && depth[e->thread] && !--depth[e->thread])
            current[e->thread] = 0;
    }
    free(depth);
    free(current);
}

static void add_pair(void *arg, uint32_t read, uint32_t write)
{
    struct pf_units *w = arg;
    pf_unit_accesses both = {0};
    const uint32_t *region = w->marked_region;
    bool marked = region && region[read] && region[read] == region[write];
    add_event(w->g, read, marked, &both);
    add_event(w->g, write, marked, &both);
    struct pf_unit_class c = {
        .thread = w->g->t->events.at[read].thread, .region = true, .pair = true};
    pf_vec_push(&w->pairs, (uint32_t)w->instances.len);
    add_unit(w, c,
             (struct pf_unit_instance){.begin = read, .end = write, .pair = true, .marks = marked},
             &both);
    pf_vec_release(&both);
}

const struct pf_unit_instance *pf_units_pair_acting(const struct pf_units *w, uint32_t begin,
                                                    uint32_t end)
{
    const struct pf_partial_order *g = w->g;
    uint32_t lo = 0, hi = (uint32_t)w->pairs.len; /* sorted by thread, then by act */
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (g->pos[w->instances.at[w->pairs.at[mid]].end] < g->pos[begin])
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct pf_unit_instance *first = NULL;
    for (; lo < w->pairs.len; lo++) {
        const struct pf_unit_instance *x = &w->instances.at[w->pairs.at[lo]];
        if (g->pos[x->end] > g->pos[end])
            break;
        first = !first || x->begin < first->begin ? x : first;
    }
    return first;
}

/* --- uses of cells --- */

/* Counts the key, up to 255; returns how often it was counted before. */
static uint8_t count(struct pf_hash_map *counts, uint64_t key)
{
    struct pf_hash_walk w = pf_hash_map_walk(counts, key);
    if (!pf_hash_map_next(counts, &w)) {
        pf_hash_map_add(counts, key, 1);
        return 0;
    }
    if (w.value < 255)
        pf_hash_map_set(counts, &w, w.value + 1);
    return (uint8_t)w.value;
}

/* Hash of the code of an access, independent of the cell. */
static uint64_t code_hash(const struct pf_unit_access *e)
{
    struct pf_unit_access anywhere = *e;
    anywhere.cell = 0;
    return entry_hash(&anywhere);
}

static void rank_uses(struct pf_units *w)
{
    struct pf_hash_map seen = {0};
    uint64_t *code = pf_mem_zero(w->classes.len + 1, sizeof *code);
    for (size_t i = 0; i < w->classes.len; i++) {
        struct pf_unit_class *c = &w->classes.at[i];
        code[i] = pf_hash_mix(c->thread, c->outer);
        for (uint32_t k = c->first; k < c->first + c->n; k++)
            code[i] = pf_hash_mix(code[i], code_hash(&w->accesses.at[k]));
        c->code_rank = count(&seen, code[i]);
    }
    for (size_t i = 0; i < w->uses.len; i++) {
        struct pf_cell_use *u = &w->uses.at[i];
        const struct pf_unit_class *c = &w->classes.at[u->class];
        uint64_t cell = w->accesses.at[u->entry].cell,
                 h = pf_hash_mix(pf_hash_mix(c->thread, c->outer), cell + 1);
        for (uint32_t k = u->entry; k != PF_NONE; k = w->accesses.at[k].same)
            h = pf_hash_mix(h, code_hash(&w->accesses.at[k]));
        u->cell_rank = count(&seen, h);
        u->class_rank = count(&seen, pf_hash_mix(code[u->class], cell + 1));
    }
    for (size_t c = 0; c < w->g->t->cells.len; c++) /* unlink uses that exceed both limits */
        for (uint32_t *link = &w->use_at[c]; *link != PF_NONE;) {
            struct pf_cell_use *u = &w->uses.at[*link];
            if (u->cell_rank < PF_CELL_RANK_MAX || u->class_rank < PF_CLASS_RANK_MAX)
                link = &u->next;
            else {
                *link = u->next;
                w->skipped++;
            }
        }
    free(code);
    pf_hash_map_release(&seen);
}

static void index_cells(struct pf_units *w)
{
    size_t cells = w->g->t->cells.len;
    w->use_at = pf_mem_resize(NULL, cells + 1, sizeof *w->use_at);
    memset(w->use_at, 0xff, cells * sizeof *w->use_at);
    /* per cell: its last access in the current class */
    uint32_t *last = pf_mem_resize(NULL, cells + 1, sizeof *last);
    memset(last, 0xff, cells * sizeof *last);
    for (uint32_t i = 0; i < w->classes.len; i++) {
        const struct pf_unit_class *c = &w->classes.at[i];
        for (uint32_t k = c->first; k < c->first + c->n; k++) {
            uint32_t cell = w->accesses.at[k].cell;
            if (last[cell] != PF_NONE && last[cell] >= c->first)
                w->accesses.at[last[cell]].same = k;
            else {
                uint32_t next = w->use_at[cell];
                w->use_at[cell] = (uint32_t)w->uses.len;
                pf_vec_push(&w->uses, (struct pf_cell_use){i, k, next, 0, 0});
            }
            last[cell] = k;
        }
    }
    free(last);
}

void pf_units_init(struct pf_units *w, const struct pf_partial_order *g, struct pf_stop *stop)
{
    memset(w, 0, sizeof *w);
    w->g = g;
    struct open_region *open = pf_mem_zero(g->nt, sizeof *open);
    pf_unit_accesses single = {0};
    for (uint32_t i = 0; i < g->t->events.len && !pf_stop_poll_loop(stop, i, g->t->events.len); i++)
        scan_event(w, &open[g->t->events.at[i].thread], i, &single);
    for (uint32_t u = 0; u < g->nt; u++) {
        close_region(w, u, &open[u]);
        pf_vec_release(&open[u].accesses);
    }
    find_marked_regions(w);
    w->skipped += pf_check_act_each(g, add_pair, w);
    pf_vec_release(&single);
    free(open);
    index_cells(w);
    rank_uses(w);
}

void pf_units_release(struct pf_units *w)
{
    pf_vec_release(&w->classes);
    pf_vec_release(&w->accesses);
    pf_vec_release(&w->instances);
    pf_vec_release(&w->uses);
    pf_vec_release(&w->pairs);
    free(w->marked_region);
    free(w->use_at);
    pf_hash_map_release(&w->by_hash);
    memset(w, 0, sizeof *w);
}
