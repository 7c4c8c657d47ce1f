// Waiting for a named semaphore: the write is after the post.
// want: race x at FIRST SECOND
#include "order.h"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

sem_t *s;
int x;

static void *first(void *arg)
{
    sem_post(s);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    assert(sem_wait(s) == 0);
    x = 2; /* SECOND */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    char name[32];
    snprintf(name, sizeof name, "/pf-test-%d", (int)getpid());
    s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    assert(s != SEM_FAILED && sem_open(name, 0) == s);
    sem_unlink(name);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sem_close(s);
    sem_close(s);
    return 0;
}
