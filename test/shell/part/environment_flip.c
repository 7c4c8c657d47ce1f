/* The race on `value` happens only after `early` is set, and then OTHER is read. The recording does
 * not read it: main runs first. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int early;
static int value;

static void *writes(void *arg)
{
    atomic_store_explicit(&early, 1, memory_order_relaxed);
    value = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writes, NULL);
    value = 1;
    if (atomic_load_explicit(&early, memory_order_relaxed))
        printf("%s\n", getenv("OTHER"));
    pthread_join(t, NULL);
    return 0;
}
