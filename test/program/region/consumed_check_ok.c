// want: none
// case: record
// case: hatch
/* The check is for the write in its own section; the later write is unconditional. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state;
static void *work(void *p)
{
    pthread_mutex_lock(&m);
    if (state == 0)
        state = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    state = 2;
    pthread_mutex_unlock(&m);
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
