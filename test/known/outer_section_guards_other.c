/* Race-free. n is guarded by g; that both reads happen inside a section of o, which guards
 * something else, does not make them one region. */
#include <pthread.h>
static pthread_mutex_t o = PTHREAD_MUTEX_INITIALIZER, g = PTHREAD_MUTEX_INITIALIZER;
static int n, other;
static int get(void)
{
    pthread_mutex_lock(&g);
    int r = n;
    pthread_mutex_unlock(&g);
    return r;
}
static void *w(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&g);
    n++;
    pthread_mutex_unlock(&g);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    pthread_mutex_lock(&o);
    other += get();
    other += get();
    pthread_mutex_unlock(&o);
    pthread_join(t, 0);
    return 0;
}
