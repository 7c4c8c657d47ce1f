/*
 * execution.c - see execution.h. The trace is read twice: first to find the operations and the
 * objects that several threads use, then to emit the nodes in the order in which they took effect.
 * exec_objects.c knows what an event does to an object.
 */
#include "exec_builder.h"
#include <stdio.h>
#include <string.h>

/* It must not be symmetric: otherwise "the first operation of T1 reads that of T2" and the reverse
 * have the same history. */
uint64_t pf_exec_mix(uint64_t h, uint64_t v)
{
    h = (((h << 23 | h >> 41) + 0x632be59bd9b4e019ull) ^ v) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* --- operations --- */

/* True if the thread may wait between this event and the next one of the same operation. */
static bool waits_after(const struct pf_event *e)
{
    return e->kind == PF_EV_WAIT || (e->kind == PF_EV_POST && e->link != PF_NONE);
}

/* True if other threads can wait for the event, or it for them: it decides when the operation took
 * effect. */
static bool is_effect(const struct pf_event *e)
{
    switch (pf_event_class[e->kind]) {
    case PF_CLASS_ACCESS:
    case PF_CLASS_MEMORY:
    case PF_CLASS_CALL:
    case PF_CLASS_REGION:
    case PF_CLASS_FENCE:
    case PF_CLASS_BRANCH:
        return false;
    default:
        return true;
    }
}

static void find_operations(struct pf_exec_builder *b)
{
    const struct pf_trace *t = b->t;
    uint32_t *now = pf_mem_resize(NULL, t->threads.len + 1, sizeof *now);
    memset(now, 0xff, t->threads.len * sizeof *now);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        uint32_t *at = &now[e->thread], index = t->recorded.index.at[i];
        struct pf_exec_operation *o = *at == PF_NONE ? NULL : &b->operations.at[*at];
        bool ends = e->kind == PF_EV_END;
        if (!o || o->index != index || o->closed || ends) {
            bool second = o && o->closed && o->index == index && !ends;
            *at = (uint32_t)b->operations.len;
            pf_vec_push(&b->operations, (struct pf_exec_operation){.thread = e->thread,
                                                                   .index = index,
                                                                   .first = i,
                                                                   .pivot = i,
                                                                   .second = second,
                                                                   .node = PF_NONE});
            o = &b->operations.at[*at];
        } else
            b->next[o->last] = i;
        o->last = i;
        if (!o->has_effect) {
            o->pivot = i;
            o->has_effect = is_effect(e);
        }
        o->closed = waits_after(e) || ends;
        b->operation[i] = *at;
    }
    free(now);
}

static void find_threads(struct pf_exec_builder *b)
{
    const struct pf_trace *t = b->t;
    for (uint32_t k = 0; k < t->threads.len; k++)
        pf_vec_push(&b->x->threads,
                    (struct pf_exec_thread){.name = k, .number = t->recorded.thread.at[k]});
    b->fork = pf_mem_resize(NULL, t->threads.len + 1, sizeof *b->fork);
    memset(b->fork, 0xff, t->threads.len * sizeof *b->fork);
    b->forks = pf_mem_zero(t->threads.len + 1, sizeof *b->forks);
    b->ndropped = pf_mem_zero(t->threads.len + 1, sizeof *b->ndropped);
    b->dropped = pf_mem_zero(t->threads.len + 1, sizeof *b->dropped);
    b->last_node = pf_mem_resize(NULL, t->threads.len + 1, sizeof *b->last_node);
    memset(b->last_node, 0xff, t->threads.len * sizeof *b->last_node);
}

/* --- nodes --- */

uint32_t pf_exec_site_hash(const struct pf_trace *t, uint32_t site)
{
    const struct pf_site_info *s = &t->sites.at[site];
    uint64_t h = pf_exec_mix(s->line, s->column);
    for (const char *p = pf_trace_text(t, s->file); *p; p++)
        h = h * 31 + (unsigned char)*p;
    return (uint32_t)(h ^ h >> 32);
}

/* The sources of a node, as they enter its history. */
static uint64_t mix_sources(const struct pf_execution *x, uint32_t node, const uint32_t *sources,
                            uint64_t h)
{
    const struct pf_rf_node *e = &x->g.nodes.at[node];
    uint32_t before = PF_SOURCE_NONE;
    for (uint32_t k = 0; k < e->naccesses; k++) {
        uint32_t source = sources ? sources[k] : x->g.accesses.at[e->access0 + k].source;
        const struct pf_exec_access *a = &x->accesses.at[e->access0 + k];
        /* adjacent cells with one source count as one: where cells begin differs between runs */
        if (source == PF_SOURCE_NONE || source == a->own || (source == before && !a->begins))
            ;
        else if (source == PF_SOURCE_INITIAL)
            h = pf_exec_mix(h, 7 + a->offset);
        else
            h = pf_exec_mix(h, x->nodes.at[source].history + a->offset);
        before = source == a->own ? PF_SOURCE_NONE : source;
    }
    return h;
}

/* after: the history after which the node comes; 0: that of the previous node. */
static uint64_t history_base(const struct pf_execution *x, uint32_t node, uint64_t after)
{
    const struct pf_rf_node *e = &x->g.nodes.at[node];
    const struct pf_exec_node *n = &x->nodes.at[node];
    uint64_t h = x->threads.at[e->thread].name;
    if (e->pos || after)
        h = after ? after : x->nodes.at[n->previous].history;
    /* what the operation does is not part of it: that depends on what it reads */
    return pf_exec_mix(pf_exec_mix(h, n->index), n->flags & (PF_EXEC_SECOND | PF_EXEC_ENDS));
}

/* A choice of 0 adds nothing: it is possible that in another run no other thread uses the
 * condition variable, and then there is no choice. */
static uint64_t mix_choice(uint32_t choice, uint64_t h)
{
    return choice ? pf_exec_mix(h, 13 + choice) : h;
}

uint32_t pf_execution_queue(const struct pf_execution *x, uint32_t r, const uint32_t *sources,
                            const struct pf_exec_queued **queue)
{
    const struct pf_rf_node *n = &x->g.nodes.at[r];
    uint32_t k = 0;
    while (!x->accesses.at[n->access0 + k].is_queue)
        k++;
    uint32_t source = sources ? sources[k] : x->g.accesses.at[n->access0 + k].source;
    uint32_t cell = x->g.accesses.at[n->access0 + k].cell;
    if (source >= PF_SOURCE_INITIAL)
        return 0;
    uint32_t a = x->g.nodes.at[source].access0;
    while (x->g.accesses.at[a].cell != cell)
        a++;
    *queue = x->queues.at + x->accesses.at[a].queue0;
    return x->accesses.at[a].nqueue;
}

uint64_t pf_execution_history_with(const struct pf_execution *x, uint32_t r,
                                   const uint32_t *sources, uint32_t choice)
{
    uint64_t h = history_base(x, r, 0);
    for (uint32_t k = x->g.pred_at[r]; k < x->g.pred_at[r + 1]; k++)
        h = pf_exec_mix(h, x->nodes.at[x->g.pred[k]].history);
    return mix_choice(choice, mix_sources(x, r, sources, h));
}

static void add_edge(struct pf_exec_builder *b, uint32_t from, uint32_t to)
{
    if (from != PF_NONE && from != to)
        pf_vec_push(&b->x->g.edges, (struct pf_rf_edge){from, to});
}

uint32_t pf_exec_node_begin(struct pf_exec_builder *b, uint32_t thread, uint32_t index,
                            uint32_t flags)
{
    struct pf_execution *x = b->x;
    uint32_t node = (uint32_t)x->g.nodes.len, before = b->last_node[thread];
    uint32_t pos = before == PF_NONE ? 0 : x->g.nodes.at[before].pos + 1;
    pf_vec_push(
        &x->g.nodes,
        (struct pf_rf_node){.thread = thread, .pos = pos, .access0 = (uint32_t)x->g.accesses.len});
    pf_vec_push(&x->nodes,
                (struct pf_exec_node){
                    .index = index, .flags = flags, .previous = before, .forks = PF_NONE});
    b->edge0 = x->g.edges.len;
    b->last_node[thread] = node;
    b->node = node;
    return node;
}

void pf_exec_node_end(struct pf_exec_builder *b)
{
    struct pf_execution *x = b->x;
    struct pf_rf_node *e = &x->g.nodes.at[b->node];
    e->naccesses = (uint32_t)x->g.accesses.len - e->access0;
    x->widest = e->naccesses > x->widest ? e->naccesses : x->widest;
    uint64_t h = history_base(x, b->node, b->after);
    for (size_t k = b->edge0; k < x->g.edges.len; k++)
        h = pf_exec_mix(h, x->nodes.at[x->g.edges.at[k].from].history);
    struct pf_exec_node *n = &x->nodes.at[b->node];
    n->history = mix_choice(n->choice, mix_sources(x, b->node, NULL, h));
}

static void add_thread_event(struct pf_exec_builder *b, const struct pf_event *e)
{
    struct pf_execution *x = b->x;
    uint32_t thread = e->thread;
    if (e->kind == PF_EV_FORK) {
        b->fork[e->what] = b->node;
        x->threads.at[e->what].name =
            pf_exec_mix(x->threads.at[thread].name, 1 + ++b->forks[thread]);
        x->nodes.at[b->node].forks = e->what;
        b->live++;
        b->unjoined++;
    } else if (e->kind == PF_EV_JOIN) {
        add_edge(b, b->last_node[e->what], b->node);
        b->unjoined -= b->unjoined != 0;
    } else if (e->kind == PF_EV_END)
        b->live -= b->live != 0;
}

static void add_operation(struct pf_exec_builder *b, struct pf_exec_operation *o)
{
    const struct pf_trace *t = b->t;
    struct pf_execution *x = b->x;
    bool ends = t->events.at[o->first].kind == PF_EV_END;
    uint32_t flags = (o->second ? PF_EXEC_SECOND : 0u) | (ends ? PF_EXEC_ENDS : 0u);
    bool first = b->last_node[o->thread] == PF_NONE;
    uint32_t node = o->node =
        pf_exec_node_begin(b, o->thread, o->index - b->ndropped[o->thread], flags);
    x->nodes.at[node].site = pf_exec_site_hash(t, t->events.at[o->pivot].site);
    x->nodes.at[node].state = o->state;
    if (first)
        add_edge(b, b->fork[o->thread], node);
    for (uint32_t i = o->first; i != PF_NONE; i = b->next[i]) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_event_class[e->kind] == PF_CLASS_THREAD)
            add_thread_event(b, e);
        else
            pf_exec_add_event(b, i);
    }
    pf_exec_add_call(b, o);
    if (b->stop != PF_NONE && o == &b->operations.at[b->stop])
        pf_exec_add_stop(b);
    pf_exec_node_end(b);
}

uint64_t pf_exec_spin_key(uint64_t state, uint64_t value)
{
    return pf_exec_mix(pf_exec_mix(state, 11), value);
}

/* Drops an operation of a loop that waits. Notes the history that its node would have, so that a
 * run that ends with this node is recognised as waiting. */
static void skip_operation(struct pf_exec_builder *b, struct pf_exec_operation *o)
{
    struct pf_execution *x = b->x;
    uint32_t before = b->last_node[o->thread];
    size_t nodes = x->g.nodes.len, accesses = x->g.accesses.len, unexplored = x->unexplored.len;
    struct pf_exec_dropped *iteration = &b->dropped[o->thread];
    if (o->starts)
        *iteration = (struct pf_exec_dropped){.before = b->ndropped[o->thread]};
    pf_exec_node_begin(b, o->thread, o->index - iteration->before, 0);
    pf_exec_add_reads(b, o);
    b->after = iteration->history;
    pf_exec_node_end(b);
    b->after = 0;
    iteration->history = x->nodes.at[nodes].history;
    pf_vec_push(&x->spins, iteration->history);
    const struct pf_event *e = &b->t->events.at[o->first];
    if (o->alone && o->first == o->last && pf_event_reads(e) && !(e->flags & PF_EF_UNKNOWN))
        pf_vec_push(&x->spins, pf_exec_spin_key(o->state, e->value));
    x->g.nodes.len = x->nodes.len = nodes;
    x->g.accesses.len = x->accesses.len = accesses;
    x->unexplored.len = unexplored;
    b->last_node[o->thread] = before;
    b->ndropped[o->thread] += 1 + o->gap;
}

/* --- the end of the run --- */

/* The end of the process as an operation of the thread that ended it, unless it is known as
 * such. */
static void add_stop_node(struct pf_exec_builder *b)
{
    if (!b->ender || b->stop != PF_NONE)
        return;
    uint32_t thread = b->ender_thread;
    pf_exec_node_begin(b, thread, (uint32_t)b->ender->event - b->ndropped[thread], PF_EXEC_ENDS);
    pf_exec_add_stop(b);
    pf_exec_node_end(b);
}

/* One node for each cell that several threads write: it reads the last write. */
static void add_final(struct pf_exec_builder *b, uint32_t final)
{
    struct pf_execution *x = b->x;
    bool first = true;
    for (uint32_t c = 0; c < b->t->cells.len; c++) {
        uint32_t cell = b->cell_of[c];
        if (cell == PF_NONE || !b->objects.at[cell].many_writers)
            continue;
        pf_exec_node_begin(b, final, 0, 0);
        for (uint32_t k = 0; k < b->t->threads.len && first; k++)
            add_edge(b, b->last_node[k], b->node);
        first = false;
        pf_exec_add_read(b, cell, PF_SOURCE_INITIAL, 0);
        pf_exec_node_end(b);
    }
    x->threads.at[final].length =
        b->last_node[final] == PF_NONE ? 0 : x->g.nodes.at[b->last_node[final]].pos + 1;
}

static uint64_t class_key(const struct pf_execution *x)
{
    uint64_t key = 0;
    for (uint32_t k = 0; k < x->threads.len; k++) {
        const struct pf_exec_thread *t = &x->threads.at[k];
        if (t->length)
            key += pf_exec_mix(x->nodes.at[pf_rf_node_at(&x->g, k, t->length - 1)].history, 3);
    }
    /* The operation in which a thread waits at the end counts as well. Another run may have crashed
     * before the thread reached it; this execution then gives further targets. */
    for (uint32_t i = 0; i < x->nodes.len; i++) {
        const struct pf_exec_node *n = &x->nodes.at[i];
        uint64_t before = n->previous == PF_NONE ? x->threads.at[x->g.nodes.at[i].thread].name
                                                 : x->nodes.at[n->previous].history;
        if (n->flags & PF_EXEC_PENDING)
            key += pf_exec_mix(before + n->index, 5);
    }
    return key;
}

static void release_builder(struct pf_exec_builder *b)
{
    void *all[] = {b->operation, b->next,       b->fork,    b->forks,   b->last_node,
                   b->cell_of,   b->lock_of,    b->cond_of, b->sync_of, b->own,
                   b->ndropped,  b->barrier_of, b->dropped};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_vec_release(&b->operations);
    pf_vec_release(&b->objects);
    pf_vec_release(&b->arrivals);
    pf_vec_release(&b->waiters);
}

struct pf_execution *pf_execution_new(const struct pf_trace *t, const struct pf_exec_report *r)
{
    struct pf_execution *x = pf_mem_zero(1, sizeof *x);
    struct pf_exec_builder b = {.t = t, .x = x, .blocked = r->blocked, .nblocked = r->nblocked};
    uint32_t n = (uint32_t)t->events.len, final = (uint32_t)t->threads.len;
    x->references = 1;
    b.operation = pf_mem_resize(NULL, n + 1u, sizeof *b.operation);
    b.next = pf_mem_resize(NULL, n + 1u, sizeof *b.next);
    memset(b.next, 0xff, (n + 1u) * sizeof *b.next);
    find_threads(&b);
    pf_vec_push(&x->threads, (struct pf_exec_thread){.name = ~0ull, .number = PF_NONE});
    b.last_node[final] = PF_NONE;
    find_operations(&b);
    pf_exec_find_end(&b, r->crashed);
    pf_exec_find_objects(&b);
    pf_exec_find_waits(&b, r);
    pf_exec_find_pending(&b);
    for (uint32_t i = 0; i < n; i++) {
        struct pf_exec_operation *o = &b.operations.at[b.operation[i]];
        if (o->pivot == i && o->dropped)
            skip_operation(&b, o);
        else if (o->pivot == i && !o->pending)
            add_operation(&b, o);
    }
    if (r->complete && b.unjoined)
        add_stop_node(&b);
    for (uint32_t k = 0; k < final; k++)
        x->threads.at[k].length =
            b.last_node[k] == PF_NONE ? 0 : x->g.nodes.at[b.last_node[k]].pos + 1;
    bool waits = false; /* for ever, in a loop */
    for (size_t i = 0; i < b.operations.len && !waits; i++)
        waits = b.operations.at[i].pending && b.operations.at[i].repeats;
    /* No reads of the final memory if the process was ended before all threads were joined: nobody
     * can see the memory then. And none if a thread waits for ever: after another last write, it
     * might leave its loop. */
    if (r->complete && !(b.ender && b.unjoined) && !waits)
        add_final(&b, final);
    pf_exec_add_blocked(&b);
    x->g.nthreads = final + 1;
    x->g.ncells = (uint32_t)b.objects.len;
    pf_rf_graph_seal(&x->g);
    x->key = class_key(x);
    release_builder(&b);
    return x;
}

void pf_execution_release(struct pf_execution *x)
{
    if (!x || --x->references)
        return;
    pf_rf_graph_release(&x->g);
    pf_vec_release(&x->nodes);
    pf_vec_release(&x->accesses);
    pf_vec_release(&x->threads);
    pf_vec_release(&x->cells);
    pf_vec_release(&x->unexplored);
    pf_vec_release(&x->spins);
    pf_vec_release(&x->queues);
    pf_vec_release(&x->blocks);
    free(x);
}

uint32_t pf_execution_last(const struct pf_execution *x)
{
    uint32_t last = PF_NONE;
    for (uint32_t t = 0; t + 1 < x->threads.len; t++)
        if (x->threads.at[t].length) {
            uint32_t e = pf_rf_node_at(&x->g, t, x->threads.at[t].length - 1);
            last = last == PF_NONE || e > last ? e : last;
        }
    return last;
}

uint64_t pf_execution_own_events(const struct pf_execution *x)
{
    uint64_t events = 0;
    bool alone = true;
    for (uint32_t pos = 0; pos < x->threads.at[0].length; pos++) {
        uint32_t e = pf_rf_node_at(&x->g, 0, pos);
        alone &= x->nodes.at[e].forks == PF_NONE;
        if (!alone && (x->g.nodes.at[e].naccesses || x->g.pred_at[e] < x->g.pred_at[e + 1] ||
                       x->nodes.at[e].flags))
            break;
        events = x->nodes.at[e].index;
    }
    return events;
}

void pf_execution_prefix(const struct pf_execution *x, pf_vec_steps *plan)
{
    uint64_t events = pf_execution_own_events(x);
    pf_vec_clear(plan);
    pf_vec_push(plan, (struct pf_schedule_plan_step){.thread = 0, .until = events});
    for (uint32_t pos = 0; pos < x->threads.at[0].length; pos++) {
        const struct pf_exec_node *n = &x->nodes.at[pf_rf_node_at(&x->g, 0, pos)];
        if (n->index > events || n->forks == PF_NONE || !x->threads.at[n->forks].length)
            continue;
        pf_vec_push(plan, (struct pf_schedule_plan_step){.thread = x->threads.at[n->forks].number,
                                                         .asked = 1});
    }
}
