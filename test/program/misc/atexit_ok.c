// Functions registered with atexit run after main, in its thread; also after pthread_exit in main.
// want: none
// stdout: 3
#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int shared;

static void at_end(void) { printf("%d\n", shared); }

static void *worker(void *arg)
{
    shared = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    atexit(at_end);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    shared++;
    return 0;
}
