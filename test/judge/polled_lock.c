// A lock made of a variable that is tested and then set. Both threads may get it. One of them may
// poll the variable while the other one is inside, but that does not order the accesses.
// judge: counter output-differs
// options: --recordings 0
// levels: O2
#include <pthread.h>
#include <stdio.h>

static volatile int taken, counter;

static void *work(void *unused)
{
    while (taken)
        ;
    taken = 1;
    counter = counter + 1;
    taken = 0;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter);
    return 0;
}
