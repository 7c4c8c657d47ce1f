/*
 * syscall.c - runs one system call of the target: performs and logs it, or replays it from the log.
 */
#define _GNU_SOURCE
#include "child_log.h"
#include "mappings.h"
#include "number_text.h"
#include "store.h"
#include "symbolic.h"
#include "syscalls.h"
#include "textbuf.h"
#include <errno.h>
#include <sys/uio.h>

struct pf_syscall_state *pf_syscall_state_of(struct pf_context *c)
{
    struct pf_syscall_state *w = c->syscall_state;
    if (!w) {
        w = c->syscall_state = pf_store_alloc_permanent(sizeof *w);
        /* glibc creates threads with all signals blocked and sets the mask when the thread is
         * ready. */
        w->mask = c->number ? ~0ull : 0;
    }
    return w;
}

void pf_syscall_thread_created(struct pf_context *c, struct pf_context *parent)
{
    pf_copy(pf_syscall_state_of(c)->name, pf_syscall_state_of(parent)->name,
            sizeof pf_syscall_state_of(c)->name);
}

char *pf_syscall_thread_name(uint64_t fs)
{
    for (uint32_t i = pf_contexts(); i-- > 0;) /* the latest thread with this thread pointer */
        if (pf_context_at(i)->fs == fs && pf_context_at(i)->state != PF_CONTEXT_ENDED)
            return pf_syscall_state_of(pf_context_at(i))->name;
    return NULL;
}

long pf_syscall_plain(long number, const long a[6])
{
    struct pf_lengths_before before;
    struct pf_pin pin;
    long r;
    if (pf_recording() && pf_pin_begin(&pin, number, a, &r)) {
        ;
    } else if (pf_recording()) {
        pf_syscall_writes_prepare(number, a, &before);
        if (!pf_child_log_keep_open(number, a, &r))
            r = pf_perform(number, a);
        pf_syscall_writes_log(number, a, &before, r);
        pf_pin_end(&pin, number, a, r);
    } else {
        r = pf_syscall_writes_replay(number, a, pf_input_get(PF_INPUT_CALL, number));
    }
    pf_output_track(number, a, r);
    return r;
}

/* A call that affects only this process: it is performed in a replay too, and must return the
 * recorded result. */
static long perform_both(long number, const long a[6])
{
    if (pf_recording())
        return pf_syscall_plain(number, a);
    long now = pf_perform(number, a);
    long r = (long)pf_input_get(PF_INPUT_CALL, number)->result;
    if (now != r)
        pf_diverged("different result of a system call", (uint64_t)r, (uint64_t)now);
    return r;
}

static long perform_output(long number, const long a[6])
{
    struct iovec one;
    const struct iovec *list;
    long r = pf_syscall_plain(number, a);
    size_t n = pf_output_vectors(number, a, &one, &list);
    pf_output_bytes(number, a, list, n, r);
    return r;
}

/* Appends v in decimal to the text. */
static void add_number(char *text, uint64_t v)
{
    struct pf_number_text digits;
    const char *first = pf_number_format(&digits, v);
    pf_copy(text + pf_str_len(text), first, pf_str_len(first) + 1);
}

struct pf_fd_link pf_fd_link(int fd)
{
    struct pf_fd_link l = {"/proc/self/fd/"};
    add_number(l.path, (uint64_t)fd);
    return l;
}

static const char *unknown_name(long number)
{
    static char text[PF_SYSCALL_MAX][36] = {{0}};
    static const char head[] = "system call ";
    char *to = text[number >= 0 && number < PF_SYSCALL_MAX ? number : 0];
    pf_copy(to, head, sizeof head);
    add_number(to, (uint64_t)number);
    return to;
}

static long call(long number, const long a[6])
{
    const struct pf_syscall *s = pf_syscall_at(number);
    switch ((enum pf_effect)s->effect) {
    case PF_EFFECT_CUSTOM:
        return s->handler(number, a);
    case PF_EFFECT_REFUSED:
        return -ENOSYS;
    case PF_EFFECT_BOTH:
        return perform_both(number, a);
    case PF_EFFECT_OUTPUT:
        return perform_output(number, a);
    case PF_EFFECT_UNKNOWN:
        pf_input_doubt(unknown_name(number));
        return pf_syscall_plain(number, a);
    case PF_EFFECT_DOUBT:
        pf_input_doubt(s->name);
        break;
    case PF_EFFECT_INPUT:
    case PF_EFFECT_SCHED:
        break;
    }
    if (s->wait == PF_CALL_WAIT_IN)
        return pf_blocking_fd(number, a, POLLIN);
    if (s->wait == PF_CALL_WAIT_OUT)
        return pf_blocking_fd(number, a, POLLOUT);
    return pf_syscall_plain(number, a);
}

long pf_syscall_run(long number, const long a[6])
{
    long r = call(number, a);
    pf_mappings_after_syscall(number, a, r);
    if (__builtin_expect(pf_symbolic_on, 0))
        pf_symbolic_after_syscall(number, a, r);
    pf_signal_take_arrived();
    pf_signal_run_after_wait();
    return r;
}

long pf_target_syscall(long number, const long a[6])
{
    return pf_directed() ? pf_syscall_run(number, a)
                         : pf_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void pf_syscall_init(void)
{
    pf_affinity_init();
    pf_signal_init();
}
