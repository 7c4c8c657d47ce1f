// As random_name.c, but the random numbers are too many to be kept: every run gets its own.
// judge: last undecided
// reason: last the output varies anyway
// levels: O0
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
    static unsigned char table[8192];
    pthread_t t[2];
    unsigned sum = 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (getrandom(table, sizeof table, 0) != sizeof table)
        return 1;
    for (size_t i = 0; i < sizeof table; i++)
        sum = 31 * sum + table[i];
    printf("%08x\n", sum);
    return 0;
}
