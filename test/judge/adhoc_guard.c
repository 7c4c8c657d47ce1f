// Ad hoc synchronisation without a loop: the data is used only if the flag was set after it.
// judge: data single-ordering
// reason: data only if flag
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

static void *reader(void *unused)
{
    (void)unused;
    if (flag)
        printf("%d\n", data);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
