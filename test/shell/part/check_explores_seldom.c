#include <pthread.h>
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int ready, value;
static void *late(void *p)
{
    pthread_mutex_lock(&door);
    int go = ready;
    pthread_mutex_unlock(&door);
    if (go)
        value++;
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, late, 0);
    pthread_mutex_lock(&door);
    ready = 1;
    pthread_mutex_unlock(&door);
    value++;
    return pthread_join(t, 0);
}
