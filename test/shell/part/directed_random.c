#include <pthread.h>
#include <stdio.h>

static int n, cells[8];

static void *work(void *arg)
{
    for (int i = 0; i < n; i++)
        cells[i % 8]++;
    puts("worked");
    return arg;
}

int main(void)
{
    unsigned long number;
    pthread_t t;
    __asm__ volatile("rdrand %0" : "=r"(number)); /* not in the recording */
    n = 1000 + (int)(number % 1000000);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
}
