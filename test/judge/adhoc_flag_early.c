// Twin of adhoc_flag: the writer sets the flag too early.
// judge: data output-differs
#include <pthread.h>
#include <stdio.h>

int data;
volatile int flag;

static void *writer(void *unused)
{
    (void)unused;
    flag = 1;
    data = 42;
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
