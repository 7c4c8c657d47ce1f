// A worker that works until a flag is set. How much it has done is not printed.
// race: stop main spin k-witness-harmless: the worker stops a little earlier or later
// race: beats main spin k-witness-harmless: read once as a sign of life, and not used
#include <pthread.h>
#include <stdio.h>

static volatile int stop, beats;

static void *spin(void *unused)
{
    while (!stop)
        beats = beats + 1;
    return unused;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, spin, NULL);
    (void)beats;
    stop = 1;
    pthread_join(a, NULL);
    puts("stopped");
    return 0;
}
