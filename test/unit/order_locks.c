/*
 * order_locks.c - locks and their fast paths against a naive model: a vector clock of single events
 * for each thread and each lock. After every step, the events ordered before a thread are exactly
 * those of the model, by the epochs in which they happened; and the locks held in every epoch are
 * known.
 */
// sources: src/rt/order/hb.c src/rt/order/held_log.c src/rt/hash_index.c src/rt/order/lockset.c
// sources: src/rt/order/slot.c src/rt/order/lock_order.c src/rt/order/sync.c src/rt/hooks.c
// sources: src/rt/limits.c src/rt/spin.c src/rt/store.c src/rt/sys.c src/rt/gate.S
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "hb.h"
#include "lockset.h"
#include "oracle_log.h"
#include "reporter.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "store.h"
#include "sync.h"

#define THREADS_MAX 20
#define LOCKS 3
#define OBJECTS 2
#define EVENTS 400
#define BASE 0x770000000000ull
#define SIZE 64 /* of a lock */

__thread struct pf_tls __pf_tls;
struct pf_rt pf_rt;
void pf_oracle_lock(void) {}
void pf_oracle_unlock(void) {}
void pf_oracle_line(struct pf_thread *t, const char *what, uint64_t a, uint64_t b) {}
uint32_t pf_stack_id_slow(uint32_t site) { return 7; }
uint32_t pf_stack_node_recent(void) { return 0; }
__attribute__((preserve_most)) void pf_thread_update_global_order(struct pf_thread *t) {}

typedef uint32_t naive[THREADS_MAX];
static struct pf_thread threads[THREADS_MAX];
static uint32_t clocks[THREADS_MAX][PF_SID_MAX + 2];
static naive seen[THREADS_MAX], released[LOCKS], released_by_readers[LOCKS], in_object[OBJECTS];
static struct {
    int writer; /* -1: none */
    unsigned depth[THREADS_MAX]; /* how often the thread holds it as a reader */
} lock[LOCKS];
static struct event {
    unsigned thread;
    uint32_t number, sid, clk, lockset;
} events[EVENTS];
static unsigned nevents, nthreads;
static uint64_t rng;

static uint32_t rnd(uint32_t n)
{
    rng = rng * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(rng >> 33) % n;
}

static void join(uint32_t *d, const uint32_t *s)
{
    for (unsigned i = 0; i < THREADS_MAX; i++)
        d[i] = s[i] > d[i] ? s[i] : d[i];
}

static void *address(unsigned what) { return (void *)(BASE + SIZE * what); }

static void event(unsigned me)
{
    struct pf_thread *t = &threads[me];
    t->order.dirty = true;
    events[nevents++ % EVENTS] =
        (struct event){me, ++seen[me][me], t->order.sid, t->order.clk, t->order.lockset};
}

static void check_happens_before(unsigned me)
{
    for (unsigned i = 0; i < nevents && i < EVENTS; i++) {
        const struct event *e = &events[i];
        assert_int_equal(pf_epoch_lockset(e->sid, e->clk), e->lockset);
        if (e->thread != me)
            assert_int_equal(e->clk <= threads[me].order.clock[e->sid],
                             e->number <= seen[me][e->thread]);
    }
}

static unsigned readers(unsigned l)
{
    unsigned n = 0;
    for (unsigned i = 0; i < nthreads; i++)
        n += lock[l].depth[i] != 0;
    return n;
}

static void acquire(unsigned me, unsigned l, bool shared)
{
    if (lock[l].writer >= 0 || (!shared && readers(l)))
        return; /* the lock is not available */
    pf_lock_taken(&threads[me], address(l), shared ? PF_LOCK_SHARED : 0, 7);
    join(seen[me], released[l]);
    if (shared) {
        lock[l].depth[me]++;
    } else {
        join(seen[me], released_by_readers[l]);
        lock[l].writer = (int)me;
    }
}

static void release(unsigned me, unsigned l)
{
    bool shared = lock[l].depth[me] != 0;
    if (!shared && lock[l].writer != (int)me)
        return;
    pf_lock_dropping(&threads[me], address(l));
    if (!shared) {
        join(released[l], seen[me]);
        lock[l].writer = -1;
    } else if (!--lock[l].depth[me]) {
        join(released_by_readers[l], seen[me]);
    }
}

/* As in a wait on a condition variable. */
static void release_and_reacquire(unsigned me, unsigned l)
{
    if (lock[l].writer != (int)me)
        return;
    uint32_t depth = pf_lock_drop_all(&threads[me], address(l));
    join(released[l], seen[me]);
    pf_lock_retaken(&threads[me], address(l), depth, 7);
    join(seen[me], released[l]);
}

static void object(unsigned me, unsigned o, bool release)
{
    if (release) {
        pf_hb_release(&threads[me], address(LOCKS + o));
        join(in_object[o], seen[me]);
    } else {
        pf_hb_acquire(&threads[me], address(LOCKS + o));
        join(seen[me], in_object[o]);
    }
}

/* If the lock is free, destroys it and creates it again: nothing of it remains. */
static void recreate(unsigned l)
{
    if (lock[l].writer >= 0 || readers(l))
        return;
    pf_hb_forget(address(l), SIZE);
    memset(released[l], 0, sizeof released[l]);
    memset(released_by_readers[l], 0, sizeof released_by_readers[l]);
}

static void step(unsigned me)
{
    unsigned l = rnd(10) < 7 ? me % LOCKS : rnd(LOCKS);
    switch (rnd(14)) {
    case 0:
        object(me, rnd(OBJECTS), rnd(2));
        break;
    case 1:
        release_and_reacquire(me, l);
        break;
    case 2:
        if (rnd(8) == 0)
            recreate(l);
        break;
    case 3 ... 5:
        event(me);
        break;
    case 6 ... 9:
        acquire(me, l, rnd(3) != 0);
        break;
    default:
        if (rnd(2))
            event(me);
        release(me, l);
    }
}

static void begin(unsigned n, uint64_t seed)
{
    static uint32_t number;
    rng = seed;
    nthreads = n;
    nevents = 0;
    memset(clocks, 0, sizeof clocks);
    memset(seen, 0, sizeof seen);
    memset(released, 0, sizeof released);
    memset(released_by_readers, 0, sizeof released_by_readers);
    memset(in_object, 0, sizeof in_object);
    memset(lock, 0, sizeof lock);
    pf_hb_forget(address(0), SIZE * (LOCKS + OBJECTS));
    for (unsigned l = 0; l < LOCKS; l++)
        lock[l].writer = -1;
    for (unsigned i = 0; i < n; i++) {
        threads[i] = (struct pf_thread){.number = number++, .order.clock = clocks[i]};
        assert_true(pf_slot_take(&threads[i]));
    }
    for (unsigned i = 0; i < n; i++) /* the past is ordered before all threads */
        for (unsigned k = 0; k < n; k++)
            if (i != k)
                clocks[i][threads[k].order.sid] = clocks[k][threads[k].order.sid] - 1;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < n; k++)
            if (threads[i].order.nclock <= threads[k].order.sid)
                threads[i].order.nclock = threads[k].order.sid + 1;
}

static void end(void)
{
    for (unsigned i = 0; i < nthreads; i++)
        pf_slot_retire(&threads[i]);
}

static void fuzz(unsigned n, uint64_t seed, unsigned steps)
{
    begin(n, seed);
    unsigned me = 0;
    for (unsigned s = 0; s < steps; s++) {
        if (rnd(6) == 0)
            me = rnd(n);
        __pf_tls.thread = &threads[me];
        step(me);
        check_happens_before(me);
    }
    end();
}

static void locks_agree_with_the_naive_model(void **state)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        pf_rt.slow_path_only = seed % 4 == 0; /* slow paths only */
        fuzz(2, seed, 1500);
        fuzz(3, seed, 1500);
        fuzz(THREADS_MAX, seed, 800);
    }
    pf_rt.slow_path_only = false;
}

/* Reacquiring a lock saves a release: its holder continues in its epoch, even if it does other
 * things in between. */
static void reacquiring_keeps_the_epoch(void **state)
{
    for (int shared = 0; shared < 2; shared++) {
        begin(2, 1);
        struct pf_thread *t = &threads[0];
        uint32_t inside = 0;
        for (unsigned round = 0; round < 10; round++) {
            event(0);
            acquire(0, 0, shared);
            event(0);
            assert_true(!inside || t->order.clk == inside);
            inside = t->order.clk;
            release(0, 0);
            assert_int_not_equal(t->order.clk, inside);
        }
        acquire(1, 0, false);
        check_happens_before(1);
        release(1, 0);
        acquire(0, 0, shared);
        assert_int_not_equal(t->order.clk, inside);
        release(0, 0);
        end();
    }
}

static int setup(void **state)
{
    uint64_t plane = PF_SYNC_PLANE + ((BASE & ((1ull << PF_APP_BITS) - 1)) >> 3) * 4;
    void *p = (void *)(plane & ~4095ull);
    if (mmap(p, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0) != p)
        return 1;
    static struct pf_frame frames[2];
    __pf_tls.frame = frames + 1;
    pf_store_init();
    pf_sync_init();
    pf_lockset_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reacquiring_keeps_the_epoch),
        cmocka_unit_test(locks_agree_with_the_naive_model),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
