#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int low, high = 10;
static void *move(void *p)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        low++;
        high++;
        pthread_mutex_unlock(&m);
    }
    return p;
}
static void *look(void *p)
{
    LOCK;
    int l = low;
    int h = high;
    UNLOCK;
    if (h - l != 10)
        abort();
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, move, NULL);
    pthread_create(&u, NULL, look, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
