/* Race-free: a textbook seqlock, all operations sequentially consistent. */
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint seq;
static atomic_int data;
static void *writer(void *arg)
{
    pthread_mutex_lock(&m);
    atomic_fetch_add(&seq, 1);
    atomic_store(&data, 42);
    atomic_fetch_add(&seq, 1);
    pthread_mutex_unlock(&m);
    return arg;
}
static void *reader(void *arg)
{
    unsigned s;
    int d;
    do {
        s = atomic_load(&seq);
        d = atomic_load(&data);
    } while ((s & 1) || atomic_load(&seq) != s);
    (void)d;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
