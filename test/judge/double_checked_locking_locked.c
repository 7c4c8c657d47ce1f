// double_checked_locking repaired: the pointer is tested only under the lock. A detector that is
// blind to locks reports it all the same; the report is false.
// judge: object single-ordering
// reason: object lock lock
// options: --blind
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage = 42;
int *object;

static void *use(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (!object)
        object = &storage;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", *object);
    return 0;
}
