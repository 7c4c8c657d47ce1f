// Four threads increment a counter that is printed. In the recording one update is lost. Every
// number that the other order gives is also the result of a schedule with the same order, because
// the other threads race as well; the race is to blame all the same.
// judge: hits output-differs
// reason: hits the order alone changes the output
// schedule: random:1
// levels: O0
#include <pthread.h>
#include <stdio.h>

volatile int hits;

static void *work(void *unused)
{
    (void)unused;
    hits = hits + 1;
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", hits);
    return 0;
}
