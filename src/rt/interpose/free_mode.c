/* free_mode.c - free mode's operations of mode_ops.h. The target runs as it would natively. */
#include "fork.h"
#include "last_sleep.h"
#include "mode_ops.h"
#include "options.h"
#include "wrap.h"
#include "wrap_fd.h"

static void ignore_assertion(const struct pf_func *native) { (void)native; }
static void ignore_jump(uint64_t stack_pointer) { (void)stack_pointer; }

static void before_fork(void)
{
    pf_nest();
    pf_fd_lock_all();
    pf_rt_before_fork(false);
}

static void after_fork(bool child)
{
    pf_rt_after_fork(false, child);
    pf_fd_unlock_all();
}

PF_REAL_EXTERN(pthread_spin_lock);
static int spin_lock(pthread_spinlock_t *l) { return PF_REAL(pthread_spin_lock)(l); }
static void spin_unlocked(pthread_spinlock_t *l) { (void)l; }

static char *thread_name(pthread_t id)
{
    (void)id;
    return NULL;
}

static bool no_random(unsigned *value)
{
    (void)value;
    return false;
}

static void ignore_lock_reset(struct pf_thread *t, const volatile void *lock)
{
    (void)t;
    (void)lock;
}

static void slept(struct pf_thread *t)
{
    int err = errno;
    pf_nest();
    pf_thread_slept(t, pf_stack_id(t, PF_NATIVE_CALL));
    pf_unnest();
    errno = err;
}

static pthread_cond_t *same_cond(pthread_cond_t *cond) { return cond; }
static bool was_not_chosen(void) { return false; }
static pthread_cond_t *choose_none(const pthread_cond_t *cond, uint32_t *thread)
{
    (void)cond;
    (void)thread;
    return NULL;
}

static void stack_replaced(void)
{
    if (!pf_options.quiet)
        pf_direct_say("the stack that the program provides for a thread is too small for the "
                      "checks; the thread gets another one");
}

static struct pf_thread *no_cancellation(pthread_t id)
{
    (void)id;
    return NULL;
}

const struct pf_mode_ops pf_free_mode = {
    .before_exit = pf_wait_at_exit,
    .assertion_failed = ignore_assertion,
    .jumps = ignore_jump,
    .before_fork = before_fork,
    .after_fork = after_fork,
    .spin_lock = spin_lock,
    .spin_unlocked = spin_unlocked,
    .thread_name = thread_name,
    .random = no_random,
    .lock_reset = ignore_lock_reset,
    .retry_at_limit = false,
    .has_kernel_threads = true,
    .clone_forks = true,
    .future_returns = false,
    .slept = slept,
    .cond_enter = same_cond,
    .cond_leave = was_not_chosen,
    .cond_choose = choose_none,
    .stack_replaced = stack_replaced,
    .cancellation_of = no_cancellation,
    .limit = pf_rlimit_exchange,
};

const struct pf_mode_ops *pf_mode = &pf_free_mode;

void pf_mode_choose(void) { pf_mode = pf_directed() ? &pf_directed_mode : &pf_free_mode; }
