/*
 * target_search.c - see target_search.h: targets and their order. target_choice.c generates them,
 * beginning.c finds the runs for a target.
 */
#include "beginning.h"
#include "stuck_end.h"
#include "target_choice.h"
#include <string.h>

#define KEPT_BYTES (512ull << 20) /* of executions whose targets are not all generated */

/* --- the queue of targets --- */

/* The target with the lowest rank comes first. Targets with a new pair of source positions come
 * before all others. Among these, threads that were woken and wait for their mutex come first:
 * others may take the mutex before them, which many programs do not expect. Also among these, reads
 * of the final memory come last. */
static int rank(const struct pf_target *t)
{
    if (!t->fresh)
        return 3;
    if (t->node == PF_NONE)
        return 1;
    bool is_final = t->thread + 1 == t->x->threads.len;
    return is_final ? 2 : t->x->nodes.at[t->node].flags & PF_EXEC_SECOND ? 0 : 1;
}

static bool comes_first(const struct pf_target *a, const struct pf_target *b)
{
    if (rank(a) != rank(b))
        return rank(a) < rank(b);
    if (a->depth != b->depth)
        return a->depth < b->depth;
    if (a->execution != b->execution)
        return a->execution < b->execution;
    return a->number < b->number;
}

void pf_search_push(struct pf_search *s, struct pf_target t)
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

/* --- executions whose targets are not all generated --- */

static uint64_t bytes_of(const struct pf_execution *x)
{
    return x->g.nodes.len * (sizeof *x->g.nodes.at + sizeof *x->nodes.at + 24 +
                             x->g.nthreads * sizeof *x->g.clock) +
           x->g.accesses.len * (sizeof *x->g.accesses.at + sizeof *x->accesses.at + 24);
}

static void push_expansion(struct pf_search *s, struct pf_expansion e)
{
    e.x->references++;
    s->bytes += bytes_of(e.x);
    size_t i = s->expansions.len;
    pf_vec_push(&s->expansions, e);
    /* most often the new one is the last one */
    for (; i && s->expansions.at[i - 1].depth > e.depth; i--)
        s->expansions.at[i] = s->expansions.at[i - 1];
    s->expansions.at[i] = e;
}

static void drop_expansion(struct pf_search *s)
{
    s->bytes -= bytes_of(s->expansions.at[0].x);
    pf_execution_release(s->expansions.at[0].x);
    memmove(s->expansions.at, s->expansions.at + 1, --s->expansions.len * sizeof *s->expansions.at);
}

void pf_beginning_release(struct pf_beginning *b)
{
    if (b->again)
        target_release(b->again);
    free(b->again);
    pf_vec_release(&b->plan);
    pf_vec_release(&b->frontier);
}

static void clear_beginnings(struct pf_search *s)
{
    for (size_t i = 0; i < s->beginnings.len; i++)
        pf_beginning_release(&s->beginnings.at[i]);
    pf_vec_clear(&s->beginnings);
}

void pf_search_release(struct pf_search *s)
{
    for (size_t i = 0; i < s->heap.len; i++)
        target_release(&s->heap.at[i]);
    pf_vec_release(&s->heap);
    while (s->expansions.len)
        drop_expansion(s);
    pf_vec_release(&s->expansions);
    for (size_t i = s->next_loop; i < s->loops.len; i++)
        pf_execution_release(s->loops.at[i].x);
    pf_vec_release(&s->loops);
    pf_hash_map_release(&s->missed);
    pf_vec_release(&s->attempts);
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

bool pf_search_has(const struct pf_search *s, const struct pf_beginning *b)
{
    if (b->stuck)
        return pf_classes_end_with(&s->seen, b->frontier.at, b->frontier.len);
    return b->resumes ? pf_classes_continue(&s->seen, b->frontier.at, b->frontier.len, b->continues)
                      : pf_classes_contain(&s->seen, b->frontier.at, b->frontier.len);
}

void pf_search_learn_empty(struct pf_search *s, uint64_t object, int32_t level)
{
    uint32_t k = pf_hash_map_put(&s->empty, object, (uint32_t)s->levels.len);
    if (k == s->levels.len)
        pf_vec_push(&s->levels, level);
}

/* --- executions --- */

bool pf_search_stops(const struct pf_search *s)
{
    return s->should_stop && s->should_stop(s->stop_arg);
}

/* Threads that the end of the process cut off. */
static void add_continuations(struct pf_choice *c)
{
    const struct pf_execution *x = c->x;
    uint32_t last = pf_execution_last(x);
    for (uint32_t t = 0; t + 1 < x->threads.len && last != PF_NONE; t++)
        if (x->threads.at[t].live)
            pf_search_push(c->s, (struct pf_target){.x = c->x,
                                                    .node = PF_NONE,
                                                    .thread = t,
                                                    .depth = c->depth,
                                                    .execution = c->execution});
}

static struct pf_choice choice_new(struct pf_search *s, struct pf_execution *x, uint32_t depth,
                                   uint64_t execution)
{
    return (struct pf_choice){.s = s,
                              .x = x,
                              .depth = depth,
                              .execution = execution,
                              .past = pf_mem_zero(x->g.nthreads + 1u, sizeof(uint32_t)),
                              .sources = pf_mem_zero(x->widest + 1u, sizeof(uint32_t))};
}

static void choice_release(struct pf_choice *c)
{
    free(c->past);
    free(c->sources);
}

/* Keeps the execution if it has operations of loops. */
static void add_loops(struct pf_search *s, struct pf_execution *x, uint32_t depth)
{
    bool loops = false;
    for (size_t i = 0; i < x->nodes.len && !loops; i++)
        loops = x->nodes.at[i].state;
    if (!loops)
        return;
    if (s->bytes >= KEPT_BYTES) {
        s->capped++;
        return;
    }
    s->bytes += bytes_of(x);
    x->references++;
    pf_vec_push(&s->loops, (struct pf_expansion){.x = x, .depth = depth});
}

void pf_search_add(struct pf_search *s, struct pf_execution *x, uint32_t depth)
{
    const struct pf_rf_graph *g = &x->g;
    struct pf_choice c = choice_new(s, x, depth, s->nexecutions++);
    for (size_t i = 0; i < x->spins.len; i++)
        pf_hash_map_put(&s->spins, x->spins.at[i], 0);
    for (uint32_t i = 0; i < g->accesses.len; i++) {
        uint32_t node = g->owner[i];
        uint32_t flags = x->nodes.at[node].flags;
        if (x->accesses.at[i].object && flags & PF_EXEC_PENDING)
            pf_search_learn_empty(s, x->accesses.at[i].object, x->accesses.at[i].level + 1);
        else if (x->accesses.at[i].object && flags & PF_EXEC_TAKES && !g->accesses.at[i].writes)
            pf_search_learn_empty(s, x->accesses.at[i].object, x->accesses.at[i].level);
        if (x->accesses.at[i].compares && !(x->nodes.at[node].flags & PF_EXEC_PENDING))
            pf_hash_map_put(&s->compared, x->nodes.at[node].history, g->accesses.at[i].writes);
        if (x->accesses.at[i].updates && !g->accesses.at[i].writes)
            pf_hash_map_put(&s->compared, x->nodes.at[node].history, 0);
    }
    pf_choice_scan(&c);
    add_continuations(&c);
    if (s->bytes < KEPT_BYTES)
        push_expansion(s, (struct pf_expansion){.x = x, .depth = depth, .execution = c.execution});
    else
        s->capped++;
    choice_release(&c);
    add_loops(s, x, depth);
}

/* Generates the targets of the next operation of the first expansion that has any. */
static void expand(struct pf_search *s)
{
    struct pf_expansion *e = &s->expansions.at[0];
    struct pf_choice c = choice_new(s, e->x, e->depth, e->execution);
    size_t before = s->heap.len;
    while (e->next < e->x->g.nodes.len && s->heap.len == before) {
        uint32_t node = e->next++;
        if (!pf_choice_reads(e->x, node))
            continue;
        pf_choice_all(&c, node);
        if (pf_search_stops(s))
            break;
    }
    choice_release(&c);
    if (e->next == e->x->g.nodes.len)
        drop_expansion(s);
}

/* True if the first target of the queue comes before those of the first expansion. */
static bool has_next_target(const struct pf_search *s)
{
    const struct pf_target *t = s->heap.at;
    const struct pf_expansion *e = s->expansions.at;
    return s->heap.len && (!s->expansions.len || t->fresh || t->depth < e->depth ||
                           (t->depth == e->depth && t->execution <= e->execution));
}

/* Looks for ends of the next execution with loops. False: there is none. */
static bool find_stuck(struct pf_search *s)
{
    if (s->next_loop == s->loops.len)
        return false;
    struct pf_expansion *e = &s->loops.at[s->next_loop++];
    struct pf_choice c = choice_new(s, e->x, e->depth, 0);
    s->bytes -= bytes_of(e->x);
    pf_stuck_find(&c);
    choice_release(&c);
    pf_execution_release(s->loops.at[s->next_loop - 1].x);
    return true;
}

bool pf_search_next(struct pf_search *s)
{
    clear_beginnings(s);
    while (s->expansions.len && !has_next_target(s) && !pf_search_stops(s))
        expand(s);
    if (pf_search_stops(s))
        return s->heap.len || s->expansions.len || s->next_loop < s->loops.len;
    if (!s->heap.len)
        return find_stuck(s);
    struct pf_target t = pop(s);
    pf_beginning_find(s, &t);
    target_release(&t);
    return true;
}

struct pf_target pf_target_copy(const struct pf_target *t)
{
    uint32_t n = t->x->g.nodes.at[t->node].naccesses;
    struct pf_target copy = *t;
    copy.sources = pf_mem_resize(NULL, n + 1u, sizeof *copy.sources);
    copy.writes = pf_mem_resize(NULL, n + 1u, sizeof *copy.writes);
    memcpy(copy.sources, t->sources, n * sizeof *copy.sources);
    memcpy(copy.writes, t->writes, n * sizeof *copy.writes);
    return copy;
}

void pf_search_defer(struct pf_search *s, const struct pf_target *t)
{
    struct pf_target copy = pf_target_copy(t);
    copy.rest = true;
    copy.fresh = false;
    copy.depth++;
    pf_search_push(s, copy);
}

void pf_search_end(struct pf_search *s, struct pf_beginning *b)
{
    if (b->again && pf_hash_map_find(&s->compared, b->changed) != PF_HASH_NONE)
        pf_search_push(s, pf_target_copy(b->again));
}

uint64_t pf_search_left(const struct pf_search *s)
{
    uint64_t n = s->heap.len + s->loops.len - s->next_loop;
    for (size_t i = 0; i < s->expansions.len; i++)
        for (uint32_t e = s->expansions.at[i].next; e < s->expansions.at[i].x->g.nodes.len; e++)
            n += pf_choice_reads(s->expansions.at[i].x, e);
    return n;
}
