// main ends with pthread_exit, another thread ends the process.
// want: none
// exit: 5
// tsan: it crashes on a join of the main thread
#include <pthread.h>
#include <stdlib.h>

int shared;
static pthread_t first;

static void *worker(void *arg)
{
    pthread_join(first, NULL);
    exit(shared);
    return arg;
}

int main(void)
{
    pthread_t t;
    first = pthread_self();
    shared = 4;
    pthread_create(&t, NULL, worker, NULL);
    shared++;
    pthread_exit(NULL);
}
