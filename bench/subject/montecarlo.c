/* MonteCarlo: a lock protects the list of results; a flag that all threads set is unprotected. */
#include "subject.h"

enum { THREADS = 2, RUNS = 8, DAYS = 40 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double result[THREADS * RUNS];
static int nresult, prompted;

static unsigned next(unsigned *seed) { return *seed = *seed * 1103515245u + 12345u; }

static void *simulate(void *p)
{
    unsigned seed = *(unsigned *)p;
    for (int run = 0; run < RUNS; run++) {
        double price = 100;
        for (int day = 0; day < DAYS; day++)
            price *= 1 + ((int)(next(&seed) >> 16 & 1023) - 511) / 50000.0;
        LOCK(&lock);
        result[nresult++] = price;
        UNLOCK(&lock);
        TWIN_LOCK(&lock);
        prompted = 1;
        TWIN_UNLOCK(&lock);
    }
    return NULL;
}

int main(void)
{
    unsigned seed[] = {1, 2};
    void *(*const body[])(void *) = {simulate, simulate};
    void *const arg[] = {&seed[0], &seed[1]};
    run_threads(body, arg, THREADS);
    double sum = 0;
    for (int i = 0; i < nresult; i++)
        sum += result[i];
    MUST(nresult == THREADS * RUNS && prompted);
    return sum < 0;
}
