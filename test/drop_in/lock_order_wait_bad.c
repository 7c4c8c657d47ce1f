// want: deadlock suspicious
// A condition wait takes its mutex again while the thread holds another one.
#include "lock_order.h"
#include <time.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void)
{
    struct timespec past = {0};
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_cond_timedwait(&changed, &a, &past);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}
