/* invariant.c - see invariant.h. */
#include "invariant.h"
#include "direct.h"
#include "entry.h"
#include "listener.h"
#include "reporter.h"
#include "signals.h"
#include "sys.h"
#include <errno.h>
#include <signal.h>

#define INVARIANTS 64 /* further ones are not tested */

static struct {
    int (*holds)(void);
    const char *name;
} invariant[INVARIANTS];
static uint32_t n;
static bool testing;
static void (*previous_listener)(struct pf_thread *, enum pf_event_kind, uintptr_t, uintptr_t);

bool pf_invariant_exists(void) { return n != 0; }

static _Noreturn void violated(const char *name)
{
    static char text[160] = "invariant ";
    size_t k = 10;
    while (*name && k + 1 < sizeof text)
        text[k++] = *name++;
    text[k] = 0;
    pf_failed_assertion = text;
    pf_kernel_die(SIGABRT);
}

void pf_invariant_test(void)
{
    if (!n || testing || !__pf_tls.thread)
        return;
    int err = errno;
    uint32_t dispatch = __pf_tls.dispatch;
    testing = true;
    pf_nest();
    __pf_tls.dispatch = PF_DISPATCH_PLAIN; /* without events */
    for (uint32_t i = 0; i < n; i++)
        if (!invariant[i].holds())
            violated(invariant[i].name);
    __pf_tls.dispatch = dispatch;
    pf_unnest();
    testing = false;
    errno = err;
}

void pf_invariant_before_call(long number)
{
    switch (number) {
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
        pf_invariant_test();
        return;
    default:
        return;
    }
}

/* Synchronisation of any kind, but not memory and the program's own regions. */
static void observe(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    if (previous_listener)
        previous_listener(t, kind, what, more);
    switch ((int)kind) {
    case PF_NOTIFY_MEMORY_RESET:
    case PF_EV_ALLOC:
    case PF_EV_FREE:
    case PF_EV_REGION:
    case PF_EV_ENDREGION:
        return;
    default:
        if (t == __pf_tls.thread)
            pf_invariant_test();
    }
}

void __pf_invariant(void *function, void *name)
{
    int (*holds)(void) = (int (*)(void))function;
    if (!pf_directed())
        return;
    for (uint32_t i = 0; i < n; i++)
        if (invariant[i].holds == holds)
            return;
    if (n == INVARIANTS) {
        pf_direct_say_here("there are too many invariants: this one is not tested");
        return;
    }
    invariant[n].holds = holds;
    invariant[n].name = name;
    if (!n++) {
        previous_listener = pf_listener;
        pf_listener = observe;
        pf_direct.slow_locks = true;
    }
}
