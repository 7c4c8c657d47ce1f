// A simulation of currents in a grid (after ocean of the paper): the rows are passed on by
// counters, and the residual is racy.
// race: top relax_top relax_bottom single-ordering: the bottom half waits for the counter of the
//     top half
// race: left relax_top relax_bottom single-ordering: as top
// race: energy relax_top relax_bottom single-ordering: as top
// race: steps relax_top relax_bottom single-ordering: as top
// race: passed relax_top relax_bottom k-witness-harmless: the counter of ad hoc synchronisation
// race: residual relax_bottom relax_top output-differs: printed only with a small tolerance, which
//     this input does not ask for (the race that the paper gets wrong)
// args: 100
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double top[2], left[2], energy;
static volatile int steps, passed;
static volatile int residual;
static int tolerance = 100;

static void relax_top(void)
{
    top[1] = 1.5;
    left[1] = 2.5;
    energy = 9;
    steps = 4;
    passed = 1;
    residual = 7;
}

static double relax_bottom(void)
{
    residual = 8;
    while (!passed)
        ;
    return top[1] + left[1] + energy + steps;
}

static void *first(void *unused)
{
    (void)unused;
    relax_top();
    return NULL;
}

static void *second(void *sum)
{
    *(double *)sum = relax_bottom();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    double sum = 0;
    if (argc > 1)
        tolerance = atoi(argv[1]);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, &sum);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%g\n", sum);
    if (tolerance < 10)
        printf("residual %d\n", residual);
    return 0;
}
