/*
 * direct.c - the start and the end of a directed run, and its messages.
 *
 * pf starts the target with address randomisation off (personality), on one core, and with glibc's
 * restartable sequences off, because the kernel writes to their memory at unpredictable times.
 */
#define _GNU_SOURCE
#include "direct.h"
#include "behaviour.h"
#include "breakpoint.h"
#include "checkpoint.h"
#include "environment.h"
#include "fuzz_policy.h"
#include "hooks.h"
#include "hot_pages.h"
#include "memory_model.h"
#include "missing_call.h"
#include "number_text.h"
#include "options.h"
#include "orphan.h"
#include "reach.h"
#include "reach_libs.h"
#include "rt.h"
#include "scheduler.h"
#include "spin_yield.h"
#include "stack.h"
#include "stream_ring.h"
#include "symbolic.h"
#include "sys.h"
#include "syscalls.h"
#include "textbuf.h"
#include "tracer.h"
#include <sys/prctl.h>

struct pf_direct pf_direct;

/* --- messages --- */

/* A message of limited length; the rest is cut off. */
struct message {
    char text[512];
    size_t n;
};
static void add(struct message *l, const char *s)
{
    while (*s && l->n + 1 < sizeof l->text)
        l->text[l->n++] = *s++;
    l->text[l->n] = 0;
}
static void add_number(struct message *l, uint64_t v)
{
    add(l, pf_number_format(&(struct pf_number_text){0}, v));
}

void pf_direct_say(const char *what) { pf_sys_say("photofinish: ", what, "\n"); }

static _Noreturn void leave(int status)
{
    for (;;)
        pf_sys(SYS_exit_group, status);
}

_Noreturn void pf_direct_refuse(const char *why)
{
    struct pf_channel *c = pf_channel_get();
    pf_direct_say(why);
    if (c && !c->text[0])
        pf_copy_text(c->text, sizeof c->text, why);
    leave(2);
}

/* Stores the innermost position that has a source line. */
static bool set_site(const struct pf_position *p, void *arg)
{
    struct pf_divergence *d = arg;
    if (!p->file)
        return true;
    pf_copy_text(d->function, sizeof d->function, p->func);
    pf_copy_text(d->file, sizeof d->file, p->file);
    d->line = p->line;
    return false;
}

static void add_value(struct message *l, const char *word, uint64_t number)
{
    if (*word)
        add(l, word);
    else
        add_number(l, number);
}

static void add_place(struct message *l, const struct pf_divergence *d)
{
    if (d->thread == PF_NO_THREAD)
        return;
    add(l, " (thread ");
    add_number(l, d->thread);
    add(l, ", event ");
    add_number(l, d->event);
    if (d->line) {
        add(l, ", in ");
        add(l, d->function);
        add(l, " at ");
        add(l, pf_str_base(d->file));
        add(l, ":");
        add_number(l, d->line);
    }
    add(l, ")");
}

/* The divergence as text, for people. */
static void describe(struct message *l, const struct pf_divergence *d)
{
    add(l, d->what);
    add(l, ": expected ");
    add_value(l, d->expected_word, d->expected);
    add(l, ", found ");
    add_value(l, d->got_word, d->got);
    add_place(l, d);
}

static void set_place(struct pf_divergence *d, const struct pf_context *c)
{
    d->thread = c ? c->number : PF_NO_THREAD;
    d->event = c ? pf_context_events(c) : 0;
    if (c && c->tls && c->tls->thread && c->tls->thread->context.frames)
        pf_stack_walk_live(c->tls->thread, set_site, d);
}

void pf_direct_say_here(const char *what)
{
    struct message l = {0};
    struct pf_divergence here = {0};
    if (pf_direct.mode != PF_DIRECT_RECORD)
        return;
    set_place(&here, pf_context_self());
    add(&l, what);
    add_place(&l, &here);
    pf_direct_say(l.text);
}

/* Reports the divergence, which is complete except for the thread. */
static _Noreturn void diverged(struct pf_divergence *d, struct pf_context *c)
{
    struct message l = {0};
    d->diverged = true;
    set_place(d, c);
    describe(&l, d);
    struct pf_divergence *first = pf_channel_get() ? pf_channel_divergence() : d;
    if (!first->diverged)
        *first = *d;
    pf_channel_set_outcome(PF_OUTCOME_DIVERGED, l.text);
    leave(2);
}

_Noreturn void pf_diverged(const char *what, uint64_t expected, uint64_t found)
{
    pf_diverged_in(pf_context_self(), what, expected, found);
}

_Noreturn void pf_diverged_in(struct pf_context *c, const char *what, uint64_t expected,
                              uint64_t found)
{
    struct pf_divergence d = {.expected = expected, .got = found};
    pf_copy_text(d.what, sizeof d.what, what);
    diverged(&d, c);
}

static _Noreturn void diverged_words(struct pf_divergence d, const char *what, const char *expected,
                                     const char *found)
{
    pf_copy_text(d.what, sizeof d.what, what);
    pf_copy_text(d.expected_word, sizeof d.expected_word, expected);
    pf_copy_text(d.got_word, sizeof d.got_word, found);
    diverged(&d, pf_context_self());
}

_Noreturn void pf_diverged_words(const char *what, const char *expected, const char *found)
{
    diverged_words((struct pf_divergence){0}, what, expected, found);
}

_Noreturn void pf_diverged_value(const char *what)
{
    diverged_words((struct pf_divergence){.value_missing = true}, what,
                   "none (its value is not in the clip)", "a read");
}

_Noreturn void pf_diverged_private(const char *call)
{
    diverged_words((struct pf_divergence){.not_private = true},
                   "a call that a private run cannot make", "none", call);
}

_Noreturn void pf_direct_replay_ended(void)
{
    const struct pf_input *in = pf_input_peek();
    if (in && in->kind == PF_INPUT_EXEC) {
        pf_channel_get()->executed = true;
        leave(0);
    }
    pf_direct_say("the recording ends here, before the program ended");
    leave(128 + SIGKILL);
}

static void note_refusal(const char *text)
{
    struct pf_channel *c = pf_channel_get();
    for (size_t i = 0; text[i] && i + 1 < sizeof c->refused; i++)
        c->refused[i] = text[i] == '\n' ? ' ' : text[i];
}

void pf_direct_choose_mode(void)
{
    pf_channel_attach();
    pf_ring_on_abandoned(pf_orphan_end);
    if (!pf_directed())
        return;
    pf_rt.events = true;
    pf_hooks.run_refused = note_refusal;
    pf_symbolic_choose_mode();
    pf_rt.stack_variables = pf_direct.watching;
    pf_missing_call_configure(pf_channel_get()->exclude, pf_channel_get()->atomic);
}

/* --- the run --- */

/* glibc knows the main thread by a tid and stores it as the owner of mutexes: set it to the tid of
 * the recording. */
static void name_main(void)
{
    int32_t *word = NULL;
    if (pf_sys(SYS_prctl, PR_GET_TID_ADDRESS, &word) == 0 && word)
        *word = (int32_t)pf_direct.pid;
    pf_context_at(0)->clear_tid = word;
}

/* The arguments and the environment as the kernel passed them: after the number of arguments; a
 * NULL ends each list. */
static char **arguments(void)
{
    extern void *__libc_stack_end;
    return (char **)((uint64_t *)__libc_stack_end + 1);
}

static char **environment(void)
{
    extern void *__libc_stack_end;
    return arguments() + *(uint64_t *)__libc_stack_end + 1;
}

void pf_direct_start(void)
{
    if (!pf_directed())
        return;
    pf_nest();
    pf_virtual_init();
    pf_context_init((int32_t)pf_direct.pid);
    name_main();
    pf_sched_init(pf_channel_get()->schedule);
    pf_memory_model_init();
    pf_trace_listen();
    pf_fuzz_policy_listen();
    pf_behaviour_listen();
    pf_memory_model_listen();
    /* Also without a trace, so that the heap is the same in all runs: libc allocates here, perhaps
     * with the program's malloc. */
    pf_library_init();
    if (pf_direct.tracing)
        pf_reach_read_config();
    pf_syscall_init();
    pf_environment_init(environment());
    pf_served_init();
    pf_symbolic_init(arguments(), environment());
    pf_orphan_init();
    pf_trap_arm();
    pf_unnest();
}

void pf_direct_end(void)
{
    if (!pf_directed())
        return;
    pf_breakpoint_run_ends();
    pf_checkpoint_wait_all();
    pf_sched_close();
    pf_ring_flush();
    if (pf_direct.exploring && !pf_rewind_on)
        pf_hot_pages_learn();
}

void pf_direct_options(void)
{
    struct pf_channel *c = pf_channel_get();
    if (!c)
        return;
    if (c->findings[0])
        pf_options.log_dir = c->findings;
    pf_options.quiet |= c->quiet;
}

void pf_direct_unavailable(void)
{
    if (!pf_directed())
        return;
    pf_channel_get()->unwatched = true;
    leave(2);
}

void pf_direct_child(void)
{
    pf_direct.mode = PF_DIRECT_OFF;
    pf_direct.tracing = pf_direct.watching = pf_direct.fuzzing = false;
    pf_direct.memory = PF_MEMORY_SC;
    pf_hooks.mode_changed();
    pf_spin_yield_child();
    pf_environment_child();
    pf_channel_detach();
}
