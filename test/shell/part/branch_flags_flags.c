#include <pthread.h>
#include <stdio.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y, copy, table[4];
static void *first(void *p)
{
    y = 1;
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return p;
}
static void *second(void *p)
{
    pthread_mutex_lock(&m);
    copy = x;
    pthread_mutex_unlock(&m);
    USE;
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    printf("%d\n", y);
    return 0;
}
