/*
 * bad_pointers.c - calls one interposed function with one bad pointer, for
 * test/shell/bad_pointers.sh.
 *
 * Without arguments it lists the functions. With FUNCTION KIND it makes the call, and prints the
 * sign of the result if it returns.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static int fds[2], sockets[2];
static char good[4096];
static struct timespec past;
static volatile long result;
static void *nothing(void *arg) { return arg; }
static void once(void) {}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* A call with the bad pointer p. */
#define CALLS(C)                                                                                   \
    C(pthread_mutex_lock, pthread_mutex_lock(p))                                                   \
    C(pthread_mutex_unlock, pthread_mutex_unlock(p))                                               \
    C(pthread_mutex_trylock, pthread_mutex_trylock(p))                                             \
    C(pthread_mutex_timedlock, pthread_mutex_timedlock(p, &past))                                  \
    C(pthread_mutex_clocklock, pthread_mutex_clocklock(p, CLOCK_MONOTONIC, &past))                 \
    C(pthread_mutex_init, pthread_mutex_init(p, 0))                                                \
    C(pthread_mutex_init_attr, pthread_mutex_init(&m, p))                                          \
    C(pthread_mutex_destroy, pthread_mutex_destroy(p))                                             \
    C(pthread_mutexattr_init, pthread_mutexattr_init(p))                                           \
    C(pthread_mutexattr_settype, pthread_mutexattr_settype(p, PTHREAD_MUTEX_RECURSIVE))            \
    C(pthread_mutexattr_destroy, pthread_mutexattr_destroy(p))                                     \
    C(pthread_mutexattr_setprotocol, pthread_mutexattr_setprotocol(p, PTHREAD_PRIO_NONE))          \
    C(pthread_mutexattr_setpshared, pthread_mutexattr_setpshared(p, PTHREAD_PROCESS_PRIVATE))      \
    C(pthread_mutexattr_setrobust, pthread_mutexattr_setrobust(p, PTHREAD_MUTEX_ROBUST))           \
    C(pthread_condattr_init, pthread_condattr_init(p))                                             \
    C(pthread_condattr_destroy, pthread_condattr_destroy(p))                                       \
    C(pthread_condattr_setclock, pthread_condattr_setclock(p, CLOCK_MONOTONIC))                    \
    C(pthread_condattr_setpshared, pthread_condattr_setpshared(p, PTHREAD_PROCESS_PRIVATE))        \
    C(pthread_rwlockattr_init, pthread_rwlockattr_init(p))                                         \
    C(pthread_rwlockattr_destroy, pthread_rwlockattr_destroy(p))                                   \
    C(pthread_rwlockattr_setkind_np, pthread_rwlockattr_setkind_np(p, 0))                          \
    C(pthread_rwlockattr_setpshared, pthread_rwlockattr_setpshared(p, PTHREAD_PROCESS_PRIVATE))    \
    C(pthread_rwlock_rdlock, pthread_rwlock_rdlock(p))                                             \
    C(pthread_rwlock_wrlock, pthread_rwlock_wrlock(p))                                             \
    C(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock(p))                                       \
    C(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock(p))                                       \
    C(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(p, &past))                            \
    C(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(p, &past))                            \
    C(pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock(p, CLOCK_MONOTONIC, &past))           \
    C(pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock(p, CLOCK_MONOTONIC, &past))           \
    C(pthread_rwlock_unlock, pthread_rwlock_unlock(p))                                             \
    C(pthread_rwlock_init, pthread_rwlock_init(p, 0))                                              \
    C(pthread_rwlock_destroy, pthread_rwlock_destroy(p))                                           \
    C(pthread_spin_init, pthread_spin_init(p, 0))                                                  \
    C(pthread_spin_lock, pthread_spin_lock(p))                                                     \
    C(pthread_spin_trylock, pthread_spin_trylock(p))                                               \
    C(pthread_spin_unlock, pthread_spin_unlock(p))                                                 \
    C(pthread_spin_destroy, pthread_spin_destroy(p))                                               \
    C(pthread_cond_init, pthread_cond_init(p, 0))                                                  \
    C(pthread_cond_destroy, pthread_cond_destroy(p))                                               \
    C(pthread_cond_signal, pthread_cond_signal(p))                                                 \
    C(pthread_cond_broadcast, pthread_cond_broadcast(p))                                           \
    C(pthread_cond_timedwait, (pthread_mutex_lock(&m), pthread_cond_timedwait(p, &m, &past)))      \
    C(pthread_cond_timedwait_mutex, pthread_cond_timedwait(&cv, p, &past))                         \
    C(pthread_cond_timedwait_time, (pthread_mutex_lock(&m), pthread_cond_timedwait(&cv, &m, p)))   \
    C(pthread_cond_clockwait,                                                                      \
      (pthread_mutex_lock(&m), pthread_cond_clockwait(p, &m, CLOCK_MONOTONIC, &past)))             \
    C(pthread_barrier_init, pthread_barrier_init(p, 0, 1))                                         \
    C(pthread_barrier_wait, pthread_barrier_wait(p))                                               \
    C(pthread_barrier_destroy, pthread_barrier_destroy(p))                                         \
    C(pthread_once, pthread_once(p, once))                                                         \
    C(pthread_join, pthread_join(thread, p))                                                       \
    C(pthread_create, pthread_create(p, 0, nothing, 0))                                            \
    C(pthread_create_attr, pthread_create(&thread, p, nothing, 0))                                 \
    C(pthread_getname_np, pthread_getname_np(pthread_self(), p, 16))                               \
    C(pthread_setname_np, pthread_setname_np(pthread_self(), p))                                   \
    C(pthread_attr_init, pthread_attr_init(p))                                                     \
    C(sem_init, sem_init(p, 0, 1))                                                                 \
    C(sem_destroy, sem_destroy(p))                                                                 \
    C(sem_post, sem_post(p))                                                                       \
    C(sem_trywait, sem_trywait(p))                                                                 \
    C(sem_getvalue, sem_getvalue(p, &(int){0}))                                                    \
    C(sem_timedwait, sem_timedwait(p, &past))                                                      \
    C(sem_clockwait, sem_clockwait(p, CLOCK_MONOTONIC, &past))                                     \
    C(mtx_init, mtx_init(p, mtx_plain))                                                            \
    C(mtx_lock, mtx_lock(p))                                                                       \
    C(mtx_unlock, mtx_unlock(p))                                                                   \
    C(mtx_trylock, mtx_trylock(p))                                                                 \
    C(mtx_timedlock, mtx_timedlock(p, &past))                                                      \
    C(mtx_destroy, (mtx_destroy(p), 0))                                                            \
    C(cnd_signal, cnd_signal(p))                                                                   \
    C(cnd_timedwait, (pthread_mutex_lock(&m), cnd_timedwait(p, (mtx_t *)&m, &past)))               \
    C(cnd_broadcast, cnd_broadcast(p))                                                             \
    C(cnd_init, cnd_init(p))                                                                       \
    C(cnd_destroy, (cnd_destroy(p), 0))                                                            \
    C(call_once, (call_once(p, once), 0))                                                          \
    C(memcpy_to, (long)memcpy(p, good, 32))                                                        \
    C(memcpy_from, (long)memcpy(good, p, 32))                                                      \
    C(memmove, (long)memmove(p, good, 4000))                                                       \
    C(memset, (long)memset(p, 1, 100))                                                             \
    C(memcmp, memcmp(p, good, 16))                                                                 \
    C(memchr, (long)memchr(p, 1, 100))                                                             \
    C(strlen, strlen(p))                                                                           \
    C(strcpy, (long)strcpy(p, "text"))                                                             \
    C(strcpy_from, (long)strcpy(good, p))                                                          \
    C(strcat, (long)strcat(p, "text"))                                                             \
    C(strcmp, strcmp(p, "text"))                                                                   \
    C(strchr, (long)strchr(p, 'x'))                                                                \
    C(strdup, (long)strdup(p))                                                                     \
    C(strtol, strtol(p, 0, 10))                                                                    \
    C(strtol_end, strtol("12", p, 10))                                                             \
    C(strtok, (long)strtok(p, " "))                                                                \
    C(wcslen, wcslen(p))                                                                           \
    C(printf, printf("%s", (char *)p))                                                             \
    C(printf_format, printf(p))                                                                    \
    C(snprintf, snprintf(p, 10, "%d", 12))                                                         \
    C(sscanf, sscanf("12", "%d", (int *)p))                                                        \
    C(sscanf_from, sscanf(p, "%d", (int *)good))                                                   \
    C(puts, puts(p))                                                                               \
    C(fputs, fputs(p, stdout))                                                                     \
    C(fputs_stream, fputs("x", p))                                                                 \
    C(fwrite, fwrite(p, 1, 10, stdout) + fflush(stdout))                                           \
    C(fgets, (long)fgets(p, 10, stdin))                                                            \
    C(fread, fread(p, 1, 10, stdin))                                                               \
    C(getline, getline(p, (size_t *)good, stdin))                                                  \
    C(fclose, fclose(p))                                                                           \
    C(fopen, (long)fopen(p, "r"))                                                                  \
    C(read, read(fds[0], p, 10))                                                                   \
    C(write, write(fds[1], p, 10))                                                                 \
    C(readv, readv(fds[0], p, 1))                                                                  \
    C(writev, writev(fds[1], p, 1))                                                                \
    C(pread, pread(0, p, 10, 0))                                                                   \
    C(send, send(sockets[0], p, 10, 0))                                                            \
    C(recv, (write(sockets[0], "x", 1), recv(sockets[1], p, 10, 0)))                               \
    C(sendmsg, sendmsg(sockets[0], p, 0))                                                          \
    C(recvmsg, (write(sockets[0], "x", 1), recvmsg(sockets[1], p, 0)))                             \
    C(getsockopt, getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, p, (socklen_t *)good))               \
    C(bind, bind(sockets[0], p, 16))                                                               \
    C(connect, connect(sockets[0], p, 16))                                                         \
    C(accept, accept(sockets[0], p, (socklen_t *)good))                                            \
    C(poll, poll(p, 1, 0))                                                                         \
    C(select, select(4, p, 0, 0, &(struct timeval){0, 0}))                                         \
    C(epoll_wait, epoll_wait(epoll_create1(0), p, 1, 0))                                           \
    C(epoll_ctl, epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, fds[0], p))                            \
    C(pipe, pipe(p))                                                                               \
    C(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, p))                                          \
    C(eventfd_read, eventfd_read(eventfd(1, 0), p))                                                \
    C(open, open(p, O_RDONLY))                                                                     \
    C(stat, stat(p, (struct stat *)good))                                                          \
    C(stat_to, stat("/", p))                                                                       \
    C(fstat, fstat(0, p))                                                                          \
    C(readlink, readlink("/proc/self/exe", p, 100))                                                \
    C(getcwd, (long)getcwd(p, 100) != 0)                                                           \
    C(realpath, (long)realpath(p, good) != 0)                                                      \
    C(opendir, (long)opendir(p) != 0)                                                              \
    C(readdir, (long)readdir(p) != 0)                                                              \
    C(time, time(p) != 0)                                                                          \
    C(clock_gettime, clock_gettime(CLOCK_MONOTONIC, p))                                            \
    C(gettimeofday, gettimeofday(p, 0))                                                            \
    C(nanosleep, nanosleep(p, 0))                                                                  \
    C(localtime_r, (long)localtime_r(p, (struct tm *)good) != 0)                                   \
    C(gmtime, (long)gmtime(p) != 0)                                                                \
    C(strftime, strftime(good, 100, "%Y", p) != 0)                                                 \
    C(sigaction, sigaction(SIGUSR1, p, 0))                                                         \
    C(sigaction_old, sigaction(SIGUSR1, 0, p))                                                     \
    C(sigprocmask, sigprocmask(SIG_BLOCK, p, 0))                                                   \
    C(pthread_sigmask, pthread_sigmask(SIG_BLOCK, 0, p))                                           \
    C(sigemptyset, sigemptyset(p))                                                                 \
    C(sigaltstack, sigaltstack(p, 0))                                                              \
    C(sigtimedwait, sigtimedwait(p, 0, &past))                                                     \
    C(timer_settime, timerfd_settime(timerfd_create(CLOCK_MONOTONIC, 0), 0, p, 0))                 \
    C(setitimer, setitimer(ITIMER_REAL, p, 0))                                                     \
    C(getrlimit, getrlimit(RLIMIT_NOFILE, p))                                                      \
    C(getrusage, getrusage(RUSAGE_SELF, p))                                                        \
    C(uname, uname(p))                                                                             \
    C(getrandom, getentropy(p, 16))                                                                \
    C(gethostname, gethostname(p, 64))                                                             \
    C(waitpid, waitpid(-1, p, WNOHANG))                                                            \
    C(execve, execve(p, 0, 0))                                                                     \
    C(posix_spawn, posix_spawn(0, p, 0, 0, 0, 0))                                                  \
    C(free, (free(p), 0))                                                                          \
    C(realloc, (long)realloc(p, 100) != 0)                                                         \
    C(posix_memalign, posix_memalign(p, 16, 100))                                                  \
    C(qsort, (qsort(p, 10, 4, compare), 0))                                                        \
    C(inet_pton, inet_pton(AF_INET, p, good))                                                      \
    C(getaddrinfo, getaddrinfo(p, 0, 0, (struct addrinfo **)good) != 0)                            \
    C(munmap, munmap(p, 4096))                                                                     \
    C(madvise, madvise(p, 4096, MADV_DONTNEED))                                                    \
    C(aio_error, aio_error(p))                                                                     \
    C(longjmp, (longjmp(p, 1), 0))                                                                 \
    C(store, *(volatile int *)p = 1)                                                               \
    C(load, *(volatile int *)p)

static const char *const names[] = {
#define NAME(name, call) #name,
    CALLS(NAME)};
enum { N = sizeof names / sizeof names[0] };

static bool begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}
/* An object of the type that the function expects, already destroyed; freed memory for others. */
static void *destroyed(const char *name)
{
    static union {
        pthread_mutex_t mutex;
        pthread_rwlock_t rwlock;
        pthread_spinlock_t spin;
        pthread_cond_t cond;
        pthread_barrier_t barrier;
        pthread_mutexattr_t mutexattr;
        pthread_attr_t attr;
        sem_t sem;
        mtx_t mtx;
        cnd_t cnd;
    } o;
#define GONE(start, init, destroy)                                                                 \
    if (begins(name, start)) {                                                                     \
        init;                                                                                      \
        destroy;                                                                                   \
        return &o;                                                                                 \
    }
    GONE("pthread_mutexattr", pthread_mutexattr_init(&o.mutexattr),
         pthread_mutexattr_destroy(&o.mutexattr))
    GONE("pthread_mutex_init_attr", pthread_mutexattr_init(&o.mutexattr),
         pthread_mutexattr_destroy(&o.mutexattr))
    GONE("pthread_mutex", pthread_mutex_init(&o.mutex, 0), pthread_mutex_destroy(&o.mutex))
    GONE("pthread_rwlock", pthread_rwlock_init(&o.rwlock, 0), pthread_rwlock_destroy(&o.rwlock))
    GONE("pthread_spin", pthread_spin_init(&o.spin, 0), pthread_spin_destroy(&o.spin))
    GONE("pthread_cond_timedwait_mutex", pthread_mutex_init(&o.mutex, 0),
         pthread_mutex_destroy(&o.mutex))
    GONE("pthread_cond", pthread_cond_init(&o.cond, 0), pthread_cond_destroy(&o.cond))
    GONE("pthread_barrier", pthread_barrier_init(&o.barrier, 0, 1),
         pthread_barrier_destroy(&o.barrier))
    GONE("pthread_create_attr", pthread_attr_init(&o.attr), pthread_attr_destroy(&o.attr))
    GONE("sem_", sem_init(&o.sem, 0, 1), sem_destroy(&o.sem))
    GONE("mtx_", mtx_init(&o.mtx, mtx_plain), mtx_destroy(&o.mtx))
    GONE("cnd_", cnd_init(&o.cnd), cnd_destroy(&o.cnd))
    void *p = calloc(1, 4096);
    free(p);
    return p;
}

static void *bad(int kind, const char *name)
{
    char *p;
    switch (kind) {
    case 0:
        return 0;
    case 1: /* unmapped */
        p = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap(p, 4096);
        return p;
    case 2:
        return mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    case 3: /* read-only */
        return mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    case 4: /* not a pointer */
        return (void *)0x6161616161616160;
    case 5: /* freed */
        free(p = calloc(1, 4096));
        return p;
    case 7:
        return destroyed(name);
    default: /* not an object */
        return memset(malloc(4096), 0xff, 4096);
    }
}
__attribute__((optnone)) static void make(int n, void *p)
{
    switch (n) {
#define CASE(name, call)                                                                           \
    case __COUNTER__ - BASE:                                                                       \
        result = (long)(call);                                                                     \
        break;
        enum { BASE = __COUNTER__ + 1 };
        CALLS(CASE)
    }
}
int main(int argc, char **argv)
{
    int n = 0;
    while (n < N && argc > 1 && strcmp(names[n], argv[1]))
        n++;
    if (argc < 3) {
        for (n = 0; n < N; n++)
            puts(names[n]);
        return 0;
    }
    if (n == N)
        return 99;
    setvbuf(stdout, 0, _IONBF, 0);
    if (pipe(fds) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
        write(fds[1], "0123456789", 10) != 10)
        return 98;
    pthread_create(&thread, 0, nothing, 0);
    void *p = bad(atoi(argv[2]), names[n]);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    make(n, p);
    printf("%d\n", result < 0 ? -1 : result != 0);
    return 0;
}
