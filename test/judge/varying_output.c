// The number that is printed depends on the schedule in every run, and not on the race on `last`.
// Almost every run has a different result. But each run has the same result as its twin, which
// differs from it only in the order of the race.
// judge: last k-witness-harmless
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int stop, count, steps;
int last;

static void *work(void *unused)
{
    (void)unused;
    if (last)
        atomic_fetch_add(&steps, 1);
    last = 1;
    while (!atomic_load(&stop))
        atomic_fetch_add(&count, 1);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3000; i++)
        atomic_fetch_add(&steps, 1);
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", atomic_load(&count));
    return 0;
}
