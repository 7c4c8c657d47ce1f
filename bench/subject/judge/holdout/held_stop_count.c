// A worker that makes at most three rounds, and fewer if it is stopped. The rounds are printed.
// race: stop halt rounds output-differs: decides how many rounds are made
#include <pthread.h>
#include <stdio.h>

static volatile int stop;

static void *halt(void *unused)
{
    stop = 1;
    return unused;
}

static void *rounds(void *to)
{
    int n = 0;
    while (n < 3 && !stop)
        n++;
    *(int *)to = n;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int n;
    pthread_create(&a, NULL, rounds, &n);
    pthread_create(&b, NULL, halt, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d rounds\n", n);
    return 0;
}
