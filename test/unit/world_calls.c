/*
 * world_calls.c - what the world tells a program is told again by the log: each case runs twice, in
 * two processes. The first records, then the world is changed, the second replays; both write down
 * what they saw, and that must be the same, byte for byte.
 *
 * The scheduler is a stand-in with one thread: a wait asks the world until it is over.
 */
// sources: src/rt/direct/call_table.c src/rt/direct/outputs.c src/rt/direct/input.c
// sources: src/rt/direct/syscall.c src/rt/direct/output.c src/rt/direct/blocking.c
// sources: src/rt/direct/signal.c src/rt/direct/signal_run.c src/rt/direct/signal_kernel.c
// sources: src/rt/direct/signal_calls.c src/rt/direct/timer.c src/rt/direct/lock_calls.c
// sources: src/rt/direct/transfer_calls.c src/rt/direct/ready_calls.c src/rt/direct/ipc_calls.c
// sources: src/rt/direct/memory_calls.c src/rt/direct/process_calls.c src/rt/direct/poll.c
// sources: src/rt/store.c src/rt/sys.c
// flags: -D_GNU_SOURCE= -fno-builtin
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

#include "log.h"
#include "scheduler.h"
#include "signals.h"
#include "store.h"
#include "world.h"

/* --- the stand-ins --- */

#define LOG_SIZE (24u << 20)
#define SEEN_SIZE (4u << 20)
static struct shared {
    struct {
        uint64_t used;
        char bytes[LOG_SIZE];
    } log[PF_STREAMS];
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
uint64_t pf_sched_now(void) { return virtual_now; }
uint64_t pf_sched_boundary(void) { return boundary; }
void pf_sched_hurry(void) {}
void pf_sched_pass(uint64_t ns) { virtual_now += ns; }
void pf_sched_ready(struct pf_context *c)
{
    if (c->state == PF_CONTEXT_WAITING) {
        c->state = PF_CONTEXT_RUNNING;
        c->woken = PF_WOKEN;
    }
}
void pf_sched_interrupt(struct pf_context *c)
{
    if (c->state == PF_CONTEXT_WAITING) {
        c->state = PF_CONTEXT_RUNNING;
        c->woken = PF_WOKEN_SIGNAL;
    }
}
struct pf_context *pf_sched_next_waiter(struct pf_context *after, struct pf_wait *out)
{
    if (after || self.state != PF_CONTEXT_WAITING)
        return NULL;
    *out = self.wait;
    return &self;
}
uint64_t pf_virtual_deadline(int clock, const struct timespec *t)
{
    (void)clock;
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}
/* In replay nobody says when a wait is over; only time and signals of the target's own go on. */
enum pf_woken pf_sched_wait(const struct pf_wait *w)
{
    self.wait = *w;
    self.state = PF_CONTEXT_WAITING;
    boundary++;
    pf_world_signals();
    while (self.state == PF_CONTEXT_WAITING) {
        uint64_t timer = pf_world_deadline(), deadline = w->deadline;
        if (timer && (!deadline || timer < deadline))
            deadline = timer;
        if (pf_recording() && pf_world_poll(deadline) && self.state != PF_CONTEXT_WAITING)
            break;
        if (!pf_recording() && !deadline)
            break;
        if (deadline && (!pf_recording() || !pf_world_poll(virtual_now)) && deadline > virtual_now)
            virtual_now = deadline;
        pf_world_signals();
        if (self.state == PF_CONTEXT_WAITING && w->deadline && w->deadline <= virtual_now) {
            self.state = PF_CONTEXT_RUNNING;
            self.woken = PF_WOKEN_LATE;
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
void pf_log_put(enum pf_log_stream s, const void *bytes, size_t n)
{
    if (shared->log[s].used + n > LOG_SIZE)
        _exit(76);
    memcpy(shared->log[s].bytes + shared->log[s].used, bytes, n);
    shared->log[s].used += n;
}
const void *pf_log_get(enum pf_log_stream s, size_t n)
{
    if (read_at[s] + n > shared->log[s].used)
        return NULL;
    read_at[s] += n;
    return shared->log[s].bytes + read_at[s] - n;
}
void pf_log_flush(void) {}
static struct pf_channel channel;
struct pf_channel *pf_log_channel(void) { return &channel; }
void pf_log_outcome(enum pf_outcome what, const char *text)
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

/* --- what a case does --- */

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
    long r = pf_world_call(number, args);
    if (number == SYS_fork && r == 0)
        return 0; /* a child writes nothing down */
    saw(&r, sizeof r);
    if (self.signal_due && !__pf_tls.nested)
        pf_world_deliver_due();
    return r;
}
#define CALL(n, ...) CALL_(n, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_(n, a, b, c, d, e, f, ...)                                                            \
    call6((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define SAW(x) saw(&(x), sizeof(x))
/* A value that both must see, and that the case knows. */
#define WANT(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d (%s): not so: %s\n", __LINE__,                                \
                    replaying() ? "replay" : "record", #condition);                                \
            _exit(79);                                                                             \
        }                                                                                          \
    } while (0)

static char folder[] = "/tmp/pf-world-XXXXXX";
static const char *in_folder(const char *name)
{
    static char path[8][200];
    static int next;
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}
static void make_file(const char *name, const char *text)
{
    int fd = open(in_folder(name), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    ssize_t n = write(fd, text, strlen(text));
    (void)n;
    close(fd);
}

struct test_case {
    const char *name;
    void (*body)(void);
    void (*before)(void), (*between)(void); /* outside: before the recording, before the replay */
    int status;                             /* of the replay, as wait gives it */
    const char *diverged, *said;
};

static void run_as(const struct test_case *c, enum pf_direct_mode mode, int *status)
{
    pid_t pid = fork();
    if (pid == 0) {
        pf_direct.mode = (uint8_t)mode;
        pf_direct.pid = 4242; /* as if recorded */
        if (mode == PF_DIRECT_RECORD)
            pf_direct.pid = getpid();
        else
            memcpy(&pf_direct.pid, shared->said + 392, 8);
        memcpy(shared->said + 392, &pf_direct.pid, 8);
        self.tid = (int32_t)pf_direct.pid;
        self.state = PF_CONTEXT_RUNNING;
        pf_world_init();
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

/* --- files --- */

static void files_before(void) { make_file("in", "first line\nsecond line\n"); }
static void files_between(void)
{
    make_file("in", "all different now");
    unlink(in_folder("out"));
}
static void files(void)
{
    char buffer[64] = {0}, more[3] = {0};
    struct stat st = {0};
    int fd = (int)CALL(SYS_openat, AT_FDCWD, in_folder("in"), O_RDONLY);
    WANT(fd >= 0);
    WANT(CALL(SYS_read, fd, buffer, 5) == 5 && !memcmp(buffer, "first", 5));
    WANT(CALL(SYS_fstat, fd, &st) == 0 && st.st_size == 23);
    SAW(st);
    WANT(CALL(SYS_lseek, fd, 11, SEEK_SET) == 11);
    struct iovec v[2] = {{more, 3}, {buffer, 60}};
    WANT(CALL(SYS_readv, fd, v, 2) == 12 && !memcmp(more, "sec", 3) &&
         !memcmp(buffer, "ond line\n", 9));
    WANT(CALL(SYS_read, fd, buffer, 64) == 0);
    WANT(CALL(SYS_close, fd) == 0);
    WANT(CALL(SYS_read, 999, buffer, 64) == -EBADF);
    char names[2048];
    fd = (int)CALL(SYS_open, folder, O_RDONLY | O_DIRECTORY);
    long n = CALL(SYS_getdents64, fd, names, sizeof names);
    WANT(n > 0);
    saw(names, (size_t)n);
    CALL(SYS_close, fd);
    WANT(CALL(SYS_readlink, "/proc/self/exe", names, sizeof names) > 0);
    memset(names, 0, 512);
    WANT(CALL(SYS_getcwd, names, 512) > 0);
    saw(names, 512);
    struct statx x;
    memset(&x, 0, sizeof x);
    CALL(SYS_statx, AT_FDCWD, in_folder("in"), 0, STATX_BASIC_STATS, &x);
    SAW(x);
    fd = (int)CALL(SYS_open, in_folder("out"), O_CREAT | O_WRONLY, 0600);
    WANT(CALL(SYS_write, fd, "hello", 5) == 5);
    WANT(CALL(SYS_pwrite64, fd, "J", 1, 0) == 1);
    CALL(SYS_close, fd);
    /* The one that replays has no such file. */
    WANT((access(in_folder("out"), F_OK) == 0) == !replaying());
}

static void machine(void)
{
    unsigned char random[32];
    struct utsname name;
    struct rlimit limit;
    struct rusage use;
    unsigned cpu = 0;
    memset(&name, 0, sizeof name);
    WANT(CALL(SYS_getrandom, random, sizeof random, 0) == sizeof random);
    SAW(random);
    CALL(SYS_getpid);
    CALL(SYS_getppid);
    CALL(SYS_getuid);
    WANT(CALL(SYS_uname, &name) == 0);
    SAW(name);
    WANT(CALL(SYS_getrlimit, RLIMIT_NOFILE, &limit) == 0);
    SAW(limit);
    WANT(CALL(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit) == 0);
    SAW(limit);
    WANT(CALL(SYS_getrusage, RUSAGE_SELF, &use) == 0);
    SAW(use);
    CALL(SYS_getcpu, &cpu, NULL, NULL);
    SAW(cpu);
    unsigned long mask[16] = {0};
    WANT(CALL(SYS_sched_getaffinity, 0, sizeof mask, mask) > 0);
    SAW(mask);
    gid_t groups[64] = {0};
    WANT(CALL(SYS_getgroups, 64, groups) >= 0);
    SAW(groups);
    int waiting = -1;
    CALL(SYS_ioctl, 0, FIONREAD, &waiting);
    SAW(waiting);
    char thread_name[16] = {0};
    WANT(CALL(SYS_prctl, PR_SET_NAME, "a thread") == 0);
    WANT(CALL(SYS_prctl, PR_GET_NAME, thread_name) == 0 && !strcmp(thread_name, "a thread"));
    WANT(CALL(SYS_io_uring_setup, 4, NULL) == -ENOSYS);
}

static void unknown(void) { CALL(500, 1, 2, 3); }

static void environment_changes(void) { setenv("PF_TEST_CASE", "changed", 1); }
static void other_call(void)
{
    CALL(SYS_getpid);
    CALL(getenv("PF_TEST_CASE") ? SYS_getuid : SYS_getgid);
}
static void other_bytes(void)
{
    int fd = (int)CALL(SYS_open, "/dev/null", O_WRONLY);
    CALL(SYS_write, fd, getenv("PF_TEST_CASE") ? "one" : "two", 3);
}
static void longer(void)
{
    CALL(SYS_getpid);
    if (getenv("PF_TEST_CASE"))
        CALL(SYS_getpid);
}
static void environment_back(void) { unsetenv("PF_TEST_CASE"); }

/* --- standard output is shown, what takes its place is not --- */

static void shown_before(void)
{
    fflush(stdout);
    make_file("shown", "");
}
static void shown(void)
{
    int to = open(in_folder("shown"), O_WRONLY | O_APPEND); /* ours, not the target's */
    dup2(to, 1);
    struct iovec v[2] = {{"se", 2}, {"en\n", 3}};
    WANT(CALL(SYS_writev, 1, v, 2) == 5);
    int other = (int)CALL(SYS_dup, 1);
    WANT(CALL(SYS_write, other, "twice\n", 6) == 6);
    int fd = (int)CALL(SYS_open, "/dev/null", O_WRONLY);
    CALL(SYS_dup2, fd, 1);
    CALL(SYS_write, 1, "not seen\n", 9);
    char all[64] = {0};
    int in = open(in_folder("shown"), O_RDONLY);
    ssize_t n = read(in, all, sizeof all - 1);
    WANT(n == 11 * (1 + replaying()) && !memcmp(all, "seen\ntwice\n", 11));
}

/* --- sockets --- */

static void sockets(void)
{
    int pair[2];
    char buffer[16] = {0}, control[CMSG_SPACE(sizeof(int))] = {0};
    WANT(CALL(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    struct iovec v = {"with a descriptor", 17};
    struct msghdr m = {
        .msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &pair[0], sizeof(int));
    WANT(CALL(SYS_sendmsg, pair[0], &m, 0) == 17);
    memset(control, 0, sizeof control);
    struct iovec in[2] = {{buffer, 10}, {buffer + 10, 6}};
    m = (struct msghdr){
        .msg_iov = in, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof control};
    WANT(CALL(SYS_recvmsg, pair[1], &m, 0) == 16 && !memcmp(buffer, "with a descripto", 16));
    SAW(m.msg_controllen);
    SAW(control);
    SAW(m.msg_flags);
    WANT(CALL(SYS_recvfrom, pair[1], buffer, 16, MSG_DONTWAIT, NULL, NULL) == 1);
    WANT(CALL(SYS_recvfrom, pair[1], buffer, 16, MSG_DONTWAIT, NULL, NULL) == -EAGAIN);

    int udp = (int)CALL(SYS_socket, AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
                       from;
    socklen_t n = sizeof at;
    WANT(CALL(SYS_bind, udp, &at, sizeof at) == 0);
    WANT(CALL(SYS_getsockname, udp, &at, &n) == 0 && n == sizeof at);
    SAW(at);
    WANT(CALL(SYS_sendto, udp, "datagram", 8, 0, &at, sizeof at) == 8);
    n = 4; /* less than it takes: the kernel says how much it would be */
    memset(&from, 0xee, sizeof from);
    WANT(CALL(SYS_recvfrom, udp, buffer, 3, MSG_TRUNC, &from, &n) == 8);
    WANT(n == sizeof from);
    SAW(from);
    SAW(buffer);
    int type = 0;
    n = sizeof type;
    WANT(CALL(SYS_getsockopt, udp, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_DGRAM);
    struct timeval soon = {0, 1000};
    CALL(SYS_setsockopt, udp, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    WANT(CALL(SYS_read, udp, buffer, 3) == -EAGAIN);
}

/* A client from outside: there is one while recording only. */
static void server(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s", in_folder("socket"));
    int listener = (int)CALL(SYS_socket, AF_UNIX, SOCK_STREAM, 0), epoll;
    CALL(SYS_bind, listener, &at, sizeof at);
    WANT(CALL(SYS_listen, listener, 5) == 0);
    if (!replaying() && fork() == 0) {
        int s = socket(AF_UNIX, SOCK_STREAM, 0);
        usleep(20000);
        int r = connect(s, (struct sockaddr *)&at, sizeof at);
        usleep(20000);
        ssize_t n = write(s, "question", 8);
        char answer[8];
        n += read(s, answer, 6);
        _exit(r || n != 14 || memcmp(answer, "answer", 6) ? 1 : 0);
    }
    epoll = (int)CALL(SYS_epoll_create1, 0);
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = 42}, got[4];
    CALL(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, listener, &e);
    WANT(CALL(SYS_epoll_wait, epoll, got, 4, -1) == 1 && got[0].data.u64 == 42);
    int s = (int)CALL(SYS_accept, listener, NULL, NULL);
    char buffer[20] = {0};
    WANT(CALL(SYS_read, s, buffer, 20) == 8 && !strcmp(buffer, "question"));
    WANT(CALL(SYS_write, s, "answer", 6) == 6);
    WANT(CALL(SYS_recvfrom, s, buffer, 20, 0, NULL, NULL) == 0);
    int status = 0;
    WANT(CALL(SYS_wait4, -1, &status, 0, NULL) > 0 && status == 0);
}

/* --- waits --- */

static void pipes(void)
{
    int fd[2], back[2];
    WANT(CALL(SYS_pipe2, fd, 0) == 0 && CALL(SYS_pipe, back) == 0);
    static char big[300000];
    memset(big, 'x', sizeof big);
    if (!replaying() && fork() == 0) { /* reads all of it, slowly */
        char part[10000];
        size_t all = 0;
        usleep(10000);
        while (all < sizeof big)
            all += (size_t)read(fd[0], part, sizeof part);
        ssize_t n = write(back[1], &all, sizeof all);
        _exit(n != sizeof all);
    }
    WANT(CALL(SYS_write, fd[1], big, sizeof big) == sizeof big);
    size_t all = 0;
    WANT(CALL(SYS_read, back[0], &all, sizeof all) == sizeof all && all == sizeof big);
    siginfo_t info = {0};
    WANT(CALL(SYS_waitid, P_ALL, 0, &info, WEXITED, NULL) == 0 && info.si_status == 0);
    SAW(info);
    WANT(CALL(SYS_wait4, -1, NULL, 0, NULL) == -ECHILD);
    CALL(SYS_close, fd[0]);
    pf_actions[SIGPIPE].handler = (void *)SIG_IGN;
    WANT(CALL(SYS_write, fd[1], big, 5) == -EPIPE);
}

static void times(void)
{
    int fd[2];
    CALL(SYS_pipe, fd);
    struct pollfd p = {fd[0], POLLIN, 0};
    WANT(CALL(SYS_poll, &p, 1, 0) == 0);
    WANT(CALL(SYS_poll, &p, 1, 30) == 0 && p.revents == 0);
    struct timespec t = {0, 20000000};
    WANT(CALL(SYS_ppoll, &p, 1, &t, NULL, 8) == 0 && t.tv_nsec == 0);
    fd_set in;
    FD_ZERO(&in);
    FD_SET(fd[0], &in);
    struct timeval v = {0, 10000};
    WANT(CALL(SYS_select, fd[0] + 1, &in, NULL, NULL, &v) == 0 && !FD_ISSET(fd[0], &in));
    CALL(SYS_write, fd[1], "x", 1);
    FD_SET(fd[0], &in);
    v = (struct timeval){5, 0};
    WANT(CALL(SYS_select, fd[0] + 1, &in, NULL, NULL, &v) == 1 && FD_ISSET(fd[0], &in));
    WANT(CALL(SYS_poll, &p, 1, -1) == 1 && p.revents == POLLIN);
    SAW(p);
}

static void locks_before(void) { make_file("lock", ""); }
static void locks(void)
{
    int fd = (int)CALL(SYS_open, in_folder("lock"), O_RDWR), gate[2];
    if (!replaying()) {
        WANT(pipe(gate) == 0);
        if (fork() == 0) {
            int other = open(in_folder("lock"), O_RDWR);
            struct flock all = {.l_type = F_WRLCK};
            flock(other, LOCK_EX);
            fcntl(other, F_SETLK, &all);
            ssize_t n = write(gate[1], "x", 1);
            usleep(20000);
            _exit(n != 1);
        }
        char c;
        WANT(read(gate[0], &c, 1) == 1);
    }
    WANT(CALL(SYS_flock, fd, LOCK_EX | LOCK_NB) == -EWOULDBLOCK);
    WANT(CALL(SYS_flock, fd, LOCK_EX) == 0);
    struct flock all = {.l_type = F_WRLCK};
    WANT(CALL(SYS_fcntl, fd, F_SETLKW, &all) == 0);
    WANT(CALL(SYS_wait4, -1, NULL, 0, NULL) > 0);
}

static void queues(void)
{
    int q = (int)CALL(SYS_msgget, IPC_PRIVATE, 0600);
    struct {
        long type;
        char text[8];
    } m = {3, "message"};
    WANT(CALL(SYS_msgsnd, q, &m, 8, 0) == 0);
    memset(&m, 0, sizeof m);
    WANT(CALL(SYS_msgrcv, q, &m, 8, 0, 0) == 8 && m.type == 3 && !strcmp(m.text, "message"));
    struct msqid_ds d;
    memset(&d, 0, sizeof d);
    WANT(CALL(SYS_msgctl, q, IPC_STAT, &d) == 0);
    SAW(d);
    CALL(SYS_msgctl, q, IPC_RMID, NULL);
    int s = (int)CALL(SYS_semget, IPC_PRIVATE, 3, 0600);
    struct sembuf up = {1, 5, 0}, down = {0, -1, 0};
    WANT(CALL(SYS_semop, s, &up, 1) == 0);
    unsigned short values[3] = {9, 9, 9};
    WANT(CALL(SYS_semctl, s, 0, GETALL, values) == 0 && values[0] == 0 && values[1] == 5);
    struct timespec t = {0, 3000000};
    WANT(CALL(SYS_semtimedop, s, &down, 1, &t) == -EAGAIN);
    CALL(SYS_semctl, s, 0, IPC_RMID, 0);
}

/* --- memory --- */

static void memory_before(void) { make_file("mapped", "the bytes of the file"); }
static void memory_between(void) { make_file("mapped", "others"); }
static void memory(void)
{
    int fd = (int)CALL(SYS_open, in_folder("mapped"), O_RDONLY);
    char *p = (char *)CALL(SYS_mmap, NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    WANT(!strcmp(p, "the bytes of the file"));
    p[0] = 'T';
    CALL(SYS_close, fd);
    char *q = (char *)CALL(SYS_mmap, NULL, 1 << 20, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(q, 7, 1 << 20);
    WANT(CALL(SYS_madvise, q, 4096, MADV_FREE) == 0 && q[0] == 0 && q[4096] == 7);
    char *r = (char *)CALL(SYS_mremap, q, 1 << 20, 4 << 20, MREMAP_MAYMOVE);
    WANT(r[4096] == 7 && r[(1 << 20) - 1] == 7 && r[1 << 20] == 0);
    WANT(CALL(SYS_mprotect, r, 4096, PROT_NONE) == 0);
    WANT(CALL(SYS_munmap, r, 4 << 20) == 0);
    WANT(CALL(SYS_munmap, p, 8192) == 0);
    WANT(CALL(SYS_mmap, NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -EINVAL);
}

#define LARGE (17u << 20)
static void large_before(void)
{
    int fd = open(in_folder("large"), O_CREAT | O_TRUNC | O_RDWR, 0600);
    char *p = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        p[i] = (char)(i * 31 >> 7);
    ssize_t n = write(fd, p, LARGE);
    free(p);
    close(fd);
    assert_int_equal(n, LARGE);
}
static void large_changes(void)
{
    int fd = open(in_folder("large"), O_WRONLY);
    ssize_t n = pwrite(fd, "!", 1, 12345678);
    close(fd);
    assert_int_equal(n, 1);
}
static void large(void)
{
    int fd = (int)CALL(SYS_open, in_folder("large"), O_RDONLY);
    const char *p = (const char *)CALL(SYS_mmap, NULL, LARGE, PROT_READ, MAP_PRIVATE, fd, 0);
    for (size_t i = 0; i < LARGE; i += 4097)
        WANT(p[i] == (char)(i * 31 >> 7));
}

/* --- signals --- */

static volatile int handled[65], depth;
static void on_signal(int n, siginfo_t *info, void *u)
{
    (void)u;
    handled[n]++;
    depth++;
    saw(&n, sizeof n);
    saw(&info->si_code, sizeof info->si_code);
    if (n == SIGUSR1 && handled[SIGUSR1] == 1) { /* its own is blocked now, the other comes in */
        long pid = CALL(SYS_getpid);
        CALL(SYS_kill, pid, SIGUSR1);
        WANT(handled[SIGUSR1] == 1);
        CALL(SYS_tgkill, pf_direct.pid, pf_direct.pid, SIGUSR2);
        WANT(handled[SIGUSR2] == 1);
    }
    depth--;
}
static long handle(int n, uint64_t flags, void *handler)
{
    struct pf_action a = {handler, SA_SIGINFO | flags, NULL, 0};
    return CALL(SYS_rt_sigaction, n, &a, NULL, 8);
}
static uint64_t set_of(int n) { return 1ull << (n - 1); }

static void signals(void)
{
    long pid = CALL(SYS_getpid);
    WANT(handle(SIGUSR1, 0, (void *)on_signal) == 0 && handle(SIGUSR2, 0, (void *)on_signal) == 0);
    WANT(handle(SIGKILL, 0, (void *)on_signal) == -EINVAL);
    WANT(CALL(SYS_kill, pid, SIGUSR1) == 0);
    WANT(handled[SIGUSR1] == 2 && handled[SIGUSR2] == 1);
    uint64_t set = set_of(SIGUSR2), old = 99, pending = 0;
    WANT(CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, &old, 8) == 0 && old == 0);
    CALL(SYS_kill, pid, SIGUSR2);
    CALL(SYS_kill, pid, SIGUSR2); /* one of them is lost, as ever */
    WANT(handled[SIGUSR2] == 1);
    WANT(CALL(SYS_rt_sigpending, &pending, 8) == 0 && pending == set);
    siginfo_t info;
    WANT(CALL(SYS_rt_sigtimedwait, &set, &info, NULL, 8) == SIGUSR2 && info.si_code == SI_USER);
    struct timespec t = {0, 1000000};
    WANT(CALL(SYS_rt_sigtimedwait, &set, &info, &t, 8) == -EAGAIN);
    CALL(SYS_kill, pid, SIGUSR2);
    WANT(CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8) == 0 && handled[SIGUSR2] == 2);
    /* real-time signals are counted */
    int rt = 40;
    handle(rt, 0, (void *)on_signal);
    set = set_of(rt);
    CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8);
    for (int i = 0; i < 3; i++)
        CALL(SYS_kill, pid, rt);
    CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, 8);
    WANT(handled[rt] == 3);
    /* ignored, default */
    struct pf_action a = {(void *)SIG_IGN, 0, NULL, 0};
    CALL(SYS_rt_sigaction, SIGTERM, &a, NULL, 8);
    CALL(SYS_kill, pid, SIGTERM);
    CALL(SYS_kill, pid, SIGCHLD);
    WANT(CALL(SYS_kill, pid, 0) == 0 && CALL(SYS_kill, pid, 65) == -EINVAL);
}

static void timers(void)
{
    handle(SIGALRM, 0, (void *)on_signal);
    CALL(SYS_alarm, 1000);
    WANT(CALL(SYS_alarm, 5) == 1000);
    uint64_t none = 0;
    WANT(CALL(SYS_rt_sigsuspend, &none, 8) == -EINTR && handled[SIGALRM] == 1); /* takes no time */
    struct itimerval every = {{0, 500000}, {1, 0}}, left;
    CALL(SYS_setitimer, ITIMER_REAL, &every, NULL);
    WANT(CALL(SYS_getitimer, ITIMER_REAL, &left) == 0 && left.it_interval.tv_usec == 500000);
    CALL(SYS_pause);
    CALL(SYS_pause);
    WANT(handled[SIGALRM] == 3);
    CALL(SYS_alarm, 0);
    int id = -1;
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    handled[SIGUSR1] = 1;
    handle(SIGUSR1, 0, (void *)on_signal);
    WANT(CALL(SYS_timer_create, CLOCK_MONOTONIC, &e, &id) == 0);
    struct itimerspec once = {{0, 0}, {3, 0}};
    WANT(CALL(SYS_timer_settime, id, 0, &once, NULL) == 0);
    struct pollfd no = {-1, 0, 0};
    WANT(CALL(SYS_poll, &no, 1, 10000) == -EINTR && handled[SIGUSR1] == 2);
    WANT(CALL(SYS_timer_delete, id) == 0 && CALL(SYS_timer_delete, id) == -EINVAL);
}

/* From outside, while recording; in replay nobody sends it. */
static void arrivals(void)
{
    int fd[2];
    char c;
    CALL(SYS_pipe, fd);
    handle(SIGTERM, 0, (void *)on_signal);
    handle(SIGUSR2, SA_RESTART, (void *)on_signal);
    pid_t parent = getpid();
    if (!replaying() && fork() == 0) {
        usleep(10000);
        kill(parent, SIGUSR2); /* the read goes on */
        usleep(20000);
        ssize_t n = write(fd[1], "x", 1);
        usleep(20000);
        kill(parent, SIGTERM);
        _exit(n != 1);
    }
    WANT(CALL(SYS_read, fd[0], &c, 1) == 1 && handled[SIGUSR2] == 1);
    WANT(CALL(SYS_read, fd[0], &c, 1) == -EINTR && handled[SIGTERM] == 1);
    WANT(CALL(SYS_wait4, -1, NULL, 0, NULL) > 0);
}

static void dies(void)
{
    CALL(SYS_getpid);
    CALL(SYS_kill, pf_direct.pid, SIGTERM);
    _exit(3);
}

static sigjmp_buf out;
static char *alternate;
static void on_fault(int n, siginfo_t *info, void *u)
{
    char here;
    bool on_alternate = &here > alternate && &here < alternate + 65536;
    SAW(n);
    SAW(on_alternate);
    SAW(info->si_addr);
    if (n == SIGSEGV)
        siglongjmp(out, 1);
    ((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP] += 2; /* over the ud2 */
}
/* Stack overflow is not tried here: ASan has its own opinion of it. */
static void faults(void)
{
    alternate = (char *)CALL(SYS_mmap, NULL, 65536, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t s = {.ss_sp = alternate, .ss_size = 65536};
    WANT(CALL(SYS_sigaltstack, &s, NULL) == 0);
    handle(SIGSEGV, SA_ONSTACK, (void *)on_fault);
    handle(SIGILL, 0, (void *)on_fault);
    for (int i = 0; i < 3; i++) {
        if (sigsetjmp(out, 0) == 0)
            *(volatile int *)0x1230 = 1; /* NOLINT */
        uint64_t none = 0;
        CALL(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
    }
    __asm__ volatile("ud2");
    uint32_t lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    SAW(lo);
    SAW(hi);
    WANT(lo == (uint32_t)(virtual_now * 2));
}

static void crashes(void)
{
    CALL(SYS_getpid);
    prctl(PR_SET_DUMPABLE, 0);
    *(volatile int *)0x1230 = 1;
}

/* --- children --- */

static void execs(void)
{
    const char *none[] = {"nothing", NULL};
    WANT(CALL(SYS_execve, "/nowhere/at/all", none, none) == -ENOENT);
    long child = CALL(SYS_fork);
    if (child == 0) {
        char *const arguments[] = {"true", NULL};
        execv("/bin/true", arguments);
        _exit(9);
    }
    int status = -1;
    WANT(CALL(SYS_wait4, child, &status, 0, NULL) == child && status == 0);
    /* A replay has no child of its own. */
    WANT(!replaying() || waitpid(-1, NULL, WNOHANG) == -1);
}

static const struct test_case cases[] = {
    {.name = "files", .body = files, .before = files_before, .between = files_between},
    {.name = "machine", .body = machine},
    {.name = "unknown call", .body = unknown, .said = "system call 500"},
    {.name = "other call",
     .body = other_call,
     .between = environment_changes,
     .diverged = "another system call: 68 66"},
    {.name = "other bytes",
     .body = other_bytes,
     .before = environment_back,
     .between = environment_changes,
     .diverged = "other bytes of output"},
    {.name = "longer",
     .body = longer,
     .before = environment_back,
     .between = environment_changes,
     .diverged = "the recording ends here"},
    {.name = "standard output", .body = shown, .before = shown_before},
    {.name = "sockets", .body = sockets},
    {.name = "server", .body = server},
    {.name = "pipes", .body = pipes},
    {.name = "times", .body = times},
    {.name = "locks", .body = locks, .before = locks_before},
    {.name = "queues", .body = queues},
    {.name = "memory", .body = memory, .before = memory_before, .between = memory_between},
    {.name = "large file", .body = large, .before = large_before},
    {.name = "large file changed",
     .body = large,
     .before = large_before,
     .between = large_changes,
     .diverged = "has changed"},
    {.name = "signals", .body = signals},
    {.name = "timers", .body = timers},
    {.name = "arrivals", .body = arrivals},
    {.name = "dies", .body = dies, .status = SIGTERM},
    {.name = "faults", .body = faults},
    {.name = "crashes", .body = crashes, .status = SIGSEGV},
    {.name = "execs", .body = execs},
};

/* Every system call that the headers know stands in the table, once and under its own name. */
static void table(void **state)
{
    (void)state;
    size_t known = 0;
    for (long n = 0; n < PF_SYSCALL_MAX; n++) {
        const struct pf_syscall *s = pf_syscall_at(n);
        bool named = n <= 334 || (n >= 424 && n <= 462);
        assert_int_equal(s->name != NULL, named);
        assert_int_equal(s->effect != PF_EFFECT_UNKNOWN, named);
        assert_int_equal(s->own != NULL, s->effect == PF_EFFECT_OWN);
        known += named;
    }
    assert_true(known > 350);
    assert_string_equal(pf_syscall_at(SYS_read)->name, "read");
    assert_string_equal(pf_syscall_at(462)->name, "mseal");
    assert_int_equal(pf_syscall_at(-1)->effect, PF_EFFECT_UNKNOWN);
    assert_int_equal(pf_syscall_at(1 << 20)->effect, PF_EFFECT_UNKNOWN);
}

int main(void)
{
    enum { CASES = sizeof cases / sizeof *cases };
    struct CMUnitTest tests[CASES + 1] = {{"table", table, NULL, NULL, NULL}};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared == MAP_FAILED || !mkdtemp(folder))
        return 1;
    pf_store_init();
    for (size_t i = 0; i < CASES; i++)
        tests[i + 1] =
            (struct CMUnitTest){cases[i].name, run_case, NULL, NULL, (void *)(uintptr_t)&cases[i]};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return failed || system(command);
}
