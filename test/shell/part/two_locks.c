/* two_locks.c - two threads take two locks in opposite orders: some schedules deadlock. A run has
 * about 23 events. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *one(void *p)
{
    pthread_mutex_lock(&a);
    x++;
    pthread_mutex_lock(&b);
    y++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}

static void *two(void *p)
{
    pthread_mutex_lock(&b);
    y++;
    pthread_mutex_lock(&a);
    x++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
