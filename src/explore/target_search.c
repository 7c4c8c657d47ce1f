/*
 * target_search.c - see target_search.h: targets and their order. beginning.c finds the
 * runs for a target.
 */
#include "beginning.h"
#include "exec_builder.h"
#include <string.h>

#define CHOICES_MAX 256 /* combinations of sources for one operation with several reads */

/* --- the queue of targets --- */

static bool comes_first(const struct pf_target *a, const struct pf_target *b)
{
    if (a->fresh != b->fresh)
        return a->fresh;
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->number < b->number;
}

static void push(struct pf_search *s, struct pf_target t)
{
    t.number = s->ntargets++;
    t.x->references++;
    pf_vec_push(&s->heap, t);
    for (size_t i = s->heap.len - 1; i && comes_first(&s->heap.at[i], &s->heap.at[(i - 1) / 2]);
         i = (i - 1) / 2) {
        struct pf_target up = s->heap.at[i];
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
        s->heap.at[(i - 1) / 2] = up;
    }
}

static struct pf_target pop(struct pf_search *s)
{
    struct pf_target first = s->heap.at[0];
    s->heap.at[0] = s->heap.at[--s->heap.len];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < s->heap.len; k++)
            if (comes_first(&s->heap.at[k], &s->heap.at[least]))
                least = k;
        if (least == i)
            return first;
        struct pf_target down = s->heap.at[i];
        s->heap.at[i] = s->heap.at[least];
        s->heap.at[least] = down;
        i = least;
    }
}

static void target_release(struct pf_target *t)
{
    pf_execution_release(t->x);
    free(t->sources);
    free(t->writes);
}

static void clear_beginnings(struct pf_search *s)
{
    for (size_t i = 0; i < s->beginnings.len; i++) {
        pf_vec_release(&s->beginnings.at[i].plan);
        pf_vec_release(&s->beginnings.at[i].frontier);
    }
    pf_vec_clear(&s->beginnings);
}

void pf_search_release(struct pf_search *s)
{
    for (size_t i = 0; i < s->heap.len; i++)
        target_release(&s->heap.at[i]);
    pf_vec_release(&s->heap);
    clear_beginnings(s);
    pf_vec_release(&s->beginnings);
    pf_classes_release(&s->seen);
    pf_hash_map_release(&s->asked);
    pf_hash_map_release(&s->pairs);
    pf_hash_map_release(&s->compared);
    pf_hash_map_release(&s->spins);
    pf_hash_map_release(&s->empty);
    pf_vec_release(&s->levels);
    pf_rf_query_release(&s->query);
}

bool pf_search_next(struct pf_search *s)
{
    clear_beginnings(s);
    if (!s->heap.len)
        return false;
    struct pf_target t = pop(s);
    pf_beginning_find(s, &t);
    target_release(&t);
    return true;
}

bool pf_search_has(const struct pf_search *s, const struct pf_beginning *b)
{
    return pf_classes_contain(&s->seen, b->frontier.at, b->frontier.len);
}

void pf_search_learn_empty(struct pf_search *s, uint64_t object, int32_t level)
{
    uint32_t k = pf_hash_map_put(&s->empty, object, (uint32_t)s->levels.len);
    if (k == s->levels.len)
        pf_vec_push(&s->levels, level);
}

/* --- the targets of an execution --- */

struct choice {
    struct pf_search *s;
    struct pf_execution *x;
    uint32_t node, depth;
    uint32_t *past;    /* per thread: how many nodes come before the node, whatever it reads */
    uint32_t *sources; /* the combination */
    uint32_t made;     /* combinations so far */
};

static bool is_past(const struct choice *c, uint32_t e)
{
    const struct pf_rf_node *n = &c->x->g.nodes.at[e];
    return n->pos < c->past[n->thread];
}

/* True if another write certainly comes between the source and the node. */
static bool is_overwritten(const struct choice *c, uint32_t cell, uint32_t source)
{
    const struct pf_rf_graph *g = &c->x->g;
    for (uint32_t k = g->user_at[cell]; k < g->user_at[cell + 1]; k++) {
        uint32_t e = g->owner[g->users[k]];
        if (g->accesses.at[g->users[k]].writes && e != source && e != c->node && is_past(c, e) &&
            (source == PF_SOURCE_INITIAL || pf_rf_before(g, source, e)))
            return true;
    }
    return false;
}

/* The access of the node to the cell. */
static uint32_t access_of(const struct pf_execution *x, uint32_t node, uint32_t cell)
{
    uint32_t a = x->g.nodes.at[node].access0;
    while (x->g.accesses.at[a].cell != cell)
        a++;
    return a;
}

/* The state in which the node leaves the object of the access `like`. */
static uint8_t state_after(const struct pf_execution *x, uint32_t node, uint32_t like)
{
    return x->accesses.at[access_of(x, node, x->g.accesses.at[like].cell)].after;
}

/* True if the operation does not wait when it finds the object in the state that `source` left. */
static bool is_possible(const struct choice *c, uint32_t access, uint32_t source,
                        uint32_t source_access)
{
    const struct pf_exec_access *a = &c->x->accesses.at[access];
    uint32_t flags = c->x->nodes.at[c->node].flags;
    if (a->is_lock && flags & PF_EXEC_ACQUIRES && !(flags & PF_EXEC_TRIES)) {
        uint8_t state =
            source == PF_SOURCE_INITIAL ? PF_STATE_FREE : c->x->accesses.at[source_access].after;
        return state == PF_STATE_FREE || (state == PF_STATE_SHARED && flags & PF_EXEC_SHARES);
    }
    if (a->is_lock && flags & PF_EXEC_RELEASES)
        return source != PF_SOURCE_INITIAL && flags & PF_EXEC_SHARES &&
               c->x->accesses.at[source_access].after == PF_STATE_SHARED;
    if (a->object && flags & PF_EXEC_TAKES) {
        uint32_t k = pf_hash_map_find(&c->s->empty, a->object);
        int32_t level = source == PF_SOURCE_INITIAL ? 0 : c->x->accesses.at[source_access].level;
        return k == PF_HASH_NONE || level != c->s->levels.at[k];
    }
    return true;
}

/* Whether the access writes if the node reads from the chosen sources. */
static bool writes_then(const struct choice *c, uint32_t k)
{
    const struct pf_rf_graph *g = &c->x->g;
    uint32_t a = g->nodes.at[c->node].access0 + k, source = c->sources[k];
    uint32_t flags = c->x->nodes.at[c->node].flags;
    if (!c->x->accesses.at[a].is_lock || !(flags & PF_EXEC_TRIES))
        return g->accesses.at[a].writes;
    uint8_t state = source == PF_SOURCE_INITIAL ? PF_STATE_FREE : state_after(c->x, source, a);
    return state == PF_STATE_FREE || (state == PF_STATE_SHARED && flags & PF_EXEC_SHARES);
}

/* The value that the k-th access finds with the chosen sources; false: not known. */
static bool value_of(const struct choice *c, uint32_t k, uint64_t *value)
{
    const struct pf_execution *x = c->x;
    uint32_t source = c->sources[k];
    uint32_t cell = x->g.accesses.at[x->g.nodes.at[c->node].access0 + k].cell;
    if (source == PF_SOURCE_INITIAL) {
        *value = x->cells.at[cell].initial;
        return x->cells.at[cell].initial_known;
    }
    const struct pf_exec_access *w = &x->accesses.at[access_of(x, source, cell)];
    *value = w->stored;
    return w->stored_known;
}

/* A compare-and-swap with the chosen sources: 1 if it finds what it expects, 0 if not, -1 if that
 * is not known. Other operations: 1. */
static int compares_equal(const struct choice *c)
{
    const struct pf_execution *x = c->x;
    const struct pf_rf_node *n = &x->g.nodes.at[c->node];
    for (uint32_t k = 0; k < n->naccesses; k++) {
        const struct pf_exec_access *a = &x->accesses.at[n->access0 + k];
        if (!a->compares)
            continue;
        uint64_t value;
        bool known = value_of(c, k, &value);
        bool wrote = x->g.accesses.at[n->access0 + k].writes;
        if (!known || !a->seen_known || (!wrote && value != a->seen))
            return -1;
        return wrote && value == a->seen;
    }
    return 1;
}

/* True if the node is known to be an iteration of a loop that waits if it reads from the chosen
 * sources. */
static bool only_waits(const struct choice *c)
{
    const struct pf_execution *x = c->x;
    const struct pf_rf_node *n = &x->g.nodes.at[c->node];
    if (pf_hash_map_find(&c->s->spins, pf_execution_history_with(x, c->node, c->sources)) !=
        PF_HASH_NONE)
        return true;
    uint64_t state = x->nodes.at[c->node].state, value;
    return state && n->naccesses == 1 && value_of(c, 0, &value) &&
           pf_hash_map_find(&c->s->spins, pf_exec_spin_key(state, value)) != PF_HASH_NONE;
}

static void push_target(struct choice *c, bool fresh, bool equal, bool guess)
{
    const struct pf_rf_node *n = &c->x->g.nodes.at[c->node];
    struct pf_target t = {.x = c->x,
                          .node = c->node,
                          .thread = n->thread,
                          .sources = pf_mem_resize(NULL, n->naccesses + 1u, sizeof *t.sources),
                          .writes = pf_mem_resize(NULL, n->naccesses + 1u, sizeof *t.writes),
                          .depth = c->depth,
                          .fresh = fresh,
                          .guess = guess};
    memcpy(t.sources, c->sources, n->naccesses * sizeof *t.sources);
    for (uint32_t k = 0; k < n->naccesses; k++)
        t.writes[k] = c->x->accesses.at[n->access0 + k].compares ? equal : writes_then(c, k);
    push(c->s, t);
}

static void add_target(struct choice *c)
{
    struct pf_search *s = c->s;
    const struct pf_rf_node *n = &c->x->g.nodes.at[c->node];
    uint64_t pair = 0;
    bool same = true;
    for (uint32_t k = 0; k < n->naccesses; k++) {
        uint32_t source = c->sources[k];
        if (source == c->x->g.accesses.at[n->access0 + k].source)
            continue;
        same = false;
        pair = pf_exec_mix(c->x->nodes.at[c->node].site,
                           source == PF_SOURCE_INITIAL ? 1 : c->x->nodes.at[source].site);
    }
    if (same && !(c->x->nodes.at[c->node].flags & PF_EXEC_PENDING))
        return;
    if (only_waits(c))
        return;
    uint64_t hash = pf_beginning_hash(s, c->x, c->node, c->sources);
    if (pf_hash_map_find(&s->asked, hash) != PF_HASH_NONE)
        return;
    pf_hash_map_add(&s->asked, hash, 0);
    bool fresh = pf_hash_map_find(&s->pairs, pair) == PF_HASH_NONE;
    pf_hash_map_put(&s->pairs, pair, 0);
    int compared = compares_equal(c);
    if (compared >= 0) {
        push_target(c, fresh, compared, false);
        return;
    }
    /* It is not known whether it writes. An order with a write is also valid without it, so the
     * target with the write comes first. */
    push_target(c, fresh, true, true);
    push_target(c, false, false, true);
}

static void choose_sources(struct choice *c, uint32_t k);

static void choose_source(struct choice *c, uint32_t k, uint32_t source, uint32_t source_access)
{
    const struct pf_rf_node *n = &c->x->g.nodes.at[c->node];
    uint32_t access = n->access0 + k, cell = c->x->g.accesses.at[access].cell;
    if (source != c->x->g.accesses.at[access].source ||
        c->x->nodes.at[c->node].flags & PF_EXEC_PENDING) {
        if (source != PF_SOURCE_INITIAL && pf_rf_before(&c->x->g, c->node, source))
            return;
        if (!is_possible(c, access, source, source_access) || is_overwritten(c, cell, source))
            return;
    }
    c->sources[k] = source;
    choose_sources(c, k + 1);
}

/* Chooses sources for the accesses from the k-th on. */
static void choose_sources(struct choice *c, uint32_t k)
{
    const struct pf_rf_graph *g = &c->x->g;
    const struct pf_rf_node *n = &g->nodes.at[c->node];
    if (k == n->naccesses) {
        if (c->made++ < CHOICES_MAX)
            add_target(c);
        else
            c->s->capped++;
        return;
    }
    if (c->made > CHOICES_MAX)
        return;
    uint32_t cell = g->accesses.at[n->access0 + k].cell;
    c->sources[k] = PF_SOURCE_NONE;
    if (g->accesses.at[n->access0 + k].source == PF_SOURCE_NONE) {
        choose_sources(c, k + 1);
        return;
    }
    choose_source(c, k, PF_SOURCE_INITIAL, PF_NONE);
    for (uint32_t i = g->user_at[cell]; i < g->user_at[cell + 1] && c->made <= CHOICES_MAX; i++) {
        uint32_t e = g->owner[g->users[i]];
        if (g->accesses.at[g->users[i]].writes && e != c->node &&
            !(c->x->nodes.at[e].flags & PF_EXEC_PENDING))
            choose_source(c, k, e, g->users[i]);
    }
}

static bool reads(const struct pf_execution *x, uint32_t node)
{
    const struct pf_rf_node *n = &x->g.nodes.at[node];
    for (uint32_t k = 0; k < n->naccesses; k++)
        if (x->g.accesses.at[n->access0 + k].source != PF_SOURCE_NONE)
            return true;
    return false;
}

/* Threads that the end of the process cut off. */
static void add_continuations(struct pf_search *s, struct pf_execution *x, uint32_t depth)
{
    uint32_t last = pf_execution_last(x);
    for (uint32_t t = 0; t + 1 < x->threads.len && last != PF_NONE; t++)
        if (x->threads.at[t].live)
            push(s, (struct pf_target){.x = x, .node = PF_NONE, .thread = t, .depth = depth});
}

void pf_search_add(struct pf_search *s, struct pf_execution *x, uint32_t depth)
{
    const struct pf_rf_graph *g = &x->g;
    uint32_t most = 0;
    for (size_t i = 0; i < x->spins.len; i++)
        pf_hash_map_put(&s->spins, x->spins.at[i], 0);
    for (size_t i = 0; i < g->nodes.len; i++)
        most = g->nodes.at[i].naccesses > most ? g->nodes.at[i].naccesses : most;
    struct choice c = {.s = s,
                       .x = x,
                       .depth = depth,
                       .past = pf_mem_zero(g->nthreads + 1u, sizeof *c.past),
                       .sources = pf_mem_zero(most + 1u, sizeof *c.sources)};
    for (uint32_t i = 0; i < g->accesses.len; i++) {
        uint32_t node = g->owner[i];
        if (x->accesses.at[i].object && x->nodes.at[node].flags & PF_EXEC_PENDING)
            pf_search_learn_empty(s, x->accesses.at[i].object, x->accesses.at[i].level + 1);
        if (x->accesses.at[i].compares && !(x->nodes.at[node].flags & PF_EXEC_PENDING))
            pf_hash_map_put(&s->compared, x->nodes.at[node].history, g->accesses.at[i].writes);
    }
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        if (!reads(x, i))
            continue;
        if (s->should_stop && s->should_stop(s->stop_arg)) {
            s->capped++;
            break;
        }
        c.node = i;
        c.made = 0;
        pf_beginning_past(x, i, c.past);
        choose_sources(&c, 0);
    }
    add_continuations(s, x, depth);
    free(c.past);
    free(c.sources);
}
