/* Three writes of `value`, by two threads; main reads it last. */
#include <pthread.h>
#include <stdio.h>

static int value, other;

static void *writes(void *arg)
{
    value = 2;
    other = 7;
    return arg;
}

int main(void)
{
    pthread_t t;
    value = 1;
    pthread_create(&t, NULL, writes, NULL);
    pthread_join(t, NULL);
    other = 8;
    int seen = value;
    printf("%d\n", seen);
    value = 3;
    return 0;
}
