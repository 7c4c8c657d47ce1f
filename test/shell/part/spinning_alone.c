#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
void wait_still(atomic_int *), wait_counting(atomic_int *, long *), give(atomic_int *);
static atomic_int flag;
static long rounds;
int x;
static void *gives(void *arg)
{
    x = 1;
    if (!arg)
        give(&flag);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, gives, argc > 2 ? argv : NULL);
    if (!strcmp(argv[1], "still"))
        wait_still(&flag);
    else
        wait_counting(&flag, &rounds);
    x = argc;
    return pthread_join(t, NULL);
}
