// A table whose entries are computed when they are needed, without a lock.
// race: squares square square k-witness-harmless: an entry is 0 or right, and computed twice at
//     worst
#include <pthread.h>
#include <stdio.h>

static volatile int squares[8];

static int square(int i)
{
    if (!squares[i])
        squares[i] = i * i;
    return squares[i];
}

static void *sum(void *to)
{
    for (int i = 1; i < 4; i++)
        *(int *)to += square(i);
    return NULL;
}

int main(void)
{
    int x = 0, y = 0;
    pthread_t a, b;
    pthread_create(&a, NULL, sum, &x);
    pthread_create(&b, NULL, sum, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", x, y);
    return 0;
}
