/* Two races. `shared` decides whether the program crashes; `hits` is innocent of the crash. */
#include <pthread.h>
#include <stddef.h>

static int hits, value, *shared = &value;

static void *second(void *p)
{
    hits++;
    shared = NULL;
    return p;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    hits++;
    int *now = shared;
    *now = 1;
    pthread_join(t, NULL);
    return 0;
}
