// A process-shared mutex in a shared mapping: the first write is after the unlock.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>
#include <sys/mman.h>

pthread_mutex_t *m;
int x;

static void *first(void *arg)
{
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    pthread_mutex_lock(m);
    x = 2; /* SECOND */
    pthread_mutex_unlock(m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    munmap(m, 4096);
    return 0;
}
