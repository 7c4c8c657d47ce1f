// Figure 8: the output depends on the input only, whatever the order of the writes.
// judge: globalx k-witness-harmless
// args: 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int globalx, input;

static void *work0(void *unused)
{
    (void)unused;
    globalx = 1;
    if (input >= 0)
        puts("10");
    return NULL;
}

static void *work1(void *unused)
{
    (void)unused;
    globalx = 2;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    input = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&t[0], NULL, work0, NULL);
    pthread_create(&t[1], NULL, work1, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
