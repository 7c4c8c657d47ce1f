/* printed_mask.h - the order decides which formula over the input is printed. With the recorded
 * input, both give the same number. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int chosen;
static unsigned number;

static void *chooser(void *unused)
{
    (void)unused;
    chosen = 1;
    return NULL;
}

static void *printer(void *unused)
{
    (void)unused;
    if (chosen)
        printf("%u\n", FIRST);
    else
        printf("%u\n", SECOND);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    number = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    pthread_create(&t[0], NULL, chooser, NULL);
    pthread_create(&t[1], NULL, printer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
