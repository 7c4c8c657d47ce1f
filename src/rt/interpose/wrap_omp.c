/*
 * wrap_omp.c - OpenMP: what libomp's entry points order by locks of its own. The rest, teams, barriers and
 * tasks, libomp tells itself (wrap_ompt.c); of its locks it tells too late, after they were given back.
 *
 * The compiler calls these; their names and parameters are libomp's binary interface. Without libomp in the
 * process nobody calls them.
 *
 * `ordered` regions and doacross loops are ordered by one object each for the whole process: more order
 * than there is, never less.
 */
#include "entry.h"
#include "wrap_lock.h"

#define OMP_FUNCTION(result, fn, parameters)                                                       \
    result fn parameters;                                                                          \
    PF_INTERPOSE(result, fn, parameters)

/* The real function, in which others may run, with something told before it or after it. */
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

/* A function that returns when the lock is held, and one that gives it back. */
#define TAKES(fn, parameters, arguments, lock, flags)                                              \
    AROUND(fn, parameters, arguments, , pf_lock_taken(c.t, lock, flags, 0))
#define GIVES_BACK(fn, parameters, arguments, lock)                                                \
    OMP_FUNCTION(void, fn, parameters)                                                             \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            pf_lock_dropping(c.t, lock);                                                           \
        PF_REAL(fn) arguments;                                                                     \
    }
/* Returns how often the lock is held now, 0: it could not be had. */
#define TESTS(fn, flags)                                                                           \
    OMP_FUNCTION(int, fn, (void *lock))                                                            \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        int r = PF_REAL(fn)(lock);                                                                 \
        if (c.t && r)                                                                              \
            pf_lock_taken(c.t, lock, flags, pf_here(&c, PF_NATIVE_CALL));                          \
        return r;                                                                                  \
    }
#define ENDS(fn)                                                                                   \
    OMP_FUNCTION(void, fn, (void *lock))                                                           \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            pf_hb_forget(lock, sizeof(void *));                                                    \
        PF_REAL(fn)(lock);                                                                         \
    }

TAKES(__kmpc_critical, (void *loc, int thread, void *name), (loc, thread, name), name, 0)
TAKES(__kmpc_critical_with_hint, (void *loc, int thread, void *name, uint32_t hint),
      (loc, thread, name, hint), name, 0)
GIVES_BACK(__kmpc_end_critical, (void *loc, int thread, void *name), (loc, thread, name), name)

TAKES(omp_set_lock, (void *lock), (lock), lock, 0)
GIVES_BACK(omp_unset_lock, (void *lock), (lock), lock)
TESTS(omp_test_lock, 0)
ENDS(omp_destroy_lock)
TAKES(omp_set_nest_lock, (void *lock), (lock), lock, PF_LOCK_RECURSIVE)
GIVES_BACK(omp_unset_nest_lock, (void *lock), (lock), lock)
TESTS(omp_test_nest_lock, PF_LOCK_RECURSIVE)
ENDS(omp_destroy_nest_lock)

/* Order without a lock: after what `object` stands for, before what it stands for. */
#define WAITS(fn, parameters, arguments, object)                                                   \
    AROUND(fn, parameters, arguments, , pf_hb_acquire(c.t, object))
#define LETS_GO(fn, parameters, arguments, object)                                                 \
    AROUND(fn, parameters, arguments, pf_hb_release(c.t, object), )

static const char ordered, doacross;

WAITS(__kmpc_ordered, (void *loc, int thread), (loc, thread), &ordered)
LETS_GO(__kmpc_end_ordered, (void *loc, int thread), (loc, thread), &ordered)
WAITS(__kmpc_doacross_wait, (void *loc, int thread, const int64_t *at), (loc, thread, at),
      &doacross)
LETS_GO(__kmpc_doacross_post, (void *loc, int thread, const int64_t *at), (loc, thread, at),
        &doacross)

/* The end of a reduction gives the lock back and may be a barrier, in which other tasks run. */
LETS_GO(__kmpc_end_reduce, (void *loc, int thread, void *lock), (loc, thread, lock), lock)
LETS_GO(__kmpc_end_reduce_nowait, (void *loc, int thread, void *lock), (loc, thread, lock), lock)

/* 1: the caller adds its part under the lock, or it has everybody's part; 2: by atomic operations; 0: no
 * more to do. */
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

/* A task's memory is handed out again and again by libomp's own allocator. */
OMP_FUNCTION(void *, __kmpc_omp_task_alloc,
             (void *loc, int thread, int flags, size_t size, size_t shared, void *entry))
{
    PF_CALL(c, __kmpc_omp_task_alloc);
    void *task = PF_REAL(__kmpc_omp_task_alloc)(loc, thread, flags, size, shared, entry);
    if (c.t && task) {
        pf_memory_new(task, size + shared);
        pf_tell(c.t, PF_TELL_RENEWED, task, size + shared);
    }
    return task;
}
