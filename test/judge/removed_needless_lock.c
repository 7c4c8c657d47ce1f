// Twin of removed_lock: the reader only tests whether there is something to do, so its lock can be
// left out. The wait on the condition variable takes the mutex all the same.
// judge: ready k-witness-harmless
// options: --without-lock removed_needless_lock.c:26
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *await(void *unused)
{
    struct timespec soon = {0};
    (void)unused;
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_timedwait(&changed, &lock, &soon);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, await, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}
