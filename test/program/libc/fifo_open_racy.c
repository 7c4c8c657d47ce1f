// Opening a named pipe orders accesses before it, not those after it.
// want: race after at FIRST SECOND
#include "order.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int after;
static char path[64];

static void *reader(void *arg)
{
    int fd = open(path, O_RDONLY);
    after = 1; /* FIRST */
    order_point(0);
    close(fd);
    return arg;
}

static void *writer(void *arg)
{
    int fd = openat(AT_FDCWD, path, O_WRONLY);
    order_point(1);
    after = 2; /* SECOND */
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    snprintf(path, sizeof path, "fifo.%d", getpid());
    if (mkfifo(path, 0600))
        return 1;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unlink(path);
    return 0;
}
