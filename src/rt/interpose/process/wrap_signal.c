/*
 * wrap_signal.c - signals: handlers of the target run only while the runtime is not in the middle
 * of something, and acquire what the sender of the signal did.
 *
 * A handler of ours is installed in place of the target's. If the thread is inside the runtime, the
 * signal is returned to the kernel and blocked in this thread: it is sent again with all its
 * information, and its bit is set in the mask that the interrupted code returns to. At the next
 * safe point (pf_signal_poll) it is unblocked, and the kernel does the rest as usual: mask, stack,
 * restart. To reach a safe point soon, the thread gets a key that matches nothing, so its next
 * check is slow. Queues of our own were rejected: they would have to imitate all of that, and need
 * memory.
 *
 * A fault of the thread itself cannot be deferred; its handler runs at once.
 *
 * SA_RESETHAND is not passed to the kernel, which would reset the action before the second
 * delivery.
 */
#include "wrap_signal.h"
#include "misuse.h"
#include "module.h"
#include "options.h"
#include "rt.h"
#include "slot.h"
#include "sys.h"
#include "wrap_fd.h"
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The target's actions. A handler may run in the middle of a change, so a change is written to a
 * record that is not in use, and published with one store; there are records for the last
 * changes. */
#define ACTION_RECORDS 8
static struct signal_slot {
    struct sigaction record[ACTION_RECORDS];
    struct sigaction *current; /* NULL: default or ignored, which the kernel knows */
    uint32_t next;
} slots[_NSIG];

const void *pf_signal_object(int number)
{
    return &slots[number > 0 && number < _NSIG ? number : 0];
}

static uint64_t bit(int number) { return 1ull << (number - 1); }

static void mask_change(int how, uint64_t set)
{
    pf_sys(SYS_rt_sigprocmask, how, &set, NULL, sizeof set);
}

/* Signals returned to the kernel; t->signals points here while there are any. */
static __thread uint64_t deferred;

void pf_signal_poll(struct pf_thread *t)
{
    if (__builtin_expect(!t->signals, 1) || __pf_tls.nested)
        return;
    t->signals = NULL;
    pf_thread_update_key(t);
    pf_signal_unblock_deferred();
}

void pf_signal_unblock_deferred(void)
{
    uint64_t set = deferred;
    deferred = 0;
    if (set)
        mask_change(SIG_UNBLOCK, set); /* they are delivered here */
}

static void defer(struct pf_thread *t, int number, siginfo_t *info, ucontext_t *at)
{
    deferred |= bit(number);
    t->signals = &deferred;
    sigaddset(&at->uc_sigmask, number);
    long pid = pf_sys(SYS_getpid), tid = pf_sys(SYS_gettid);
    pf_sys(SYS_rt_tgsigqueueinfo, pid, tid, number, info);
    pf_thread_update_key(t);
}

/* As in ThreadSanitizer, annotated regions do not extend to a handler that interrupts them: its
 * synchronisation is not the region's, and ignoring it would make false races. If handlers are
 * nested deeper than PF_INTERRUPTED_MAX, the regions do extend to them. Returns false if there is
 * nothing to restore. */
static bool leave_regions(struct pf_thread *t, struct pf_frame *top)
{
    pf_signal_find_jump(t);
    if (!(t->ignore_reads | t->ignore_writes | t->ignore_sync) ||
        t->interpose.ninterrupted == PF_INTERRUPTED_MAX)
        return false;
    t->interpose.interrupted[t->interpose.ninterrupted++] =
        (struct pf_interrupted_regions){top, t->ignore_reads, t->ignore_writes, t->ignore_sync};
    t->ignore_reads = t->ignore_writes = t->ignore_sync = 0;
    pf_thread_update_key(t);
    return true;
}

static void return_to_regions(struct pf_thread *t)
{
    const struct pf_interrupted_regions *r = &t->interpose.interrupted[--t->interpose.ninterrupted];
    t->ignore_reads = r->reads;
    t->ignore_writes = r->writes;
    t->ignore_sync = r->sync;
    pf_thread_update_key(t);
}

/* A handler that was left by longjmp has no frame on the stack any more. */
void pf_signal_find_jump(struct pf_thread *t)
{
    while (t->interpose.ninterrupted &&
           __pf_tls.frame <= t->interpose.interrupted[t->interpose.ninterrupted - 1].top)
        return_to_regions(t);
}

bool pf_signal_force_jump(struct pf_thread *t)
{
    if (!t->interpose.ninterrupted)
        return false;
    return_to_regions(t);
    return true;
}

PF_NATIVE_AS(signal_handler, "<signal handler>");

/* --- errors of handlers --- */

void pf_signal_unsafe_call(struct pf_thread *t)
{
    if (!pf_options.report_signal_unsafe || __pf_tls.frame <= t->interpose.handler)
        return;
    struct pf_misuse m = {.kind = PF_KIND_SIGNAL_UNSAFE, .n = 1};
    m.at[0] = (struct pf_misuse_step){
        .thread = t->number, .op = PF_OP_CALL, .id = pf_stack_id(t, PF_NATIVE_CALL)};
    pf_misuse_found(&m);
}

/* As in ThreadSanitizer, not for SIGTERM, whose handlers end the program, and not for a signal that
 * the thread sends to itself, because the sender expects the handler. */
static void check_errno(struct pf_thread *t, int number, const struct sigaction *act, int before)
{
    if (errno == before || number == SIGTERM || number == t->interpose.sending ||
        !pf_options.report_signal_unsafe)
        return;
    const void *handler = act->sa_flags & SA_SIGINFO ? (const void *)act->sa_sigaction
                                                     : (const void *)act->sa_handler;
    struct pf_misuse m = {.kind = PF_KIND_ERRNO_IN_SIGNAL, .n = 1};
    pf_nest();
    m.at[0] = (struct pf_misuse_step){.thread = t->number,
                                      .op = PF_OP_CALL,
                                      .id = pf_stack_id(t, PF_NATIVE_CALL),
                                      .function = pf_func_find(handler),
                                      .addr = (uintptr_t)number};
    pf_misuse_found(&m);
    pf_unnest();
}

/* A handler may end by an exception, too. */
struct handler_scope {
    struct pf_thread *t;
    struct pf_frame *outer;
};
static void leave_handler(struct handler_scope *s)
{
    if (s->t)
        s->t->interpose.handler = s->outer;
}

/* fault: the thread itself has caused the signal. */
static void run(struct pf_thread *t, int number, siginfo_t *info, void *at, bool fault)
{
    struct sigaction *a = __atomic_load_n(&slots[number].current, __ATOMIC_ACQUIRE);
    if (!a)
        return;
    struct sigaction act = *a;
    if (act.sa_flags & (int)SA_RESETHAND) {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        pf_crash_default_action(number, &standard);
        __atomic_store_n(&slots[number].current, NULL, __ATOMIC_RELEASE);
        PF_REAL(sigaction)(number, &standard, NULL);
    }
    /* The interrupted code may be about to write the next free frame: it is restored afterwards. */
    struct pf_frame *top = __pf_tls.frame, free = {0};
    uint32_t nested = __pf_tls.nested;
    bool in_regions = t && leave_regions(t, top);
    if (t) {
        free = *top;
        if (!nested) {
            pf_nest();
            pf_hb_acquire(t, &slots[number]);
            pf_unnest();
        }
        pf_stack_push(&pf_native_signal_handler);
    }
    /* An unregistered thread may be one that is about to begin: the handler must not register
     * it, and leaves no trace. */
    struct pf_tls before = __pf_tls;
    __pf_tls.nested = !t;
    int err = errno;
    {
        struct handler_scope scope
            __attribute__((cleanup(leave_handler))) = {t, t ? t->interpose.handler : NULL};
        if (t)
            t->interpose.handler = top;
        if (act.sa_flags & SA_SIGINFO)
            act.sa_sigaction(number, info, at);
        else
            act.sa_handler(number);
    }
    __pf_tls.nested = nested;
    if (t && !fault && !nested)
        check_errno(t, number, &act, err);
    if (t) {
        *top = free;
    } else {
        __pf_tls.dispatch = before.dispatch;
        __pf_tls.step = before.step;
    }
    __pf_tls.frame = top;
    if (in_regions) /* and those of handlers inside this one that were left by longjmp */
        pf_signal_find_jump(t);
}

static bool is_synchronous_fault(int number, const siginfo_t *info)
{
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
        return info->si_code > 0;
    default:
        return false;
    }
}

static void entry(int number, siginfo_t *info, void *at)
{
    struct pf_thread *t = __pf_tls.thread;
    int err = errno;
    bool fault = is_synchronous_fault(number, info);
    if (t && __pf_tls.nested && !fault)
        defer(t, number, info, at);
    else
        run(t, number, info, at, fault);
    errno = err;
}

/* Publishes the target's action; NULL: there is no handler to call. Returns the previous one. */
static struct sigaction *publish(int number, const struct sigaction *act)
{
    struct signal_slot *s = &slots[number];
    struct sigaction *now = NULL;
    if (act && act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN) {
        now = &s->record[__atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED) % ACTION_RECORDS];
        *now = *act;
        pf_rt.has_signal_handlers = true;
    }
    return __atomic_exchange_n(&s->current, now, __ATOMIC_ACQ_REL);
}

static int change(struct pf_thread *t, int number, const struct sigaction *act,
                  struct sigaction *old)
{
    if (number <= 0 || number >= _NSIG || !pf_rt.ready)
        return PF_REAL(sigaction)(number, act, old);
    struct sigaction *was = __atomic_load_n(&slots[number].current, __ATOMIC_ACQUIRE);
    struct sigaction kernel, before, users = was ? *was : (struct sigaction){0};
    if (act) {
        if (t)
            pf_hb_release(t, &slots[number]); /* orders what was set up for the handler */
        kernel = *act;
        was = publish(number, act);
        if (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN) {
            kernel.sa_sigaction = entry;
            kernel.sa_flags = (act->sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
        } else if (act->sa_handler == SIG_DFL) {
            pf_crash_default_action(number, &kernel);
        }
    }
    int r = PF_REAL(sigaction)(number, act ? &kernel : NULL, &before);
    if (r != 0 && act)
        publish(number, was);
    if (r == 0 && old)
        *old = before.sa_sigaction == entry   ? users
               : pf_crash_is_default(&before) ? (struct sigaction){.sa_handler = SIG_DFL}
                                              : before;
    return r;
}

PF_INTERPOSE(int, sigaction, (int number, const struct sigaction *act, struct sigaction *old))
{
    PF_CALL(c, sigaction);
    int r = change(c.t, number, act, old);
    pf_call_keep_errno(&c);
    if (c.t && act)
        pf_runtime_read(c.t, act, sizeof *act, pf_call_id(&c, PF_NATIVE_READ));
    if (c.t && old && r == 0)
        pf_runtime_write(c.t, old, sizeof *old, pf_call_id(&c, PF_NATIVE_WRITE));
    return r;
}

static sighandler_t change_handler(struct pf_call *c, int number, sighandler_t handler, int flags)
{
    struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;
    if (!(flags & SA_NODEFER))
        sigaddset(&act.sa_mask, number);
    int r = change(c->t, number, &act, &old);
    pf_call_keep_errno(c);
    return r == 0 ? old.sa_handler : SIG_ERR;
}
#define SETS(fn, flags)                                                                            \
    sighandler_t fn(int number, sighandler_t handler);                                             \
    PF_NATIVE(fn);                                                                                 \
    PF_INTERCEPTOR_NAME(fn);                                                                       \
    PF_EXPORT __attribute__((weak)) sighandler_t fn(int number, sighandler_t handler)              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        return change_handler(&c, number, handler, flags);                                         \
    }
SETS(signal, SA_RESTART)
SETS(bsd_signal, SA_RESTART)
SETS(ssignal, SA_RESTART)
SETS(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SETS(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

/* System V: SIG_HOLD blocks, everything else unblocks. */
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
PF_REAL_EXTERN(sigprocmask);
PF_PROVIDE(sighandler_t, sigset, (int number, sighandler_t handler))
{
    PF_CALL(c, sigset);
    struct sigaction now;
    if (number <= 0 || number >= _NSIG) {
        c.err = EINVAL;
        errno = EINVAL;
        return SIG_ERR;
    }
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, number);
    sighandler_t before = SIG_ERR;
    if (handler == SIG_HOLD)
        before = change(c.t, number, NULL, &now) == 0 ? now.sa_handler : SIG_ERR;
    else
        before = change_handler(&c, number, handler, 0);
    if (before == SIG_ERR)
        return SIG_ERR;
    /* Afterwards: a signal that was blocked meets the new action. */
    int how = handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK;
    int r = c.t ? PF_BLOCKING(c, PF_REAL(sigprocmask)(how, &set, &mask))
                : PF_REAL(sigprocmask)(how, &set, &mask);
    return r ? SIG_ERR : sigismember(&mask, number) ? SIG_HOLD : before;
}

/* A deferred signal is delivered before the mask changes: afterwards it might be blocked. */
#define MASKS(fn)                                                                                  \
    PF_REAL_DEFINE(fn, NULL);                                                                      \
    PF_INTERCEPTOR_NAME(fn);                                                                       \
    PF_EXPORT __attribute__((weak)) int fn(int how, const sigset_t *set, sigset_t *old)            \
    {                                                                                              \
        struct pf_thread *t = pf_self();                                                           \
        if (t)                                                                                     \
            pf_signal_poll_if_pending(t);                                                          \
        int r = PF_REAL(fn)(how, set, old);                                                        \
        if (r == 0 && old)                                                                         \
            PF_WITH_FRAME(fn, pf_writes(old, sizeof *old));                                        \
        return r;                                                                                  \
    }
PF_NATIVE(sigprocmask);
PF_NATIVE(pthread_sigmask);
MASKS(sigprocmask)
MASKS(pthread_sigmask)

/* Senders: what they did happens before the handler. A signal to another process looks like one
 * to this process, so it makes an order, too. */
#define SENDS(fn, parameters, call, number)                                                        \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (!c.t)                                                                                  \
            return call;                                                                           \
        pf_hb_release(c.t, pf_signal_object(number));                                              \
        c.t->interpose.sending = number;                                                           \
        int r = PF_BLOCKING(c, call); /* for signals to ourselves: the handler runs inside */      \
        c.t->interpose.sending = 0;                                                                \
        return r;                                                                                  \
    }
SENDS(kill, (pid_t pid, int number), PF_REAL(kill)(pid, number), number)
SENDS(killpg, (pid_t group, int number), PF_REAL(killpg)(group, number), number)
SENDS(raise, (int number), PF_REAL(raise)(number), number)
SENDS(tgkill, (pid_t pid, pid_t tid, int number), PF_REAL(tgkill)(pid, tid, number), number)
SENDS(pthread_kill, (pthread_t id, int number), PF_REAL(pthread_kill)(id, number), number)
SENDS(sigqueue, (pid_t pid, int number, const union sigval value),
      PF_REAL(sigqueue)(pid, number, value), number)
SENDS(pthread_sigqueue, (pthread_t id, int number, const union sigval value),
      PF_REAL(pthread_sigqueue)(id, number, value), number)
SENDS(setitimer, (__itimer_which_t which, const struct itimerval *to, struct itimerval *old),
      PF_REAL(setitimer)(which, to, old),
      which == ITIMER_REAL   ? SIGALRM
      : which == ITIMER_PROF ? SIGPROF
                             : SIGVTALRM)
PF_INTERPOSE(unsigned, alarm, (unsigned seconds))
{
    PF_CALL(c, alarm);
    if (c.t)
        pf_hb_release(c.t, pf_signal_object(SIGALRM));
    return PF_REAL(alarm)(seconds);
}

/* Receivers without a handler. */
PF_INTERPOSE(int, sigwait, (const sigset_t *set, int *number))
{
    PF_CALL(c, sigwait);
    if (!c.t)
        return PF_REAL(sigwait)(set, number);
    pf_runtime_read(c.t, set, sizeof(uint64_t), pf_call_id(&c, PF_NATIVE_READ));
    int r = PF_BLOCKING(c, PF_REAL(sigwait)(set, number));
    if (r == 0) {
        pf_hb_acquire(c.t, pf_signal_object(*number));
        pf_runtime_write(c.t, number, sizeof *number, pf_call_id(&c, PF_NATIVE_WRITE));
    }
    return r;
}
static void waited(struct pf_call *c, int number, const siginfo_t *info)
{
    if (number <= 0)
        return;
    pf_hb_acquire(c->t, pf_signal_object(number));
    if (info)
        pf_runtime_write(c->t, info, sizeof *info, pf_call_id(c, PF_NATIVE_WRITE));
}
#define WAITS(fn, parameters, call)                                                                \
    PF_INTERPOSE_BLOCKING(                                                                         \
        int, fn, parameters, call,                                                                 \
        pf_runtime_read(c.t, set, sizeof(uint64_t), pf_call_id(&c, PF_NATIVE_READ)),               \
        waited(&c, r, info))
WAITS(sigwaitinfo, (const sigset_t *set, siginfo_t *info), PF_REAL(sigwaitinfo)(set, info))
WAITS(sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *limit),
      PF_REAL(sigtimedwait)(set, info, limit))
PF_INTERPOSE(int, sigsuspend, (const sigset_t *set))
{
    PF_CALL(c, sigsuspend);
    return c.t ? PF_BLOCKING(c, PF_REAL(sigsuspend)(set)) : PF_REAL(sigsuspend)(set);
}
