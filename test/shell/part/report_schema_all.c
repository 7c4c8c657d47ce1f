#define _GNU_SOURCE
#include "order.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int global;
_Thread_local int local;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *touch(void *p)
{
    pthread_setname_np(pthread_self(), "w\"\xff\\");
    pthread_rwlock_rdlock(&l);
    pthread_mutex_lock(&m);
    *(int *)p = 1;
    order_arrive();
    pthread_mutex_unlock(&m);
    pthread_rwlock_unlock(&l);
    return p;
}
static void elsewhere(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
static void race(int *p)
{
    pthread_t t;
    pthread_create(&t, 0, touch, p);
    order_wait(1);
    *p = 2;
    pthread_join(t, 0);
}
static void *copy(void *p)
{
    memset(p, 1, 8);
    order_arrive();
    return p;
}
int main(int argc, char **argv)
{
    int stack;
    pthread_t t;
    int *heap = malloc(40), *gone = malloc(40);
    switch (argc > 1 ? argv[1][0] : 0) {
    case 'g': elsewhere(); race(&global); break;
    case 's': race(&stack); break;
    case 't': race(&local); break;
    case 'h': race(heap); break;
    case 'f':
        pthread_create(&t, 0, copy, gone);
        order_wait(1);
        free(gone);
        pthread_join(t, 0);
        break;
    case 'k': raise(SIGKILL); break;
    case 'e': execl("/proc/self/exe", "all", "g", NULL);
    }
    return 0;
}
