/*
 * byte_histogram.c - three histograms over the bytes of a picture, one set of histograms for
 * each thread.
 *
 * bench: size=48000000 quick=1500000 contention=10000000
 *
 * Shows:   bytes read in sequence, counters of 4 bytes changed at random in a small array. Size
 *          is the number of bytes.
 * Hides:   locks and calls. There are no races.
 */
#include "bench.h"

enum { COLOURS = 3, VALUES = 256 };

struct histogram {
    unsigned char *byte;
    unsigned (*count)[COLOURS][VALUES]; /* one for each thread */
};

static void *work(struct bench_worker *w)
{
    struct histogram *h = w->arg;
    size_t pixels = w->bench->size / COLOURS;
    size_t from = COLOURS * bench_cut(pixels, w->index, w->bench->threads);
    size_t to = COLOURS * bench_cut(pixels, w->index + 1, w->bench->threads);
    unsigned *red = h->count[w->index][0], *green = h->count[w->index][1],
             *blue = h->count[w->index][2];
    for (size_t i = from; i < to; i += COLOURS) {
        red[h->byte[i]]++;
        green[h->byte[i + 1]]++;
        blue[h->byte[i + 2]]++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 48000000);
    struct histogram h = {bench_alloc(b.size), calloc(b.threads, sizeof *h.count)};
    if (!h.count)
        bench_fail("out of memory");
    uint64_t state = 7, sum = 0;
    for (size_t i = 0; i < b.size; i++)
        h.byte[i] = (unsigned char)(bench_next(&state) >> 20);
    bench_run(&b, work, &h);
    for (int c = 0; c < COLOURS; c++)
        for (int v = 0; v < VALUES; v++) {
            uint64_t all = 0;
            for (unsigned t = 0; t < b.threads; t++)
                all += h.count[t][c][v];
            sum = sum * 31 + all;
        }
    free(h.byte);
    free(h.count);
    return bench_end("byte_histogram", sum);
}
