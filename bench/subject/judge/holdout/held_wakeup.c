// A queue is closed without its lock: the consumer may miss the signal.
// race: closed close_queue consume spec-violated: set between the test and the wait: the signal is
//     lost, and the consumer waits for ever
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int closed;

static void *close_queue(void *unused)
{
    closed = 1;
    pthread_cond_signal(&changed);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!closed)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, close_queue, NULL);
    pthread_create(&b, NULL, consume, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("closed");
    return 0;
}
