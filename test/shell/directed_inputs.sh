# shellcheck shell=bash disable=SC2154
# Directed mode: all inputs are in the recording. A replay takes them from there and has no effect
# outside of its process.

# Standard input, files that appear and disappear, randomness, threads that read and write, a child,
# a signal to a thread.
cat >all.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int way[2], back[2];
static volatile sig_atomic_t handled;
static pthread_t reader_thread;
static void on_signal(int n) { handled += n == SIGUSR1 && pthread_equal(pthread_self(), reader_thread); }
static void *reader(void *a)
{
    static char part[70000];
    size_t all = 0;
    ssize_t n;
    while ((n = read(way[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        all += n > 0 ? (size_t)n : 0;
    if (write(back[1], &all, sizeof all) != sizeof all)
        abort();
    return a;
}
int main(void)
{
    char line[100] = "", *big = calloc(1, 400000);
    size_t all = 0;
    unsigned random = 0;
    if (!fgets(line, sizeof line, stdin) || pipe(way) || pipe(back))
        return 1;
    printf("read %s", line);
    struct sigaction act = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &act, NULL);
    pthread_create(&reader_thread, NULL, reader, NULL);
    struct timespec nap = {3, 0}; /* virtual time: takes no real time */
    nanosleep(&nap, NULL);
    pthread_kill(reader_thread, SIGUSR1);
    if (write(way[1], big, 400000) != 400000) /* more than the pipe holds: the reader must run */
        return 2;
    close(way[1]);
    struct pollfd p = {back[0], POLLIN, 0};
    if (poll(&p, 1, 10000) != 1 || read(back[0], &all, sizeof all) != sizeof all)
        return 3;
    pthread_join(reader_thread, NULL);
    getrandom(&random, sizeof random, 0);
    printf("%zu bytes, %d handled, %u, pid %d, %ld\n", all, handled, random, getpid(), time(NULL));
    memcpy(&random, (void *)getauxval(AT_RANDOM), sizeof random);
    printf("the kernel's %u\n", random);
    int fd = open("data", O_RDONLY), status = 0;
    char *m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    printf("mapped %s", m);
    FILE *o = fopen("made", "w");
    fprintf(o, "by the target\n");
    fclose(o);
    FILE *c = popen("echo from a child; exit 3", "r");
    if (fgets(line, sizeof line, c))
        printf("%s", line);
    status = pclose(c);
    printf("child ended with %d\n", WEXITSTATUS(status));
    fflush(stdout);
    fprintf(stderr, "to standard error\n");
    return 7;
}
C
"$PF" cc -g all.c -o all
echo "of the file" >data
for seed in 1 2; do
    s=0
    echo "a line" | "$PF" record -o all.clip --schedule=random:$seed -- ./all >recorded 2>said || s=$?
    [[ $s == 7 ]] || fail "recording ended with $s"
    has recorded "400000 bytes, 1 handled"
    has recorded "from a child"
    rm made
    echo "another file by now" >data
    for _ in 1 2 3; do
        status 7 "$PF" replay all.clip </dev/null
        cmp out recorded
        for words in err said; do sed -i '/^pf [a-z]*: the program started other processes/d' $words; done
        cmp err said
    done
    [[ ! -e made ]] || fail "the replay created a file"
    status 7 "$PF" replay --quiet all.clip
    [[ ! -s out ]] || fail "--quiet shows output"
    echo "of the file" >data
done

# A server with its client outside; then a replay without the client.
cat >server.c <<'C'
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
static int jobs[2];
static void *worker(void *a)
{
    int fd;
    while (read(jobs[0], &fd, sizeof fd) == sizeof fd) {
        char text[64];
        ssize_t n;
        while ((n = recv(fd, text, sizeof text, 0)) > 0)
            for (ssize_t i = 0; i < n; i++)
                if (text[i] == '\n' && write(fd, "answer\n", 7) != 7)
                    return a;
        close(fd);
    }
    return a;
}
int main(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    pthread_t t[2];
    int s = socket(AF_INET, SOCK_STREAM, 0), e = epoll_create1(0);
    if (pipe(jobs) || bind(s, (void *)&at, n) || listen(s, 5) || getsockname(s, (void *)&at, &n))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    printf("port %d\n", ntohs(at.sin_port));
    fflush(stdout);
    struct epoll_event ev = {.events = EPOLLIN};
    epoll_ctl(e, EPOLL_CTL_ADD, s, &ev);
    for (int served = 0; served < 3; served++) {
        if (epoll_wait(e, &ev, 1, 60000) != 1)
            return 2;
        int fd = accept(s, NULL, NULL);
        if (write(jobs[1], &fd, sizeof fd) != sizeof fd)
            return 3;
    }
    close(jobs[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("served\n");
    return 0;
}
C
"$PF" cc -g server.c -o server
mkfifo told
"$PF" record -o server.clip -- ./server >told &
recorder=$!
exec 5<told
read -r _ port <&5
for _ in 1 2 3; do
    exec 6<>/dev/tcp/127.0.0.1/"$port"
    echo question >&6
    read -r answer <&6
    [[ $answer == answer ]] || fail "the server answered $answer"
    exec 6>&-
done
read -r last <&5
wait $recorder
[[ $last == served ]] || fail "the last output of the server is $last"
status 0 "$PF" replay server.clip
has out "port $port"
has out served

# Termination by a signal: from outside while it waits, by itself, by a fault.
cat >ends.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *f(void *a) { pause(); return a; }
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    printf("%s\n", argv[1]);
    fflush(stdout);
    if (argv[1][0] == 'a')
        abort();
    if (argv[1][0] == 'f')
        *(volatile int *)16 = argc;
    for (;;)
        pause();
}
C
"$PF" cc -g ends.c -o ends
for how in abort fault; do
    s=0
    (ulimit -c 0; "$PF" record -o ends.clip -- ./ends $how) >recorded 2>/dev/null || s=$?
    [[ $s -ge 128 ]] || fail "$how ended with $s"
    status $s "$PF" replay ends.clip
    cmp out recorded
done
"$PF" record -o ends.clip -- ./ends term >told 2>err &
recorder=$!
exec 5<told
read -r _ <&5
kill -TERM $recorder
s=0
wait $recorder || s=$?
[[ $s == 143 ]] || fail "SIGTERM ended it with $s"
status 143 "$PF" replay ends.clip
has out term

# An unknown system call is made, and the recording says that it may not replay.
cat >unknown.c <<'C'
#include <unistd.h>
int main(void) { return syscall(500, 1) == -1 ? 0 : 1; }
C
"$PF" cc -D_GNU_SOURCE unknown.c -o unknown
status 0 "$PF" record -o unknown.clip -- ./unknown
has err "may not replay: system call 500"
status 0 "$PF" replay unknown.clip

# A fault in the middle of accesses that are counted together: the replay that writes the trace
# counts them one by one.
cat >faults.c <<'END'
#include <pthread.h>
int a, b;
int *volatile nowhere;
static void *run(void *arg)
{
    int *p = nowhere;
    a = 1;
    b = *p; /* the event before it has happened, the event after it has not */
    a = 2;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    return pthread_join(t, 0);
}
END
"$PF" cc -O1 -g faults.c -o faults
status 139 "$PF" record -o faults.clip -- ./faults
status 139 "$PF" replay faults.clip
status 0 "$PF" dump faults.clip
has out "faults.c:7"

# Semaphores in memory shared with a child: the run waits for the child and reports no deadlock.
cat >shared.c <<'END'
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    sem_t *s = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(s, 1, 0);
    pid_t child = fork();
    if (!child) {
        usleep(20000);
        sem_post(s);
        _exit(0);
    }
    sem_wait(s);
    puts("posted");
    return waitpid(child, 0, 0) != child;
}
END
"$PF" cc -O1 -g shared.c -o shared
status 0 "$PF" record -o shared.clip -- ./shared
has out posted
has err "may not replay: memory shared with a child process"

# A child's writes to shared memory are missing in a replay: it diverges and repeats the warning of
# the recording.
cat >wrote.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!fork()) {
        *p = 42;
        _exit(0);
    }
    wait(0);
    printf("%d\n", *p);
    return 0;
}
END
"$PF" cc -O1 -g wrote.c -o wrote
status 0 "$PF" record -o wrote.clip -- ./wrote
status 2 "$PF" replay wrote.clip
has err "diverged from the recording"
has err "the recording was marked as possibly not replayable: memory shared with a child process"

# Randomness from the processor: std::random_device asks the kernel, and so does every library to
# which cpuid denies rdrand.
cat >random.cc <<'C'
#include <cpuid.h>
#include <cstdio>
#include <immintrin.h>
#include <random>
#include <sys/random.h>
__attribute__((target("rdrnd"))) static unsigned of_processor()
{
    unsigned a, b, c, d, value = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_RDRND)
        for (int i = 0; i < 10 && !_rdrand32_step(&value); i++)
            ;
    else
        getrandom(&value, sizeof value, 0);
    return value;
}
int main(int argc, char **)
{
    std::random_device device;
    printf("%u %u\n", device(), device());
    if (argc > 1)
        printf("%u\n", of_processor());
}
C
"$PF" c++ -g random.cc -o random
words=()
! grep -qw cpuid_fault /proc/cpuinfo || words=(too)
"$PF" record -o random.clip -- ./random "${words[@]}" >random.out
"$PF" record -o random.2.clip -- ./random "${words[@]}" >random.2.out
! cmp -s random.out random.2.out || fail "two recordings have the same numbers: $(cat random.out)"
for _ in 1 2 3; do
    "$PF" replay random.clip >random.again
    cmp random.out random.again || fail "$(cat random.out) became $(cat random.again)"
done
