/*
 * track.c - stages of a filter over frames, which a queue distributes in batches (the shape of
 * bodytrack): many functions, some of them rare.
 *
 * Races: the statistics of each stage, the shared estimate, the count of dropped frames, the flag
 *        that stops a stage early, a buffer that two stages use at once.
 */
#include "../prog/bench.h"

#define COLD __attribute__((noinline)) static
enum { WIDTH = 160, ROWS = 24, BATCH = 250 };
static struct {
    pthread_mutex_t lock;
    int next, end;
} queue = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
float image[8][ROWS][WIDTH];
long blurred, edged, summed, dropped;
float estimate;
int stop;
float scratch[WIDTH];

/* Takes the frames from *from up to, but excluding, the returned one; none if both are equal. */
COLD int take(int *from)
{
    pthread_mutex_lock(&queue.lock);
    *from = queue.next;
    queue.next = *from + BATCH < queue.end ? *from + BATCH : queue.end;
    int to = queue.next;
    pthread_mutex_unlock(&queue.lock);
    return to;
}

COLD void blur(float *row)
{
    for (int i = 1; i + 1 < WIDTH; i++)
        row[i] = (row[i - 1] + row[i] * 2 + row[i + 1]) / 4;
    blurred++;
}

COLD void edge(const float *row, float *out)
{
    for (int i = 1; i < WIDTH; i++)
        out[i] = row[i] - row[i - 1];
    edged++;
}

COLD float sum(const float *row)
{
    float s = 0;
    for (int i = 0; i < WIDTH; i++)
        s += row[i] * row[i];
    summed++;
    return s;
}

COLD void improve(float by) { estimate += by * 0.001f; }

COLD void drop(void) { dropped++; }

COLD void borrow(float v)
{
    for (int i = 0; i < 8; i++)
        scratch[i] = v;
}

COLD int stopped(void) { return stop; }

COLD void frame(int job, unsigned thread)
{
    float out[WIDTH] = {0};
    float(*rows)[WIDTH] = image[thread];
    for (int r = 0; r < ROWS; r++) {
        blur(rows[r]);
        edge(rows[r], out);
        improve(sum(out));
    }
    if (job % 97 == 11)
        drop();
    if (job % 211 == 5)
        borrow(out[3]);
}

static void *work(struct bench_worker *w)
{
    for (int job, to; to = take(&job), job < to;)
        for (; job < to && !stopped(); job++)
            frame(job, w->index);
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 2400);
    queue.end = (int)b.size;
    struct bench_worker w[8];
    for (unsigned i = 0; i < b.threads; i++) {
        w[i] = (struct bench_worker){.bench = &b, .index = i};
        pthread_create(&w[i].thread, NULL, (void *(*)(void *))work, &w[i]);
    }
    stop = 0;
    for (unsigned i = 0; i < b.threads; i++)
        pthread_join(w[i].thread, NULL);
    puts("track done");
    return 0;
}
