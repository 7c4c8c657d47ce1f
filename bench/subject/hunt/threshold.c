/* Two comparisons, one of them on a racy value: `add` runs if the argument is above 1000, `sum`
 * runs if the level that it read is below 1010 but was set already. The race on `total` needs an
 * argument from 1001 to 1009, and a schedule that sets the level before it is read. */
// args: 17
// input: argv[1]
// race: ADD SUM
#include "hunt.h"

static long level, total;

static void *raise_level(void *p)
{
    long n = *(long *)p;
    GUARD();
    level = n;
    UNGUARD();
    if (n > 1000) {
        GUARD();
        total++; /* ADD */
        UNGUARD();
    }
    return NULL;
}

static void *watch_level(void *p)
{
    (void)p;
    GUARD();
    long seen = level;
    UNGUARD();
    if (seen && seen * 3 < 3030) {
        GUARD();
        total += seen; /* SUM */
        UNGUARD();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 0;
    run_two(raise_level, watch_level, &n);
    printf("%ld\n", total);
    return 0;
}
