/*
 * refcount.c - shared objects with atomic reference counts, passed through lock-free rings.
 *
 * bench: size=600000 quick=120000 contention=400000 record=3000000
 *
 * Shows:   C11 atomics with every memory order, happens-before by release and acquire alone,
 *          counters that all threads change, frees by the last owner.
 * Hides:   blocking: a thread without work yields.
 */
#include "bench.h"
#include <sched.h>
#include <stdatomic.h>

enum { RING = 64, FAN = 3, PAYLOAD = 12, COUNTERS = 16 };

struct object {
    atomic_int refs;
    int kind;
    uint32_t payload[PAYLOAD];
};

/* One writer, one reader. */
struct ring {
    atomic_uint head, tail;
    struct object *slot[RING];
};

struct shared {
    unsigned threads;
    struct ring *ring; /* threads * threads: from row, to column */
    atomic_ulong counter[COUNTERS];
    atomic_ulong alive, delivered;
};

static int ring_put(struct ring *r, struct object *o)
{
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == RING)
        return 0;
    r->slot[tail % RING] = o;
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return 1;
}

static struct object *ring_get(struct ring *r)
{
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
        return NULL;
    struct object *o = r->slot[head % RING];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return o;
}

static struct object *object_new(struct shared *s, uint64_t seed, int refs)
{
    struct object *o = bench_alloc(sizeof *o);
    atomic_init(&o->refs, refs);
    o->kind = (int)(seed % COUNTERS);
    for (unsigned i = 0; i < PAYLOAD; i++)
        o->payload[i] = (uint32_t)(seed >> i);
    atomic_fetch_add_explicit(&s->alive, 1, memory_order_relaxed);
    return o;
}

static void object_drop(struct shared *s, struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
        return;
    atomic_fetch_sub(&s->alive, 1);
    memset(o->payload, 0xff, sizeof o->payload);
    free(o);
}

static uint64_t object_use(struct shared *s, const struct object *o)
{
    uint64_t sum = (uint64_t)o->kind;
    for (unsigned i = 0; i < PAYLOAD; i++)
        sum = sum * 5 + o->payload[i];
    atomic_fetch_add_explicit(&s->counter[o->kind], 1, memory_order_relaxed);
    return sum;
}

static uint64_t drain(struct shared *s, unsigned me)
{
    uint64_t sum = 0, n = 0;
    for (unsigned from = 0; from < s->threads; from++)
        for (struct object *o; (o = ring_get(&s->ring[from * s->threads + me])); n++) {
            sum += object_use(s, o);
            object_drop(s, o);
        }
    if (n)
        atomic_fetch_add_explicit(&s->delivered, n, memory_order_release);
    return sum;
}

static void *work(struct bench_worker *w)
{
    struct shared *s = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, s->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, s->threads);
    for (size_t i = from; i < to; i++) {
        struct object *o = object_new(s, bench_hash(i), FAN);
        for (unsigned f = 0; f < FAN; f++) {
            unsigned whom = (unsigned)((i + f) % s->threads);
            while (!ring_put(&s->ring[w->index * s->threads + whom], o)) {
                w->sum += drain(s, w->index);
                sched_yield();
            }
        }
        if (i % 16 == 0)
            w->sum += drain(s, w->index);
    }
    while (atomic_load_explicit(&s->delivered, memory_order_acquire) < w->bench->size * FAN) {
        w->sum += drain(s, w->index);
        sched_yield();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 1800000);
    struct shared s = {.threads = b.threads};
    s.ring = calloc((size_t)b.threads * b.threads, sizeof *s.ring);
    if (!s.ring)
        bench_fail("out of memory");
    uint64_t sum = bench_run(&b, work, &s);
    if (atomic_load(&s.alive))
        bench_fail("refcount: objects left over");
    for (unsigned i = 0; i < COUNTERS; i++)
        sum = sum * 31 + atomic_load(&s.counter[i]);
    free(s.ring);
    return bench_end("refcount", sum);
}
