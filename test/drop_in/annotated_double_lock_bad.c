// want: mutex-double-lock
// Two threads hold a lock for writing.
#include "annotated.h"
#include <pthread.h>

int lock;

static void *acquire(void *arg)
{
    ACQUIRED(&lock, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    AnnotateRWLockCreate(__FILE__, __LINE__, &lock);
    ACQUIRED(&lock, 1);
    pthread_create(&t, NULL, acquire, NULL);
    pthread_join(t, NULL);
    return 0;
}
