// A sequence lock with plain variables: a reader that meets a writer reads again.
// race: first_half update snapshot k-witness-harmless: a torn pair is thrown away
// race: second_half update snapshot k-witness-harmless: as first_half
// race: sequence update snapshot k-witness-harmless: decides only how often the pair is read
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static volatile int sequence, first_half, second_half;

static void update(int value)
{
    sequence = sequence + 1;
    first_half = value;
    second_half = value;
    sequence = sequence + 1;
}

static void snapshot(int *x, int *y)
{
    int before;
    do {
        while ((before = sequence) & 1)
            ;
        *x = first_half;
        *y = second_half;
    } while (before != sequence);
}

static void *writer(void *unused)
{
    update(5);
    return unused;
}

static void *reader(void *unused)
{
    int x, y;
    snapshot(&x, &y);
    assert(x == y);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("consistent");
    return 0;
}
