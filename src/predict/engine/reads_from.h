/*
 * reads_from.h - one question to the engine: can the operations of an execution be ordered so that
 * one of them reads other writes, while all the others read the same writes as before?
 *
 * Model:   a graph has operations (nodes), each with accesses to cells. Every read has a source:
 *          the node whose write it sees, or the initial value. Program order, and the edges that
 *          the caller adds, always hold. A node that reads and writes a cell does both at once; so
 *          a lock is a cell, too, and mutual exclusion needs no rule of its own. A question gives
 *          new sources to one node, the changed one. It then collects nodes: a prefix of every
 *          thread, closed under sources and edges, in which the changed node is the last one of its
 *          thread. Whether it writes may depend on what it reads, so that is given, too. The
 *          collected nodes are consistent if they have an order in which the last write before
 *          every read is its source.
 * Answers: three tiers. While nodes are collected, saturation derives the order that every answer
 *          must have; a node that contradicts it is refused. Then an order is constructed step by
 *          step. If that gets stuck, the solver (solver.h) decides, unless its budget runs out:
 *          UNKNOWN.
 * Memory:  a graph and a question own their arrays until release.
 * Cost:    saturation O(threads * log writes) for each read and each derived order; construction
 *          O(nodes * threads).
 */
#ifndef PF_ENGINE_READS_FROM_H
#define PF_ENGINE_READS_FROM_H

#include "query.h"

#define PF_SOURCE_INITIAL (PF_NONE - 1) /* reads the value before all writes */
#define PF_SOURCE_NONE PF_NONE          /* does not read */

struct pf_rf_access {
    uint32_t cell;
    uint32_t source; /* a node, or one of the two values above */
    bool writes;
};

struct pf_rf_node {
    uint32_t thread, pos; /* the pos-th node of its thread, from 0 */
    uint32_t access0, naccesses;
};

struct pf_rf_edge {
    uint32_t from, to;
};

struct pf_rf_graph {
    /* in an order in which every source and every `from` of an edge comes first */
    PF_VEC(struct pf_rf_node) nodes;
    PF_VEC(struct pf_rf_access) accesses;
    PF_VEC(struct pf_rf_edge) edges; /* order in addition to program order and sources */
    uint32_t nthreads, ncells;
    /* set by pf_rf_graph_seal: */
    uint32_t *by_thread_at, *by_thread; /* nodes of each thread */
    uint32_t *succ_at, *succ;           /* successors by sources and edges */
    uint32_t *pred_at, *pred;           /* predecessors by edges */
    uint32_t *user_at, *users; /* per cell: the accesses to it, in the order of the nodes */
    /* per cell and thread (at index cell * nthreads + thread): the accesses that write, and those
     * that read, in program order */
    uint32_t *writer_at, *writers, *reader_at, *readers;
    uint32_t *owner; /* per access: its node */
    uint32_t *clock; /* per node, nthreads words: how many nodes of each thread come before it by
                      * program order, sources and edges; its own thread: including it */
};

void pf_rf_graph_clear(struct pf_rf_graph *g); /* keeps nothing but the memory of the vectors */
void pf_rf_graph_release(struct pf_rf_graph *g);
/* Computes the lists and clocks from nodes, accesses and edges. */
void pf_rf_graph_seal(struct pf_rf_graph *g);

static inline uint32_t pf_rf_node_at(const struct pf_rf_graph *g, uint32_t thread, uint32_t pos)
{
    return g->by_thread[g->by_thread_at[thread] + pos];
}
static inline uint32_t pf_rf_length(const struct pf_rf_graph *g, uint32_t thread)
{
    return g->by_thread_at[thread + 1] - g->by_thread_at[thread];
}
/* True if a comes before b, or is b, by program order, sources and edges. */
static inline bool pf_rf_before(const struct pf_rf_graph *g, uint32_t a, uint32_t b)
{
    const struct pf_rf_node *x = &g->nodes.at[a];
    return g->clock[(size_t)b * g->nthreads + x->thread] > x->pos;
}

/* The last write to the cell that is collected. PF_SOURCE_INITIAL: none is. */
struct pf_rf_last {
    uint32_t cell, source;
};

struct pf_rf_query {
    const struct pf_rf_graph *g;
    uint32_t changed; /* the node with new sources; PF_NONE: none */
    const uint32_t *sources; /* of each of its accesses */
    const bool *writes; /* of each of its accesses: whether it writes */
    const struct pf_rf_last *lasts; /* how the memory must be at the end */
    uint32_t nlasts;
    uint32_t *keep; /* per thread: how many of its nodes are collected */
    pf_vec_u32 order; /* the answer */
    uint64_t solved; /* questions that only the solver could decide */
    /* scratch memory */
    uint32_t *clock;
    pf_vec_u32 derived, stack;
    pf_vec_u32 touched; /* nodes whose clocks have grown, and which are to be saturated again */
    /* old clocks, each with its node: they are restored if the node that is being added is
     * refused */
    pf_vec_u32 undo;
    bool *queued; /* per node: it is in `touched` */
    uint32_t *derived_at, *last, *next;
    uint32_t *pending; /* construction: reads still to come, per write access and initial value */
    size_t cap_clock, cap_nodes, cap_cells, cap_threads, cap_accesses;
};

void pf_rf_query_release(struct pf_rf_query *q);
/* Starts a question without nodes. The graph and the sources must outlive it. */
void pf_rf_query_start(struct pf_rf_query *q, const struct pf_rf_graph *g, uint32_t changed,
                       const uint32_t *sources, const bool *writes);
/* From now on, the answer must also end with these writes. The list must outlive the question. */
static inline void pf_rf_query_end_with(struct pf_rf_query *q, const struct pf_rf_last *lasts,
                                        uint32_t n)
{
    q->lasts = lasts;
    q->nlasts = n;
}
static inline bool pf_rf_query_has(const struct pf_rf_query *q, uint32_t e)
{
    const struct pf_rf_node *x = &q->g->nodes.at[e];
    return x->pos < q->keep[x->thread];
}
/* True if e is the next node of its thread and everything that it needs has been collected. */
bool pf_rf_query_can_add(const struct pf_rf_query *q, uint32_t e);
/* Adds such a node. False: no order exists with it; the question is as before. */
bool pf_rf_query_add(struct pf_rf_query *q, uint32_t e);
/* Decides whether the collected nodes are consistent. After PF_YES, q->order is the answer. */
enum pf_answer pf_rf_query_decide(struct pf_rf_query *q, uint32_t conflicts);

/* Executes q->order, and returns true if it is an answer. Shares no code with the engine. */
bool pf_rf_order_valid(const struct pf_rf_query *q);

#endif
