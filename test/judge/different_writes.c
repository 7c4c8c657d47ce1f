// Twin of redundant_writes: the threads write different values, and the last one is printed.
// judge: x output-differs
#include <pthread.h>
#include <stdio.h>

int x;

static void *writer(void *value)
{
    x = (int)(long)value;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", x);
    return 0;
}
