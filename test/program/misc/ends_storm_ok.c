// Processes that end in every way while their threads begin, run and end: none crashes, none hangs,
// each has its own status. Each process is a forked child, so that many fit into one run.
// want: none
// pf: --sample=atexrace
// direct: the output of a child process is in a recording of its own
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 120
#define THREADS 6
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int c;

static __attribute__((noinline)) void add(int i)
{
    pthread_mutex_lock(&m);
    c += i;
    pthread_mutex_unlock(&m);
}

static void *add_once(void *arg)
{
    add(1);
    return arg;
}

static void *fork_and_end(void *arg)
{
    pid_t child = fork();
    if (!child) /* another thread may have held the mutex */
        _exit(0);
    int status;
    waitpid(child, &status, 0);
    assert(status == 0);
    add(1);
    return arg;
}

static void *exec_fails(void *arg)
{
    add(1);
    execl("./no such program", "", (char *)NULL);
    add(2);
    return arg;
}

static void *leave(void *arg)
{
    add(3);
    exit(7);
    return arg;
}

static void end(int how)
{
    static void *(*const work[])(void *) = {add_once, fork_and_end, exec_fails};
    pthread_t t;
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t, NULL, work[how / 5 % 3], NULL);
        pthread_detach(t);
    }
    add(2);
    switch (how % 5) {
    case 0:
        exit(7);
    case 1:
        _exit(7);
    case 2:
        quick_exit(7);
    case 3:
        execl("./no such program", "", (char *)NULL);
        exit(7);
    default:
        pthread_create(&t, NULL, leave, NULL);
        pthread_exit(NULL);
    }
}

int main(void)
{
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        pid_t child = fork();
        if (!child)
            end(i);
        waitpid(child, &status, 0);
        assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    return 0;
}
