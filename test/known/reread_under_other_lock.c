/* Race-free. x is written with both locks held, so it may be read with either, and it is read
 * again under m, which is held up to the store. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER;
static int x = 1;
static void *w(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&a);
    if (x == 0)
        abort();
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&m);
    int r = x;
    pthread_mutex_lock(&a);
    x = r + 1;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, w, 0);
    pthread_create(&u, 0, w, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return x != 3;
}
