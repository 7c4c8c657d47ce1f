/*
 * page_rank.c - ranks of the nodes of a graph, summed over incoming edges; lists of any length.
 *
 * bench: size=150000 quick=8000 contention=50000
 *
 * Shows:   scattered reads of structs through 4-byte indices, lists of 1 to 16 entries, two arrays
 *          that change roles at barriers. Size is the number of nodes; there are 16 rounds.
 * Hides:   locks, long loops. There are no races. Ranks are integers, so the order of additions
 *          does not matter.
 */
#include "bench.h"

enum { MOST_EDGES = 16, ROUNDS = 16 };

struct node {
    uint32_t first, edges; /* of its list of incoming edges */
    uint32_t leaving;      /* number of edges that leave it */
    uint64_t rank[2];      /* of even and odd rounds */
};

struct graph {
    struct node *node;
    uint32_t *from; /* the nodes at which the edges start, list after list */
    pthread_barrier_t step;
};

static uint64_t rank_next(const struct graph *g, const struct node *to, unsigned now)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < to->edges; i++) {
        const struct node *n = &g->node[g->from[to->first + i]];
        sum += n->rank[now] / n->leaving;
    }
    return 150000 + sum / 100 * 85;
}

static void *work(struct bench_worker *w)
{
    struct graph *g = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = from; i < to; i++)
            g->node[i].rank[(round + 1) % 2] = rank_next(g, &g->node[i], round % 2);
        pthread_barrier_wait(&g->step);
    }
    return NULL;
}

static void graph_init(struct graph *g, size_t nodes)
{
    uint32_t edges = 0;
    g->node = bench_alloc(nodes * sizeof *g->node);
    g->from = bench_alloc(nodes * MOST_EDGES * sizeof *g->from);
    for (size_t i = 0; i < nodes; i++)
        g->node[i] = (struct node){.rank = {1000000, 0}};
    for (size_t i = 0; i < nodes; i++) {
        g->node[i].first = edges;
        g->node[i].edges = (uint32_t)(1 + bench_hash(i) % MOST_EDGES);
        for (uint32_t k = 0; k < g->node[i].edges; k++, edges++) {
            g->from[edges] = (uint32_t)(bench_hash(i * MOST_EDGES + k + nodes) % nodes);
            g->node[g->from[edges]].leaving++;
        }
    }
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 150000);
    struct graph g;
    graph_init(&g, b.size);
    pthread_barrier_init(&g.step, NULL, b.threads);
    bench_run(&b, work, &g);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++)
        sum = sum * 31 + g.node[i].rank[ROUNDS % 2];
    pthread_barrier_destroy(&g.step);
    free(g.node);
    free(g.from);
    return bench_end("page_rank", sum);
}
