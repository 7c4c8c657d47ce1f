// A signal handler runs inside a region in which its thread ignores synchronisation, reads and
// writes. The handler's own release store is not the region's: it makes order. A handler that is
// left by longjmp does not end the region of the code that it interrupted.
// want: none
#include "order.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
void AnnotateIgnoreSyncBegin(const char *, int);
void AnnotateIgnoreSyncEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);

long data, ignored;
static int ready;
static sigjmp_buf back;

static void publish(int number)
{
    data = number;
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}
static void jump(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static void *receive(void *arg)
{
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
    order_point(0);
    order_wait(2);
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    if (!sigsetjmp(back, 1))
        raise(SIGUSR2);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    ignored = 1;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    ignored = 2;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    order_point(2);
    return arg;
}

int main(void)
{
    pthread_t t;
    signal(SIGUSR1, publish);
    signal(SIGUSR2, jump);
    pthread_create(&t, NULL, receive, NULL);
    order_wait(1);
    pthread_kill(t, SIGUSR1);
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        order_yield();
    long seen = data;
    order_point(1);
    order_wait(3);
    ignored = 3; /* not ordered, but the other writes are ignored */
    pthread_join(t, NULL);
    return seen != SIGUSR1;
}
