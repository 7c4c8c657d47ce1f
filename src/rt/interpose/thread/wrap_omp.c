/*
 * wrap_omp.c - OpenMP: the entry points of libomp that use its own locks. libomp reports the rest,
 * teams, barriers and tasks, by itself (wrap_ompt.c); but it reports locks too late, after they
 * were released.
 *
 * The compiler inserts calls of these functions; their names and parameters are libomp's binary
 * interface. Without libomp in the process they are never called.
 *
 * `ordered` regions and doacross loops are ordered by one object each for the whole process: this
 * adds order, but loses none.
 */
#include "entry.h"
#include "wrap_lock.h"

#define OMP_FUNCTION(result, fn, parameters)                                                       \
    result fn parameters;                                                                          \
    PF_INTERPOSE(result, fn, parameters)

/* The real function, during which other threads may run, with an action before and after it. */
#define AROUND(fn, parameters, arguments, before, after)                                           \
    OMP_FUNCTION(void, fn, parameters)                                                             \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (!c.t) {                                                                                \
            PF_REAL(fn) arguments;                                                                 \
            return;                                                                                \
        }                                                                                          \
        before;                                                                                    \
        PF_CALLBACK_VOID(c, PF_REAL(fn) arguments);                                                \
        after;                                                                                     \
    }

/* A function that returns when the lock is held, and one that releases it. */
#define LOCKS(fn, parameters, arguments, lock, flags)                                              \
    AROUND(                                                                                        \
        fn, parameters, arguments, ,                                                               \
        pf_lock_taken(c.t, lock, flags, pf_rt.lock_stacks ? pf_call_id(&c, PF_NATIVE_CALL) : 0))
#define UNLOCKS(fn, parameters, arguments, lock)                                                   \
    OMP_FUNCTION(void, fn, parameters)                                                             \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            pf_lock_dropping(c.t, lock);                                                           \
        PF_REAL(fn) arguments;                                                                     \
    }
/* Returns how often the lock is held now; 0: it could not be taken. */
#define TRYLOCKS(fn, flags)                                                                        \
    OMP_FUNCTION(int, fn, (void *lock))                                                            \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        int r = PF_REAL(fn)(lock);                                                                 \
        if (c.t && r)                                                                              \
            pf_lock_taken(c.t, lock, flags, pf_call_id(&c, PF_NATIVE_CALL));                       \
        return r;                                                                                  \
    }
#define DESTROYS(fn)                                                                               \
    OMP_FUNCTION(void, fn, (void *lock))                                                           \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            pf_hb_forget(lock, sizeof(void *));                                                    \
        PF_REAL(fn)(lock);                                                                         \
    }

LOCKS(__kmpc_critical, (void *loc, int thread, void *name), (loc, thread, name), name, 0)
LOCKS(__kmpc_critical_with_hint, (void *loc, int thread, void *name, uint32_t hint),
      (loc, thread, name, hint), name, 0)
UNLOCKS(__kmpc_end_critical, (void *loc, int thread, void *name), (loc, thread, name), name)

LOCKS(omp_set_lock, (void *lock), (lock), lock, 0)
UNLOCKS(omp_unset_lock, (void *lock), (lock), lock)
TRYLOCKS(omp_test_lock, 0)
DESTROYS(omp_destroy_lock)
LOCKS(omp_set_nest_lock, (void *lock), (lock), lock, PF_LOCK_RECURSIVE)
UNLOCKS(omp_unset_nest_lock, (void *lock), (lock), lock)
TRYLOCKS(omp_test_nest_lock, PF_LOCK_RECURSIVE)
DESTROYS(omp_destroy_nest_lock)

/* Order without a lock: an acquire of `object` after the real function, or a release before it. */
#define ACQUIRES(fn, parameters, arguments, object)                                                \
    AROUND(fn, parameters, arguments, , pf_hb_acquire(c.t, object))
#define RELEASES(fn, parameters, arguments, object)                                                \
    AROUND(fn, parameters, arguments, pf_hb_release(c.t, object), )

static const char ordered, doacross;

ACQUIRES(__kmpc_ordered, (void *loc, int thread), (loc, thread), &ordered)
RELEASES(__kmpc_end_ordered, (void *loc, int thread), (loc, thread), &ordered)
ACQUIRES(__kmpc_doacross_wait, (void *loc, int thread, const int64_t *at), (loc, thread, at),
         &doacross)
RELEASES(__kmpc_doacross_post, (void *loc, int thread, const int64_t *at), (loc, thread, at),
         &doacross)

/* The end of a reduction releases the lock, and may be a barrier, in which other tasks run. */
RELEASES(__kmpc_end_reduce, (void *loc, int thread, void *lock), (loc, thread, lock), lock)
RELEASES(__kmpc_end_reduce_nowait, (void *loc, int thread, void *lock), (loc, thread, lock), lock)

/* Result 1: the caller adds its part under the lock, or has the parts of all threads; 2: it adds by
 * atomic operations; 0: nothing is left to do. */
#define REDUCES(fn)                                                                                \
    OMP_FUNCTION(int, fn,                                                                          \
                 (void *loc, int thread, int n, size_t size, void *data,                           \
                  void (*add)(void *, void *), void *lock))                                        \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (!c.t)                                                                                  \
            return PF_REAL(fn)(loc, thread, n, size, data, add, lock);                             \
        int r = PF_BLOCKING(c, PF_REAL(fn)(loc, thread, n, size, data, add, lock));                \
        if (r == 1)                                                                                \
            pf_hb_acquire(c.t, lock);                                                              \
        return r;                                                                                  \
    }

REDUCES(__kmpc_reduce)
REDUCES(__kmpc_reduce_nowait)

OMP_FUNCTION(void, __kmpc_flush, (void *loc))
{
    PF_CALL(c, __kmpc_flush);
    PF_REAL(__kmpc_flush)(loc);
    if (c.t)
        PF_CALLBACK_VOID(c, __pf_fence(PF_SEQ_CST, PF_NATIVE_CALL));
}

/* libomp's own allocator reuses the memory of tasks. */
OMP_FUNCTION(void *, __kmpc_omp_task_alloc,
             (void *loc, int thread, int flags, size_t size, size_t shared, void *entry))
{
    PF_CALL(c, __kmpc_omp_task_alloc);
    void *task = PF_REAL(__kmpc_omp_task_alloc)(loc, thread, flags, size, shared, entry);
    if (c.t && task) {
        pf_memory_new(task, size + shared);
        pf_listener_notify(c.t, PF_NOTIFY_MEMORY_RESET, task, size + shared);
    }
    return task;
}
