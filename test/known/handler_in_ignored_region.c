/* Race-free. The handler runs inside a region in which its thread ignores synchronisation; its
 * own release store does not belong to the region. */
#include <pthread.h>
#include <signal.h>
void AnnotateIgnoreSyncBegin(const char *, int);
void AnnotateIgnoreSyncEnd(const char *, int);
static int ready, up, done;
static long data;
static void handler(int s)
{
    (void)s;
    data = 1;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}
static void *t(void *arg)
{
    AnnotateIgnoreSyncBegin("", 0);
    __atomic_store_n(&up, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
        ;
    AnnotateIgnoreSyncEnd("", 0);
    return arg;
}
int main(void)
{
    pthread_t p;
    signal(SIGUSR1, handler);
    pthread_create(&p, 0, t, 0);
    while (!__atomic_load_n(&up, __ATOMIC_RELAXED))
        ;
    pthread_kill(p, SIGUSR1);
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        ;
    long v = data;
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    pthread_join(p, 0);
    return v != 1;
}
