// Ad hoc synchronisation (Figure 14 d): the reader spins on a flag that the writer sets afterwards.
// judge: data single-ordering
// judge: flag k-witness-harmless
// reason: data spins on flag
#include <pthread.h>
#include <stdio.h>

int data;
volatile int flag;

static void *writer(void *unused)
{
    (void)unused;
    data = 42;
    flag = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!flag)
        ;
    printf("%d\n", data);
    pthread_join(t, NULL);
    return 0;
}
