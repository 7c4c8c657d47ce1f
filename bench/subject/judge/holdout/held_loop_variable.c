// The threads get the address of the loop variable instead of its value.
// race: i main work output-differs: a thread reads the number of another one; the sum is printed
#include <pthread.h>
#include <stdio.h>

static volatile int i;
static int numbers[2];
static int place[2] = {0, 1};

static void *work(void *to)
{
    numbers[*(int *)to] = i;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &place[i]);
    for (int k = 0; k < 2; k++)
        pthread_join(t[k], NULL);
    printf("%d %d\n", numbers[0], numbers[1]);
    return 0;
}
