/* replay_syscalls.c - files, sockets, pipes, memory, the machine, children: a replay sees what the
 * recording saw. */
// sources: src/rt/direct/syscall/syscall_table.c src/rt/direct/syscall/syscall_writes.c
// sources: src/rt/direct/syscall/input_log.c src/rt/direct/syscall/syscall.c
// sources: src/rt/direct/syscall/target_output.c src/rt/direct/syscall/blocking.c
// sources: src/rt/direct/signal/signal_pending.c src/rt/direct/signal/handler_call.c
// sources: src/rt/direct/signal/signal_kernel.c src/rt/direct/syscall/machine_instructions.c
// sources: src/rt/direct/signal/signal_calls.c src/rt/direct/signal/timer.c
// sources: src/rt/direct/syscall/lock_calls.c src/rt/direct/syscall/transfer_calls.c
// sources: src/rt/direct/syscall/poll_calls.c src/rt/direct/syscall/ipc_calls.c
// sources: src/rt/direct/syscall/memory_calls.c src/rt/direct/syscall/process_calls.c
// sources: src/rt/direct/syscall/inside_waits.c
// sources: src/rt/direct/syscall/poll_waiters.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/gate.S
// sources: src/rt/sys.c src/rt/direct/environment.c src/report/textbuf.c src/report/pool.c
// sources: src/rt/direct/reach/mappings.c src/rt/direct/schedule/shared_state.c
// sources: src/rt/direct/schedule/continuation.c src/rt/direct/syscall/file_overlay.c
// sources: src/rt/direct/syscall/outside_calls.c src/rt/direct/syscall/open_descriptors.c
// sources: src/rt/direct/syscall/served_input.c
// sources: src/rt/direct/syscall/pinned_answers.c
// flags: -D_GNU_SOURCE= -fno-builtin
#include "replay_harness.h"

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
    /* The file does not exist for the process that replays. */
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
    for (long call = 454; call <= 456; call++) /* futex_wake, futex_wait, futex_requeue */
        WANT(CALL(call, 0, 0, 0, 0, 0, 0) == -ENOSYS);
    WANT(CALL(SYS_futex_waitv, 0, 0, 0, 0, 0) == -ENOSYS);
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

/* --- standard output is shown, a file that replaces it is not --- */

static void shown_before(void)
{
    fflush(stdout);
    make_file("shown", "");
}
static void shown(void)
{
    /* opened by the harness, not by the target */
    int to = open(in_folder("shown"), O_WRONLY | O_APPEND);
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
    n = 4; /* too small: the kernel returns the size needed */
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

/* An external client, which exists only while recording. */
static void server(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s", in_folder("socket"));
    int listener = (int)CALL(SYS_socket, AF_UNIX, SOCK_STREAM, 0), epoll;
    CALL(SYS_bind, listener, &at, sizeof at);
    WANT(CALL(SYS_listen, listener, 5) == 0);
    if (!replaying() && fork() == 0) {
        int s = socket(AF_UNIX, SOCK_STREAM, 0);
        await_wait(1);
        int r = connect(s, (struct sockaddr *)&at, sizeof at);
        await_wait(2);
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
        await_wait(1);
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
    pf_signal_actions[SIGPIPE].handler = (void *)SIG_IGN;
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
            await_wait(1);
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
    /* A replay has no child process. */
    WANT(!replaying() || waitpid(-1, NULL, WNOHANG) == -1);
}

static const struct test_case cases[] = {
    {.name = "files", .body = files, .before = files_before, .between = files_between},
    {.name = "machine", .body = machine},
    {.name = "unknown call", .body = unknown, .said = "system call 500"},
    {.name = "other call",
     .body = other_call,
     .between = environment_changes,
     .diverged = "different system call: getgid getuid"},
    {.name = "other bytes",
     .body = other_bytes,
     .before = environment_back,
     .between = environment_changes,
     .diverged = "different output"},
    {.name = "longer",
     .body = longer,
     .before = environment_back,
     .between = environment_changes,
     .diverged = "the recording ends, but the run makes another system call"},
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
    {.name = "execs", .body = execs},
};

/* Every system call in the headers is in the table, once and under its own name. */
static void table(void **state)
{
    (void)state;
    size_t known = 0;
    for (long n = 0; n < PF_SYSCALL_MAX; n++) {
        const struct pf_syscall *s = pf_syscall_at(n);
        bool named = n <= 334 || (n >= 424 && n <= 462);
        assert_int_equal(s->name != NULL, named);
        assert_int_equal(s->effect != PF_EFFECT_UNKNOWN, named);
        assert_int_equal(s->handler != NULL, s->effect == PF_EFFECT_CUSTOM);
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
    const struct CMUnitTest more = cmocka_unit_test(table);
    return run_cases(cases, sizeof cases / sizeof *cases, &more);
}
