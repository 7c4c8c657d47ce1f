/*
 * replay_harness.h - runs a case twice, in two processes. The first one records; then the
 * environment is changed; the second one replays. Both log what they see, and the logs must be
 * equal, byte for byte.
 *
 * The scheduler is replaced by one with a single thread, which polls until a wait ends. The streams
 * are in memory that the processes share.
 */
#ifndef PF_TEST_REPLAY_HARNESS_H
#define PF_TEST_REPLAY_HARNESS_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "child_log.h"
#include "forked_child.h"
#include "reporter.h"
#include "scheduler.h"
#include "signals.h"
#include "stack.h"
#include "store.h"
#include "stream_ring.h"
#include "symbolic.h"
#include "syscalls.h"

/* --- replacements for the rest of the runtime --- */

bool pf_symbolic_on;
void pf_symbolic_after_syscall(long number, const long a[6], long result) {}

#define LOG_SIZE (24u << 20)
#define SEEN_SIZE (4u << 20)
static struct shared {
    struct {
        uint64_t used;
        char bytes[LOG_SIZE];
    } log[PF_STREAMS];
    volatile uint64_t waits; /* waits that the recording has started */
    uint64_t seen_used[2];
    char seen[2][SEEN_SIZE];
    char diverged[200], said[400];
} *shared;
static uint64_t read_at[PF_STREAMS];

__thread struct pf_tls __pf_tls;
struct pf_direct pf_direct;
static struct pf_context self = {.tid = 0};
static uint64_t virtual_now = 1000, boundary;

struct pf_context *pf_context_self(void) { return &self; }
uint32_t pf_context_number(const struct pf_context *c) { return c->number; }
uint64_t pf_context_events(const struct pf_context *c) { return c->events; }
uint32_t pf_contexts(void) { return 1; }
struct pf_context *pf_context_at(uint32_t n) { return n ? NULL : &self; }
struct pf_context *pf_context_find(long tid) { return tid == pf_direct.pid ? &self : NULL; }
long pf_context_fork(long number, const long a[6]) { return pf_perform(number, a); }
bool pf_context_fork_copies(long number, const long a[6]) { return true; }
void pf_context_set_parent_tid(long number, const long a[6], int32_t pid) {}
void pf_direct_child(void) {}
void pf_resident_note_name(const char *name) {}
void pf_stack_walk_live(const struct pf_thread *t, bool (*f)(const struct pf_position *, void *),
                        void *arg)
{
}
/* Children are not recorded here. */
struct pf_forked *pf_forked_self;
bool pf_child_log_used;
struct pf_fork pf_fork_prepare(void) { return (struct pf_fork){0}; }
bool pf_fork_in_child(const struct pf_fork *f, long number, const long a[6]) { return false; }
void pf_fork_in_parent(const struct pf_fork *f, long pid) {}
void pf_fork_replay_child(const struct pf_input *in, long number, const long a[6]) {}
void pf_forked_child_executes(bool other) {}
void pf_forked_child_ends(int wait) {}
void pf_forked_child_reaped(long pid, int wait) {}
bool pf_child_log_keep_open(long number, const long a[6], long *result) { return false; }
uint64_t pf_sched_now(void) { return virtual_now; }
uint64_t pf_sched_boundary(void) { return boundary; }
void pf_sched_preempt_soon(void) {}
void pf_sched_faulted(void) {}
void pf_wait_loop_forget(struct pf_wait_loop *w) {}
bool pf_materialised;
struct pf_context *pf_running; /* NULL: a death by a signal is not reported as a finding */
const char *pf_failed_assertion;
void pf_failure_found(const struct pf_failure *e, bool quiet) {}
void pf_sched_count_call(void) {}
void pf_sched_time_passed(uint64_t ns) { virtual_now += ns; }
void pf_sched_poll_soon(void) {}
void pf_sched_close_segment(void) {}
void pf_sched_end_wait(struct pf_context *c)
{
    if (c->state == PF_CONTEXT_WAITING) {
        c->state = PF_CONTEXT_RUNNING;
        c->woken = PF_WOKEN;
    }
}
void pf_sched_interrupt_wait(struct pf_context *c)
{
    if (c->state == PF_CONTEXT_WAITING) {
        c->state = PF_CONTEXT_RUNNING;
        c->woken = PF_WOKEN_SIGNAL;
    }
}
bool pf_waits_shared(void) { return false; }
struct pf_context *pf_sched_next_waiter(struct pf_context *after, struct pf_wait *out)
{
    if (after || self.state != PF_CONTEXT_WAITING)
        return NULL;
    *out = self.wait;
    return &self;
}
bool pf_virtual_is_polling(void) { return false; }
void pf_spin_yield_at(ucontext_t *u) { assert_null(u); }
bool pf_spin_yield_tick(const siginfo_t *info, ucontext_t *u) { return !info || !u; }
bool pf_spin_yield_trap(ucontext_t *u) { return !u; }
void pf_spin_yield_arm(void) {}
bool pf_trap_stays(void) { return false; }
uint64_t pf_virtual_deadline(int clock, const struct timespec *t)
{
    (void)clock;
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}
/* In a replay nothing external ends a wait; only time and the target's own signals do. */
enum pf_woken pf_sched_wait(const struct pf_wait *w)
{
    self.wait = *w;
    self.state = PF_CONTEXT_WAITING;
    shared->waits++;
    boundary++;
    pf_signal_take_arrived();
    while (self.state == PF_CONTEXT_WAITING) {
        uint64_t timer = pf_timer_deadline(), deadline = w->deadline;
        if (timer && (!deadline || timer < deadline))
            deadline = timer;
        if (pf_recording() && pf_waiters_poll(deadline) && self.state != PF_CONTEXT_WAITING)
            break;
        if (!pf_recording() && !deadline)
            break;
        if (deadline && (!pf_recording() || !pf_waiters_poll(virtual_now)) &&
            deadline > virtual_now)
            virtual_now = deadline;
        pf_signal_take_arrived();
        if (self.state == PF_CONTEXT_WAITING && w->deadline && w->deadline <= virtual_now) {
            self.state = PF_CONTEXT_RUNNING;
            self.woken = PF_WOKEN_TIMEOUT;
        }
    }
    self.state = PF_CONTEXT_RUNNING;
    return (enum pf_woken)self.woken;
}
void pf_direct_end(void) {}
void pf_direct_say(const char *what)
{
    strncat(shared->said, what, sizeof shared->said - strlen(shared->said) - 1);
}
void pf_ring_put(enum pf_stream s, const void *bytes, size_t n)
{
    if (shared->log[s].used + n > LOG_SIZE)
        _exit(76);
    memcpy(shared->log[s].bytes + shared->log[s].used, bytes, n);
    shared->log[s].used += n;
}
const void *pf_ring_get(enum pf_stream s, size_t n)
{
    if (read_at[s] + n > shared->log[s].used)
        return NULL;
    read_at[s] += n;
    return shared->log[s].bytes + read_at[s] - n;
}
const unsigned char *pf_ring_remaining(enum pf_stream s, size_t *n)
{
    *n = shared->log[s].used - read_at[s];
    return (const unsigned char *)shared->log[s].bytes + read_at[s];
}
uint64_t pf_ring_position(enum pf_stream s) { return shared->log[s].used; }
void pf_ring_copy_begin(void) {}
const void *pf_ring_copy(void) { return NULL; }
struct pf_continuation *pf_continuation_self(void) { return NULL; }
struct pf_ring *pf_ring_of(enum pf_stream s, unsigned char **base) { abort(); }
void pf_ring_flush(void) {}
bool pf_orphaned(void) { return false; }
bool pf_orphan_handle_signal(const siginfo_t *info) { return info == NULL; }
_Noreturn void pf_orphan_end(void) { abort(); }
void pf_red_zone_clear(uintptr_t addr, size_t size) {}
static struct pf_channel channel;
struct pf_channel *pf_channel_get(void) { return &channel; }
void pf_channel_set_outcome(enum pf_outcome what, const char *text)
{
    (void)what;
    (void)text;
}
#define DIVERGED 77
_Noreturn void pf_diverged(const char *what, uint64_t expected, uint64_t found)
{
    snprintf(shared->diverged, sizeof shared->diverged, "%s: %lx %lx", what, expected, found);
    _exit(DIVERGED);
}

_Noreturn void pf_diverged_value(const char *what) { pf_diverged(what, 0, 1); }
_Noreturn void pf_diverged_words(const char *what, const char *expected, const char *found)
{
    snprintf(shared->diverged, sizeof shared->diverged, "%s: %s %s", what, expected, found);
    _exit(DIVERGED);
}
_Noreturn void pf_diverged_private(const char *call)
{
    pf_diverged_words("a call that a private run cannot make", "none", call);
}

/* --- for the cases --- */

static bool replaying(void) { return pf_direct.mode == PF_DIRECT_REPLAY; }

static void saw(const void *bytes, size_t n)
{
    int i = replaying();
    if (shared->seen_used[i] + n > SEEN_SIZE)
        _exit(78);
    memcpy(shared->seen[i] + shared->seen_used[i], bytes, n);
    shared->seen_used[i] += n;
}
static long call6(long number, long a, long b, long c, long d, long e, long f)
{
    const long args[6] = {a, b, c, d, e, f};
    long r = pf_syscall_run(number, args);
    if (number == SYS_fork && r == 0)
        return 0; /* a child logs nothing */
    saw(&r, sizeof r);
    if (self.signal_due && !__pf_tls.nested)
        pf_signal_run_due();
    return r;
}
#define CALL(n, ...) CALL_(n, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_(n, a, b, c, d, e, f, ...)                                                            \
    call6((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define SAW(x) saw(&(x), sizeof(x))
/* Both processes must see that the condition holds. */
#define WANT(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d (%s): failed: %s\n", __LINE__,                                \
                    replaying() ? "replay" : "record", #condition);                                \
            _exit(79);                                                                             \
        }                                                                                          \
    } while (0)

static char folder[] = "/tmp/pf-replay-XXXXXX";

/* For an external process: waits until the program has started its n-th wait. */
static void await_wait(uint64_t n)
{
    while (shared->waits < n)
        usleep(1000);
}

struct test_case {
    const char *name;
    void (*body)(void);
    /* called outside the target: before the recording, before the replay */
    void (*before)(void), (*between)(void);
    int status;                             /* of the replay, as returned by wait */
    const char *diverged, *said;
};

static void run_as(const struct test_case *c, enum pf_direct_mode mode, int *status)
{
    pid_t pid = fork();
    if (pid == 0) {
        pf_direct.mode = (uint8_t)mode;
        pf_direct.pid = 4242; /* a pid as if recorded */
        if (mode == PF_DIRECT_RECORD)
            pf_direct.pid = getpid();
        else
            memcpy(&pf_direct.pid, shared->said + 392, 8);
        memcpy(shared->said + 392, &pf_direct.pid, 8);
        self.tid = (int32_t)pf_direct.pid;
        self.state = PF_CONTEXT_RUNNING;
        pf_syscall_init();
        c->body();
        _exit(0);
    }
    waitpid(pid, status, 0);
}

static void run_case(void **state)
{
    const struct test_case *c = *state;
    int status;
    memset(shared, 0, offsetof(struct shared, log) + 64);
    for (int i = 0; i < PF_STREAMS; i++)
        shared->log[i].used = 0;
    memset(shared->seen_used, 0, sizeof shared->seen_used);
    shared->waits = 0;
    memset(shared->diverged, 0, sizeof shared->diverged);
    memset(shared->said, 0, sizeof shared->said);
    if (c->before)
        c->before();
    run_as(c, PF_DIRECT_RECORD, &status);
    assert_string_equal(shared->diverged, "");
    if (!c->diverged)
        assert_int_equal(status, c->status);
    if (c->said)
        assert_non_null(strstr(shared->said, c->said));
    else
        assert_string_equal(shared->said, "");
    if (c->between)
        c->between();
    run_as(c, PF_DIRECT_REPLAY, &status);
    if (c->diverged) {
        assert_int_equal(WEXITSTATUS(status), DIVERGED);
        assert_non_null(strstr(shared->diverged, c->diverged));
        return;
    }
    assert_string_equal(shared->diverged, "");
    assert_int_equal(status, c->status);
    assert_int_equal(shared->seen_used[0], shared->seen_used[1]);
    assert_memory_equal(shared->seen[0], shared->seen[1], shared->seen_used[0]);
    assert_true(shared->seen_used[0] > 0);
}

/* Returns the exit status for main. */
static int run_cases(const struct test_case *cases, size_t n, const struct CMUnitTest *more)
{
    struct CMUnitTest tests[n + 1];
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED || !mkdtemp(folder))
        return 1;
    pf_store_init();
    for (size_t i = 0; i < n; i++)
        tests[i] =
            (struct CMUnitTest){cases[i].name, run_case, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    tests[n] = *more;
    int failed = _cmocka_run_group_tests("replay", tests, n + 1, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return failed || system(command);
}

#endif
