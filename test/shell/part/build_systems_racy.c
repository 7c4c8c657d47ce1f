// Two threads add to one variable without a lock.
#include <pthread.h>
#include <stdio.h>

static int sum;

static void *add(void *arg)
{
    sum++;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    printf("%d\n", sum);
    return 0;
}
