/*
 * shadow_interleaved.c - one thread reads or writes a range while another accesses its first
 * granule. The first thread executes single instructions (SIGTRAP); after every STRIDE of them a
 * copy of the process continues with the access of the other thread. At the end of each copy no
 * granule may have a record of a thread that did not access it.
 *
 * The other access must not wait for a lock that the interrupted thread holds. So the read sets and
 * the tables of recent additions exist beforehand, and no cell gets a spill.
 */
// sources: src/rt/shadow/cell*.c src/rt/shadow/check.c src/rt/shadow/*_entry.S
// sources: src/rt/shadow/check_miss.c src/rt/shadow/site_pair.c src/rt/hash_index.c
// sources: src/rt/shadow/site_per_byte.c src/rt/shadow/refresh_in_place.c
// sources: src/rt/shadow/access_set.c src/rt/hooks.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/sys.c src/rt/context/node_recent.S src/rt/gate.S
#define _GNU_SOURCE
#include "shadow_harness.h"

#include "check.h"
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define GRANULES 6u
#define MEMO_SIZE 1536 /* of access_set.c */
#define TRAP_FLAG 0x100
#if __has_feature(address_sanitizer)
#define STRIDE 89 /* a copy takes much longer */
#else
#define STRIDE 13
#endif

/* The threads, by slot. */
enum { WRITER = 1, READER, RANGE, OTHER, ASKER, SIDS };

static struct actor {
    struct pf_thread thread;
    uint32_t clock[PF_SID_MAX + 2];
    struct pf_tls tls; /* while it does not run */
} actors[SIDS];

static struct scenario {
    bool read_before; /* by READER, not ordered before the others */
    bool range_writes;
    bool other_writes, other_ordered; /* OTHER happens before RANGE */
} now;

static unsigned steps; /* instructions of RANGE */
static bool is_copy;
static unsigned copies, wrong_copies;
static unsigned records, invented; /* of one run */

static void race_found(struct pf_thread *t, uintptr_t granule, uint64_t a, uint64_t then)
{
    if (t->order.sid != ASKER)
        return; /* a race of the scenario */
    records++;
    invented += pf_access_sid(then) == OTHER && granule != BASE;
}

/* Lets the thread make an access of one granule. */
static void access_as(uint32_t sid, unsigned granule, bool write)
{
    struct pf_tls kept = __pf_tls;
    __pf_tls = actors[sid].tls;
    entry_of(8, write)(BASE + 8 * granule, sid);
    actors[sid].tls = __pf_tls;
    __pf_tls = kept;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
    int status;
    if (steps++ % STRIDE)
        return;
    pid_t copy = fork();
    is_copy = copy == 0;
    if (is_copy) {
        access_as(OTHER, 0, now.other_writes);
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
        return;
    }
    copies++;
    wrong_copies += copy < 0 || waitpid(copy, &status, 0) != copy || status;
}

static void make_actor(uint32_t sid)
{
    struct actor *a = &actors[sid];
    struct pf_read_set_memo *memo = a->thread.shadow.memo;
    if (memo)
        memset(memo, 0, MEMO_SIZE);
    memset(a->clock, 0, sizeof a->clock);
    a->clock[sid] = 1;
    a->clock[WRITER] = 1;
    a->thread = (struct pf_thread){.order.sid = sid, .order.clk = 1, .order.clock = a->clock};
    a->thread.shadow.memo = memo;
    a->tls = (struct pf_tls){.frame = frames + 1,
                             .thread = &a->thread,
                             .clock = a->clock,
                             .key = pf_access_make(&a->thread, 0xff, true, false),
                             .read_set = 1};
}

static void begin_scenario(void)
{
    for (uint32_t sid = WRITER; sid < SIDS; sid++)
        make_actor(sid);
    if (now.other_ordered)
        actors[RANGE].clock[OTHER] = 1;
    pf_cell_clear(pf_cell_of(BASE), pf_cell_of(BASE + 8 * GRANULES));
    for (unsigned i = 0; i < GRANULES; i++) {
        access_as(WRITER, i, true);
        if (now.read_before)
            access_as(READER, i, false);
    }
}

static void access_range(void)
{
    __pf_tls = actors[RANGE].tls;
    pf_check_range(BASE, 8 * GRANULES, RANGE, now.range_writes ? PF_CHECK_WRITE : 0);
}

/* Finds the records of all granules, by writes that are ordered after nothing. */
static void count_records(void)
{
    struct pf_thread *asker = &actors[ASKER].thread;
    __pf_tls = actors[ASKER].tls;
    records = invented = 0;
    for (unsigned i = 0; i < GRANULES; i++)
        pf_cell_check_only(asker, BASE + 8 * i, pf_access_make(asker, 0xff, true, false), ASKER);
}

static void run_scenario(void)
{
    /* both orders, so that all read sets exist */
    begin_scenario();
    access_as(OTHER, 0, now.other_writes);
    access_range();
    begin_scenario();
    access_range();
    access_as(OTHER, 0, now.other_writes);
    begin_scenario();
    copies = wrong_copies = 0;
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" ::"i"(TRAP_FLAG) : "cc", "memory");
    access_range();
    __asm__ volatile("pushfq; andq %0, (%%rsp); popfq" ::"i"(~TRAP_FLAG) : "cc", "memory");
    count_records();
    if (is_copy)
        _exit(invented || !records);
}

static void no_record_is_invented(void **state)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO}, was;
    sigaction(SIGTRAP, &action, &was);
    for (unsigned kind = 0; kind < 16; kind++) {
        now = (struct scenario){kind & 1, kind & 2, kind & 4, kind & 8};
        run_scenario();
        if (wrong_copies || !copies)
            fail_msg("kind %u: wrong in %u of %u interleavings", kind, wrong_copies, copies);
    }
    sigaction(SIGTRAP, &was, NULL);
}

static int setup(void **state)
{
    pf_hooks.race_found = race_found;
    return shadow_init(8 * GRANULES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_record_is_invented)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
