/*
 * bench.h - common parts of the kernels: arguments, workers, random numbers, the final line.
 *
 * Model:   a kernel is `PROG [THREADS [SIZE]]`. It does the same work whatever the number of
 *          threads, and ends with one line "NAME checksum": equal in every build of the kernel.
 * Threads: bench_run starts count workers and joins them all; a worker owns its struct.
 * Errors:  a kernel that cannot continue (no memory, wrong result) prints a message and exits 1.
 */
#ifndef PF_BENCH_H
#define PF_BENCH_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    unsigned threads;
    unsigned long size;
};

struct bench_worker {
    const struct bench *bench;
    unsigned index; /* 0 .. bench->threads - 1 */
    uint64_t sum;   /* the worker's part of the checksum */
    void *arg;
    pthread_t thread;
    void *(*work)(struct bench_worker *);
};

static inline void bench_fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static inline struct bench bench_args(int argc, char **argv, unsigned long size)
{
    struct bench b = {2, size};
    if (argc > 1)
        b.threads = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        b.size = strtoul(argv[2], NULL, 10);
    if (b.threads < 1 || b.threads > 512 || b.size < 1)
        bench_fail("usage: PROG [THREADS [SIZE]], 1 to 512 threads");
    return b;
}

static inline void *bench_alloc(size_t size)
{
    void *p = malloc(size);
    if (!p)
        bench_fail("out of memory");
    return p;
}

/* splitmix64: a pseudo-random number for every i, so that work can be divided anywhere. */
static inline uint64_t bench_hash(uint64_t i)
{
    i += 0x9e3779b97f4a7c15ull;
    i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ull;
    i = (i ^ (i >> 27)) * 0x94d049bb133111ebull;
    return i ^ (i >> 31);
}

/* xorshift64: the next number of a stream; the state must not be 0. */
static inline uint64_t bench_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* The start of worker `index` of `count` in a range of n items; it ends where the next starts. */
static inline size_t bench_cut(size_t n, unsigned index, unsigned count)
{
    return (size_t)((unsigned __int128)n * index / count);
}

static inline void *bench_entry(void *w)
{
    struct bench_worker *worker = (struct bench_worker *)w;
    return worker->work(worker);
}

/* Runs `work` in b->threads threads; returns the sum of all workers' checksums. */
static inline uint64_t bench_run(const struct bench *b, void *(*work)(struct bench_worker *),
                                 void *arg)
{
    struct bench_worker *w =
        (struct bench_worker *)bench_alloc(b->threads * sizeof(struct bench_worker));
    uint64_t sum = 0;
    for (unsigned i = 0; i < b->threads; i++) {
        memset(&w[i], 0, sizeof w[i]);
        w[i].bench = b;
        w[i].index = i;
        w[i].arg = arg;
        w[i].work = work;
        if (pthread_create(&w[i].thread, NULL, bench_entry, &w[i]))
            bench_fail("cannot start a thread");
    }
    for (unsigned i = 0; i < b->threads; i++) {
        pthread_join(w[i].thread, NULL);
        sum += w[i].sum;
    }
    free(w);
    return sum;
}

/* A checksum of the bits of n doubles. */
static inline uint64_t bench_sum(const double *v, size_t n)
{
    uint64_t sum = 0, bits;
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, &v[i], sizeof bits);
        sum = sum * 31 + bits;
    }
    return sum;
}

static inline int bench_end(const char *name, uint64_t sum)
{
    printf("%s %016llx\n", name, (unsigned long long)sum);
    return 0;
}

#endif
