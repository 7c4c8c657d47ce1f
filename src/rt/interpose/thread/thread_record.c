/*
 * thread_record.c - the records of threads, and the end of a thread.
 *
 * A thread's end must come after its destructors: those of C++ thread_local objects and those of
 * pthread keys. glibc runs the former first and then the latter, in up to
 * PTHREAD_DESTRUCTOR_ITERATIONS rounds as long as values remain. So the end is the destructor of a
 * key of ours that sets its value again in every round but the last. That covers return,
 * pthread_exit, thrd_exit and cancellation. Catching the end in the start routine was rejected: it
 * returns before any destructor runs.
 *
 * Threads that libc starts for itself are registered when they first call a function that is
 * interposed or compiled by pf cc.
 *
 * Locks that a thread still holds at its end are dropped then: a robust mutex passes to its next
 * owner, which must acquire what this thread did; any other lock is never taken again.
 */
#include "thread_record.h"
#include "hb.h"
#include "lock_misuse.h"
#include "options.h"
#include "quarantine.h"
#include "rt.h"
#include "spin.h"
#include "store.h"
#include "sync_misuse.h"
#include "wrap_signal.h"
#include <unistd.h>

#define BUCKETS 1024u /* of the map */

static struct pf_spin lock;
static __thread bool adoption_decided; /* this thread is registered, or never will be */
static struct pf_thread_record *map[BUCKETS];
static pthread_key_t end_key;
static bool end_key_made;
static long end_rounds;
static bool leaks_reported;

_Static_assert(BUCKETS == 1u << (64 - 54), "the shift gives an index");
static struct pf_thread_record **bucket(pthread_t id)
{
    return &map[(uint64_t)id * 0x9e3779b97f4a7c15u >> 54];
}

/* With the lock held. */
static void unlist(struct pf_thread_record *s)
{
    if (!s->listed)
        return;
    struct pf_thread_record **p = bucket(s->id);
    while (*p != s)
        p = &(*p)->next;
    *p = s->next;
    s->listed = false;
}

static struct pf_thread_record *lookup(pthread_t id)
{
    struct pf_thread_record *s = *bucket(id);
    while (s && s->id != id)
        s = s->next;
    return s;
}

static void list(struct pf_thread_record *s, pthread_t id)
{
    if (s->listed || s->ended)
        return;
    struct pf_thread_record *old =
        lookup(id); /* the pthread_t of a thread that is gone was reused */
    if (old)
        unlist(old);
    s->id = id;
    s->next = *bucket(id);
    *bucket(id) = s;
    s->listed = true;
}

/* Without the lock held. last: the thread cannot be joined any more. */
static void unref(struct pf_thread_record *s, bool last)
{
    if (last) /* no other thread will acquire its clock: frees it */
        pf_thread_joined(s->thread, s->thread);
    pf_spin_lock(&lock);
    bool gone = --s->refs == 0;
    pf_spin_unlock(&lock);
    if (gone)
        pf_store_free(s, 0);
}

static struct pf_thread_record *record_new(struct pf_thread *t, void *arg, bool detached)
{
    _Static_assert(sizeof(struct pf_thread_record) <= 64, "a record fits the smallest block");
    struct pf_thread_record *s = pf_store_alloc(0);
    if (s)
        *s = (struct pf_thread_record){.thread = t, .arg = arg, .refs = 2, .detached = detached};
    return s;
}

void pf_thread_record_ensure(struct pf_thread *t, bool detached)
{
    if (!t || !end_key_made || pthread_getspecific(end_key))
        return;
    pf_nest();
    struct pf_thread_record *s = record_new(t, NULL, detached);
    if (s) {
        s->refs = 1; /* it has no creator */
        pf_spin_lock(&lock);
        list(s, pthread_self());
        pf_spin_unlock(&lock);
        pthread_setspecific(end_key, s);
    }
    pf_unnest();
}

struct pf_thread_record *pf_thread_record_new(struct pf_call *c, void *arg, bool detached)
{
    pf_thread_record_ensure(c->t, false); /* threads that it creates may join it */
    struct pf_thread *t = end_key_made ? pf_thread_create(c->t) : NULL;
    struct pf_thread_record *s = t ? record_new(t, arg, detached) : NULL;
    if (t && !s)
        pf_thread_cancel_create(t);
    return s;
}

void pf_thread_record_created(struct pf_thread_record *s, pthread_t id, bool made)
{
    if (made) {
        pf_spin_lock(&lock);
        list(s, id);
        pf_spin_unlock(&lock);
    } else {
        pf_thread_cancel_create(s->thread);
        s->refs--; /* the child's reference */
    }
    unref(s, false);
}

static void find_stack(struct pf_thread *t)
{
    pthread_attr_t attr;
    void *lo = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &lo, &size);
        pthread_attr_destroy(&attr);
    }
    t->stack_lo = (uintptr_t)lo;
    t->stack_hi = (uintptr_t)lo + size;
}

void pf_thread_record_begin(struct pf_thread_record *s)
{
    pf_nest();
    adoption_decided = true;
    pf_crash_thread_begin();
    find_stack(s->thread);
    s->thread->stack_base =
        (uintptr_t)__builtin_frame_address(0) + 16; /* the end of the caller's frame */
    pf_spin_lock(&lock);
    list(s, pthread_self());
    pf_spin_unlock(&lock);
    pthread_setspecific(end_key, s);
    pf_unnest();
    pf_thread_begin(s->thread);
}

void pf_thread_record_rewind(struct pf_frame **base)
{
    if (__pf_tls.thread)
        __pf_tls.frame = *base;
}

void pf_thread_record_check_ignores(const struct pf_thread *t)
{
    if (!(t->ignore_reads | t->ignore_writes | t->ignore_sync) || t->interpose.handler)
        return;
    struct pf_misuse m = {.kind = PF_KIND_IGNORES_AT_END, .subject = t->number + 1, .n = 1};
    m.at[0] = (struct pf_misuse_step){
        .thread = t->number, .op = PF_OP_CALL, .id = t->interpose.ignored_at};
    pf_misuse_found(&m);
}

static void end(void *record)
{
    struct pf_thread_record *s = record;
    if (++s->rounds < end_rounds && pthread_setspecific(end_key, s) == 0)
        return;
    struct pf_thread *t = s->thread;
    adoption_decided = true;
    pf_fiber_leave();
    pf_crash_thread_end();
    if (__pf_tls.thread == t) {
        pf_nest();
        pf_lock_check_thread_end(t);
        pf_thread_record_check_ignores(t);
        while (t->order.nheld)
            pf_lock_abandon(t, (void *)t->order.held[t->order.nheld - 1].addr);
        pf_unnest();
        pf_thread_end(t);
    }
    pf_nest();
    pf_spin_lock(&lock);
    s->ended = true;
    bool last = s->detached;
    if (last)
        unlist(s);
    pf_spin_unlock(&lock);
    if (last)
        unref(s, true);
    pf_unnest();
    pf_signal_unblock_deferred();
}

struct pf_thread_record *pf_thread_record_find(pthread_t id)
{
    pf_spin_lock(&lock);
    struct pf_thread_record *s = lookup(id);
    pf_spin_unlock(&lock);
    return s;
}

struct pf_thread *pf_thread_find(pthread_t id)
{
    if (pthread_equal(id, pthread_self()))
        return __pf_tls.thread;
    pf_nest();
    pf_spin_lock(&lock);
    const struct pf_thread_record *s = lookup(id);
    struct pf_thread *t = s ? s->thread : NULL; /* a join frees the record */
    pf_spin_unlock(&lock);
    pf_unnest();
    return t;
}

void pf_thread_record_joined(struct pf_call *c, struct pf_thread_record *s)
{
    pf_thread_joined(c->t, s->thread);
    pf_spin_lock(&lock);
    unlist(s);
    pf_spin_unlock(&lock);
    unref(s, false);
}

void pf_thread_record_detached(struct pf_thread_record *s)
{
    pf_spin_lock(&lock);
    s->detached = true;
    bool last = s->ended;
    if (last)
        unlist(s);
    pf_spin_unlock(&lock);
    if (last)
        unref(s, true);
}

/* libc creates threads for timers, notifications and asynchronous I/O, and programs may call clone.
 * What happened before their first step is unknown, so their accesses are not checked: their
 * functions run their plain bodies. But the order that they make is tracked. */
struct pf_thread *pf_thread_record_adopt(void)
{
    /* Not if it has a frame already: its compiled functions will restore the frame that they
     * found. */
    if (adoption_decided || !pf_rt.ready || pf_rt.plain || !end_key_made || __pf_tls.frame)
        return NULL;
    adoption_decided = true;
    pf_nest();
    struct pf_thread *t = pf_thread_create(NULL);
    if (t)
        find_stack(t);
    pf_unnest();
    if (!t)
        return NULL;
    pf_thread_begin(t);
    if (__pf_tls.thread)
        __pf_tls.dispatch = PF_DISPATCH_PLAIN;
    pf_thread_record_ensure(pf_self(), true);
    return pf_self();
}

#define LEAKS 64 /* creation sites of leaked threads that are reported */

/* Adds the thread to the leaks that were created at the same place. Returns their new number. */
static size_t add_leak(struct pf_misuse *leaks, size_t n, const struct pf_thread *t)
{
    size_t i = 0;
    while (i < n && leaks[i].at[0].id != t->created_at)
        i++;
    if (i == LEAKS)
        return n;
    if (i == n)
        leaks[n++] = (struct pf_misuse){
            .kind = PF_KIND_THREAD_LEAK,
            .suspicious =
                pf_options.given.report_thread_leaks
                    ? NULL
                    : "a leaked thread is not an error by itself; report_thread_leaks=1 counts it",
            .subject = t->number + 1,
            .n = 1,
            .at[0] = {.thread = t->parent, .op = PF_OP_CREATE, .id = t->created_at}};
    leaks[i].count++;
    return n;
}

void pf_thread_record_process_ends(void)
{
    static struct pf_misuse leaks[LEAKS]; /* used once; the target's stack may be small */
    if (!pf_rt.ready || pf_rt.plain || __atomic_exchange_n(&leaks_reported, true, __ATOMIC_ACQ_REL))
        return;
    size_t n = 0;
    pf_nest();
    if (__pf_tls.thread && !__pf_tls.thread->number)
        pf_thread_record_check_ignores(__pf_tls.thread);
    pf_spin_lock(&lock);
    for (size_t i = 0; i < BUCKETS && pf_options.report_thread_leaks; i++)
        for (const struct pf_thread_record *s = map[i]; s; s = s->next)
            if (s->ended && !s->detached && !s->inherited && s->thread->number)
                n = add_leak(leaks, n, s->thread);
    pf_spin_unlock(&lock);
    for (size_t i = 0; i < n; i++)
        pf_misuse_found(&leaks[i]);
    pf_unnest();
}

static void before_fork(void)
{
    pf_nest();
    pf_rlimit_lock();
    pf_external_lock();
    pf_barrier_lock();
    pf_waiting_lock();
    pf_quarantine_lock();
    pf_spin_lock(&lock);
}
static void unlock_after_fork(bool child)
{
    pf_spin_unlock(&lock);
    pf_quarantine_unlock();
    pf_waiting_unlock(child);
    pf_barrier_unlock();
    pf_external_unlock();
    pf_rlimit_unlock();
    pf_unnest();
}
static void in_parent(void) { unlock_after_fork(false); }
static void in_child(void)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct pf_thread_record *s = map[i]; s; s = s->next)
            s->inherited = true;
    leaks_reported = false;
    unlock_after_fork(true);
}

void pf_thread_record_init(void)
{
    if (end_key_made)
        return;
    end_rounds = sysconf(_SC_THREAD_DESTRUCTOR_ITERATIONS);
    end_key_made = pthread_key_create(&end_key, end) == 0;
    /* Registered after that of wrap_process.c: it runs before it at a fork, and after it
     * afterwards. */
    pf_at_fork(before_fork, in_parent, in_child);
}
