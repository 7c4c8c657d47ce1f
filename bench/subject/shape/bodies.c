/*
 * bodies.c - gravity of bodies through an octree that all threads build, with one lock for each
 * node.
 *
 * bench: size=24000 quick=2000 contention=10000
 *
 * Shows:   one lock operation for each step down the tree, loops over three coordinates, deep
 *          recursion over nodes that other threads made. Size is the number of bodies; there
 *          are two steps.
 * Hides:   long loops. There are no races. Sums in the tree are integers, so that the order of
 *          insertion has no effect.
 */
#include "bench.h"
#include <math.h>

enum { DIMENSIONS = 3, CHILDREN = 8, STEPS = 2, SPAN = 1 << 20 };

struct body {
    int64_t place[DIMENSIONS];
    double force[DIMENSIONS];
};

struct node {
    pthread_mutex_t lock;
    struct node *child[CHILDREN];
    struct body *body; /* of a leaf */
    int64_t corner[DIMENSIONS], width, mass, weighted[DIMENSIONS];
};

struct space {
    struct body *body;
    struct node *root;
    pthread_barrier_t step;
};

static struct node *node_new(const int64_t *corner, int64_t width)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        bench_fail("out of memory");
    pthread_mutex_init(&n->lock, NULL);
    for (int d = 0; d < DIMENSIONS; d++)
        n->corner[d] = corner[d];
    n->width = width;
    return n;
}

static unsigned part_of(const struct node *n, const struct body *b)
{
    unsigned part = 0;
    for (int d = 0; d < DIMENSIONS; d++)
        part |= (unsigned)(b->place[d] >= n->corner[d] + n->width / 2) << d;
    return part;
}

/* The child of n for b; the caller holds n's lock. */
static struct node *child_for(struct node *n, const struct body *b)
{
    unsigned part = part_of(n, b);
    if (!n->child[part]) {
        int64_t corner[DIMENSIONS];
        for (int d = 0; d < DIMENSIONS; d++)
            corner[d] = n->corner[d] + ((part >> d) & 1) * (n->width / 2);
        n->child[part] = node_new(corner, n->width / 2);
    }
    return n->child[part];
}

static void insert(struct node *n, struct body *b)
{
    for (;;) {
        pthread_mutex_lock(&n->lock);
        if (n->mass == 1 && n->width > 1) { /* a leaf becomes an inner node */
            struct node *c = child_for(n, n->body);
            c->body = n->body;
            c->mass = 1;
            for (int d = 0; d < DIMENSIONS; d++)
                c->weighted[d] = n->body->place[d];
            n->body = NULL;
        }
        n->mass++;
        for (int d = 0; d < DIMENSIONS; d++)
            n->weighted[d] += b->place[d];
        struct node *next = NULL;
        if (n->mass == 1 || n->width <= 1)
            n->body = b;
        else
            next = child_for(n, b);
        pthread_mutex_unlock(&n->lock);
        if (!next)
            return;
        n = next;
    }
}

static void attract(const struct node *n, struct body *b)
{
    if (!n || n->body == b)
        return;
    double vector[DIMENSIONS], square = 1;
    for (int d = 0; d < DIMENSIONS; d++) {
        vector[d] = (double)n->weighted[d] / (double)n->mass - (double)b->place[d];
        square += vector[d] * vector[d];
    }
    if (n->body || (double)n->width * (double)n->width < square / 2) {
        for (int d = 0; d < DIMENSIONS; d++)
            b->force[d] += (double)n->mass * vector[d] / (square * sqrt(square));
        return;
    }
    for (int c = 0; c < CHILDREN; c++)
        attract(n->child[c], b);
}

static void node_free(struct node *n)
{
    for (int c = 0; c < CHILDREN; c++)
        if (n->child[c])
            node_free(n->child[c]);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

static void *work(struct bench_worker *w)
{
    struct space *s = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (int step = 0; step < STEPS; step++) {
        if (w->index == 0)
            s->root = node_new((int64_t[DIMENSIONS]){0, 0, 0}, SPAN);
        pthread_barrier_wait(&s->step);
        for (size_t i = from; i < to; i++)
            insert(s->root, &s->body[i]);
        pthread_barrier_wait(&s->step);
        for (size_t i = from; i < to; i++) {
            for (int d = 0; d < DIMENSIONS; d++)
                s->body[i].force[d] = 0;
            attract(s->root, &s->body[i]);
        }
        pthread_barrier_wait(&s->step);
        for (size_t i = from; i < to; i++)
            for (int d = 0; d < DIMENSIONS; d++) {
                int64_t moved = s->body[i].place[d] + (int64_t)(s->body[i].force[d] * 1e6);
                s->body[i].place[d] = moved < 0 ? 0 : moved >= SPAN ? SPAN - 1 : moved;
            }
        if (w->index == 0)
            node_free(s->root);
        pthread_barrier_wait(&s->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 24000);
    struct space s = {.body = bench_alloc(b.size * sizeof *s.body)};
    for (size_t i = 0; i < b.size; i++)
        for (int d = 0; d < DIMENSIONS; d++)
            s.body[i].place[d] = (int64_t)(bench_hash(i * DIMENSIONS + (size_t)d) % SPAN);
    pthread_barrier_init(&s.step, NULL, b.threads);
    bench_run(&b, work, &s);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++)
        for (int d = 0; d < DIMENSIONS; d++)
            sum = sum * 31 + (uint64_t)s.body[i].place[d];
    pthread_barrier_destroy(&s.step);
    free(s.body);
    return bench_end("bodies", sum);
}
