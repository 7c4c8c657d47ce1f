#include <pthread.h>
#include <stdlib.h>
#ifdef TWIN
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#else
#define LOCK
#define UNLOCK
#endif
static int x, private;
static void *late(void *p)
{
    for (int i = 0; i < 3000; i++)
        ((volatile int *)p)[0] = i;
    LOCK;
    int seen = x;
    UNLOCK;
    return seen ? p : NULL;
}
int main(void)
{
    void *result;
    pthread_t t;
    pthread_create(&t, NULL, late, &private);
    LOCK;
    x = 1;
    UNLOCK;
    pthread_join(t, &result);
    return result ? 7 : 0;
}
