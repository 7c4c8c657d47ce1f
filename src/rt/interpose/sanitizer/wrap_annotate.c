/*
 * wrap_annotate.c - annotations for race detectors: ThreadSanitizer's public interface
 * (sanitizer/tsan_interface.h) and the older dynamic annotations. They work unchanged.
 *
 * The implementation of a mutex that is announced with __tsan_mutex_* is not checked: between the
 * pre_ and the post_ call the thread counts as inside the runtime.
 *
 * As in ThreadSanitizer, condition variables, queues and published ranges make no order here,
 * because the runtime sees what orders them without annotations.
 */
#include "benign.h"
#include "hb.h"
#include "listener.h"
#include "lock_misuse.h"
#include "runtime_access.h"
#include "slot.h"
#include "sys.h"
#include "wrap_lock.h"
#include <string.h>

/* Order. */

#define ANNOTATION(fn, parameters, ...)                                                            \
    void fn parameters;                                                                            \
    PF_PROVIDE(void, fn, parameters)                                                               \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t) {                                                                                 \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

ANNOTATION(__tsan_acquire, (void *addr), pf_hb_acquire(c.t, addr))
ANNOTATION(__tsan_release, (void *addr), pf_hb_release(c.t, addr))

ANNOTATION(AnnotateHappensBefore, (const char *f, int l, void *addr), pf_hb_release(c.t, addr))
ANNOTATION(AnnotateHappensAfter, (const char *f, int l, void *addr), pf_hb_acquire(c.t, addr))
ANNOTATION(WTFAnnotateHappensBefore, (const char *f, int l, void *addr), pf_hb_release(c.t, addr))
ANNOTATION(WTFAnnotateHappensAfter, (const char *f, int l, void *addr), pf_hb_acquire(c.t, addr))

/* Atomic regions. An end without a beginning is ignored: a trace must be consistent. */

static __thread uint32_t regions __attribute__((tls_model("initial-exec")));

static void region(struct pf_thread *t, bool begins)
{
    if (!begins && !regions)
        return;
    regions += begins ? 1 : -1u;
    pf_listener_notify(t, begins ? PF_EV_REGION : PF_EV_ENDREGION, NULL, 0);
}

ANNOTATION(__pf_atomic_region, (uint32_t begins), region(c.t, begins))

/* Locks. */

enum { /* as in tsan_interface.h */
       MUTEX_LINKER_INIT = 1 << 0,
       MUTEX_WRITE_REENTRANT = 1 << 1,
       MUTEX_READ_LOCK = 1 << 3,
       MUTEX_TRY_LOCK = 1 << 4,
       MUTEX_TRY_LOCK_FAILED = 1 << 5,
       MUTEX_RECURSIVE_LOCK = 1 << 6,
       MUTEX_RECURSIVE_UNLOCK = 1 << 7,
       MUTEX_NOT_STATIC = 1 << 8,
};

static void mutex_created(void *m, unsigned flags)
{
    pf_hb_forget(m, 1);
    pf_annotated_created(m, flags & (MUTEX_LINKER_INIT | MUTEX_NOT_STATIC));
}
/* A mutex in static memory may be used after its destructor: its destruction has no effect. */
static void mutex_destroyed(const struct pf_call *c, void *m, unsigned flags)
{
    unsigned created = pf_annotated_flags(m);
    if ((flags | created) & MUTEX_LINKER_INIT || (flags & ~created & MUTEX_NOT_STATIC))
        return;
    pf_annotated_destroyed(c, m);
    pf_hb_forget(m, 1);
}

ANNOTATION(AnnotateRWLockCreate, (const char *f, int l, void *m), mutex_created(m, 0))
ANNOTATION(AnnotateRWLockCreateStatic, (const char *f, int l, void *m),
           mutex_created(m, MUTEX_LINKER_INIT))
ANNOTATION(AnnotateRWLockDestroy, (const char *f, int l, void *m), mutex_destroyed(&c, m, 0))
ANNOTATION(AnnotateRWLockAcquired, (const char *f, int l, void *m, long writer),
           pf_annotated_locked(&c, m, !writer), pf_lock_check_order(&c, m, !writer),
           pf_lock_taken(c.t, m, writer ? 0 : PF_LOCK_SHARED, pf_call_id(&c, PF_NATIVE_CALL)))
ANNOTATION(AnnotateRWLockReleased, (const char *f, int l, void *m, long writer),
           pf_annotated_unlocking(&c, m, !writer, true), pf_lock_dropping(c.t, m))

ANNOTATION(__tsan_mutex_create, (void *m, unsigned flags), mutex_created(m, flags))
ANNOTATION(__tsan_mutex_destroy, (void *m, unsigned flags), mutex_destroyed(&c, m, flags))

ANNOTATION(__tsan_check_no_mutexes_held, (void), pf_lock_check_none_held(&c))

/* The thread enters or leaves the implementation of a mutex. Unregistered threads are ignored. */
static void enter_mutex_internals(void)
{
    if (__pf_tls.thread) {
        __pf_tls.thread->direct.annotated_nesting++;
        pf_nest();
    }
}
static void leave_mutex_internals(void)
{
    if (__pf_tls.thread) {
        __pf_tls.thread->direct.annotated_nesting--;
        pf_unnest();
    }
}

static void mutex_taken(struct pf_call *c, void *m, unsigned flags, int recursion)
{
    if (flags & MUTEX_TRY_LOCK_FAILED)
        return;
    uint32_t here = pf_call_id(c, PF_NATIVE_CALL);
    pf_annotated_locked(c, m, flags & MUTEX_READ_LOCK);
    if (!(flags & MUTEX_TRY_LOCK))
        pf_lock_check_order(c, m, flags & MUTEX_READ_LOCK);
    if (flags & MUTEX_RECURSIVE_LOCK)
        pf_lock_retaken(c->t, m, (uint32_t)recursion, here);
    else
        pf_lock_taken(c->t, m,
                      (flags & MUTEX_READ_LOCK ? PF_LOCK_SHARED : 0) |
                          (flags & MUTEX_WRITE_REENTRANT ? PF_LOCK_RECURSIVE : 0),
                      here);
}

#define MUTEX_SCOPE(fn, what)                                                                      \
    void fn(void *m, unsigned flags);                                                              \
    PF_EXPORT __attribute__((weak)) void fn(void *m, unsigned flags) { what(); }

/* In directed mode an annotated mutex is released in one step, as any other mutex: no other thread
 * runs between pre_unlock and post_unlock, or the next owner would spin. The limit is for
 * implementations that wait for something in between. */
#define UNLOCK_EVENTS_MAX 64
static void begin_annotated_unlock(uint32_t events)
{
    if (__pf_tls.thread)
        __pf_tls.thread->direct.annotated_unlock_events = events;
}
static void end_annotated_unlock(void)
{
    begin_annotated_unlock(0);
    leave_mutex_internals();
}

MUTEX_SCOPE(__tsan_mutex_pre_lock, enter_mutex_internals)
MUTEX_SCOPE(__tsan_mutex_post_unlock, end_annotated_unlock)
MUTEX_SCOPE(__tsan_mutex_pre_signal, enter_mutex_internals)
MUTEX_SCOPE(__tsan_mutex_post_signal, leave_mutex_internals)
MUTEX_SCOPE(__tsan_mutex_pre_divert, leave_mutex_internals)
MUTEX_SCOPE(__tsan_mutex_post_divert, enter_mutex_internals)

void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
PF_PROVIDE(void, __tsan_mutex_post_lock, (void *m, unsigned flags, int recursion))
{
    leave_mutex_internals();
    PF_CALL(c, __tsan_mutex_post_lock);
    if (c.t)
        mutex_taken(&c, m, flags, recursion);
}

int __tsan_mutex_pre_unlock(void *m, unsigned flags);
PF_PROVIDE(int, __tsan_mutex_pre_unlock, (void *m, unsigned flags))
{
    int recursion = 0;
    {
        PF_CALL(c, __tsan_mutex_pre_unlock);
        if (c.t)
            pf_annotated_unlocking(&c, m, flags & MUTEX_READ_LOCK,
                                   flags & MUTEX_RECURSIVE_UNLOCK || pf_lock_depth(c.t, m) <= 1);
        if (c.t && flags & MUTEX_RECURSIVE_UNLOCK)
            recursion = (int)pf_lock_drop_all(c.t, m);
        else if (c.t)
            pf_lock_dropping(c.t, m);
    }
    enter_mutex_internals();
    begin_annotated_unlock(UNLOCK_EVENTS_MAX);
    return recursion;
}

/* Regions in which accesses are not checked, or order is not made. They nest. An end without a
 * beginning is ignored. */

static void ignore(struct pf_call *c, uint32_t *depth, bool begins)
{
    pf_signal_find_jump(c->t);
    if (begins && !(c->t->ignore_reads | c->t->ignore_writes | c->t->ignore_sync))
        c->t->interpose.ignored_at = pf_call_id(c, PF_NATIVE_CALL);
    if (begins)
        ++*depth;
    else if (*depth || (pf_signal_force_jump(c->t) && *depth))
        --*depth;
    pf_thread_update_key(c->t);
}

#define IGNORES(begin, end, depth)                                                                 \
    ANNOTATION(begin, (const char *f, int l), ignore(&c, &c.t->depth, true))                       \
    ANNOTATION(end, (const char *f, int l), ignore(&c, &c.t->depth, false))
IGNORES(AnnotateIgnoreReadsBegin, AnnotateIgnoreReadsEnd, ignore_reads)
IGNORES(AnnotateIgnoreWritesBegin, AnnotateIgnoreWritesEnd, ignore_writes)
ANNOTATION(__tsan_ignore_thread_begin, (void), ignore(&c, &c.t->ignore_reads, true);
           ignore(&c, &c.t->ignore_writes, true))
ANNOTATION(__tsan_ignore_thread_end, (void), ignore(&c, &c.t->ignore_reads, false);
           ignore(&c, &c.t->ignore_writes, false))
IGNORES(AnnotateIgnoreSyncBegin, AnnotateIgnoreSyncEnd, ignore_sync)
ANNOTATION(AnnotateEnableRaceDetection, (const char *f, int l, int enable),
           ignore(&c, &c.t->ignore_reads, !enable);
           ignore(&c, &c.t->ignore_writes, !enable))

/* Memory. */

ANNOTATION(AnnotateNewMemory, (const char *f, int l, void *mem, size_t size),
           pf_memory_new(mem, size), pf_listener_notify(c.t, PF_NOTIFY_MEMORY_RESET, mem, size))

/* Races that the program declares benign. */

ANNOTATION(AnnotateBenignRaceSized,
           (const char *f, int l, const volatile void *mem, size_t size, const char *why),
           pf_benign_add(mem, size))
ANNOTATION(AnnotateBenignRace, (const char *f, int l, const volatile void *mem, const char *why),
           pf_benign_add(mem, 1))
ANNOTATION(WTFAnnotateBenignRaceSized,
           (const char *f, int l, const volatile void *mem, size_t size, const char *why),
           pf_benign_add(mem, size))

ANNOTATION(AnnotateThreadName, (const char *f, int l, const char *name),
           pf_zero(c.t->name, sizeof c.t->name);
           pf_copy(c.t->name, name, strnlen(name, sizeof c.t->name - 1)))

/* Accepted, without effect. */

#define NO_OP(fn, parameters)                                                                      \
    void fn parameters;                                                                            \
    PF_EXPORT __attribute__((weak)) void fn parameters {}

NO_OP(__tsan_init, (void)) /* start_tsan.c has another one */
NO_OP(__tsan_flush_memory, (void))
NO_OP(__tsan_on_thread_idle, (void))
NO_OP(AnnotateMutexIsNotPHB, (const char *f, int l, void *m))
NO_OP(AnnotateMutexIsUsedAsCondVar, (const char *f, int l, void *m))
NO_OP(AnnotateCondVarSignal, (const char *f, int l, void *cv))
NO_OP(AnnotateCondVarSignalAll, (const char *f, int l, void *cv))
NO_OP(AnnotateCondVarWait, (const char *f, int l, void *cv, void *m))
NO_OP(AnnotatePCQCreate, (const char *f, int l, void *queue))
NO_OP(AnnotatePCQDestroy, (const char *f, int l, void *queue))
NO_OP(AnnotatePCQPut, (const char *f, int l, void *queue))
NO_OP(AnnotatePCQGet, (const char *f, int l, void *queue))
NO_OP(AnnotatePublishMemoryRange, (const char *f, int l, void *mem, size_t size))
NO_OP(AnnotateUnpublishMemoryRange, (const char *f, int l, void *mem, size_t size))
NO_OP(AnnotateExpectRace, (const char *f, int l, void *mem, const char *why))
NO_OP(AnnotateFlushExpectedRaces, (const char *f, int l))
NO_OP(AnnotateFlushState, (const char *f, int l))
NO_OP(AnnotateTraceMemory, (const char *f, int l, void *mem))
NO_OP(AnnotateNoOp, (const char *f, int l, void *mem))
NO_OP(AnnotateMemoryIsInitialized, (const char *f, int l, const void *mem, size_t size))
NO_OP(AnnotateMemoryIsUninitialized, (const char *f, int l, const void *mem, size_t size))

int RunningOnValgrind(void);
PF_EXPORT __attribute__((weak)) int RunningOnValgrind(void) { return 0; }
double ValgrindSlowdown(void);
PF_EXPORT __attribute__((weak)) double ValgrindSlowdown(void) { return 10.0; }
const char *ThreadSanitizerQuery(const char *query);
PF_EXPORT __attribute__((weak)) const char *ThreadSanitizerQuery(const char *query)
{
    return strcmp(query, "pure_happens_before") == 0 ? "1" : "0";
}
