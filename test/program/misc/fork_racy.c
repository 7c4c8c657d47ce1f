// A race in the child is found too, and the parent is not affected.
// want: race shared at THREAD CHILD
// stdout: parent done
// tsan: the findings of the child do not change the status of the parent
// oracle: its log covers one process
#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int shared;

static void *worker(void *arg)
{
    shared = 1; /* THREAD */
    order_point(0);
    return arg;
}

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        order_point(1);
        shared = 2; /* CHILD */
        pthread_join(t, NULL);
        return 0;
    }
    int status;
    waitpid(child, &status, 0);
    puts("parent done");
    return 0;
}
