// A thread gives up its privileges: libc makes every thread change its identity, and waits for
// them. A thread that the schedule holds does not. The race is printed.
// judge: x output-differs
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int x;

static void *serve(void *arg)
{
    if (setgid(getgid()) || setuid(getuid()))
        return NULL;
    x = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, serve, NULL);
    x = 2;
    pthread_join(t, NULL);
    printf("%d\n", x);
    return 0;
}
