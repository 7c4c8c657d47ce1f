/*
 * order_lock_cycles.c - the lock order of free mode against a naive model: all acquisitions ever
 * made, and a search over all of their cycles.
 */
// sources: src/rt/order/lock_order.c src/rt/hooks.c src/rt/spin.c src/rt/sys.c src/rt/gate.S
#include "hooks.h"
#include "lock_order.h"
#include "sync.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCKS 5
#define THREADS 4
#define ACQUISITIONS 40
#define ROUNDS 3000

/* What lock_order.c needs of the runtime. */
struct pf_stripe pf_stripes[PF_STRIPES];
static struct pf_sync any_sync;
struct pf_sync *pf_sync_find(uintptr_t addr, bool create) { return &any_sync; }
void *pf_store_alloc(unsigned order) { return malloc(64u << order); }
void pf_store_free(void *block, unsigned order) { free(block); }

static uintptr_t lock_address(unsigned i) { return 0x1000 + 64 * i; }
static unsigned lock_number(uintptr_t address) { return (unsigned)(address - 0x1000) / 64; }

/* The naive model. */
struct acquisition {
    unsigned from, to;
    bool held_shared, taken_shared, dropped;
    int gates[LOCKS]; /* 0: none, 1: read, 2: written */
};
static struct acquisition all[ACQUISITIONS * LOCKS];
static unsigned nall;

static bool apart(const struct acquisition *a, const struct acquisition *b)
{
    for (unsigned i = 0; i < LOCKS; i++)
        if (a->gates[i] && b->gates[i] && a->gates[i] + b->gates[i] > 2)
            return true;
    return false;
}

static bool closes(const struct acquisition **path, unsigned n)
{
    const struct acquisition *last = path[n - 1];
    if (last->to == path[0]->from)
        return n > 1 && !(last->taken_shared && path[0]->held_shared);
    if (n == LOCKS)
        return false;
    for (unsigned i = 0; i < nall; i++) {
        const struct acquisition *e = &all[i];
        bool fits = !e->dropped && e->from == last->to && !(last->taken_shared && e->held_shared);
        for (unsigned k = 0; k < n; k++)
            fits = fits && !apart(path[k], e) && (k == 0 || path[k]->from != e->to);
        if (!fits)
            continue;
        path[n] = e;
        if (closes(path, n + 1))
            return true;
    }
    return false;
}

static bool has_cycle(void)
{
    for (unsigned i = 0; i < nall; i++) {
        const struct acquisition *path[LOCKS + 1] = {&all[i]};
        if (!all[i].dropped && closes(path, 1))
            return true;
    }
    return false;
}

static unsigned found;
static void note_cycle(const struct pf_lock_cycle *c)
{
    found++;
    assert(c->n >= 2 && c->n <= LOCKS);
    for (size_t i = 0; i < c->n; i++) {
        assert(c->at[i].lock == c->at[(i + 1) % c->n].held);
        for (size_t k = 0; k < i; k++)
            assert(c->at[i].lock != c->at[k].lock);
    }
}

static void acquire(struct pf_thread *t, unsigned lock, bool shared, bool waits)
{
    uintptr_t a = lock_address(lock);
    for (unsigned i = 0; i < t->order.nheld && waits; i++) {
        struct acquisition *e = &all[nall++];
        *e = (struct acquisition){.from = lock_number(t->order.held[i].addr),
                                  .to = lock,
                                  .held_shared = t->order.held[i].shared,
                                  .taken_shared = shared};
        for (unsigned k = 0; k < t->order.nheld; k++)
            if (k != i)
                e->gates[lock_number(t->order.held[k].addr)] = t->order.held[k].shared ? 1 : 2;
    }
    if (waits && !pf_lock_order_known(t, (void *)a, shared))
        pf_lock_order_add(t, (void *)a, shared, 1);
    t->order.held[t->order.nheld++] =
        (struct pf_held_lock){.addr = a, .shared = shared, .depth = 1, .taken_at = 1};
}

static bool holds(const struct pf_thread *t, unsigned lock)
{
    for (unsigned i = 0; i < t->order.nheld; i++)
        if (t->order.held[i].addr == lock_address(lock))
            return true;
    return false;
}

static void forget(unsigned lock)
{
    pf_lock_order_forget(lock_address(lock));
    for (unsigned i = 0; i < nall; i++)
        all[i].dropped |= all[i].from == lock || all[i].to == lock;
}

static void run(unsigned seed)
{
    struct pf_thread *threads = calloc(THREADS, sizeof *threads);
    srand(seed);
    nall = found = 0;
    for (unsigned n = 0; n < ACQUISITIONS; n++) {
        struct pf_thread *t = &threads[rand() % THREADS];
        unsigned lock = (unsigned)rand() % LOCKS;
        t->number = (uint32_t)(t - threads);
        if (holds(t, lock) || t->order.nheld == 3 || rand() % 4 == 0)
            t->order.nheld -= t->order.nheld != 0;
        else
            acquire(t, lock, rand() % 3 == 0, rand() % 5 != 0);
        if (rand() % 30 == 0 && !found) { /* a destroyed lock: nobody holds it */
            bool held = false;
            for (unsigned i = 0; i < THREADS; i++)
                held |= holds(&threads[i], lock);
            if (!held)
                forget(lock);
        }
        if (found && !has_cycle())
            fprintf(stderr, "seed %u: a cycle that does not exist\n", seed), abort();
        if (!found && has_cycle())
            fprintf(stderr, "seed %u: a cycle was missed\n", seed), abort();
    }
    for (unsigned i = 0; i < LOCKS; i++)
        forget(i);
    free(threads);
}

int main(void)
{
    pf_hooks.lock_cycle_found = note_cycle;
    for (unsigned seed = 1; seed <= ROUNDS; seed++)
        run(seed);
    return 0;
}
