// fork in a program with threads: the child continues with one thread, ordered after the parent.
// direct: the output of a child process is in a recording of its own
// want: none
// stdout: child 3
// stdout: parent 3
// oracle: its log covers one process
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int shared;

static void *worker(void *arg)
{
    shared++;
    return arg;
}

static void run_one(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
}

int main(void)
{
    run_one();
    run_one();
    pid_t child = fork();
    if (child == 0) {
        run_one();
        printf("child %d\n", shared);
        fflush(stdout);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    run_one();
    printf("parent %d\n", shared);
    return status != 0;
}
