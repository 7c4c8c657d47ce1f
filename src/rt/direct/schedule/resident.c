/*
 * resident.c - see resident.h. One request at a time: for parallel runs there are several resident
 * processes, each on a core of its own.
 */
#include "resident.h"
#include "checkpoint.h"
#include "fnv.h"
#include "orphan.h"
#include "pinned_answers.h"
#include "rewind.h"
#include "schedule_plan.h"
#include "scheduler.h"
#include "shared_state.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"
#include "tracer.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

/* --- calls that are not explored --- */

enum explored_kind { EVENTS = 1, REACHES, ORDERED };
static const struct {
    const char *name;
    enum explored_kind kind;
} explored[] = {
#define PF_EXPLORED(name, kind) {name, kind},
#include "pf_explored.def"
#undef PF_EXPLORED
};
#define NAMES (sizeof explored / sizeof *explored)
#define SLOTS 2048u
static uint16_t by_name[SLOTS]; /* 1 + index into `explored`; 0: free */
_Static_assert(NAMES < SLOTS / 2, "a hash table with room");

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* The slot of a name, which may be free. */
static uint16_t *slot_of(const char *name)
{
    uint64_t i = pf_fnv_text(PF_FNV_START, name);
    while (by_name[i % SLOTS] && !same_text(explored[by_name[i % SLOTS] - 1].name, name))
        i++;
    return &by_name[i % SLOTS];
}

static void fill_slots(void)
{
    for (uint16_t i = 0; i < NAMES; i++)
        *slot_of(explored[i].name) = i + 1;
}

/* Writes an event for the call: a read of memory that never changes. Exploration orders such calls,
 * and must know where they happened. */
static void trace_call(const struct pf_func *native)
{
    struct pf_trace_record e = {.kind = PF_EV_READ, .what = (uint64_t)native, .more = 1};
    pf_nest();
    pf_stack_push((struct pf_func *)(uintptr_t)native);
    e.site = pf_stack_id(__pf_tls.thread, PF_NATIVE_CALL);
    e.flags = PF_EF_UNKNOWN;
    pf_trace_event(&e);
    pf_stack_pop();
    pf_unnest();
}

void pf_resident_note_call(const struct pf_func *native)
{
    static const struct pf_func *known[256]; /* by address: functions that need no note */
    struct pf_channel *c = pf_channel_get();
    pf_local_state_note((uint64_t)native);
    const struct pf_func **slot = &known[(uint64_t)native / sizeof *native % 256];
    if (!c || *slot == native || pf_contexts() < 2)
        return;
    const char *name = pf_rel_str(&native->name);
    uint16_t found = name ? *slot_of(name) : 0;
    if (found && explored[found - 1].kind == ORDERED) {
        trace_call(native);
        return;
    }
    *slot = native;
    if (name && !found)
        pf_resident_note_name(name);
}

void pf_resident_note_name(const char *name)
{
    struct pf_channel *c = pf_channel_get();
    for (uint32_t i = 0; c && i < c->nunexplored; i++)
        if (same_text(c->unexplored[i], name))
            return;
    if (!c || c->nunexplored == PF_UNEXPLORED_MAX)
        return;
    char *to = c->unexplored[c->nunexplored++];
    for (size_t n = 0; n < sizeof c->unexplored[0]; n++)
        to[n] = 0;
    for (size_t n = 0; name[n] && n < sizeof c->unexplored[0] - 1; n++)
        to[n] = name[n];
}

void pf_resident_note_weak(void)
{
    if (pf_channel_get())
        pf_channel_get()->not_seq_cst = true;
}

void pf_resident_note_early_limit(bool far)
{
    pf_direct.limit_passed_early = true;
    if (pf_channel_get()) {
        pf_channel_get()->limit_passed_early = true;
        pf_channel_get()->far_limit_passed |= far;
    }
}

/* --- requests --- */

static _Noreturn void leave(void)
{
    pf_sched_abandon();
    pf_direct_end();
    pf_channel_set_outcome(PF_OUTCOME_STOPPED, "");
    for (;;)
        pf_sys(SYS_exit_group, 0);
}

static uint32_t parent; /* pf, or the first resident process */

/* Waits until *word differs from `old`. Returns false if the parent has died. */
static bool wait_for_change(const uint32_t *word, uint32_t old)
{
    const struct timespec look = {0, 200000000};
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == old) {
        pf_sys(SYS_futex, word, FUTEX_WAIT, old, &look);
        if ((uint32_t)pf_sys(SYS_getppid) != parent)
            return false;
    }
    return true;
}

/* Makes the other resident processes. Returns the number of this one, from 0. */
static uint32_t split(const struct pf_channel *c)
{
    uint32_t first = (uint32_t)pf_sys(SYS_getpid);
    for (uint32_t i = 1; i < c->resident.jobs; i++) {
        long pid = pf_checkpoint();
        if (pid < 0)
            pf_direct_refuse("cannot copy the process for parallel runs (is there a limit on "
                             "processes?)");
        if (pid)
            continue;
        pf_checkpoint_choose_core(c, i);
        parent = first;
        return i;
    }
    return 0;
}

#define FILES_HINT " (is there a limit on open files?)"

static const struct pf_schedule_plan_step *map_plan(const char *path)
{
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), at = -1;
    if (fd >= 0)
        at = pf_sys(SYS_mmap, NULL, PF_RESIDENT_STEPS * sizeof(struct pf_schedule_plan_step),
                    PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    return pf_sys_failed(at) ? NULL : (const struct pf_schedule_plan_step *)at;
}

/* In the copy, which may make several runs: files of its own, and a plan for each run. */
static void start_copy(const struct pf_schedule_plan_step *plan)
{
    pf_continuation_isolate();
    pf_direct.exploring = pf_direct.noting = true;
    pf_rewind_begin();
    pf_channel_get()->exploring = true;
    pf_sched_policy(pf_channel_get()->schedule);
    pf_schedule_plan_follow(plan, pf_channel_get()->resident.steps);
}

/* Waits for requests. Returns in each copy; in the resident process when pf has died. */
static bool serve(const struct pf_schedule_plan_step *plan)
{
    struct pf_resident *r = &pf_channel_get()->resident;
    while (wait_for_change(&r->asked, r->ended)) {
        int status = 0;
        r->taken = r->ended + 1;
        r->copies++;
        long pid = pf_checkpoint();
        if (pid == 0) {
            start_copy(plan);
            return true;
        }
        if (pid < 0)
            pf_direct_refuse(
                "cannot copy the process for a checkpoint (is there a limit on processes?)");
        __atomic_store_n(&r->pid, (int32_t)pid, __ATOMIC_RELEASE);
        while (pf_sys(SYS_wait4, pid, &status, __WALL, NULL) != pid)
            ;
        __atomic_store_n(&r->pid, 0, __ATOMIC_RELEASE);
        if (r->taken == r->ended)
            continue; /* it has ended between two runs */
        r->wait = status;
        r->used_up = !pf_shared_state_restore();
        __atomic_fetch_add(&r->ended, 1, __ATOMIC_SEQ_CST);
        pf_sys(SYS_futex, &r->ended, FUTEX_WAKE, 1);
    }
    return false;
}

void pf_resident_serve(void)
{
    struct pf_channel *c = pf_channel_get();
    struct pf_resident *r = &c->resident;
    char lane[sizeof r->lane[0]], plan[sizeof r->plan[0]];
    parent = c->pf;
    /* Nothing of the recording is to be saved. It may wait for a copy, which may run for ever. */
    pf_orphan_die_with(parent);
    fill_slots();
    pf_continuation_prepare();
    pf_shared_state_save();
    pf_rewind_prepare();
    /* copies that run at the same time must not share anything */
    r->jobs = c->jobs < 1 || pf_continuation_shares_inside() ? 1 : c->jobs;
    __atomic_store_n(&r->ready, 1, __ATOMIC_RELEASE);
    pf_sys(SYS_futex, &r->ready, FUTEX_WAKE, 1);
    if (!wait_for_change(&r->go, 0))
        leave();
    uint32_t number = split(c);
    pf_copy(lane, r->lane[number], sizeof lane);
    pf_copy(plan, r->plan[number], sizeof plan);
    if (!pf_pins_map(r->answers))
        pf_direct_refuse("cannot map the answers of the outside world" FILES_HINT);
    if (!pf_channel_move(lane)) /* c is the lane from now on */
        pf_direct_refuse("cannot map the channel of a copy" FILES_HINT);
    c->pf = (uint32_t)pf_sys(SYS_getpid); /* this process plays the part of pf for its copies */
    const struct pf_schedule_plan_step *steps = map_plan(plan);
    if (!steps)
        pf_direct_refuse("cannot map the plan of a copy" FILES_HINT);
    if (!serve(steps))
        leave();
}
