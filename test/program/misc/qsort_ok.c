// Two threads sort separate arrays.
// want: none
#include <pthread.h>
#include <stdlib.h>

static int numbers[2][1000];

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void *worker(void *arg)
{
    int *mine = arg;
    for (int i = 0; i < 1000; i++)
        mine[i] = i * 7919 % 1000;
    qsort(mine, 1000, sizeof(int), compare);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int key = 500;
    int *found = bsearch(&key, numbers[1], 1000, sizeof(int), compare);
    return !found || numbers[0][10] != 10;
}
