// A counter that is printed only if the argument asks for it. The recorded one does not.
// race: steps work work output-differs: with another argument, the number is printed
// args: q
#include <pthread.h>
#include <stdio.h>

static volatile int steps;

static void *work(void *unused)
{
    steps = steps + 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (argc > 1 && argv[1][0] == 'v')
        printf("%d steps\n", steps);
    puts("end");
    return 0;
}
