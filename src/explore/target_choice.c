/*
 * target_choice.c - see target_choice.h.
 */
#include "target_choice.h"
#include "beginning.h"
#include "exec_builder.h"
#include <string.h>

#define CHOICES_MAX 256 /* combinations of sources and choices of waiters for one operation */
/* Candidates that the scan of an execution for new pairs of sites examines: it ends after the
 * operation that reaches this number. Nothing is lost then, because all targets of the execution
 * are generated later. */
#define SCAN_MAX 4096
#define ATTEMPTS_MAX 64 /* candidates examined for each pair of sites, in the whole search */

/* The last write of the thread to the cell that comes before the node, whatever the node reads;
 * PF_NONE: there is none. */
static uint32_t last_past(const struct pf_choice *c, uint32_t cell, uint32_t thread)
{
    const struct pf_rf_graph *g = &c->x->g;
    size_t key = (size_t)cell * g->nthreads + thread;
    uint32_t lo = g->writer_at[key], hi = g->writer_at[key + 1], first = lo;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (g->nodes.at[g->owner[g->writers[mid]]].pos < c->past[thread])
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo == first ? PF_NONE : g->owner[g->writers[lo - 1]];
}

/* True if another write certainly comes between the source and the node. */
static bool is_overwritten(const struct pf_choice *c, uint32_t cell, uint32_t source)
{
    const struct pf_rf_graph *g = &c->x->g;
    for (uint32_t t = 0; t < g->nthreads; t++) {
        uint32_t e = last_past(c, cell, t);
        if (e != PF_NONE && e != source && e != c->node &&
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
static bool is_possible(const struct pf_choice *c, uint32_t access, uint32_t source,
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
    if (a->object && flags & PF_EXEC_TAKES && !(flags & PF_EXEC_TRIES)) {
        uint32_t k = pf_hash_map_find(&c->s->empty, a->object);
        int32_t level = source == PF_SOURCE_INITIAL ? 0 : c->x->accesses.at[source_access].level;
        return k == PF_HASH_NONE || level != c->s->levels.at[k];
    }
    return true;
}

/* True if the message object is known to be empty in the state that `source` left. */
static bool is_empty(const struct pf_choice *c, uint32_t access, uint32_t source)
{
    const struct pf_execution *x = c->x;
    uint32_t k = pf_hash_map_find(&c->s->empty, x->accesses.at[access].object);
    int32_t level = source == PF_SOURCE_INITIAL
                        ? 0
                        : x->accesses.at[access_of(x, source, x->g.accesses.at[access].cell)].level;
    return k != PF_HASH_NONE && level == c->s->levels.at[k];
}

/* The value that the k-th access finds with the chosen sources; false: not known. */
static bool value_of(const struct pf_choice *c, uint32_t k, uint64_t *value)
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

/* Whether the access writes if the node reads from the chosen sources. Of a read-modify-write
 * operation that is assumed, unless the values show that it stores what is already there. */
static bool writes_then(const struct pf_choice *c, uint32_t k)
{
    const struct pf_rf_graph *g = &c->x->g;
    uint32_t a = g->nodes.at[c->node].access0 + k, source = c->sources[k];
    uint32_t flags = c->x->nodes.at[c->node].flags;
    uint64_t value;
    if (c->x->accesses.at[a].updates) /* it stores the same as before if it finds the same */
        return g->accesses.at[a].writes || !c->x->accesses.at[a].seen_known ||
               !value_of(c, k, &value) || value != c->x->accesses.at[a].seen;
    if (c->x->accesses.at[a].object && flags & PF_EXEC_TAKES && flags & PF_EXEC_TRIES)
        return !is_empty(c, a, source);
    if (!c->x->accesses.at[a].is_lock || !(flags & (PF_EXEC_TRIES | PF_EXEC_ONCE)))
        return g->accesses.at[a].writes;
    uint8_t state = source == PF_SOURCE_INITIAL ? PF_STATE_FREE : state_after(c->x, source, a);
    if (flags & PF_EXEC_ONCE)
        return state == PF_STATE_FREE;
    return state == PF_STATE_FREE || (state == PF_STATE_SHARED && flags & PF_EXEC_SHARES);
}

/* A compare-and-swap with the chosen sources: 1 if it finds what it expects, 0 if not, -1 if that
 * is not known. Other operations: 1. */
static int compares_equal(const struct pf_choice *c)
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

bool pf_choice_only_waits(const struct pf_choice *c)
{
    const struct pf_execution *x = c->x;
    const struct pf_rf_node *n = &x->g.nodes.at[c->node];
    if (pf_hash_map_find(&c->s->spins, pf_execution_history_with(x, c->node, c->sources,
                                                                 c->choice)) != PF_HASH_NONE)
        return true;
    uint64_t state = x->nodes.at[c->node].state, value;
    return state && n->naccesses == 1 && value_of(c, 0, &value) &&
           pf_hash_map_find(&c->s->spins, pf_exec_spin_key(state, value)) != PF_HASH_NONE;
}

static void push_target(struct pf_choice *c, bool fresh, bool equal, bool guess)
{
    const struct pf_rf_node *n = &c->x->g.nodes.at[c->node];
    struct pf_target t = {.x = c->x,
                          .node = c->node,
                          .thread = n->thread,
                          .sources = pf_mem_resize(NULL, n->naccesses + 1u, sizeof *t.sources),
                          .writes = pf_mem_resize(NULL, n->naccesses + 1u, sizeof *t.writes),
                          .choice = c->choice,
                          .depth = c->depth,
                          .execution = c->execution,
                          .fresh = fresh,
                          .guess = guess};
    memcpy(t.sources, c->sources, n->naccesses * sizeof *t.sources);
    for (uint32_t k = 0; k < n->naccesses; k++)
        t.writes[k] = c->x->accesses.at[n->access0 + k].compares ? equal : writes_then(c, k);
    pf_search_push(c->s, t);
}

/* A hash of the pair of sites: of the node, and of what it would read. The same in all runs. */
static uint64_t pair_of(const struct pf_choice *c, uint32_t source)
{
    return pf_exec_mix(c->x->nodes.at[c->node].site,
                       source == PF_SOURCE_INITIAL ? 1 : c->x->nodes.at[source].site);
}

static void add_target(struct pf_choice *c)
{
    struct pf_search *s = c->s;
    const struct pf_rf_node *n = &c->x->g.nodes.at[c->node];
    uint64_t pair = pf_exec_mix(c->x->nodes.at[c->node].site, 17 + c->choice);
    bool same = c->choice == c->x->nodes.at[c->node].choice;
    for (uint32_t k = 0; k < n->naccesses; k++) {
        uint32_t source = c->sources[k];
        if (source == c->x->g.accesses.at[n->access0 + k].source)
            continue;
        same = false;
        pair = pair_of(c, source);
    }
    if (same && !(c->x->nodes.at[c->node].flags & PF_EXEC_PENDING))
        return;
    if (pf_choice_only_waits(c))
        return; /* stuck_end.h decides whether it can wait for ever */
    uint64_t hash = pf_beginning_hash(c->x, c->node, c->sources, c->choice);
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

/* --- which waiters a notification wakes --- */

static void add_choice(struct pf_choice *c, uint32_t choice)
{
    c->choice = choice;
    if (c->made++ < CHOICES_MAX)
        add_target(c);
    else
        c->s->capped++;
}

/* Every subset of the waiters with a time limit: their limits have passed before the broadcast. */
static void choose_expired(struct pf_choice *c, const struct pf_exec_queued *queue, uint32_t n,
                           uint32_t at, uint32_t choice)
{
    while (at < n && !queue[at].timed)
        at++;
    if (at == n || at > 31) {
        c->s->capped += at < n;
        add_choice(c, choice);
        return;
    }
    choose_expired(c, queue, n, at + 1, choice);
    if (c->made <= CHOICES_MAX)
        choose_expired(c, queue, n, at + 1, choice | 1u << at);
}

/* Adds a target for every choice of the node with the chosen sources. */
static void choose_waiters(struct pf_choice *c)
{
    const struct pf_exec_queued *queue = NULL;
    uint32_t flags = c->x->nodes.at[c->node].flags;
    if (!(flags & (PF_EXEC_SIGNALS | PF_EXEC_BROADCASTS))) {
        add_choice(c, 0);
        return;
    }
    uint32_t n = pf_execution_queue(c->x, c->node, c->sources, &queue), timed = 0;
    if (flags & PF_EXEC_BROADCASTS) {
        choose_expired(c, queue, n, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        timed += queue[i].timed;
    for (uint32_t i = 0; i < n; i++)
        add_choice(c, 1 + i);
    if (timed == n) /* none waits, or the time limits of all have passed */
        add_choice(c, 0);
}

static void choose_sources(struct pf_choice *c, uint32_t k);

static void choose_source(struct pf_choice *c, uint32_t k, uint32_t source, uint32_t source_access)
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
static void choose_sources(struct pf_choice *c, uint32_t k)
{
    const struct pf_rf_graph *g = &c->x->g;
    const struct pf_rf_node *n = &g->nodes.at[c->node];
    if (k == n->naccesses) {
        choose_waiters(c);
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

bool pf_choice_reads(const struct pf_execution *x, uint32_t node)
{
    const struct pf_rf_node *n = &x->g.nodes.at[node];
    for (uint32_t k = 0; k < n->naccesses; k++)
        if (x->g.accesses.at[n->access0 + k].source != PF_SOURCE_NONE)
            return true;
    return false;
}

void pf_choice_all(struct pf_choice *c, uint32_t node)
{
    c->node = node;
    c->made = 0;
    pf_beginning_past(c->x, node, c->past);
    choose_sources(c, 0);
}

/* --- new pairs of sites --- */

/* True if a target with this pair is still wanted; counts the attempt. */
static bool is_wanted(struct pf_search *s, uint64_t pair)
{
    if (pf_hash_map_find(&s->pairs, pair) != PF_HASH_NONE)
        return false;
    uint32_t k = pf_hash_map_put(&s->missed, pair, (uint32_t)s->attempts.len);
    if (k == s->attempts.len)
        pf_vec_push(&s->attempts, 0);
    return s->attempts.at[k]++ < ATTEMPTS_MAX;
}

/* Adds a target in which the k-th access of the node reads from `source`, and the others as before,
 * if the pair of sites is wanted. */
static void try_pair(struct pf_choice *c, uint32_t k, uint32_t source, uint32_t source_access)
{
    const struct pf_rf_graph *g = &c->x->g;
    const struct pf_rf_node *n = &g->nodes.at[c->node];
    uint32_t access = n->access0 + k, cell = g->accesses.at[access].cell;
    if (!is_wanted(c->s, pair_of(c, source)))
        return;
    c->examined++;
    if ((source != PF_SOURCE_INITIAL && pf_rf_before(g, c->node, source)) ||
        !is_possible(c, access, source, source_access) || is_overwritten(c, cell, source))
        return;
    for (uint32_t i = 0; i < n->naccesses; i++)
        c->sources[i] = g->accesses.at[n->access0 + i].source;
    c->sources[k] = source;
    c->made = 0;
    choose_waiters(c);
}

/* `sites`: the n sites that write the cell. True if no pair of the node with one of them is
 * wanted. */
static bool is_known(struct pf_choice *c, const uint32_t *sites, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t pair = pf_exec_mix(c->x->nodes.at[c->node].site, sites[i]);
        uint32_t k = pf_hash_map_find(&c->s->missed, pair);
        if (pf_hash_map_find(&c->s->pairs, pair) == PF_HASH_NONE &&
            (k == PF_HASH_NONE || c->s->attempts.at[k] < ATTEMPTS_MAX))
            return false;
    }
    return true;
}

/* The sites of the writes to each cell, from index (*at)[cell] of the list on. The initial value
 * counts as site 1. */
static pf_vec_u32 list_sites(const struct pf_execution *x, uint32_t **at)
{
    const struct pf_rf_graph *g = &x->g;
    pf_vec_u32 sites = {0};
    *at = pf_mem_zero(g->ncells + 1u, sizeof **at);
    for (uint32_t cell = 0; cell < g->ncells; cell++) {
        uint32_t first = (*at)[cell] = (uint32_t)sites.len, before = 0;
        pf_vec_push(&sites, 1);
        size_t from = (size_t)cell * g->nthreads;
        for (uint32_t k = g->writer_at[from]; k < g->writer_at[from + g->nthreads]; k++) {
            uint32_t site = x->nodes.at[g->owner[g->writers[k]]].site, i = first;
            while (site != before && i < sites.len && sites.at[i] != site)
                i++;
            if (site != before && i == sites.len)
                pf_vec_push(&sites, site);
            before = site;
        }
    }
    (*at)[g->ncells] = (uint32_t)sites.len;
    return sites;
}

static void scan_node(struct pf_choice *c, const pf_vec_u32 *sites, const uint32_t *at)
{
    const struct pf_rf_graph *g = &c->x->g;
    const struct pf_rf_node *n = &g->nodes.at[c->node];
    bool has_past = false;
    for (uint32_t k = 0; k < n->naccesses; k++) {
        const struct pf_rf_access *a = &g->accesses.at[n->access0 + k];
        if (a->source == PF_SOURCE_NONE ||
            is_known(c, sites->at + at[a->cell], at[a->cell + 1] - at[a->cell]))
            continue;
        if (!has_past)
            pf_beginning_past(c->x, c->node, c->past);
        has_past = true;
        if (a->source != PF_SOURCE_INITIAL)
            try_pair(c, k, PF_SOURCE_INITIAL, PF_NONE);
        for (uint32_t i = g->user_at[a->cell]; i < g->user_at[a->cell + 1]; i++) {
            uint32_t e = g->owner[g->users[i]];
            if (g->accesses.at[g->users[i]].writes && e != c->node && e != a->source &&
                !(c->x->nodes.at[e].flags & PF_EXEC_PENDING))
                try_pair(c, k, e, g->users[i]);
        }
    }
}

/* Looks for targets with new pairs of sites. */
void pf_choice_scan(struct pf_choice *c)
{
    const struct pf_rf_graph *g = &c->x->g;
    uint32_t *at;
    pf_vec_u32 sites = list_sites(c->x, &at);
    for (uint32_t i = 0; i < g->nodes.len && c->examined < SCAN_MAX; i++)
        if (pf_choice_reads(c->x, i)) {
            c->node = i;
            scan_node(c, &sites, at);
            if (i % 256 == 255 && pf_search_stops(c->s))
                break;
        }
    free(at);
    pf_vec_release(&sites);
}
