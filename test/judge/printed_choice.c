// The input chooses which text is printed, without a branch in the program. With the recorded
// input, both limits give the same text; with a number between them, they do not.
// judge: limit output-differs
// reason: limit with argv[1]=
// flags: --symbolic
// args: 5
// options: --recordings 0
// levels: O2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int limit = 10;
static int number;

static void *raise_limit(void *unused)
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
    pthread_create(&a, NULL, raise_limit, NULL);
    pthread_create(&b, NULL, compare, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
