/*
 * micro.c - the cost of single operations: `micro [REPEATS]` prints a line "NAME nanoseconds" for
 * each.
 *
 * Model:   every case runs a loop of `count` operations; the time of the thread's CPU clock is
 *          divided by count, and the minimum of several repeats is printed. `keep` hides values
 *          from the optimiser without an access to memory.
 * Threads: a second thread exists for the cases that need memory that another thread has accessed;
 *          it is joined before the timing starts.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 512, ROUNDS = 200 };

#define keep(x) __asm__ volatile("" : "+r"(x))

static uint64_t word[WORDS];
static uint32_t half[WORDS];
static unsigned char byte[WORDS * 8];
static uint64_t seen[WORDS];
static atomic_ulong counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A release: the thread's next accesses are in a new epoch. */
static void new_epoch(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void walk_write8(void)
{
    uint64_t *p = word;
    keep(p);
    for (size_t i = 0; i < WORDS; i++) {
        uint64_t v = i;
        keep(v);
        p[i] = v;
    }
}

static void walk_read8(uint64_t *p)
{
    keep(p);
    for (size_t i = 0; i < WORDS; i++) {
        uint64_t v = p[i];
        keep(v);
    }
}

static size_t write8_again(void)
{
    for (int r = 0; r < ROUNDS; r++)
        walk_write8();
    return (size_t)ROUNDS * WORDS;
}

static size_t read8_again(void)
{
    for (int r = 0; r < ROUNDS; r++)
        walk_read8(word);
    return (size_t)ROUNDS * WORDS;
}

static size_t write4_again(void)
{
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t *p = half;
        keep(p);
        for (uint32_t i = 0; i < WORDS; i++) {
            uint32_t v = i;
            keep(v);
            p[i] = v;
        }
    }
    return (size_t)ROUNDS * WORDS;
}

static size_t write1_again(void)
{
    for (int r = 0; r < ROUNDS / 8; r++) {
        unsigned char *p = byte;
        keep(p);
        for (uint32_t i = 0; i < sizeof byte; i++) {
            uint32_t v = i;
            keep(v);
            p[i] = (unsigned char)v;
        }
    }
    return (size_t)(ROUNDS / 8) * sizeof byte;
}

static size_t write8_fresh(void)
{
    for (int r = 0; r < ROUNDS; r++) {
        new_epoch();
        walk_write8();
    }
    return (size_t)ROUNDS * WORDS;
}

static size_t read8_fresh(void)
{
    for (int r = 0; r < ROUNDS; r++) {
        new_epoch();
        walk_read8(word);
    }
    return (size_t)ROUNDS * WORDS;
}

static size_t write1_fresh(void)
{
    for (int r = 0; r < ROUNDS / 8; r++) {
        new_epoch();
        for (uint32_t i = 0; i < sizeof byte; i++) {
            unsigned char *p = byte;
            keep(p);
            p[i] = (unsigned char)i;
        }
    }
    return (size_t)(ROUNDS / 8) * sizeof byte;
}

/* Memory that two threads have read. */
static size_t read8_shared(void)
{
    for (int r = 0; r < ROUNDS; r++) {
        new_epoch();
        walk_read8(seen);
    }
    return (size_t)ROUNDS * WORDS;
}

__attribute__((noinline)) static uint64_t callee(uint64_t *p, uint64_t v)
{
    keep(v);
    *p = v;
    return v + 1;
}

static size_t call(void)
{
    uint64_t v = 0;
    for (int i = 0; i < ROUNDS * WORDS; i++)
        v = callee(&word[0], v);
    return (size_t)ROUNDS * WORDS;
}

static size_t lock_unlock(void)
{
    for (int i = 0; i < ROUNDS * 64; i++)
        new_epoch();
    return (size_t)ROUNDS * 64;
}

static size_t atomic_relaxed(void)
{
    for (int i = 0; i < ROUNDS * 64; i++)
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    return (size_t)ROUNDS * 64;
}

static size_t atomic_acquire(void)
{
    for (int i = 0; i < ROUNDS * 64; i++) {
        uint64_t v = atomic_load_explicit(&counter, memory_order_acquire);
        keep(v);
    }
    return (size_t)ROUNDS * 64;
}

static size_t atomic_both(void)
{
    for (int i = 0; i < ROUNDS * 64; i++)
        atomic_fetch_add_explicit(&counter, 1, memory_order_acq_rel);
    return (size_t)ROUNDS * 64;
}

static size_t malloc_free(void)
{
    for (int i = 0; i < ROUNDS * 64; i++) {
        void *p = malloc(40);
        keep(p);
        free(p);
    }
    return (size_t)ROUNDS * 64;
}

static size_t memcpy_64(void)
{
    for (int i = 0; i < ROUNDS * 64; i++) {
        size_t n = 64;
        keep(n);
        memcpy(byte + (i % 32) * 64, word, n);
    }
    return (size_t)ROUNDS * 64;
}

static void *read_all(void *arg)
{
    walk_read8(seen);
    return arg;
}

static double thread_nanos(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static const struct {
    const char *name;
    size_t (*run)(void);
} cases[] = {
    {"write8_again", write8_again},
    {"read8_again", read8_again},
    {"write4_again", write4_again},
    {"write1_again", write1_again},
    {"write8_fresh", write8_fresh},
    {"read8_fresh", read8_fresh},
    {"write1_fresh", write1_fresh},
    {"read8_shared", read8_shared},
    {"call", call},
    {"lock_unlock", lock_unlock},
    {"atomic_relaxed", atomic_relaxed},
    {"atomic_acquire", atomic_acquire},
    {"atomic_both", atomic_both},
    {"malloc_free", malloc_free},
    {"memcpy_64", memcpy_64},
};

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? atoi(argv[1]) : 15;
    pthread_t other;
    if (pthread_create(&other, NULL, read_all, NULL))
        return 1;
    walk_read8(seen);
    pthread_join(other, NULL);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double best = 1e18;
        for (int r = 0; r < repeats; r++) {
            double from = thread_nanos();
            size_t n = cases[c].run();
            double each = (thread_nanos() - from) / (double)n;
            best = each < best ? each : best;
        }
        printf("%s %.2f\n", cases[c].name, best);
    }
    return 0;
}
