// A mutex announced with __tsan_mutex_* whose release takes long: other threads run in the middle
// of it.
// want: none
#include <pthread.h>
#include <sanitizer/tsan_interface.h>

#define THREADS 3
#define LONG 100

static int word, counted;
static int x;

static void take(void)
{
    __tsan_mutex_pre_lock(&word, 0);
    while (__atomic_exchange_n(&word, 1, __ATOMIC_RELAXED))
        ;
    __tsan_mutex_post_lock(&word, 0, 0);
}

static void drop(void)
{
    __tsan_mutex_pre_unlock(&word, 0);
    for (int i = 0; i < LONG; i++)
        __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
    __tsan_mutex_post_unlock(&word, 0);
}

static void *run(void *arg)
{
    for (int i = 0; i < 20; i++) {
        take();
        x++;
        drop();
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return x != 20 * THREADS || counted != 20 * THREADS * LONG;
}
