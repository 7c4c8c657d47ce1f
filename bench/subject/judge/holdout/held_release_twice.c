// A reference count that is read again after the decrement: both threads may free the object.
// race: refs release release spec-violated: both threads see 0 and free the object
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int refs = 2;
static char *object;

static void release(void)
{
    refs = refs - 1;
    if (refs == 0)
        free(object);
}

static void *work(void *unused)
{
    release();
    return unused;
}

int main(void)
{
    pthread_t a, b;
    object = malloc(100);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("end");
    return 0;
}
