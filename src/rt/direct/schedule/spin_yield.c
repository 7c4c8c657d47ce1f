/*
 * spin_yield.c - see spin_yield.h. How a loop is classified is in spin_loop.c; here are the tick,
 * the breakpoints and the single-stepping.
 */
#define _GNU_SOURCE
#include "spin_yield.h"
#include "materialise.h"
#include "memory_hash.h"
#include "module.h"
#include "orphan.h"
#include "schedule_stream.h"
#include "section_bounds.h"
#include "signals.h"
#include "spin_loop.h"
#include "stream_ring.h"
#include "sys.h"
#include "textbuf.h"
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <time.h>

#define TICK_NS 4000000 /* processor time; kernels round it up */
#define TICK_MARK 0x7066746963 /* "pftic", in the signals of our timer */
#define TRAP_FLAG 0x100
#define BREAKPOINT 0xcc /* int3 */

/* What happens after this number of ticks without a visible operation. Foreign code is code without
 * events. */
#define FIRST_CHECK 2 /* foreign code is checked for a spin loop */
#define FIRST_CHECK_INSTRUMENTED 8 /* instrumented code is checked */
#define FORCE_SIGNAL 8 /* a fatal signal is forced into foreign code */
#define FORCE_SIGNAL_OWN 32 /* and into code that may be the runtime's */
#define WARN_USER 2500 /* 10 s: the user is warned */
/* The same while a thread is held and no other thread can run: a loop that counts is taken to wait
 * for the held thread. After WARN_USER ticks every loop is taken to wait for it. */
#define HELD_CHECK 64
/* In a replay: how often the breakpoint is reached at the recorded stack depth before an iteration
 * is compared with the recorded one, because the first iterations may differ. The recorded loop
 * made more iterations than this within a tick. */
#define WARM_UP 100
#define PASSES_MAX 100000
#define COMPARE_STEPS 128
#define ALONE_ITERATIONS 20000 /* takes a fraction of a second */

enum phase {
    IDLE,
    COLLECT, /* recording: collects states to classify the loop */
    APPROACH, /* recording: it is a spin loop; continues to the breakpoint address */
    MEASURE, /* recording: iterates from there to find out what changes in memory */
    ITERATION, /* recording and replay: one iteration whose hash is compared */
};
static struct {
    uint64_t stamp; /* pf_sched_progress at the last tick */
    uint64_t ticks, check_at; /* ticks without progress; number of ticks at which to check next */
    bool warned;
    uint8_t phase;
    enum pf_spin_loop_kind loop;
    bool alone; /* no other thread can ever run */
    struct pf_spin_record record; /* the record to write, or the expected one */
    bool expected;
    uint32_t passes; /* times the breakpoint was reached since the last event of the segment */
    uint32_t at_depth; /* of these, at the expected stack depth */
    uint64_t steps, hash; /* instructions so far; hash of the iteration so far */
    struct pf_cpu_state base; /* the state at its start */
    uint64_t compared_at; /* value of `steps` at the last memory comparison */
    uint64_t stepping_over; /* address of the breakpoint being stepped over; 0: none */
    uint64_t alone_iterations, alone_stamp; /* of a spin loop with no thread to yield to */
    uint64_t memory; /* pf_memory_hash before the last iteration, if the thread is alone */
    uint64_t lo, hi; /* bounds of an object known to be foreign */
} spin;

/* --- breakpoints --- */

#define BREAKPOINTS 64 /* in spin loops of the target */
static struct {
    uint64_t at;
    uint8_t byte; /* the original byte */
    bool yields; /* otherwise it is only for an expected yield */
    bool repeats; /* an iteration changes nothing */
} breakpoints[BREAKPOINTS];
uint32_t pf_spin_yield_breakpoints; /* how many there are; read by gdb.py */

static int breakpoint_at(uint64_t at)
{
    for (uint32_t i = 0; i < pf_spin_yield_breakpoints; i++)
        if (breakpoints[i].at == at)
            return (int)i;
    return -1;
}

static void put_byte(uint64_t at, uint8_t byte) { *(volatile uint8_t *)at = byte; }

/* Tells a debugger that a breakpoint of ours follows: gdb.py sets a breakpoint here. */
__attribute__((noinline, used)) void pf_spin_yield_breakpoint_set(void) { __asm__ volatile(""); }

/* Sets a breakpoint. Returns false if that is impossible. */
static bool set_breakpoint(uint64_t at, bool yields)
{
    int i = breakpoint_at(at);
    if (i < 0) {
        uint64_t page = pf_page_down(at);
        if (pf_spin_yield_breakpoints == BREAKPOINTS ||
            pf_sys(SYS_mprotect, page, PF_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
            return false;
        i = (int)pf_spin_yield_breakpoints++;
        breakpoints[i].at = at;
        breakpoints[i].byte = *(volatile uint8_t *)at;
        breakpoints[i].yields = breakpoints[i].repeats = false;
        if (pf_materialised)
            pf_spin_yield_breakpoint_set();
        put_byte(at, BREAKPOINT);
    }
    breakpoints[i].yields |= yields;
    return true;
}

void pf_spin_yield_child(void)
{
    for (uint32_t i = 0; i < pf_spin_yield_breakpoints; i++)
        if (*(volatile uint8_t *)breakpoints[i].at == BREAKPOINT)
            put_byte(breakpoints[i].at, breakpoints[i].byte);
    pf_spin_yield_breakpoints = 0;
}

/* --- position of the thread --- */

extern char pf_yield_here[];

/* True if the code belongs to an object that contains neither events nor the runtime. */
static bool is_foreign(uint64_t rip)
{
    struct dl_find_object o;
    if (rip >= spin.lo && rip < spin.hi)
        return true;
    if (_dl_find_object((void *)rip, &o) != 0)
        return false;
    uint64_t lo = (uint64_t)o.dlfo_map_start, hi = (uint64_t)o.dlfo_map_end;
    uint64_t own = (uint64_t)is_foreign;
    if ((own >= lo && own < hi) || pf_module_within(lo, hi))
        return false;
    spin.lo = lo;
    spin.hi = hi;
    return true;
}

/* True if a thread may yield here. Instrumented code is included: a loop without events for a while
 * may be inline assembly, and no state of the runtime is in registers there (emit_event.c). */
static bool may_yield_at(uint64_t rip)
{
    struct dl_find_object o;
    if (is_foreign(rip))
        return true;
    return (rip < (uint64_t)__start_pf_text || rip >= (uint64_t)__stop_pf_text) &&
           !__pf_tls.nested && !pf_context_self()->trap && _dl_find_object((void *)rip, &o) == 0;
}

static void stop_stepping(ucontext_t *u)
{
    spin.phase = IDLE;
    u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

void pf_spin_yield_at(ucontext_t *u)
{
    greg_t *g = u->uc_mcontext.gregs;
    uint64_t *sp = (uint64_t *)((uint64_t)g[REG_RSP] - PF_STACK_RED_ZONE) - 1;
    *sp = (uint64_t)g[REG_RIP];
    g[REG_RSP] = (greg_t)sp;
    g[REG_RIP] = (greg_t)pf_yield_here;
}

/* --- recording --- */

static void begin(enum phase phase)
{
    spin.phase = phase;
    spin.steps = 0;
    spin.hash = 0;
    spin.compared_at = 0;
}

/* True if memory has the hash in spin.memory, or if the hash does not matter because the loop
 * waits for a held thread. Sets spin.memory. */
static bool memory_is_same(void)
{
    uint64_t before = spin.memory;
    spin.memory = pf_memory_hash();
    return pf_sched_holds_any() || (before && before == spin.memory);
}

static void yield_recorded(ucontext_t *u)
{
    spin.ticks = 0;
    pf_schedule_put_spin(&spin.record);
    if (spin.alone && memory_is_same())
        pf_sched_spins_alone();
    pf_spin_yield_at(u);
}

static void classify(ucontext_t *u)
{
    spin.loop = pf_spin_loop_classify(
        &spin.record, spin.alone && (spin.ticks < HELD_CHECK || !pf_sched_holds_any()));
    if (spin.loop == PF_SPIN_LOOP_NONE)
        stop_stepping(u);
    else
        begin(APPROACH);
}

/* --- single-stepping --- */

static bool replays_spin(void) { return spin.expected && pf_sched_must_yield_here(); }

/* One or more iterations are done: finds the words that changed. Compares more than once, because
 * values may return to what they were. */
static void measure(const struct pf_cpu_state *now, ucontext_t *u)
{
    if (spin.steps < spin.compared_at + COMPARE_STEPS)
        return;
    spin.compared_at = spin.steps;
    if (pf_signal_arrived() || !pf_spin_loop_changed_words(&spin.record) ||
        (spin.loop == PF_SPIN_LOOP_REPEATS && spin.record.word[0].at)) {
        stop_stepping(u); /* the loop does something */
        return;
    }
    if (spin.steps > PF_SPIN_LOOP_STEPS / 2) {
        pf_spin_loop_note(now, &spin.record);
        spin.base = *now;
        begin(ITERATION);
    }
}

/* The iteration is complete: back at the breakpoint address. */
static void end_iteration(ucontext_t *u)
{
    stop_stepping(u);
    if (!spin.expected) {
        spin.record.steps = spin.steps;
        spin.record.hash = spin.hash;
        if (set_breakpoint(spin.record.at, true)) {
            breakpoints[breakpoint_at(spin.record.at)].repeats = spin.loop == PF_SPIN_LOOP_REPEATS;
            yield_recorded(u);
        }
        return;
    }
    spin.expected = false;
    if (spin.steps != spin.record.steps || spin.hash != spin.record.hash)
        pf_diverged("the hash of an iteration of a spin loop", spin.record.hash, spin.hash);
    set_breakpoint(spin.record.at, true);
    pf_spin_yield_at(u);
}

/* Called after each instruction. */
static void step(ucontext_t *u)
{
    struct pf_cpu_state now;
    pf_cpu_state_take(&now, u);
    if (spin.stepping_over) {
        put_byte(spin.stepping_over, BREAKPOINT);
        spin.stepping_over = 0;
    }
    spin.steps++;
    if (spin.phase == IDLE || spin.steps > PF_SPIN_LOOP_STEPS ||
        pf_sched_progress() != spin.stamp || !may_yield_at(now.rip)) {
        stop_stepping(u);
        return;
    }
    bool at_breakpoint = now.rip == spin.record.at;
    switch (spin.phase) {
    case COLLECT:
        if (pf_spin_loop_add(&now))
            classify(u);
        break;
    case APPROACH:
        if (at_breakpoint) {
            pf_spin_loop_snapshot(&now);
            spin.memory = spin.alone ? pf_memory_hash() : 0;
            begin(MEASURE);
        }
        break;
    case MEASURE:
        if (at_breakpoint)
            measure(&now, u);
        break;
    default:
        spin.hash = pf_cpu_state_mix(spin.hash, &now, &spin.base, &spin.record);
        if (at_breakpoint)
            end_iteration(u);
    }
}

/* Executes the original instruction of breakpoint i. */
static void step_over(ucontext_t *u, int i)
{
    put_byte(breakpoints[i].at, breakpoints[i].byte);
    spin.stepping_over = breakpoints[i].at;
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* Another iteration of a spin loop with no thread to yield to: true if that can never change. */
static bool spins_for_ever(int i)
{
    uint64_t stamp = pf_sched_progress();
    spin.alone_iterations = stamp == spin.alone_stamp ? spin.alone_iterations + 1 : 0;
    spin.alone_stamp = stamp;
    if (spin.alone_iterations < ALONE_ITERATIONS || pf_sched_follows_recording() ||
        !pf_signal_none_handled() || !(breakpoints[i].repeats || pf_sched_holds_any()))
        return false;
    bool same = memory_is_same();
    if (!same && spin.alone_iterations > ALONE_ITERATIONS)
        spin.alone_iterations = 0;
    return same && spin.alone_iterations > ALONE_ITERATIONS;
}

/* A thread has reached breakpoint i. A breakpoint that `yields` makes it yield, and lets it pass
 * when it returns. One that is expected in a replay waits for the recorded iteration. */
static void reached(ucontext_t *u, int i)
{
    struct pf_context *c = pf_context_self();
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)breakpoints[i].at;
    if (breakpoints[i].yields) {
        spin.ticks = 0;
        if (!c->spin_yielded && !pf_sched_would_yield() && spins_for_ever(i))
            pf_sched_spins_alone();
        if (c->spin_yielded || !pf_sched_would_yield()) {
            c->spin_yielded = false;
            step_over(u, i);
        } else {
            c->spin_yielded = true; /* and returns to this breakpoint */
            c->spin_address = breakpoints[i].at;
            pf_spin_yield_at(u);
        }
        return;
    }
    if (replays_spin() && breakpoints[i].at == spin.record.at && spin.phase == IDLE) {
        struct pf_cpu_state now;
        pf_cpu_state_take(&now, u);
        if (!spin.record.constant) {
            spin.expected = false;
            pf_spin_yield_at(u);
            c->spin_yielded = false;
            put_byte(breakpoints[i].at, breakpoints[i].byte);
            breakpoints[i] = breakpoints[--pf_spin_yield_breakpoints];
            return;
        }
        if (++spin.passes > PASSES_MAX)
            pf_diverged("the number of times a spin loop reached its breakpoint", 1, 0);
        if (pf_cpu_state_same_depth(&now, &spin.record) && ++spin.at_depth > WARM_UP) {
            spin.stamp = pf_sched_progress();
            pf_cpu_state_restore(&spin.record, u);
            pf_cpu_state_take(&spin.base, u);
            begin(ITERATION);
        }
    }
    step_over(u, i);
}

bool pf_spin_yield_trap(ucontext_t *u)
{
    const greg_t *g = u->uc_mcontext.gregs;
    if (g[REG_EFL] & TRAP_FLAG) {
        if (!spin.stepping_over && spin.phase == IDLE)
            return false;
        step(u);
        return true;
    }
    int i = breakpoint_at((uint64_t)g[REG_RIP] - 1);
    if (i < 0)
        return false;
    reached(u, i);
    return true;
}

void pf_spin_yield_expect(const struct pf_spin_record *how)
{
    int i = breakpoint_at(how->at);
    if (i >= 0 && breakpoints[i].yields)
        return; /* the breakpoint makes it yield anyway */
    spin.record = *how;
    spin.at_depth = 0;
    spin.passes = 0;
    spin.expected = set_breakpoint(how->at, false);
    if (!spin.expected)
        pf_diverged("the code of a spin loop at an address", how->at, 0);
}

/* --- the tick --- */

static void warn_user(uint64_t rip)
{
    struct dl_find_object o;
    char text[200] =
        "a thread has run for 10 s without an event or a system call, and the others wait; "
        "it runs in ";
    size_t n = pf_str_len(text);
    const char *name = _dl_find_object((void *)rip, &o) == 0 ? o.dlfo_link_map->l_name : "";
    name = *name ? pf_str_base(name) : "the program";
    while (*name && n + 1 < sizeof text)
        text[n++] = *name++;
    text[n] = 0;
    pf_direct_say(text);
    spin.warned = true;
}

/* A thread seems to wait for one that is held: it yields, so that the held one is released or the
 * flip is reported as infeasible. */
static bool waits_for_held(ucontext_t *u)
{
    uint64_t rip = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    if (spin.ticks < WARN_USER || !pf_sched_is_alone() || !pf_sched_holds_any() ||
        !may_yield_at(rip))
        return false;
    spin.alone = true;
    spin.record = (struct pf_spin_record){.at = rip};
    yield_recorded(u);
    return true;
}

/* A fatal signal is pending, and the thread does not reach a point where it would be taken. */
static bool forces_signal(ucontext_t *u)
{
    bool foreign = is_foreign((uint64_t)u->uc_mcontext.gregs[REG_RIP]);
    bool inside = __pf_tls.nested || pf_context_self()->trap;
    if (!pf_kernel_has_fatal_signal() || spin.ticks < (foreign ? FORCE_SIGNAL : FORCE_SIGNAL_OWN) ||
        (!foreign && inside))
        return false;
    spin.record = (struct pf_spin_record){.at = (uint64_t)u->uc_mcontext.gregs[REG_RIP]};
    yield_recorded(u);
    return true;
}

static void tick(ucontext_t *u)
{
    uint64_t stamp = pf_sched_progress(), rip = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    if (stamp != spin.stamp) {
        spin.stamp = stamp;
        spin.ticks = 0;
        spin.check_at = FIRST_CHECK;
        return;
    }
    spin.ticks++;
    if (spin.ticks == 1)
        spin.check_at = FIRST_CHECK;
    if (spin.phase != IDLE || pf_materialised || pf_sched_follows_recording() || forces_signal(u) ||
        waits_for_held(u))
        return;
    if (spin.ticks == WARN_USER && !spin.warned && !pf_sched_is_alone())
        warn_user(rip);
    if (spin.ticks < spin.check_at || !may_yield_at(rip) ||
        (spin.ticks < FIRST_CHECK_INSTRUMENTED && !is_foreign(rip)))
        return;
    spin.check_at = spin.ticks * 4;
    spin.alone = pf_sched_is_alone();
    if (spin.alone && !pf_signal_none_handled())
        return;
    begin(COLLECT);
    pf_spin_loop_begin();
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

bool pf_spin_yield_tick(const siginfo_t *info, ucontext_t *u)
{
    if (info->si_code != SI_TIMER || (uint64_t)info->si_value.sival_ptr != TICK_MARK)
        return false;
    tick(u);
    return true;
}

void pf_spin_yield_arm(void)
{
    struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID,
                         .sigev_signo = PF_ORPHAN_SIGNAL,
                         .sigev_value.sival_ptr = (void *)TICK_MARK};
    struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
    int timer;
    e._sigev_un._tid = (pid_t)pf_sys(SYS_gettid);
    if (pf_sys(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &e, &timer) == 0)
        pf_sys(SYS_timer_settime, timer, 0, &every, NULL);
}
