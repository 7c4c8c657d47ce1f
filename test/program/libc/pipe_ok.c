// Accesses before a write to a pipe are ordered before those after the read.
// want: none
#include "order.h"
#include <pthread.h>
#include <unistd.h>

int shared, fds[2];
static void *work(void *arg)
{
    shared = 1;
    if (write(fds[1], "x", 1) != 1)
        shared = 3;
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    if (pipe(fds))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    if (read(fds[0], &c, 1) != 1)
        return 1;
    shared++;
    pthread_join(t, NULL);
    return shared != 2;
}
