#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static __thread int mine;
static int shared;
static sem_t waiting, go;
static void *waits(void *a)
{
    mine = 100 + (int)(long)a;
    pthread_setname_np(pthread_self(), a ? "waiter-1" : "waiter-0");
    sem_post(&waiting);
    sem_wait(&go); /* they wait here */
    return a;
}
static void *writes(void *a)
{
    mine = 200 + (int)(long)a;
    for (int i = 0; i < 3; i++)
        shared += mine; /* one access */
    return a;
}
int main(void)
{
    pthread_t t[4];
    mine = 7;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, waits, (void *)i);
    for (int i = 0; i < 2; i++)
        sem_wait(&waiting);
    for (long i = 2; i < 4; i++) {
        pthread_create(&t[i], 0, writes, (void *)i);
        pthread_setname_np(t[i], i == 2 ? "left" : "right"); /* named by another thread */
    }
    shared = 1; /* the other access */
    for (int i = 2; i < 4; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < 2; i++)
        sem_post(&go);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("sum %d\n", shared);
    return 5;
}
