#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
extern int shared;
void *CHANGE(void *p)
{
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
    return p;
}
