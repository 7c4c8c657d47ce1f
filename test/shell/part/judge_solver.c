// Only the run of the alternate order has a condition that needs the solver: argv[1] = "ai"
// satisfies it.
#include <pthread.h>
#include <stdio.h>

static int method = 1;

static void *change(void *unused)
{
    (void)unused;
    method = 2;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    unsigned a = argc > 1 ? (unsigned char)argv[1][0] : 0, b = a ? (unsigned char)argv[1][1] : 0;
    pthread_create(&t, NULL, change, NULL);
    int seen = method;
    pthread_join(t, NULL);
    if (seen == 2 && a * a * b + 3 * b * b == 97 * 97 * 105 + 3 * 105 * 105)
        puts("found");
    return 0;
}
