// A search that starts where the last one ended. The start changes the time, not the result.
// race: hint find find k-witness-harmless: every start finds the same position
#include <pthread.h>
#include <stdio.h>

#define SIZE 4

static const int keys[SIZE] = {40, 10, 30, 20};
static volatile int hint;

static int find(int key)
{
    int at = hint;
    while (keys[at] != key)
        at = (at + 1) % SIZE;
    hint = at;
    return at;
}

static void *work(void *to)
{
    int *key = to;
    *key = find(*key);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = 30, y = 20;
    pthread_create(&a, NULL, work, &x);
    pthread_create(&b, NULL, work, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", x, y);
    return 0;
}
