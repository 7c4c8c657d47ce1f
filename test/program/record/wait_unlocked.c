// A wait with a mutex that the thread does not hold.
// levels: O1
// case: record
// case: predict
// exit: 66
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
long x;
static void *t(void *arg)
{
    x++;
    return arg;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    x++;
    pthread_join(p, 0);
    struct timespec past = {0, 0};
    pthread_cond_timedwait(&c, &m, &past);
    return 0;
}
