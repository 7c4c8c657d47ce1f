// The exit status is what the last worker has written.
// race: status finish finish output-differs: the exit status depends on the order
#include <pthread.h>
#include <stdio.h>

static volatile int status;

static void finish(int result) { status = result; }

static void *work(void *result)
{
    finish((int)(long)result);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)4);
    pthread_create(&b, NULL, work, (void *)0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("end");
    return status;
}
