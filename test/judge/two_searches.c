// Two searches, one after the other: their threads poll `seed`, which the thread that finds it
// writes. A thread of the first search runs to its end before the race of the second one. Its loop
// reads the same value again and again, but it counts and does not wait. Twin: endless_loop.c.
// judge: seed k-witness-harmless
#include <pthread.h>
#include <stdio.h>

static volatile unsigned seed;

static void *first(void *arg)
{
    for (unsigned at = *(unsigned *)arg; !seed && at; at--)
        if (at == 60)
            seed = at;
    return NULL;
}

static void *second(void *arg)
{
    for (unsigned distance = *(unsigned *)arg; !seed && distance < 40; distance += 2)
        if (distance == 21)
            seed = distance;
    return NULL;
}

static void search(void *(*function)(void *), unsigned a, unsigned b)
{
    pthread_t thread[2];
    unsigned start[2] = {a, b};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, function, &start[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("%u\n", seed);
    seed = 0;
}

int main(void)
{
    search(first, 400, 30);
    search(second, 0, 1);
    return 0;
}
