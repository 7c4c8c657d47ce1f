/*
 * signal_pending.c - pending signals: queued, taken and delivered. See signals.h.
 */
#define _GNU_SOURCE
#include "orphan.h"
#include "signals.h"
#include "store.h"
#include <sys/auxv.h>

struct pf_signal_action pf_signal_actions[PF_SIGNAL_MAX + 1];
struct pf_queued_signal *pf_process_queue;
uint32_t pf_signal_uid;

#define QUEUED_ORDER 2 /* 256 bytes */
static_assert(sizeof(struct pf_queued_signal) <= 64 << QUEUED_ORDER, "a block of the store");

static bool ignored_by_default(int n)
{
    return n == SIGCHLD || n == SIGCONT || n == SIGURG || n == SIGWINCH;
}

static bool is_ignored(int n)
{
    void *h = pf_signal_actions[n].handler;
    return h == (void *)SIG_IGN || (h == (void *)SIG_DFL && ignored_by_default(n));
}

static uint64_t bits(const struct pf_queued_signal *q)
{
    uint64_t set = 0;
    for (; q; q = q->next)
        set |= pf_signal_bit(q->info.si_signo);
    return set;
}

uint64_t pf_signals_pending(const struct pf_syscall_state *w)
{
    return bits(w->queue) | bits(pf_process_queue);
}

/* Makes the context handle its signals at its next turn. */
static void notify(struct pf_context *c)
{
    c->signal_due = true;
    pf_sched_interrupt_wait(c);
}

static bool accepts(struct pf_context *c, uint64_t bit)
{
    struct pf_syscall_state *w = pf_syscall_state_of(c);
    return c->state != PF_CONTEXT_ENDED && (!(w->mask & bit) || w->wanted & bit);
}

static struct pf_context *find_accepting(uint64_t bit)
{
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (accepts(pf_context_at(i), bit))
            return pf_context_at(i);
    return NULL;
}

void pf_signal_send(const siginfo_t *info, struct pf_context *to)
{
    int n = info->si_signo;
    uint64_t bit = pf_signal_bit(n);
    struct pf_context *c = to ? (accepts(to, bit) ? to : NULL) : find_accepting(bit);
    if (is_ignored(n) && c && !(pf_syscall_state_of(c)->wanted & bit))
        return; /* dropped; blocked signals are queued, because their action may change */
    if (!c && !to && bit & pf_signalfd_mask) {
        pf_kernel_park(info);
        return;
    }
    struct pf_queued_signal **at = to ? &pf_syscall_state_of(to)->queue : &pf_process_queue;
    for (; *at; at = &(*at)->next)
        if (n < 32 && (*at)->info.si_signo == n)
            return; /* already pending */
    struct pf_queued_signal *q = pf_store_alloc(QUEUED_ORDER);
    if (!q)
        return; /* counted by the store */
    q->next = NULL;
    q->info = *info;
    *at = q;
    if (c)
        notify(c);
}

static bool take_from(struct pf_queued_signal **at, uint64_t set, siginfo_t *info)
{
    struct pf_queued_signal **best = NULL; /* the lowest number first, as in the kernel */
    for (; *at; at = &(*at)->next)
        if (pf_signal_bit((*at)->info.si_signo) & set &&
            (!best || (*at)->info.si_signo < (*best)->info.si_signo))
            best = at;
    if (!best)
        return false;
    struct pf_queued_signal *q = *best;
    *info = q->info;
    *best = q->next;
    pf_store_free(q, QUEUED_ORDER);
    return true;
}

bool pf_signal_take(uint64_t set, siginfo_t *info)
{
    return take_from(&pf_syscall_state_self()->queue, set, info) ||
           take_from(&pf_process_queue, set, info);
}

void pf_signal_mask(struct pf_syscall_state *w, uint64_t mask)
{
    w->mask = mask & ~(pf_signal_bit(SIGKILL) | pf_signal_bit(SIGSTOP));
    pf_kernel_unpark(~w->mask);
    if (pf_signals_pending(w) & ~w->mask)
        pf_context_self()->signal_due = true;
}

bool pf_signal_pending(void)
{
    struct pf_syscall_state *w = pf_syscall_state_self();
    return !__pf_tls.nested && pf_signals_pending(w) & ~w->mask;
}

void pf_signal_raise(int number)
{
    siginfo_t info = {.si_signo = number, .si_code = SI_USER};
    info.si_pid = (pid_t)pf_direct.pid;
    info.si_uid = pf_signal_uid;
    pf_signal_send(&info, pf_context_self());
}

/* --- signals from outside --- */

static void take_from_ring(void)
{
    siginfo_t info;
    if (pf_orphaned())
        pf_orphan_end();
    while (pf_kernel_take_arrival(&info)) {
        pf_input_put(PF_INPUT_SIGNAL, info.si_signo, (int64_t)pf_sched_boundary(), &info,
                     sizeof info);
        pf_signal_send(&info, NULL);
    }
}

static void take_from_log(void)
{
    const struct pf_input *in;
    while ((in = pf_input_peek()) && in->kind == PF_INPUT_SIGNAL &&
           (uint64_t)in->result <= pf_sched_boundary()) {
        if ((uint64_t)in->result < pf_sched_boundary())
            pf_diverged("the segment boundary of a signal", (uint64_t)in->result,
                        pf_sched_boundary());
        siginfo_t info;
        pf_input_copy(in, &info, sizeof info);
        pf_input_skip();
        pf_signal_send(&info, NULL);
    }
}

void pf_signal_take_arrived(void)
{
    pf_timers_fire();
    if (pf_recording())
        take_from_ring();
    else
        take_from_log();
}

static void drop_queue(struct pf_queued_signal **queue)
{
    siginfo_t info;
    while (take_from(queue, ~0ull, &info))
        ;
}

void pf_signal_forked(void)
{
    drop_queue(&pf_syscall_state_self()->queue);
    drop_queue(&pf_process_queue);
    pf_context_self()->signal_due = false;
    pf_timers_forked();
    pf_kernel_drop_arrivals();
}

/* --- delivery --- */

static bool is_stop(int n) { return n == SIGTSTP || n == SIGTTIN || n == SIGTTOU || n == SIGSTOP; }

enum pf_handled pf_signal_run_handlers(void)
{
    enum pf_handled handled = PF_HANDLED_NONE;
    siginfo_t info;
    struct pf_context *c = pf_context_self();
    c->signal_due = false;
    while (pf_signal_pending() && pf_signal_take(~pf_syscall_state_self()->mask, &info)) {
        int n = info.si_signo;
        struct pf_signal_action act = pf_signal_actions[n];
        if (is_ignored(n) || is_stop(n))
            continue;
        if (act.handler == (void *)SIG_DFL)
            pf_kernel_die(n);
        if (act.flags & SA_RESETHAND)
            pf_signal_actions[n].handler = (void *)SIG_DFL;
        ucontext_t u = {0};
        if (c->trap)
            pf_copy(&u, c->trap, offsetof(ucontext_t, uc_sigmask));
        bool restart = pf_handler_run(&act, &info, &u);
        if (handled != PF_HANDLED_INTERRUPT)
            handled = restart ? PF_HANDLED_RESTART : PF_HANDLED_INTERRUPT;
    }
    return handled;
}

void pf_signal_run_due(void)
{
    if (pf_context_self()->signal_due)
        pf_signal_run_handlers();
}

bool pf_signal_run_after_wait(void) { return pf_signal_run_handlers() != PF_HANDLED_INTERRUPT; }

void pf_signal_init(void)
{
    /* Ignored and blocked signals are inherited from the parent process: a replay uses those of the
     * recording. */
    struct signal_start {
        uint64_t ignored, blocked, user;
        char random[16];
    } was = {0};
    void *random = (void *)getauxval(AT_RANDOM);
    struct pf_signal_action a;
    if (pf_recording()) {
        pf_sys(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &was.blocked, 8);
        for (int n = 1; n <= PF_SIGNAL_MAX; n++)
            if (pf_sys(SYS_rt_sigaction, n, NULL, &a, 8) == 0 && a.handler == (void *)SIG_IGN)
                was.ignored |= pf_signal_bit(n);
        was.user = (uint64_t)pf_sys(SYS_getuid);
        if (random)
            pf_copy(was.random, random, sizeof was.random);
        pf_input_put(PF_INPUT_START, 0, 0, &was, sizeof was);
    } else {
        pf_input_copy(pf_input_get(PF_INPUT_START, -1), &was, sizeof was);
        if (random) /* random bytes that the kernel gives every program */
            pf_copy(random, was.random, sizeof was.random);
    }
    for (int n = 1; n <= PF_SIGNAL_MAX; n++)
        if (was.ignored & pf_signal_bit(n))
            pf_signal_actions[n].handler = (void *)SIG_IGN;
    pf_signal_uid = (uint32_t)was.user;
    pf_syscall_state_of(pf_context_self())->mask = was.blocked;
    pf_kernel_signals_init(was.ignored);
}
