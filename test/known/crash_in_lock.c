/* Crashes in pthread_mutex_lock, which gets a null pointer. The recording of the crash replays. */
#include <pthread.h>
static pthread_mutex_t *volatile p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(p);
    return 0;
}
