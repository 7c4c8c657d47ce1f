// A race in the child of fork, which ends by _exit; the parent has none.
// want: race shared at A B
#include "order.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

int shared;
static void *work(void *arg)
{
    shared = 1; /* A */
    order_point(0);
    return arg;
}
int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t t;
        pthread_create(&t, NULL, work, NULL);
        order_point(1);
        shared = 2; /* B */
        pthread_join(t, NULL);
        _exit(0);
    }
    int status;
    return waitpid(child, &status, 0) != child;
}
