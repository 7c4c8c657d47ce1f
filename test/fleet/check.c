/* Races on `count`, `ready` and `value`. The race on `value` happens only if the reader sees that
 * `ready` is set. A lock protects `guarded`. */
#include <pthread.h>
#include <stdio.h>

static int count, guarded, value, ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
    count++;
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    value = 1;
    ready = 1;
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    count++;
    if (ready)
        value += 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d %d\n", count, guarded, value);
    return 0;
}
