/* Race-free. The retry loop inside the section waits for the very write that comes between. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int s;
static void *post(void *arg)
{
    atomic_fetch_add(&s, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, post, 0);
    pthread_mutex_lock(&m);
    for (;;) {
        int v = atomic_load(&s);
        if (v > 0 && atomic_compare_exchange_strong(&s, &v, v - 1))
            break;
        sched_yield();
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
