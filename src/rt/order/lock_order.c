/*
 * lock_order.c - see lock_order.h.
 *
 * When an edge is added, cycles through it are searched at once, so that a deadlock is reported
 * before it happens. Most programs take their locks in one order, so the locks have ranks: while
 * the graph has no cycle, every edge goes from a lower rank to a higher one. A new edge that goes
 * upwards closes no cycle. The first rank of a lock is its address, because programs that take many
 * locks at once usually take them in the order of their addresses. For an edge that does not go
 * upwards:
 * - If its start has no incoming edge, the start gets the lowest rank.
 * - If its end has no outgoing edge, the end gets the highest rank.
 * - Otherwise a walk visits all locks that the end can reach. If the start is not among them, they
 *   get the highest ranks, each a lower one than the locks that it reaches. If it is, the graph has
 *   a cycle, and the ranks are not used until the graph is empty again.
 * Not every cycle can deadlock, so the cycles of such an edge are searched for one that can. That
 * search is a depth-first walk over paths of at most PF_LOCK_ORDER_LENGTH edges, and ends after
 * SEARCH_STEPS edges. One edge per pair of locks is not enough: the same pair may be taken with and
 * without a gate. So an edge is stored for each set of gates, unless a stored edge of this pair
 * with the same modes (shared or exclusive) has a subset of these gates.
 */
#include "lock_order.h"
#include "hooks.h"
#include "limits.h"
#include "store.h"
#include "sync.h"

#define BUCKET_BITS 16
#define BUCKETS (1u << BUCKET_BITS)
#define SEARCH_STEPS 10000 /* edges that one search follows */
#define EDGE_SIZE_CLASS 1 /* of the store: blocks of 64 << 1 bytes */
#define UNSKIPPED 64u /* acquisitions without a new edge before any is skipped (set_gap) */
#define MANY_LOCKS 1024u

struct order_edge;

/* A lock. */
struct order_node {
    uintptr_t lock;
    struct order_node *next; /* in the map */
    struct order_edge *out, *in;
    int64_t rank;
    struct order_edge *walk; /* while is_reachable runs: its edge to follow next */
    /* while is_reachable runs: the node that it was reached from; afterwards the next node in the
     * order of ranks */
    struct order_node *from;
    uint32_t visited; /* the last walk that visited it */
};
_Static_assert(sizeof(struct order_node) <= 64, "a node is a block of the store");

struct order_edge {
    struct order_node *from, *to;
    struct order_edge *next_out, *next_in;
    uint32_t thread, taken_at, held_at;
    bool held_first, held_shared, taken_shared;
    uint8_t ngates;
    uintptr_t gates[PF_LOCK_ORDER_GATES]; /* address << 1 | shared */
};
_Static_assert(sizeof(struct order_edge) <= 64u << EDGE_SIZE_CLASS,
               "an edge is a block of the store");

uint32_t pf_lock_order_dropped;
uint64_t pf_shared_orders[PF_SHARED_ORDERS];
static struct pf_spin graph_lock;
static struct order_node *map[BUCKETS];
static int64_t lowest_rank, highest_rank = 1ll << 48; /* addresses are between them */
static bool has_cycle; /* the ranks are not used until the graph is empty again */
static uint32_t nodes, walks;

void pf_lock_order_lock(void) { pf_spin_lock(&graph_lock); }
void pf_lock_order_unlock(void) { pf_spin_unlock(&graph_lock); }

static struct order_node **find(uintptr_t lock)
{
    struct order_node **p = &map[lock * 0x9e3779b97f4a7c15ull >> (64 - BUCKET_BITS)];
    while (*p && (*p)->lock != lock)
        p = &(*p)->next;
    return p;
}

static struct order_node *node_of(uintptr_t lock)
{
    struct order_node **p = find(lock);
    if (!*p && (*p = pf_store_alloc(0))) {
        **p = (struct order_node){.lock = lock, .rank = (int64_t)lock};
        nodes++;
    }
    return *p;
}

/* True if every gate of a is one of b, in the same mode. */
static bool gates_within(const struct order_edge *a, const struct order_edge *b)
{
    for (unsigned i = 0; i < a->ngates; i++) {
        unsigned k = 0;
        while (k < b->ngates && b->gates[k] != a->gates[i])
            k++;
        if (k == b->ngates)
            return false;
    }
    return true;
}

/* True if the two edges cannot happen at the same time: they have a gate in common that at least
 * one of the threads holds exclusively. */
static bool have_common_gate(const struct order_edge *a, const struct order_edge *b)
{
    for (unsigned i = 0; i < a->ngates; i++)
        for (unsigned k = 0; k < b->ngates; k++)
            if ((a->gates[i] ^ b->gates[k]) <= 1 && !(a->gates[i] & b->gates[k] & 1))
                return true;
    return false;
}

/* --- ranks --- */

/* Walks over everything that can be reached from `start`. True if that includes `wanted`. Otherwise
 * *sorted lists the nodes visited, each before those that can be reached from it. */
static bool is_reachable(const struct order_node *wanted, struct order_node *start,
                         struct order_node **sorted)
{
    struct order_node *n = start;
    *sorted = n->from = NULL;
    n->visited = ++walks;
    n->walk = n->out;
    while (n) {
        struct order_edge *e = n->walk;
        struct order_node *reached = e ? e->to : NULL;
        if (reached == wanted)
            return true;
        if (!e) { /* all that can be reached from n is in the list */
            struct order_node *back = n->from;
            n->from = *sorted;
            *sorted = n;
            n = back;
            continue;
        }
        n->walk = e->next_out;
        if (reached->visited == walks)
            continue;
        reached->visited = walks;
        reached->walk = reached->out;
        reached->from = n;
        n = reached;
    }
    return false;
}

/* Updates the ranks for the new edge. True if it closes a cycle. */
static bool closes_cycle(const struct order_edge *e)
{
    struct order_node *sorted;
    if (!has_cycle && e->from->rank < e->to->rank)
        return false;
    if (!has_cycle && !e->from->in) {
        e->from->rank = --lowest_rank;
        return false;
    }
    if (!has_cycle && !e->to->out) {
        e->to->rank = ++highest_rank;
        return false;
    }
    if (is_reachable(e->from, e->to, &sorted)) {
        has_cycle = true;
        return true;
    }
    for (; sorted; sorted = sorted->from)
        sorted->rank = ++highest_rank;
    return false;
}

/* --- cycles --- */

struct cycle_search {
    const struct order_edge *path[PF_LOCK_ORDER_LENGTH];
    unsigned n;
    unsigned steps;
};

/* True if e may follow the last edge of the path. */
static bool fits(const struct cycle_search *s, const struct order_edge *e)
{
    const struct order_edge *last = s->path[s->n - 1];
    if (last->taken_shared && e->held_shared) /* two readers do not wait for each other */
        return false;
    for (unsigned i = 0; i < s->n; i++)
        if (have_common_gate(s->path[i], e) || (i && s->path[i]->from == e->to))
            return false;
    return true;
}

/* Extends the path to a cycle of `length` edges. The caller increases `length`, so that the
 * shortest cycle is found. */
static bool extend(struct cycle_search *s, unsigned length)
{
    const struct order_node *begin = s->path[0]->from;
    for (const struct order_edge *e = s->path[s->n - 1]->to->out; e; e = e->next_out) {
        if (++s->steps > SEARCH_STEPS)
            return false;
        bool closes = e->to == begin;
        if (closes != (s->n + 1 == length) || !fits(s, e))
            continue;
        if (closes && e->taken_shared && s->path[0]->held_shared)
            continue;
        s->path[s->n++] = e;
        if (closes || extend(s, length))
            return true;
        s->n--;
    }
    return false;
}

/* Finds the shortest cycle through the edge that can deadlock. False: none was found within the
 * limits. */
static bool find_cycle(const struct order_edge *e, struct pf_lock_cycle *out)
{
    struct cycle_search s = {.path = {e}, .n = 1};
    for (unsigned length = 2; length <= PF_LOCK_ORDER_LENGTH && s.steps < SEARCH_STEPS; length++) {
        if (!extend(&s, length))
            continue;
        out->n = s.n;
        for (unsigned i = 0; i < s.n; i++) { /* the new edge last */
            const struct order_edge *p = s.path[(i + 1) % s.n];
            out->at[i] = (struct pf_lock_order_step){.lock = p->to->lock,
                                                     .held = p->from->lock,
                                                     .thread = p->thread,
                                                     .taken_at = p->taken_at,
                                                     .held_at = p->held_at,
                                                     .held_first = p->held_first};
        }
        return true;
    }
    return false;
}

/* --- edges --- */

/* True if a stored edge makes the wanted one redundant. */
static bool has_edge(const struct order_edge *wanted)
{
    for (const struct order_edge *e = wanted->from->out; e; e = e->next_out)
        if (e->to == wanted->to && e->held_shared == wanted->held_shared &&
            e->taken_shared == wanted->taken_shared && gates_within(e, wanted))
            return true;
    return false;
}

/* The edge from lock number i that t holds; false if it cannot be stored. */
static bool describe(const struct pf_thread *t, uint32_t i, uintptr_t lock, bool shared,
                     uint32_t where, struct order_edge *e)
{
    const struct pf_held_lock *h = &t->order.held[i];
    *e = (struct order_edge){.from = node_of(h->addr),
                             .to = node_of(lock),
                             .thread = t->number,
                             .taken_at = where,
                             .held_at = h->taken_at ? h->taken_at : h->where,
                             .held_first = !h->taken_at,
                             .held_shared = h->shared,
                             .taken_shared = shared};
    for (uint32_t k = 0; k < t->order.nheld; k++) {
        if (k == i)
            continue;
        if (e->ngates == PF_LOCK_ORDER_GATES)
            return false;
        e->gates[e->ngates++] = t->order.held[k].addr << 1 | t->order.held[k].shared;
    }
    return e->from && e->to;
}

static const struct order_edge *insert(const struct order_edge *e)
{
    struct order_edge *new = pf_store_alloc(EDGE_SIZE_CLASS);
    if (!new)
        return NULL;
    *new = *e;
    new->next_out = e->from->out;
    new->next_in = e->to->in;
    e->from->out = e->to->in = new;
    return new;
}

/* Marks the sync object of the lock, so that pf_lock_order_forget is called when it is dropped. */
static void mark(uintptr_t lock)
{
    struct pf_spin *l = pf_sync_lock(lock);
    struct pf_sync *s = pf_sync_find(lock, true);
    if (s)
        s->in_lock_order = true;
    pf_spin_unlock(l);
}

/* Sets how many acquisitions unwatched code skips next: one more after each acquisition without a
 * new edge. The first UNSKIPPED of these do not count, so that programs with few locks are examined
 * completely. After an acquisition with a new edge, the count is an eighth less. With MANY_LOCKS
 * locks, as in a tree with a lock in each node, most acquisitions make a new edge; they count like
 * those without. */
static void set_gap(struct pf_thread *t, bool any_new)
{
    uint32_t gap = t->order.orders_gap;
    any_new = any_new && __atomic_load_n(&nodes, __ATOMIC_RELAXED) < MANY_LOCKS;
    gap = any_new ? gap - gap / 8 : gap < UNSKIPPED + PF_LOCK_ORDER_GAP ? gap + 1 : gap;
    t->order.orders_gap = (uint16_t)gap;
    t->order.orders_to_skip = (uint16_t)(gap > UNSKIPPED ? gap - UNSKIPPED : 0);
}

void pf_lock_order_add(struct pf_thread *t, const volatile void *lock, bool shared, uint32_t where)
{
    uintptr_t a = (uintptr_t)lock;
    uint64_t key = pf_lock_order_key(t, a, shared);
    struct pf_lock_cycle cycle = {0};
    *pf_lock_order_slot(t, key) = key;
    for (uint32_t i = 0; i < t->order.nheld; i++)
        if (t->order.held[i].addr == a)
            return; /* a recursive lock does not wait */
    mark(a);
    bool any_new = false;
    for (uint32_t i = 0; i < t->order.nheld; i++) {
        struct order_edge e;
        mark(t->order.held[i].addr);
        pf_spin_lock(&graph_lock);
        const struct order_edge *new = NULL;
        if (describe(t, i, a, shared, where, &e) && !has_edge(&e))
            new = insert(&e);
        bool found = new && closes_cycle(new) && find_cycle(new, &cycle);
        pf_spin_unlock(&graph_lock);
        any_new |= new != NULL;
        if (found)
            pf_hooks.lock_cycle_found(&cycle);
    }
    set_gap(t, any_new);
    __atomic_store_n(pf_lock_order_shared_slot(key), key, __ATOMIC_RELAXED);
}

/* --- destroyed locks --- */

static void remove_edge(struct order_edge *e)
{
    struct order_edge **p = &e->from->out;
    while (*p != e)
        p = &(*p)->next_out;
    *p = e->next_out;
    p = &e->to->in;
    while (*p != e)
        p = &(*p)->next_in;
    *p = e->next_in;
    pf_store_free(e, EDGE_SIZE_CLASS);
}

void pf_lock_order_forget(uintptr_t lock)
{
    pf_spin_lock(&graph_lock);
    struct order_node **p = find(lock), *n = *p;
    if (n) {
        while (n->out)
            remove_edge(n->out);
        while (n->in)
            remove_edge(n->in);
        *p = n->next;
        pf_store_free(n, 0);
        if (!--nodes)
            has_cycle = false;
    }
    __atomic_fetch_add(&pf_lock_order_dropped, 1, __ATOMIC_RELAXED);
    pf_spin_unlock(&graph_lock);
}
