/*
 * mode_ops.h - what interposed functions do differently in directed mode: one table of operations.
 *
 * Model:   pf_mode points to the table of free mode (free_mode.c) or of directed mode
 *          (directed_mode.c). Functions that are called often test the mode themselves: a test
 *          costs less than a call through a pointer (docs/decision/directed.md).
 * Threads: chosen at start, and again in a child process that continues undirected.
 */
#ifndef PF_RT_MODE_OPS_H
#define PF_RT_MODE_OPS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_func;
struct pf_thread;
struct rlimit;

struct pf_mode_ops {
    /* The process is about to end: lets other threads run first (free mode: waits, exit_wait.c). */
    void (*before_exit)(void);
    /* An assertion has failed, and the process is about to abort. `native` is the function that
     * reports it. */
    void (*assertion_failed)(const struct pf_func *native);
    /* The thread is about to jump (longjmp) to the frame with this stack pointer. */
    void (*jumps)(uint64_t stack_pointer);
    /* A fork is about to happen; it has happened. The child may continue in another mode, but
     * both operations are those of the parent's mode. */
    void (*before_fork)(void);
    void (*after_fork)(bool child);
    /* Takes a spin lock; a spin lock was released. */
    int (*spin_lock)(pthread_spinlock_t *l);
    void (*spin_unlocked)(pthread_spinlock_t *l);
    /* A buffer of 16 bytes with another thread's name; NULL: ask libc. */
    char *(*thread_name)(pthread_t id);
    /* A random number that can be recorded. False: any source will do. */
    bool (*random)(unsigned *value);
    /* A lock is initialised or destroyed, or is about to be. */
    void (*lock_reset)(struct pf_thread *t, const volatile void *lock);
    /* A wait for a lock or a semaphore has reached its time limit. True: try once more, because it
     * may have been released before the thread ran again. So the call fails only if the lock is
     * held, which exploration relies on. */
    bool retry_at_limit;
    /* Each thread is a kernel thread: the CPU affinity in its attributes matters, and a change of
     * the user id must be made in all of them. Directed mode has one kernel thread. */
    bool has_kernel_threads;
    /* clone with a copy of the memory is a fork. Directed mode handles the system call. */
    bool clone_forks;
    /* A wait of std::future without a time limit returns at once, so that only the loop of its
     * caller remains (wrap_cxx.c). */
    bool future_returns;
    /* The thread has slept: notes it for the hint that a sleep seems to order a race. */
    void (*slept)(struct pf_thread *t);
    /* The waits of condition variables (direct/schedule/cond_queue.h). Free mode: the variable
     * itself, false, and NULL. */
    pthread_cond_t *(*cond_enter)(pthread_cond_t *cond);
    bool (*cond_leave)(void);
    pthread_cond_t *(*cond_choose)(const pthread_cond_t *cond, uint32_t *thread);
    /* A thread gets a larger stack than the one that the program provides: tells the user. */
    void (*stack_replaced)(void);
    /* The thread with this id, whose cancellation is an event; NULL: it is not. */
    struct pf_thread *(*cancellation_of)(pthread_t id);
    /* prlimit(2). */
    int (*limit)(pid_t pid, int what, const struct rlimit *to, struct rlimit *old);
};
extern const struct pf_mode_ops *pf_mode;
extern const struct pf_mode_ops pf_free_mode, pf_directed_mode;

/* Free mode's `limit` (wrap_limit.c). */
int pf_rlimit_exchange(pid_t pid, int what, const struct rlimit *to, struct rlimit *old);

/* Sets pf_mode. */
void pf_mode_choose(void);

#endif
