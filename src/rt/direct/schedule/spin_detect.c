#define _GNU_SOURCE
#include "spin_detect.h"
#include "materialise.h"
#include "module.h"
#include "orphan.h"
#include "schedule_stream.h"
#include "signals.h"
#include "spin_loop.h"
#include "stream_ring.h"
#include "sys.h"
#include "textbuf.h"
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <time.h>

#define TICK_NS 4000000 /* of processor time; kernels round it up */
#define MAGIC 0x70687370756e
#define RED_ZONE 128
#define TRAP_FLAG 0x100
#define BREAKPOINT 0xcc /* int3 */

/* Ticks without anything visible: before the first looks, before a signal forces its way in, in code that
 * may be the runtime's own, and before the user is told. */
#define FIRST_LOOK 2
#define SECOND_LOOK 8 /* in code with events */
#define SIGNAL_WAITS 8
#define SIGNAL_WAITS_LONG 32
#define TOLD 2500
/* The same before a loop that counts is taken to wait for a thread that we hold back, while nobody else can run. At
 * TOLD every loop is. */
#define HELD_LOOK 64
/* In a replay a loop goes round so often before it is taken to be as it was: the first rounds may differ. In
 * a tick the recorded one went round more often. */
#define SETTLED 100
#define PASSES_MAX 100000
#define ROUND_STEPS 128
#define LONELY_ROUNDS 20000 /* a fraction of a second */

enum phase {
    IDLE,
    WATCHING, /* recording: is it a loop that waits? */
    APPROACH, /* recording: it does, and goes to the point */
    ROUND, /* recording: once round from there, to see what changes in memory */
    WAY, /* recording and replay: from the point to where it gives way */
};
static struct {
    uint64_t stamp; /* what was done when the last tick came */
    uint64_t ticks, look; /* without anything done; the next look is at so many */
    bool told;
    uint8_t phase;
    enum pf_spin_loop_kind loop;
    bool alone; /* nobody else can ever run */
    struct pf_spin_record spun; /* to be written, or expected */
    bool expected;
    uint32_t passes; /* of the point, since the last event of the segment */
    uint32_t rounds; /* that it was seen to go, as expected */
    uint64_t steps, way; /* so far */
    struct pf_cpu_state base; /* at the point, before that */
    uint64_t asked; /* at so many steps: what has changed? */
    uint64_t over; /* the point whose instruction is being stepped over; 0: none */
    uint64_t lonely, lonely_stamp; /* rounds of a loop that gives way, with nobody to give way to */
    uint64_t lo, hi; /* an object that may be watched */
} k;

/* --- the points --- */

#define POINTS 64
static struct {
    uint64_t at;
    uint8_t byte; /* that was there */
    bool gives_way; /* else it is only expected */
    bool repeats; /* a round changes nothing */
} points[POINTS];
uint32_t pf_spin_detect_breakpoints; /* how many; gdb.py looks at it */

static int point_at(uint64_t at)
{
    for (uint32_t i = 0; i < pf_spin_detect_breakpoints; i++)
        if (points[i].at == at)
            return (int)i;
    return -1;
}

static void put_byte(uint64_t at, uint8_t byte) { *(volatile uint8_t *)at = byte; }

/* A debugger is told that there are traps of ours from now on: gdb.py has a breakpoint here. */
__attribute__((noinline, used)) void pf_spin_detect_planted(void) { __asm__ volatile(""); }

/* False: there cannot be one. */
static bool plant(uint64_t at, bool gives_way)
{
    int i = point_at(at);
    if (i < 0) {
        uint64_t page = at & -4096ull;
        if (pf_spin_detect_breakpoints == POINTS ||
            pf_sys(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
            return false;
        i = (int)pf_spin_detect_breakpoints++;
        points[i].at = at;
        points[i].byte = *(volatile uint8_t *)at;
        points[i].gives_way = points[i].repeats = false;
        if (pf_materialised)
            pf_spin_detect_planted();
        put_byte(at, BREAKPOINT);
    }
    points[i].gives_way |= gives_way;
    return true;
}

void pf_spin_detect_child(void)
{
    for (uint32_t i = 0; i < pf_spin_detect_breakpoints; i++)
        if (*(volatile uint8_t *)points[i].at == BREAKPOINT)
            put_byte(points[i].at, points[i].byte);
    pf_spin_detect_breakpoints = 0;
}

/* --- where the thread is --- */

extern char pf_yield_here[];

#define BOUND(name) extern char name[] __attribute__((weak, visibility("hidden")))
BOUND(__start_pf_text);
BOUND(__stop_pf_text);

/* Is this code of an object that has neither events nor the runtime in it? */
static bool is_foreign(uint64_t rip)
{
    struct dl_find_object o;
    if (rip >= k.lo && rip < k.hi)
        return true;
    if (_dl_find_object((void *)rip, &o) != 0)
        return false;
    uint64_t lo = (uint64_t)o.dlfo_map_start, hi = (uint64_t)o.dlfo_map_end;
    uint64_t own = (uint64_t)is_foreign;
    if ((own >= lo && own < hi) || pf_module_within(lo, hi))
        return false;
    k.lo = lo;
    k.hi = hi;
    return true;
}

/* May a thread give way here? In code with events too: a loop that has none for a while may be one that is written
 * in assembly, and nothing of the runtime's is kept in registers there (emit_event.c). */
static bool may_stop(uint64_t rip)
{
    struct dl_find_object o;
    if (is_foreign(rip))
        return true;
    return (rip < (uint64_t)__start_pf_text || rip >= (uint64_t)__stop_pf_text) &&
           !__pf_tls.nested && !pf_context_self()->trap && _dl_find_object((void *)rip, &o) == 0;
}

static void stop(ucontext_t *u)
{
    k.phase = IDLE;
    u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

void pf_spin_detect_yield(ucontext_t *u)
{
    greg_t *g = u->uc_mcontext.gregs;
    uint64_t *sp = (uint64_t *)((uint64_t)g[REG_RSP] - RED_ZONE) - 1;
    *sp = (uint64_t)g[REG_RIP];
    g[REG_RSP] = (greg_t)sp;
    g[REG_RIP] = (greg_t)pf_yield_here;
}

/* --- while recording --- */

static void begin(enum phase phase)
{
    k.phase = phase;
    k.steps = 0;
    k.way = 0;
    k.asked = 0;
}

static void gives_way(ucontext_t *u)
{
    k.ticks = 0;
    pf_schedule_put_spin(&k.spun);
    if (k.alone)
        pf_sched_spins_alone();
    pf_spin_detect_yield(u);
}

static void judge(ucontext_t *u)
{
    k.loop = pf_spin_loop_classify(&k.spun, k.alone && (k.ticks < HELD_LOOK || !pf_sched_holds_any()));
    if (k.loop == PF_SPIN_LOOP_NONE)
        stop(u);
    else
        begin(APPROACH);
}

/* --- following the thread --- */

static bool replays_spin(void) { return k.expected && pf_sched_must_yield_here(); }

/* It went round: what does it change? It is asked more than once, for values may come back. */
static void note(const struct pf_cpu_state *now, ucontext_t *u)
{
    if (k.steps < k.asked + ROUND_STEPS)
        return;
    k.asked = k.steps;
    if (pf_signal_arrived() || !pf_spin_loop_changed_words(&k.spun) ||
        (k.loop == PF_SPIN_LOOP_REPEATS && k.spun.word[0].at)) {
        stop(u); /* it does something */
        return;
    }
    if (k.steps > PF_SPIN_LOOP_STEPS / 2) {
        pf_spin_loop_note(now, &k.spun);
        k.base = *now;
        begin(WAY);
    }
}

/* It came round again. */
static void end_way(ucontext_t *u)
{
    stop(u);
    if (!k.expected) {
        k.spun.steps = k.steps;
        k.spun.way = k.way;
        if (plant(k.spun.at, true)) {
            points[point_at(k.spun.at)].repeats = k.loop == PF_SPIN_LOOP_REPEATS;
            gives_way(u);
        }
        return;
    }
    k.expected = false;
    if (k.steps != k.spun.steps || k.way != k.spun.way)
        pf_diverged("the round of a loop without events, as a hash", k.spun.way, k.way);
    plant(k.spun.at, true);
    pf_spin_detect_yield(u);
}

/* One instruction was done. */
static void step(ucontext_t *u)
{
    struct pf_cpu_state now;
    pf_cpu_state_take(&now, u);
    if (k.over) {
        put_byte(k.over, BREAKPOINT);
        k.over = 0;
    }
    k.steps++;
    if (k.phase == IDLE || k.steps > PF_SPIN_LOOP_STEPS || pf_sched_progress() != k.stamp ||
        !may_stop(now.rip)) {
        stop(u);
        return;
    }
    bool there = now.rip == k.spun.at;
    switch (k.phase) {
    case WATCHING:
        if (pf_spin_loop_add(&now))
            judge(u);
        break;
    case APPROACH:
        if (there) {
            pf_spin_loop_snapshot(&now);
            begin(ROUND);
        }
        break;
    case ROUND:
        if (there)
            note(&now, u);
        break;
    default:
        k.way = pf_cpu_state_mix(k.way, &now, &k.base, &k.spun);
        if (there)
            end_way(u);
    }
}

/* It goes on with the instruction that is there in truth. */
static void step_over(ucontext_t *u, int i)
{
    put_byte(points[i].at, points[i].byte);
    k.over = points[i].at;
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* One more round of a loop that gives way, and there is nobody to give way to: will that ever change? */
static bool is_hopeless(int i)
{
    uint64_t stamp = pf_sched_progress();
    k.lonely = stamp == k.lonely_stamp ? k.lonely + 1 : 0;
    k.lonely_stamp = stamp;
    return k.lonely > LONELY_ROUNDS && !pf_sched_follows_recording() && pf_signal_none_handled() &&
           (points[i].repeats || pf_sched_holds_any());
}

static void pass(ucontext_t *u, int i)
{
    struct pf_context *c = pf_context_self();
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)points[i].at;
    if (points[i].gives_way) {
        k.ticks = 0;
        if (!c->spin_yielded && !pf_sched_would_yield() && is_hopeless(i))
            pf_sched_spins_alone();
        if (c->spin_yielded || !pf_sched_would_yield()) {
            c->spin_yielded = false;
            step_over(u, i);
        } else {
            c->spin_yielded = true; /* and comes back to this point */
            c->spin_address = points[i].at;
            pf_spin_detect_yield(u);
        }
        return;
    }
    if (replays_spin() && points[i].at == k.spun.at && k.phase == IDLE) {
        struct pf_cpu_state now;
        pf_cpu_state_take(&now, u);
        if (!k.spun.same) {
            k.expected = false;
            pf_spin_detect_yield(u);
            c->spin_yielded = false;
            put_byte(points[i].at, points[i].byte);
            points[i] = points[--pf_spin_detect_breakpoints];
            return;
        }
        if (++k.passes > PASSES_MAX)
            pf_diverged("how often a loop without events came to where it gave way", 1, 0);
        if (pf_cpu_state_same_depth(&now, &k.spun) && ++k.rounds > SETTLED) {
            k.stamp = pf_sched_progress();
            pf_cpu_state_restore(&k.spun, u);
            pf_cpu_state_take(&k.base, u);
            begin(WAY);
        }
    }
    step_over(u, i);
}

bool pf_spin_detect_trap(ucontext_t *u)
{
    const greg_t *g = u->uc_mcontext.gregs;
    if (g[REG_EFL] & TRAP_FLAG) {
        if (!k.over && k.phase == IDLE)
            return false;
        step(u);
        return true;
    }
    int i = point_at((uint64_t)g[REG_RIP] - 1);
    if (i < 0)
        return false;
    pass(u, i);
    return true;
}

void pf_spin_detect_expect(const struct pf_spin_record *how)
{
    int i = point_at(how->at);
    if (i >= 0 && points[i].gives_way)
        return; /* it gives way there as always */
    k.spun = *how;
    k.rounds = 0;
    k.passes = 0;
    k.expected = plant(how->at, false);
    if (!k.expected)
        pf_diverged("code that a thread spun in, at an address", how->at, 0);
}

/* --- the tick --- */

static void tell(uint64_t rip)
{
    struct dl_find_object o;
    char text[200] =
        "a thread has run for 10 s without an event or a system call, and the others wait; "
        "it is in ";
    size_t n = pf_str_len(text);
    const char *name = _dl_find_object((void *)rip, &o) == 0 ? o.dlfo_link_map->l_name : "";
    name = *name ? pf_str_base(name) : "the program";
    while (*name && n + 1 < sizeof text)
        text[n++] = *name++;
    text[n] = 0;
    pf_direct_say(text);
    k.told = true;
}

/* It seems to wait for a thread that we hold back: that one is let go, or what it is held for is not possible. */
static bool waits_for_held(ucontext_t *u)
{
    uint64_t rip = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    if (k.ticks < TOLD || !pf_sched_is_alone() || !pf_sched_holds_any() || !may_stop(rip))
        return false;
    k.alone = true;
    k.spun = (struct pf_spin_record){.at = rip};
    gives_way(u);
    return true;
}

/* A signal that ends the program waits, and the thread does not come to a place where it is taken. */
static bool forced(ucontext_t *u)
{
    bool foreign = is_foreign((uint64_t)u->uc_mcontext.gregs[REG_RIP]);
    bool inside = __pf_tls.nested || pf_context_self()->trap;
    if (!pf_kernel_has_fatal_signal() || k.ticks < (foreign ? SIGNAL_WAITS : SIGNAL_WAITS_LONG) ||
        (!foreign && inside))
        return false;
    k.spun = (struct pf_spin_record){.at = (uint64_t)u->uc_mcontext.gregs[REG_RIP]};
    gives_way(u);
    return true;
}

static void tick(ucontext_t *u)
{
    uint64_t stamp = pf_sched_progress(), rip = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
    if (stamp != k.stamp) {
        k.stamp = stamp;
        k.ticks = 0;
        k.look = FIRST_LOOK;
        return;
    }
    k.ticks++;
    if (k.ticks == 1)
        k.look = FIRST_LOOK;
    if (k.phase != IDLE || pf_materialised || pf_sched_follows_recording() || forced(u) || waits_for_held(u))
        return;
    if (k.ticks == TOLD && !k.told && !pf_sched_is_alone())
        tell(rip);
    if (k.ticks < k.look || !may_stop(rip) || (k.ticks < SECOND_LOOK && !is_foreign(rip)))
        return;
    k.look = k.ticks * 4;
    k.alone = pf_sched_is_alone();
    if (k.alone && !pf_signal_none_handled())
        return;
    begin(WATCHING);
    pf_spin_loop_begin();
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

bool pf_spin_detect_tick(const siginfo_t *info, ucontext_t *u)
{
    if (info->si_code != SI_TIMER || (uint64_t)info->si_value.sival_ptr != MAGIC)
        return false;
    tick(u);
    return true;
}

void pf_spin_detect_arm(void)
{
    struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID,
                         .sigev_signo = PF_ORPHAN_SIGNAL,
                         .sigev_value.sival_ptr = (void *)MAGIC};
    struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
    int timer;
    e._sigev_un._tid = (pid_t)pf_sys(SYS_gettid);
    if (pf_sys(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &e, &timer) == 0)
        pf_sys(SYS_timer_settime, timer, 0, &every, NULL);
}
