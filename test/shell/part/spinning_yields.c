#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_int flag;
static void *late(void *arg)
{
    sleep(1000);
    atomic_store(&flag, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, late, NULL);
    while (!atomic_load(&flag))
        sched_yield();
    puts("done");
    return pthread_join(t, NULL);
}
