/*
 * edit_distance.c - the nearest words of a dictionary, by edit distance.
 *
 * bench: size=900 quick=40 contention=200
 *
 * Shows:   two rows of small integers on the heap, read and written in place; short strings that
 *          all threads read; a lock for the next query and for its answer. Size is the number of
 *          queries against 512 words.
 * Hides:   long loops, pointers. There are no races.
 */
#include "bench.h"
#include <string.h>

enum { WORDS = 512, LONGEST = 24 };

struct dictionary {
    char word[WORDS][LONGEST + 1];
    pthread_mutex_t lock;
    size_t next;   /* under lock */
    long long sum; /* under lock: of the positions and distances of the answers */
};

static void make_word(char *to, uint64_t *seed)
{
    size_t n = 4 + bench_next(seed) % (LONGEST - 4);
    for (size_t i = 0; i < n; i++)
        to[i] = (char)('a' + bench_next(seed) % 6);
    to[n] = 0;
}

static unsigned distance(const char *a, const char *b, uint16_t *row, uint16_t *above)
{
    size_t n = strlen(b);
    for (size_t k = 0; k <= n; k++)
        above[k] = (uint16_t)k;
    for (size_t i = 0; a[i]; i++) {
        row[0] = (uint16_t)(i + 1);
        for (size_t k = 0; k < n; k++) {
            unsigned replaced = above[k] + (a[i] != b[k]);
            unsigned removed = above[k + 1] + 1u, added = row[k] + 1u;
            unsigned least = removed < added ? removed : added;
            row[k + 1] = (uint16_t)(replaced < least ? replaced : least);
        }
        uint16_t *t = above;
        above = row;
        row = t;
    }
    return above[n];
}

static void *work(struct bench_worker *w)
{
    struct dictionary *d = w->arg;
    uint16_t *rows = malloc(2 * (LONGEST + 1) * sizeof *rows);
    if (!rows)
        bench_fail("out of memory");
    for (;;) {
        char query[LONGEST + 1];
        pthread_mutex_lock(&d->lock);
        size_t number = d->next++;
        pthread_mutex_unlock(&d->lock);
        if (number >= w->bench->size)
            break;
        uint64_t seed = number + 7;
        make_word(query, &seed);
        size_t best = 0;
        unsigned least = ~0u;
        for (size_t i = 0; i < WORDS; i++) {
            unsigned this = distance(query, d->word[i], rows, rows + LONGEST + 1);
            if (this < least) {
                least = this;
                best = i;
            }
        }
        pthread_mutex_lock(&d->lock);
        d->sum += (long long)(best * 32 + least);
        pthread_mutex_unlock(&d->lock);
    }
    free(rows);
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 900);
    struct dictionary *d = calloc(1, sizeof *d);
    uint64_t seed = 1;
    if (!d)
        bench_fail("out of memory");
    for (size_t i = 0; i < WORDS; i++)
        make_word(d->word[i], &seed);
    pthread_mutex_init(&d->lock, NULL);
    bench_run(&b, work, d);
    uint64_t sum = (uint64_t)d->sum;
    pthread_mutex_destroy(&d->lock);
    free(d);
    return bench_end("edit_distance", sum);
}
