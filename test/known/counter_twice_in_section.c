/* Race-free. Two relaxed increments of one counter inside a section that does not guard the
 * counter are not meant to be atomic together. */
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_long calls;
static int x[2];
static void *w(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&m[i]);
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    x[i]++;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    pthread_mutex_unlock(&m[i]);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, w, (void *)0);
    pthread_create(&u, 0, w, (void *)1);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return calls != 4;
}
