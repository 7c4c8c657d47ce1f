#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int x;
static void *f(void *a) { while (atomic_load(&x) != 7) sched_yield(); return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    while (atomic_load(&x) != 8) sched_yield();
}
