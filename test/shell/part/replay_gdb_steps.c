#include <pthread.h>
#include <stdio.h>
static int shared;
static void *adds(void *a)
{
    shared += 1;
    shared += 2;
    shared += 3;
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, adds, 0);
    for (volatile long i = 0; i < 60000000; i++)
        ;
    pthread_join(t, 0);
    printf("sum %d\n", shared);
    return 0;
}
