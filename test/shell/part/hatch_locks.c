#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int n;
static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
    pthread_mutex_lock(p);
    pthread_mutex_lock(q);
    n++;
    pthread_mutex_unlock(q);
    pthread_mutex_unlock(p);
}
static void *left(void *x)
{
    both(&a, &b);
    return x;
}
static void *right(void *x)
{
    both(RIGHT);
    return x;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return n - 2;
}
