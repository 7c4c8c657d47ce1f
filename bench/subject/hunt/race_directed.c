/* The example of the paper on race directed scheduling, section 3.7: three shared variables, two
 * threads. Phase 1 finds the races (L1, L4) and (L1, L5). The race (L3, L6) needs an input above 4
 * whose square plus 5 is below the square of 6, which is 5, and a schedule with L1 between L4 and
 * L5; phase 2 finds it after a swap of the first race. */
// args: 0
// input: argv[1]
// race: L1 L4 in phase 1
// race: L1 L5 in phase 1
// race: L3 L6 in phase 2
#include "hunt.h"

static volatile int x, y; /* volatile: each access is made */
static int z;

static void *thread_1(void *p)
{
    GUARD();
    x = 6; /* L1 */
    UNGUARD();
    if (z > 4) {
        GUARD();
        y = 5; /* L3 */
        UNGUARD();
    }
    return p;
}

static void *thread_2(void *p)
{
    GUARD();
    x = 2; /* L4 */
    UNGUARD();
    GUARD();
    long now = x; /* L5 */
    UNGUARD();
    if ((long)z * z + 5 < now * now) {
        GUARD();
        y = 3; /* L6 */
        UNGUARD();
    }
    return p;
}

int main(int argc, char **argv)
{
    z = argc > 1 ? atoi(argv[1]) : 0;
    run_two(thread_1, thread_2, NULL);
    printf("%d %d\n", x, y);
    return 0;
}
