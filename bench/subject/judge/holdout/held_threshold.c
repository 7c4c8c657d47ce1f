// A number is compared with a limit that another thread changes. With the recorded number, both
// limits give the same answer.
// race: limit raise compare output-differs: with a number between the limits, the answers differ
// args: 5
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int limit = 10;
static int number;

static void *raise(void *unused)
{
    limit = 20;
    return unused;
}

static void *compare(void *unused)
{
    puts(number > limit ? "too large" : "good");
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    number = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&a, NULL, raise, NULL);
    pthread_create(&b, NULL, compare, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
