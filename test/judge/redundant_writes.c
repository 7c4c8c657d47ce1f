// Micro program RW: two threads write the same value.
// judge: x k-witness-harmless
#include <pthread.h>
#include <stdio.h>

int x;

static void *writer(void *unused)
{
    (void)unused;
    x = 7;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", x);
    return 0;
}
