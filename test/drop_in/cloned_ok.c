// want: none
// Forks that libc does not know, while another thread is inside the runtime most of the time: the
// child must not wait for a lock that this thread held.
#define _GNU_SOURCE
#include <pthread.h>
#include <sanitizer/linux_syscall_hooks.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 50

static atomic_long counter;
static atomic_int done;
static char stack[1 << 16] __attribute__((aligned(64)));

static void *count(void *arg)
{
    while (!done)
        counter++;
    return arg;
}

static int child(void *arg)
{
    for (int i = 0; i < 100; i++)
        counter++;
    _exit(0);
    return arg != NULL;
}

static pid_t fork_by_call(void)
{
    __sanitizer_syscall_pre_fork();
    pid_t pid = (pid_t)syscall(SYS_fork);
    __sanitizer_syscall_post_fork(pid);
    return pid;
}

static void wait_for(pid_t pid)
{
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        abort();
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        wait_for(clone(child, stack + sizeof stack, SIGCHLD, NULL));
        pid_t pid = fork_by_call();
        if (!pid)
            child(NULL);
        wait_for(pid);
    }
    done = 1;
    pthread_join(t, NULL);
    return 0;
}
