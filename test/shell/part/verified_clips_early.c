#include <pthread.h>
int ready, last, cells[8];
static void *reader(void *arg)
{
    last = 1;
    if (!ready) { /* not in the recording: only if the schedule is changed */
        unsigned long number;
        __asm__ volatile("rdrand %0" : "=r"(number));
        for (unsigned long i = 0; i < 1000 + number % 1000000; i++)
            cells[i % 8]++;
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 100; i++)
        cells[i % 8]++;
    pthread_create(&t, NULL, reader, NULL);
    ready = 1;
    last = 2;
    return pthread_join(t, NULL);
}
