// Adjacent loops over longs, doubles and vectors, checked as ranges: no range is a byte too long.
// The data is read by both threads, and changed by one after the other under a lock.
// want: none
#include "turns.h"

typedef long vec __attribute__((vector_size(32)));
long upper[300], both[300], changed[300], every[300];
vec wide[80];
volatile int half = 150;
static __thread volatile long sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static long sum(int from, int to)
{
    long s = 0;
    for (int i = from; i < to; i++)
        s += both[i - 1] * both[i + 1];
    return s;
}

static void change(int by)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 300; i++)
        changed[i] += by;
    pthread_mutex_unlock(&lock);
}

void first(void)
{
    int end = half;
    for (int i = 0; i < end; i++)
        upper[i] = i;
    for (int i = 0; i < end / 4; i++)
        wide[i] = (vec){i, i, i, i};
    for (int i = 0; i < end; i++)
        every[2 * i] = i;
    sink = sum(1, 299);
    change(1);
}

void second(void)
{
    int end = half;
    for (int i = end; i < 300; i++)
        upper[i] = i;
    for (int i = end / 4; i < 80; i++)
        wide[i] = (vec){i, i, i, i};
    for (int i = 0; i < end; i++)
        every[2 * i + 1] = i;
    sink = sum(1, 299);
    change(2);
}

void third(void)
{
    sink = sum(2, half);
    change(3);
}
