/* A library that creates the thread itself. */
#include "order.h"
#include <pthread.h>

static pthread_t thread;

static void *run(void *arg)
{
    *(int *)arg = 1; /* SPAWNED */
    order_arrive();
    return NULL;
}

void spawn(int *where) { pthread_create(&thread, NULL, run, where); }
void spawn_end(void) { pthread_join(thread, NULL); }
