#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *x)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    return x;
}
int main(int n, char **v)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    if (n > 1)
        *(volatile int *)0 = 1;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    return v == 0;
}
