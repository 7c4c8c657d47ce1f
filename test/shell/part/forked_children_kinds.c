/* Every way to create a process, and what a forked child may do: each line of the output is the end
 * of one child. The children that run code of this program are numbered in comments. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int x;

static void *add(void *arg)
{
    x++;
    return arg;
}
static void run_two(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
static void on_signal(int n) { x += n ? 100 : 0; }

static char stack[1 << 16] __attribute__((aligned(16)));
static int run_on_stack(void *number)
{
    run_two();
    return getenv("FORKED_CHILDREN") && number == (void *)1 ? x : 77;
}

static void await(const char *what, pid_t pid)
{
    int status = 0;
    pid_t got = waitpid(pid, &status, 0);
    printf("%s: %s %d\n", what, got != pid ? "?" : WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fflush(stdout);
}

static void signals(void)
{
    pid_t pid;
    sigset_t usr1, old;
    if (!(pid = fork())) { /* 4 */
        run_two();
        raise(SIGSEGV);
    }
    await("raise", pid);
    if (!(pid = fork())) { /* 5 */
        run_two();
        *(volatile int *)8 = 1;
    }
    await("fault", pid);
    if (!(pid = fork())) { /* 6 */
        run_two();
        kill(getpid(), SIGKILL);
    }
    await("kill", pid);
    signal(SIGUSR1, on_signal);
    if (!(pid = fork())) { /* 7 */
        kill(getpid(), SIGUSR1);
        run_two();
        _exit(x);
    }
    await("handler", pid);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, &old);
    if (!(pid = fork())) { /* 8 */
        sigsuspend(&old);
        run_two();
        _exit(x);
    }
    kill(pid, SIGUSR1);
    await("signal from the parent", pid);
    alarm(1000); /* a child does not inherit it */
    if (!(pid = fork())) { /* 9 */
        unsigned inherited = alarm(1);
        sleep(5);
        _exit(inherited ? 9 : 8);
    }
    await("alarm", pid);
}

int main(void)
{
    pid_t pid;
    char *words[] = {"true", NULL};
    if (!(pid = fork())) { /* 1: executes */
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    await("exec", pid);
    if (!(pid = fork())) { /* 2 */
        execl("/does/not/exist", "true", NULL);
        run_two();
        _exit(x);
    }
    await("failed exec", pid);
    if (!(pid = vfork())) /* 3 */
        _exit(3);
    await("vfork", pid);
    posix_spawn(&pid, "/bin/true", NULL, NULL, words, environ);
    await("spawn", pid);
    signals();
    if (!(pid = fork())) { /* 10 */
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        run_two();
        dup2(1, 900);
        close_range(3, ~0u, 0);
        run_two();
        _exit(x);
    }
    await("closed descriptors", pid);
    if (!(pid = fork())) { /* 11 */
        run_two();
        _exit(gettid() == getpid() ? x : 77);
    }
    await("thread id", pid);
    if (!(pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))) /* 12 */
        _exit(4);
    await("clone", pid);
    if (!(pid = _Fork())) /* 13 */
        _exit(5);
    await("_Fork", pid);
    pid = clone(run_on_stack, stack + sizeof stack, SIGCHLD, (void *)1); /* 14 */
    await("clone with a stack", pid);
    if (!(pid = fork())) { /* 15: executes */
        if (!fork()) { /* 15.1 */
            run_two();
            _exit(x);
        }
        wait(NULL);
        execl("/bin/true", "true", NULL);
    }
    await("forks and executes", pid);
    return system("exit 3") == 3 << 8 ? 0 : 1;
}
