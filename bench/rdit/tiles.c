/*
 * tiles.c - an image in tiles: each worker has a queue of tiles, from which idle neighbours steal.
 *
 * Shape:  queues, brushes and layers are separate objects with a lock each; work moves between
 *         queues; a collector waits for tiles and assembles the result. Synchronising functions
 *         take the object as their argument.
 * Races:  progress, the darkest and the brightest pixel, the request to cancel, the exposure, the
 *         last thief.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 4
#ifndef SIDE
#define SIDE 4 /* of a tile, in pixels */
#endif
#ifndef COLUMNS
#define COLUMNS 4
#endif
#ifndef ROWS
#define ROWS 3
#endif
#define TILES (COLUMNS * ROWS)
#define BRUSHES 3

struct tile {
    unsigned x, y, number;
    unsigned char pixel[SIDE * SIDE];
};

struct queue {
    pthread_mutex_t lock;
    struct tile *item[TILES];
    unsigned first, n, given;
};

struct brush {
    pthread_mutex_t lock;
    unsigned colour, used, wear;
};

struct layer {
    pthread_mutex_t lock;
    pthread_cond_t grown;
    struct tile *done[TILES];
    unsigned n, sum;
    int closed;
};

static struct queue *queues[WORKERS];
static struct brush *brushes[BRUSHES];
static struct layer *result;

/* unprotected */
static unsigned long started, finished, pixels, stolen;
static unsigned darkest = 255, brightest, last_thief, last_tile;
static int cancelled;
static unsigned exposure = 3, contrast = 2;

/* --- queues --- */

static struct queue *queue_new(void)
{
    struct queue *q = calloc(1, sizeof *q);
    pthread_mutex_init(&q->lock, NULL);
    return q;
}

static void queue_free(struct queue *q)
{
    pthread_mutex_destroy(&q->lock);
    free(q);
}

static void queue_put(struct queue *q, struct tile *t)
{
    pthread_mutex_lock(&q->lock);
    q->item[(q->first + q->n) % TILES] = t;
    q->n++;
    pthread_mutex_unlock(&q->lock);
}

/* The owner takes from the front. */
static struct tile *queue_take(struct queue *q)
{
    struct tile *t = NULL;
    pthread_mutex_lock(&q->lock);
    if (q->n) {
        t = q->item[q->first];
        q->first = (q->first + 1) % TILES;
        q->n--;
        q->given++;
    }
    pthread_mutex_unlock(&q->lock);
    return t;
}

/* A neighbour takes from the back, and never the last tile. */
static struct tile *queue_steal(struct queue *q)
{
    struct tile *t = NULL;
    pthread_mutex_lock(&q->lock);
    if (q->n > 1) {
        q->n--;
        t = q->item[(q->first + q->n) % TILES];
        q->given++;
    }
    pthread_mutex_unlock(&q->lock);
    return t;
}

static unsigned queue_given(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    unsigned n = q->given;
    pthread_mutex_unlock(&q->lock);
    return n;
}

/* --- brushes --- */

static struct brush *brush_new(unsigned colour)
{
    struct brush *b = calloc(1, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    b->colour = colour;
    return b;
}

static void brush_free(struct brush *b)
{
    pthread_mutex_destroy(&b->lock);
    free(b);
}

static unsigned brush_dip(struct brush *b, unsigned much)
{
    pthread_mutex_lock(&b->lock);
    b->used++;
    b->wear += much;
    unsigned colour = b->colour + b->wear / 16;
    pthread_mutex_unlock(&b->lock);
    return colour;
}

static unsigned brush_clean(struct brush *b)
{
    pthread_mutex_lock(&b->lock);
    unsigned wear = b->wear;
    b->wear = 0;
    pthread_mutex_unlock(&b->lock);
    return wear;
}

/* --- the layer that receives the tiles --- */

static struct layer *layer_new(void)
{
    struct layer *l = calloc(1, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->grown, NULL);
    return l;
}

static void layer_free(struct layer *l)
{
    for (unsigned i = 0; i < l->n; i++)
        free(l->done[i]);
    pthread_cond_destroy(&l->grown);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void layer_add(struct layer *l, struct tile *t)
{
    pthread_mutex_lock(&l->lock);
    l->done[l->n++] = t;
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        l->sum += t->pixel[i];
    pthread_cond_signal(&l->grown);
    pthread_mutex_unlock(&l->lock);
}

static unsigned layer_wait(struct layer *l, unsigned n)
{
    pthread_mutex_lock(&l->lock);
    while (l->n < n && !l->closed)
        pthread_cond_wait(&l->grown, &l->lock);
    unsigned sum = l->sum;
    pthread_mutex_unlock(&l->lock);
    return sum;
}

static void layer_close(struct layer *l)
{
    pthread_mutex_lock(&l->lock);
    l->closed = 1;
    pthread_cond_broadcast(&l->grown);
    pthread_mutex_unlock(&l->lock);
}

/* --- painting --- */

static unsigned shade(const struct tile *t, unsigned x, unsigned y, unsigned colour)
{
    unsigned px = t->x * SIDE + x, py = t->y * SIDE + y;
    unsigned light = px * 5 + py * 9 + px * py;
    return (light * contrast / 2 + colour * exposure) & 0xff;
}

static void note_shade(unsigned value)
{
    if (value < darkest)
        darkest = value; /* bug: no lock */
    if (value > brightest)
        brightest = value;
}

static void paint(struct tile *t, unsigned colour)
{
    unsigned least = 255, most = 0;
    for (unsigned y = 0; y < SIDE; y++)
        for (unsigned x = 0; x < SIDE; x++) {
            unsigned value = shade(t, x, y, colour);
            t->pixel[y * SIDE + x] = (unsigned char)value;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
    note_shade(least);
    note_shade(most);
    pixels += SIDE * SIDE;
}

static struct tile *find_work(unsigned me)
{
    struct tile *t = queue_take(queues[me]);
    for (unsigned k = 1; !t && k < WORKERS; k++) {
        t = queue_steal(queues[(me + k) % WORKERS]);
        if (t) {
            stolen++;
            last_thief = me;
        }
    }
    return t;
}

/* --- threads --- */

static void *worker(void *arg)
{
    unsigned me = (unsigned)(size_t)arg;
    size_t painted = 0;
    for (struct tile *t; !cancelled && (t = find_work(me)); painted++) {
        started++;
        struct brush *b = brushes[t->number % BRUSHES];
        unsigned colour = brush_dip(b, SIDE);
        paint(t, colour);
        last_tile = t->number;
        finished++;
        layer_add(result, t);
    }
    return (void *)painted;
}

/* Changes the settings while the workers paint. */
static void *artist(void *arg)
{
    size_t wear = 0;
    for (unsigned i = 0; i < BRUSHES; i++) {
        exposure = 3 + i;
        wear += brush_clean(brushes[i]);
        if (brightest - darkest > 250)
            contrast = 1;
        if (finished > 10 * TILES)
            cancelled = 1;
    }
    (void)arg;
    return (void *)wear;
}

static void *collector(void *arg)
{
    size_t sum = 0;
    for (unsigned n = 2; n <= TILES; n += 5) {
        sum = layer_wait(result, n);
        sum += last_tile + pixels;
    }
    (void)arg;
    return (void *)sum;
}

static void lay_out(void)
{
    for (unsigned i = 0; i < TILES; i++) {
        struct tile *t = calloc(1, sizeof *t);
        t->x = i % COLUMNS;
        t->y = i / COLUMNS;
        t->number = i;
        queue_put(queues[i % WORKERS], t);
    }
}

int main(void)
{
    pthread_t workers[WORKERS], knobs, gather;
    for (unsigned i = 0; i < WORKERS; i++)
        queues[i] = queue_new();
    for (unsigned i = 0; i < BRUSHES; i++)
        brushes[i] = brush_new(20 * i);
    result = layer_new();
    lay_out();
    pthread_create(&gather, NULL, collector, NULL);
    for (size_t i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, (void *)i);
    pthread_create(&knobs, NULL, artist, NULL);
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    pthread_join(knobs, NULL);
    layer_close(result);
    pthread_join(gather, NULL);
    unsigned given = 0;
    for (unsigned i = 0; i < WORKERS; i++)
        given += queue_given(queues[i]);
    printf("%u tiles, %u pixels, darkest %u, brightest %u\n", given, result->n * SIDE * SIDE,
           darkest, brightest);
    for (unsigned i = 0; i < WORKERS; i++)
        queue_free(queues[i]);
    for (unsigned i = 0; i < BRUSHES; i++)
        brush_free(brushes[i]);
    layer_free(result);
    return 0;
}
