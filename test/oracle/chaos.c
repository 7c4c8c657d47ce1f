/*
 * chaos.c - random events in several threads, determined by a seed. The runtime and the oracle are
 * compared on its runs.
 *
 *     chaos SEED THREADS STEPS
 *
 * Accesses of every size and alignment in a small arena, memory functions, locks, atomics and
 * fences of every order, heap blocks that are passed between threads, threads that are created and
 * joined meanwhile.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA = 192, LOCKS = 3, FLAGS = 4, CHILD_STEPS = 12 };

static unsigned char arena[ARENA] __attribute__((aligned(16)));
static pthread_mutex_t lock[LOCKS];
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
static int flag[FLAGS];
static unsigned char *handed; /* a heap block that is being passed to another thread */
static pthread_mutex_t handing = PTHREAD_MUTEX_INITIALIZER;

struct walk {
    uint64_t state;
    int steps;
    int depth;
};

static unsigned draw(struct walk *w, unsigned n)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->state >> 33) % n;
}

typedef uint16_t any16 __attribute__((aligned(1)));
typedef uint32_t any32 __attribute__((aligned(1)));
typedef uint64_t any64 __attribute__((aligned(1)));

static void touch(struct walk *w)
{
    unsigned char *p = arena + draw(w, ARENA - 8);
    volatile uint64_t sink;
    switch (draw(w, 12)) {
    case 0:
        *p = 1;
        break;
    case 1:
        *(any16 *)p = 1;
        break;
    case 2:
        *(any32 *)p = 1;
        break;
    case 3:
        *(any64 *)p = 1;
        break;
    case 4:
        *(uint64_t *)((uintptr_t)p & ~7ull) = 1;
        break;
    case 5:
        sink = *p;
        break;
    case 6:
        sink = *(any16 *)p;
        break;
    case 7:
        sink = *(any32 *)p;
        break;
    case 8:
        sink = *(any64 *)p;
        break;
    case 9:
        sink = *(uint64_t *)((uintptr_t)p & ~7ull);
        break;
    case 10:
        sink = *(uint32_t *)((uintptr_t)p & ~3ull);
        break;
    case 11:
        *(uint32_t *)((uintptr_t)p & ~3ull) = 2;
        break;
    }
    (void)sink;
}

static void copy(struct walk *w)
{
    size_t n = draw(w, 24);
    unsigned char *a = arena + draw(w, ARENA - 24), *b = arena + draw(w, ARENA - 24);
    if (draw(w, 2))
        memmove(a, b, n);
    else
        memset(a, 1, n);
}

static void locked(struct walk *w)
{
    pthread_mutex_t *m = &lock[draw(w, LOCKS)];
    pthread_mutex_lock(m);
    touch(w);
    touch(w);
    pthread_mutex_unlock(m);
}

static void guarded(struct walk *w)
{
    if (draw(w, 3))
        pthread_rwlock_rdlock(&guard);
    else
        pthread_rwlock_wrlock(&guard);
    touch(w);
    pthread_rwlock_unlock(&guard);
}

static void atomic(struct walk *w)
{
    int *f = &flag[draw(w, FLAGS)];
    int order = (int)draw(w, 6), expected = (int)draw(w, 3);
    static const int load_order[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                                     __ATOMIC_SEQ_CST};
    static const int store_order[] = {__ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_RELEASE,
                                      __ATOMIC_SEQ_CST};
    switch (draw(w, 7)) {
    case 0:
        __atomic_load_n(f, load_order[draw(w, 4)]);
        break;
    case 1:
        __atomic_store_n(f, 1, store_order[draw(w, 4)]);
        break;
    case 2:
        __atomic_fetch_add(f, 1, order);
        break;
    case 3:
        __atomic_exchange_n(f, 2, order);
        break;
    case 4:
        __atomic_compare_exchange_n(f, &expected, 1, 0, order, load_order[draw(w, 4)]);
        break;
    case 5:
        __atomic_thread_fence(order);
        break;
    case 6: /* an occasional plain write to an atomic variable */
        if (draw(w, 8) == 0)
            *(volatile int *)f = 0;
        break;
    }
}

static void heap(struct walk *w)
{
    unsigned char *mine = malloc(40);
    memset(mine, 1, 40);
    pthread_mutex_lock(&handing);
    unsigned char *old = handed;
    handed = mine;
    pthread_mutex_unlock(&handing);
    if (draw(w, 6) == 0)
        mine[draw(w, 40)] = 2; /* after the block was passed on */
    if (old)
        old[3] = 1;
    free(old);
}

static void *run(void *arg);

static void child(struct walk *w)
{
    struct walk c = {w->state ^ 0x9e3779b97f4a7c15u, CHILD_STEPS, w->depth + 1};
    pthread_t t;
    if (w->depth > 1 || pthread_create(&t, NULL, run, &c))
        return;
    touch(w);
    pthread_join(t, NULL);
}

static void *run(void *arg)
{
    struct walk *w = arg;
    for (int i = 0; i < w->steps; i++) {
        unsigned d = draw(w, 40);
        if (d < 6)
            touch(w);
        else if (d < 8)
            copy(w);
        else if (d < 18)
            locked(w);
        else if (d < 22)
            guarded(w);
        else if (d < 37)
            atomic(w);
        else if (d < 39)
            heap(w);
        else
            child(w);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    int threads = argc > 2 ? atoi(argv[2]) : 4, steps = argc > 3 ? atoi(argv[3]) : 50;
    pthread_t t[64];
    static struct walk walks[64];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    for (int i = 0; i < threads; i++) {
        walks[i] = (struct walk){seed * 1000003u + (unsigned)i * 7919u, steps, 0};
        pthread_create(&t[i], NULL, run, &walks[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    return 0;
}
