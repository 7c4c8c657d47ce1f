/* Two threads race to set the mode. The mode that wins under the usual schedule is harmless. If
 * the other one wins, and the argument is above 40 and divisible by 13, two further threads use
 * `rate` without a lock. So the race on `rate` can be reached only by swapping another race. In the
 * race-free twin, the mode is set under a lock, and so is the rate. */
// args: 2
// input: argv[1]
// race: RAISE LOWER in phase 2
#include "hunt.h"

static int mode;
static long rate;

static void *set_slow(void *p)
{
    GUARD();
    mode = 1;
    UNGUARD();
    return p;
}

static void *set_fast(void *p)
{
    GUARD();
    mode = 2;
    UNGUARD();
    return p;
}

static void *raise_rate(void *p)
{
    if (mode == 1 && *(long *)p > 40 && *(long *)p % 13 == 0) {
        GUARD();
        rate += 2; /* RAISE */
        UNGUARD();
    }
    return NULL;
}

static void *lower_rate(void *p)
{
    if (mode == 1 && *(long *)p > 40 && *(long *)p % 13 == 0) {
        GUARD();
        rate -= 1; /* LOWER */
        UNGUARD();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 0;
    run_two(set_slow, set_fast, NULL);
    run_two(raise_rate, lower_rate, &n);
    printf("%d %ld\n", mode, rate);
    return 0;
}
