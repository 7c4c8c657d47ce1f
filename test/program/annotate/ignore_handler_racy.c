// A signal handler runs inside a region in which its thread ignores reads and writes. The handler's
// own accesses are not the region's: they are checked.
// tsan: it delays the handler to a later call
// want: race shared at HANDLER SENDER
// want: race after at REGION AFTER
#include "order.h"
#include <pthread.h>
#include <signal.h>
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int);
void AnnotateIgnoreWritesEnd(const char *, int);

long shared, ignored, after;

static void handler(int number)
{
    shared = number; /* HANDLER */
    order_point(1);
}
static void *receive(void *arg)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    order_point(0);
    order_wait(3);
    ignored = 1; /* still in the region */
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__); /* one too many */
    after = 1; /* REGION */
    order_point(3);
    return arg;
}
int main(void)
{
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, receive, NULL);
    order_wait(1);
    pthread_kill(t, SIGUSR1);
    order_wait(2);
    shared = 1; /* SENDER */
    ignored = 2;
    order_point(2);
    order_wait(4);
    after = 2; /* AFTER */
    pthread_join(t, NULL);
    return 0;
}
