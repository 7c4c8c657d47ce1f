/*
 * wrap_annotate.c - what programs tell a race detector: ThreadSanitizer's public interface
 * (sanitizer/tsan_interface.h) and the older dynamic annotations. They work unchanged.
 *
 * The insides of a mutex that is announced with __tsan_mutex_* are not looked at: between the
 * pre_ and the post_ call the thread counts as inside the runtime.
 *
 * Condition variables, queues and published ranges make no order of their own here, as in
 * ThreadSanitizer: what orders them is seen without help.
 */
#include "access.h"
#include "benign.h"
#include "hb.h"
#include "listen.h"
#include "slot.h"
#include "sys.h"
#include "wrap.h"
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

/* Regions. An end without its beginning is nobody's: a trace must agree with itself. */

static __thread uint32_t regions __attribute__((tls_model("initial-exec")));

static void region(struct pf_thread *t, bool begins)
{
    if (!begins && !regions)
        return;
    regions += begins ? 1 : -1u;
    pf_tell(t, begins ? PF_EV_REGION : PF_EV_ENDREGION, NULL, 0);
}

ANNOTATION(__pf_atomic_region, (uint32_t begins), region(c.t, begins))

/* Locks. */

ANNOTATION(AnnotateRWLockCreate, (const char *f, int l, void *m), pf_hb_forget(m, 1))
ANNOTATION(AnnotateRWLockCreateStatic, (const char *f, int l, void *m), pf_hb_forget(m, 1))
ANNOTATION(AnnotateRWLockDestroy, (const char *f, int l, void *m), pf_hb_forget(m, 1))
ANNOTATION(AnnotateRWLockAcquired, (const char *f, int l, void *m, long writer),
           pf_lock_taken(c.t, m, writer ? 0 : PF_LOCK_SHARED, pf_here(&c, PF_NATIVE_CALL)))
ANNOTATION(AnnotateRWLockReleased, (const char *f, int l, void *m, long writer),
           pf_lock_dropping(c.t, m))

enum { /* as in tsan_interface.h */
       MUTEX_WRITE_REENTRANT = 1 << 1,
       MUTEX_READ_LOCK = 1 << 3,
       MUTEX_TRY_LOCK_FAILED = 1 << 5,
       MUTEX_RECURSIVE_LOCK = 1 << 6,
       MUTEX_RECURSIVE_UNLOCK = 1 << 7,
};

ANNOTATION(__tsan_mutex_create, (void *m, unsigned flags), pf_hb_forget(m, 1))
ANNOTATION(__tsan_mutex_destroy, (void *m, unsigned flags), pf_hb_forget(m, 1))

/* Into the insides of a mutex and out again; a thread that is not known has neither. */
static void inside(void)
{
    if (__pf_tls.thread) {
        __pf_tls.thread->inside++;
        pf_nest();
    }
}
static void outside(void)
{
    if (__pf_tls.thread) {
        __pf_tls.thread->inside--;
        pf_unnest();
    }
}

static void mutex_taken(struct pf_call *c, void *m, unsigned flags, int recursion)
{
    if (flags & MUTEX_TRY_LOCK_FAILED)
        return;
    uint32_t here = pf_here(c, PF_NATIVE_CALL);
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

/* A mutex is let go in one step, as any other: between saying so and doing so nobody else runs, or who takes it next
 * would spin. The limit is for those that wait for something themselves. */
#define DROP_EVENTS 64
static void dropping(uint32_t events)
{
    if (__pf_tls.thread)
        __pf_tls.thread->dropping = events;
}
static void dropped(void)
{
    dropping(0);
    outside();
}

MUTEX_SCOPE(__tsan_mutex_pre_lock, inside)
MUTEX_SCOPE(__tsan_mutex_post_unlock, dropped)
MUTEX_SCOPE(__tsan_mutex_pre_signal, inside)
MUTEX_SCOPE(__tsan_mutex_post_signal, outside)
MUTEX_SCOPE(__tsan_mutex_pre_divert, outside)
MUTEX_SCOPE(__tsan_mutex_post_divert, inside)

void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
PF_PROVIDE(void, __tsan_mutex_post_lock, (void *m, unsigned flags, int recursion))
{
    outside();
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
        if (c.t && flags & MUTEX_RECURSIVE_UNLOCK)
            recursion = (int)pf_lock_drop_all(c.t, m);
        else if (c.t)
            pf_lock_dropping(c.t, m);
    }
    inside();
    dropping(DROP_EVENTS);
    return recursion;
}

/* Accesses that are not to be looked at. They nest. */

ANNOTATION(AnnotateIgnoreReadsBegin, (const char *f, int l), c.t->ignore_reads++,
           pf_thread_key(c.t))
ANNOTATION(AnnotateIgnoreReadsEnd, (const char *f, int l), c.t->ignore_reads--, pf_thread_key(c.t))
ANNOTATION(AnnotateIgnoreWritesBegin, (const char *f, int l), c.t->ignore_writes++,
           pf_thread_key(c.t))
ANNOTATION(AnnotateIgnoreWritesEnd, (const char *f, int l), c.t->ignore_writes--,
           pf_thread_key(c.t))
ANNOTATION(AnnotateIgnoreSyncBegin, (const char *f, int l), c.t->ignore_sync++)
ANNOTATION(AnnotateIgnoreSyncEnd, (const char *f, int l), c.t->ignore_sync--)
ANNOTATION(AnnotateEnableRaceDetection, (const char *f, int l, int enable),
           c.t->ignore_reads += enable ? -1 : 1, c.t->ignore_writes += enable ? -1 : 1,
           pf_thread_key(c.t))

/* Memory. */

ANNOTATION(AnnotateNewMemory, (const char *f, int l, void *mem, size_t size),
           pf_memory_new(mem, size), pf_tell(c.t, PF_TELL_RENEWED, mem, size))
ANNOTATION(__tsan_external_read, (void *addr, void *pc, void *tag),
           pf_access_read(c.t, addr, 1, pf_here(&c, PF_NATIVE_READ)))
ANNOTATION(__tsan_external_write, (void *addr, void *pc, void *tag),
           pf_access_write(c.t, addr, 1, pf_here(&c, PF_NATIVE_WRITE)))

/* What compiled code says with ThreadSanitizer, and some programs by hand: of memory that they touch where nobody looks. */

#define ACCESS(name, kind, size)                                                                   \
    ANNOTATION(__tsan_##name, (void *addr), kind(c.t, addr, size))                                 \
    ANNOTATION(__tsan_##name##_pc, (void *addr, void *pc), kind(c.t, addr, size))
#define READ(t, addr, size) pf_access_read(t, addr, size, pf_here(&c, PF_NATIVE_READ))
#define WRITE(t, addr, size) pf_access_write(t, addr, size, pf_here(&c, PF_NATIVE_WRITE))

ACCESS(read1, READ, 1)
ACCESS(read2, READ, 2)
ACCESS(read4, READ, 4)
ACCESS(read8, READ, 8)
ACCESS(read16, READ, 16)
ACCESS(write1, WRITE, 1)
ACCESS(write2, WRITE, 2)
ACCESS(write4, WRITE, 4)
ACCESS(write8, WRITE, 8)
ACCESS(write16, WRITE, 16)
ANNOTATION(__tsan_unaligned_read2, (const void *addr), READ(c.t, addr, 2))
ANNOTATION(__tsan_unaligned_read4, (const void *addr), READ(c.t, addr, 4))
ANNOTATION(__tsan_unaligned_read8, (const void *addr), READ(c.t, addr, 8))
ANNOTATION(__tsan_unaligned_read16, (const void *addr), READ(c.t, addr, 16))
ANNOTATION(__tsan_unaligned_write2, (void *addr), WRITE(c.t, addr, 2))
ANNOTATION(__tsan_unaligned_write4, (void *addr), WRITE(c.t, addr, 4))
ANNOTATION(__tsan_unaligned_write8, (void *addr), WRITE(c.t, addr, 8))
ANNOTATION(__tsan_unaligned_write16, (void *addr), WRITE(c.t, addr, 16))
ANNOTATION(__tsan_read_range, (void *addr, unsigned long size), READ(c.t, addr, size))
ANNOTATION(__tsan_write_range, (void *addr, unsigned long size), WRITE(c.t, addr, size))

/* Races that the program calls benign. */

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

/* Nothing to be done. */

#define SILENT(fn, parameters)                                                                     \
    void fn parameters;                                                                            \
    PF_EXPORT __attribute__((weak)) void fn parameters {}

SILENT(__tsan_init, (void))
SILENT(__tsan_func_entry, (void *pc)) /* stacks are known without */
SILENT(__tsan_func_exit, (void))
SILENT(__tsan_flush_memory, (void))
SILENT(__tsan_check_no_mutexes_held, (void))
SILENT(__tsan_external_register_header, (void *tag, const char *header))
SILENT(__tsan_external_assign_tag, (void *addr, void *tag))
SILENT(AnnotateMutexIsNotPHB, (const char *f, int l, void *m))
SILENT(AnnotateMutexIsUsedAsCondVar, (const char *f, int l, void *m))
SILENT(AnnotateCondVarSignal, (const char *f, int l, void *cv))
SILENT(AnnotateCondVarSignalAll, (const char *f, int l, void *cv))
SILENT(AnnotateCondVarWait, (const char *f, int l, void *cv, void *m))
SILENT(AnnotatePCQCreate, (const char *f, int l, void *queue))
SILENT(AnnotatePCQDestroy, (const char *f, int l, void *queue))
SILENT(AnnotatePCQPut, (const char *f, int l, void *queue))
SILENT(AnnotatePCQGet, (const char *f, int l, void *queue))
SILENT(AnnotatePublishMemoryRange, (const char *f, int l, void *mem, size_t size))
SILENT(AnnotateUnpublishMemoryRange, (const char *f, int l, void *mem, size_t size))
SILENT(AnnotateExpectRace, (const char *f, int l, void *mem, const char *why))
SILENT(AnnotateFlushExpectedRaces, (const char *f, int l))
SILENT(AnnotateFlushState, (const char *f, int l))
SILENT(AnnotateTraceMemory, (const char *f, int l, void *mem))
SILENT(AnnotateNoOp, (const char *f, int l, void *mem))
SILENT(AnnotateMemoryIsInitialized, (const char *f, int l, const void *mem, size_t size))
SILENT(AnnotateMemoryIsUninitialized, (const char *f, int l, const void *mem, size_t size))

void *__tsan_external_register_tag(const char *type);
PF_EXPORT __attribute__((weak)) void *__tsan_external_register_tag(const char *type)
{
    return (void *)type; /* any name will do, tags are not told apart */
}

int RunningOnValgrind(void);
PF_EXPORT __attribute__((weak)) int RunningOnValgrind(void) { return 0; }
double ValgrindSlowdown(void);
PF_EXPORT __attribute__((weak)) double ValgrindSlowdown(void) { return 10.0; }
const char *ThreadSanitizerQuery(const char *query);
PF_EXPORT __attribute__((weak)) const char *ThreadSanitizerQuery(const char *query)
{
    return strcmp(query, "pure_happens_before") == 0 ? "1" : "0";
}
