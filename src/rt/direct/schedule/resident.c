/*
 * resident.c - see resident.h. One request at a time: several resident targets run in parallel
 * instead, each on a core of its own.
 */
#include "resident.h"
#include "checkpoint.h"
#include "fnv.h"
#include "pinned_answers.h"
#include "schedule_plan.h"
#include "scheduler.h"
#include "shared_state.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"
#include "tracer.h"
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

/* --- calls that are not explored --- */

enum explored_kind { EVENTS = 1, ORDERED };
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

/* An event of the call, which reads nothing that changes. Exploration orders such calls, and must
 * know where they happened. */
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
    if (!name || found)
        return;
    for (uint32_t i = 0; i < c->nunexplored; i++)
        if (same_text(c->unexplored[i], name))
            return;
    if (c->nunexplored == PF_UNEXPLORED_MAX)
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

/* --- requests --- */

static _Noreturn void leave(void)
{
    pf_sched_abandon();
    pf_direct_end();
    pf_channel_set_outcome(PF_OUTCOME_STOPPED, "");
    for (;;)
        pf_sys(SYS_exit_group, 0);
}

/* Waits for the next request. Returns false if there will be none. */
static bool wait_for_request(struct pf_resident *r)
{
    const struct timespec look = {0, 200000000};
    for (;;) {
        uint32_t asked = __atomic_load_n(&r->asked, __ATOMIC_ACQUIRE);
        if (asked == PF_RESIDENT_LEAVE)
            return false;
        if (asked != r->ended)
            return true;
        pf_sys(SYS_futex, &r->asked, FUTEX_WAIT, asked, &look);
        if (!pf_channel_pf_alive())
            return false;
    }
}

/* In the copy: a channel, files and a plan of its own. */
static void start_copy(const struct pf_resident *resident)
{
    struct pf_resident r = *resident;
    uint32_t parent = pf_channel_get()->owner;
    pf_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    pf_continuation_isolate();
    if (!pf_channel_move(r.lane))
        pf_sys(SYS_exit_group, 2);
    pf_channel_get()->pf = parent; /* the resident process plays the part of pf */
    pf_channel_get()->exploring = pf_direct.exploring = true;
    pf_sched_policy(pf_channel_get()->schedule);
    pf_schedule_plan_load(r.plan);
}

void pf_resident_serve(void)
{
    struct pf_resident *r = &pf_channel_get()->resident;
    fill_slots();
    pf_continuation_prepare();
    pf_shared_state_save();
    __atomic_store_n(&r->ready, 1, __ATOMIC_RELEASE);
    pf_sys(SYS_futex, &r->ready, FUTEX_WAKE, 1);
    while (wait_for_request(r)) {
        int status = 0;
        if (!r->ended && !pf_pins_map(r->answers)) /* the first request */
            pf_direct_refuse("cannot map the answers of the outside world");
        long pid = pf_checkpoint();
        if (pid == 0) {
            start_copy(r);
            return;
        }
        if (pid < 0)
            pf_direct_refuse(
                "cannot copy the process for a checkpoint (is there a limit on processes?)");
        __atomic_store_n(&r->pid, (int32_t)pid, __ATOMIC_RELEASE);
        while (pf_sys(SYS_wait4, pid, &status, __WALL, NULL) != pid)
            ;
        __atomic_store_n(&r->pid, 0, __ATOMIC_RELEASE);
        r->wait = status;
        r->used_up = !pf_shared_state_restore();
        __atomic_fetch_add(&r->ended, 1, __ATOMIC_SEQ_CST);
        pf_sys(SYS_futex, &r->ended, FUTEX_WAKE, 1);
    }
    leave();
}
