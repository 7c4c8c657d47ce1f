/* directed_mode.c - directed mode's operations of mode_ops.h. */
#include "cond_queue.h"
#include "fork.h"
#include "hb.h"
#include "mode_ops.h"
#include "wrap.h"
#include <linux/futex.h>
#include <sys/random.h>
#include <sys/resource.h>

static bool is_in_target(void) { return __pf_tls.thread && !__pf_tls.nested; }

/* The event comes after the other threads have run, so that a replay can tell this point from the
 * system call that ends the process. */
static void before_exit(void)
{
    if (!is_in_target())
        return;
    pf_sched_before_process_end();
    pf_sched_preemption_point();
}

/* Other threads may run before the process ends. */
static void assertion_failed(const struct pf_func *native)
{
    if (!pf_self())
        return;
    pf_sched_hash((uint64_t)native - (uint64_t)&pf_direct);
    pf_sched_preemption_point();
}

static void jumps(uint64_t stack_pointer)
{
    if (__pf_tls.thread)
        pf_sched_jumps(stack_pointer);
}

static void before_fork(void)
{
    if (is_in_target())
        pf_sched_preemption_point(); /* the fork is an event */
    pf_nest();
    pf_rt_before_fork(true);
}

static void after_fork(bool child) { pf_rt_after_fork(true, child); }

/* No thread spins: it waits for the lock word as for a futex, and unlocking wakes one waiter. So
 * the scheduler notices when a plan or a flip fails because it holds the owner, and a cycle of spin
 * locks is a deadlock. */
PF_REAL_EXTERN(pthread_spin_trylock);
static int spin_lock(pthread_spinlock_t *l)
{
    int r;
    while ((r = PF_REAL(pthread_spin_trylock)(l)) == EBUSY)
        pf_target_futex((void *)l, FUTEX_WAIT, (uint32_t)*l);
    return r;
}
static void spin_unlocked(pthread_spinlock_t *l) { pf_target_futex((void *)l, FUTEX_WAKE, 1); }

/* libc asks the kernel for another thread's name through /proc, which does not know contexts. */
static char *thread_name(pthread_t id)
{
    return pthread_equal(id, pthread_self()) ? NULL : pf_syscall_thread_name(id);
}

static bool random_number(unsigned *value)
{
    return getrandom(value, sizeof *value, 0) == sizeof *value;
}

static void lock_reset(struct pf_thread *t, const volatile void *lock)
{
    if (!pf_lock_is_held(t, lock))
        return;
    pf_direct_say_here("a lock is initialised or destroyed by the thread that holds it");
    pf_lock_drop_all(t, lock); /* it is free from now on */
}

static void ignore_sleep(struct pf_thread *t) { (void)t; }

static void stack_replaced(void)
{
    pf_direct_say_here("the stack that the program provides for a thread is too small "
                       "for a recording; the thread gets another one");
}

/* The system call is emulated (direct/syscall/process_calls.c). */
PF_REAL_EXTERN(prlimit);
static int limit(pid_t pid, int what, const struct rlimit *to, struct rlimit *old)
{
    return PF_REAL(prlimit)(pid, what, to, old);
}

const struct pf_mode_ops pf_directed_mode = {
    .before_exit = before_exit,
    .assertion_failed = assertion_failed,
    .jumps = jumps,
    .before_fork = before_fork,
    .after_fork = after_fork,
    .spin_lock = spin_lock,
    .spin_unlocked = spin_unlocked,
    .thread_name = thread_name,
    .random = random_number,
    .lock_reset = lock_reset,
    .retry_at_limit = true,
    .has_kernel_threads = false,
    .clone_forks = false,
    .future_returns = true,
    .slept = ignore_sleep,
    .cond_enter = pf_cond_enter,
    .cond_leave = pf_cond_leave,
    .cond_choose = pf_cond_choose,
    .stack_replaced = stack_replaced,
    .cancellation_of = pf_thread_find,
    .limit = limit,
};
