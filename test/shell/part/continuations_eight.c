#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define THREADS 8
#define SIZE (100u << 20)
static unsigned char *heap;
static long lost;
static void *work(void *p)
{
    long me = (long)p, sum = 0;
    for (unsigned i = 0; i < 40; i++) {
        size_t at = (size_t)(rand_r(&(unsigned){me * 100 + i}) % (SIZE / 4096)) * 4096;
        heap[at]++;
        long seen = lost; /* updates get lost, depending on the schedule */
        sum += heap[at];
        lost = seen + 1;
    }
    return (void *)sum;
}
int main(void)
{
    pthread_t t[THREADS];
    long sum = 0;
    heap = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i += 4096)
        heap[i] = 1;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *r;
        pthread_join(t[i], &r);
        sum += (long)r;
    }
    printf("%ld %ld\n", lost, sum);
    return (int)(lost % 5);
}
