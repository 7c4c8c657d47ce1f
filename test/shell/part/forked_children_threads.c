/* Threads run, wait and hold a lock while two other threads fork. The children are not ordered with
 * anything that the other threads do after the fork, but with everything before: `early` has no
 * race. Children fork further children. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int early, counter;
static int started[2], stop;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
    early = 7; /* no lock orders this with the children */
    if (write(started[1], "x", 1) != 1)
        abort();
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}
static void *await_stop(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!stop)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void *add(void *arg)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static int run_child(int depth)
{
    int status = 0;
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    if (depth < 2) {
        pthread_mutex_lock(&mutex);
        pid_t pid = fork();
        pthread_mutex_unlock(&mutex);
        if (!pid)
            _exit(run_child(depth + 1));
        waitpid(pid, &status, 0);
    }
    if (depth) /* in the child of a child these threads are the only ones it can join */
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
    return WEXITSTATUS(status) + (early == 7);
}

static void *fork_child(void *arg)
{
    int status;
    char byte;
    if (read(started[0], &byte, 1) != 1 || write(started[1], "x", 1) != 1)
        abort();
    pthread_mutex_lock(&mutex);
    pid_t pid = fork();
    pthread_mutex_unlock(&mutex);
    if (!pid)
        _exit(run_child(1));
    waitpid(pid, &status, 0);
    pthread_mutex_lock(&mutex);
    printf("child: %d\n", WEXITSTATUS(status));
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    if (pipe(started))
        return 1;
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, await_stop, NULL);
    pthread_create(&t[2], NULL, fork_child, NULL);
    pthread_create(&t[3], NULL, fork_child, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[2], NULL);
    pthread_join(t[3], NULL);
    pthread_mutex_lock(&mutex);
    stop = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(t[1], NULL);
    return 0;
}
