/* A use after free that every schedule shows; locks order the free and the use, so there is no
 * race. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *p;
static void *drop(void *arg)
{
    pthread_mutex_lock(&m);
    free(p);
    pthread_mutex_unlock(&m);
    return arg;
}
static void *use(void *arg)
{
    pthread_mutex_lock(&m);
    p[0] = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    p = malloc(400);
    pthread_create(&a, 0, drop, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
