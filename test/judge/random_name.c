// The program prints the random name of a temporary file, which has nothing to do with the race.
// All runs of the race get the same random numbers.
// judge: last k-witness-harmless
#include <pthread.h>
#include <stdio.h>
#include <sys/random.h>

int last;

static void *work(void *value)
{
    last = (int)(long)value;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    unsigned name = 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (getrandom(&name, sizeof name, 0) != sizeof name)
        return 1;
    printf("/tmp/check_%08x\n", name);
    return 0;
}
