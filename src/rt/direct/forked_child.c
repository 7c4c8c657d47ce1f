/*
 * forked_child.c - see forked_child.h.
 */
#define _GNU_SOURCE
#include "forked_child.h"
#include "breakpoint.h"
#include "child_log.h"
#include "fuzz_policy.h"
#include "number_text.h"
#include "schedule_plan.h"
#include "scheduler.h"
#include "signals.h"
#include "spin_yield.h"
#include "stream_ring.h"
#include "sys.h"
#include "tracer.h"

static uint32_t forks; /* of this process */
static uint32_t depth; /* how many numbers of the followed path lead to this process */
static bool aside; /* the followed process has been forked, and this is not it */

/* --- before the fork --- */

static bool reserve_entry(struct pf_channel *c, struct pf_fork *f)
{
    f->entry = __atomic_fetch_add(&c->nforked, 1, __ATOMIC_RELAXED);
    if (f->entry >= PF_FORKED_MAX)
        return false;
    struct pf_forked *k = &c->forked[f->entry];
    k->parent = pf_forked_self ? (uint32_t)(pf_forked_self - c->forked) + 1 : 0;
    k->number = f->number;
    return true;
}

struct pf_fork pf_fork_prepare(void)
{
    struct pf_channel *c = pf_channel_get();
    struct pf_fork f = {.how = PF_FORK_UNRECORDED, .number = ++forks};
    if (pf_continuation_self() || aside)
        return f;
    if (depth < c->npath && c->path[depth] == f.number)
        f.how = PF_FORK_FOLLOWED;
    else if (!c->npath && c->record_forked)
        f.how = PF_FORK_RECORDED;
    if (f.how != PF_FORK_UNRECORDED && !reserve_entry(c, &f))
        f.how = PF_FORK_UNRECORDED;
    if (f.how != PF_FORK_UNRECORDED)
        pf_child_log_mark();
    return f;
}

/* --- in the child --- */

/* The threads and the state of the kernel that a forked process does not inherit. While recording
 * and in a replay. */
static void become_child(long number, const long argument[6], int64_t pid)
{
    pf_trace_process_forked();
    pf_direct.pid = pid;
    pf_context_forked(number, argument, (int32_t)pid);
    pf_sched_forked();
    pf_fuzz_policy_forked();
    pf_breakpoint_forked();
    pf_signal_forked();
}

static void forget_requests(void)
{
    pf_schedule_plan_clear();
    pf_breakpoint_forget();
}

/* FILE.pieces-N */
static void pieces_path(char *to, const char *end, const struct pf_channel *c, uint32_t entry)
{
    const char *parts[] = {c->file, PF_FORKED_PIECES,
                           pf_number_format(&(struct pf_number_text){0}, entry)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (const char *s = parts[i]; *s && to < end; s++)
            *to++ = *s;
    *to = 0;
}

/* Continues the recording in this process. */
static bool record_here(struct pf_channel *c, const struct pf_fork *f)
{
    char path[sizeof c->file + 32];
    if (f->how == PF_FORK_FOLLOWED) {
        if (++depth == c->npath)
            c->followed = f->entry + 1;
        return true;
    }
    pieces_path(path, path + sizeof path - 1, c, f->entry);
    if (!pf_child_log_open(path))
        return false;
    forget_requests();
    return true;
}

bool pf_fork_in_child(const struct pf_fork *f, long number, const long argument[6])
{
    struct pf_channel *c = pf_channel_get();
    int64_t pid = pf_sys(SYS_getpid);
    if (f->how == PF_FORK_UNRECORDED || !record_here(c, f))
        return false;
    forks = 0;
    pf_forked_self = &c->forked[f->entry];
    pf_forked_self->pid = (uint32_t)pid;
    pf_forked_self->attached = 1;
    pf_trap_arm();
    pf_spin_yield_arm();
    pf_input_put(PF_INPUT_CALL, number, 0, &pid, sizeof pid);
    become_child(number, argument, pid);
    pf_signal_mask_to_kernel(true);
    return true;
}

void pf_fork_replay_child(const struct pf_input *in, long number, const long argument[6])
{
    int64_t pid;
    pf_input_copy(in, &pid, sizeof pid);
    become_child(number, argument, pid);
}

/* --- in the parent --- */

void pf_fork_in_parent(const struct pf_fork *f, long pid)
{
    struct pf_channel *c = pf_channel_get();
    if (f->how == PF_FORK_UNRECORDED || pid < 0)
        return;
    c->forked[f->entry].pid = (uint32_t)pid;
    if (f->how != PF_FORK_FOLLOWED)
        return;
    aside = true;
    forget_requests();
    pf_child_log_drop();
}

static _Noreturn void leave(void)
{
    for (;;)
        pf_sys(SYS_exit_group, 0);
}

void pf_forked_child_reaped(long pid, int wait)
{
    struct pf_channel *c = pf_channel_get();
    uint32_t n = c->nforked < PF_FORKED_MAX ? c->nforked : PF_FORKED_MAX;
    while (n-- > 0) /* the newest first: the kernel reuses process ids */
        if (c->forked[n].pid == (uint32_t)pid) {
            c->forked[n].wait = wait;
            c->forked[n].ended = 1;
            break;
        }
    if (aside && c->followed && c->forked[c->followed - 1].ended)
        leave();
}

/* --- the life of the child --- */

void pf_forked_child_creates_thread(void)
{
    if (pf_forked_self && pf_direct.mode == PF_DIRECT_RECORD)
        pf_forked_self->threads++;
}

void pf_forked_child_executes(bool other)
{
    if (pf_forked_self)
        pf_forked_self->executed = other;
}

void pf_forked_child_ends(int wait)
{
    if (!pf_forked_self || pf_direct.mode != PF_DIRECT_RECORD || pf_continuation_self())
        return;
    pf_forked_self->wait = wait;
    pf_forked_self->ended = 1;
}
