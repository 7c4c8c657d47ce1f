#include "photofinish.h"
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stock = 5, sold, last, more = 1;
static int get(int *p)
{
    pthread_mutex_lock(&m);
    int v = *p;
    pthread_mutex_unlock(&m);
    return v;
}
static void set(int *p, int v)
{
    pthread_mutex_lock(&m);
    *p = v;
    pthread_mutex_unlock(&m);
}
__attribute__((noinline)) void sell(void)
{
    BEGIN;
    BODY
    END;
}
static void *work(void *p)
{
    for (int i = 0; i < 2; i++)
        sell();
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
