/* Two threads write to slots of one table. The slots are computed from the two arguments; the
 * threads race only if both computations give the same slot. */
// args: 3 50
// input: argv
// race: LEFT RIGHT
#include "hunt.h"

#define SLOTS 64
static int table[SLOTS];
static unsigned left, right;

static void *write_left(void *p)
{
    GUARD();
    table[(left * 7 + 3) % SLOTS] = 1; /* LEFT */
    UNGUARD();
    return p;
}

static void *write_right(void *p)
{
    GUARD();
    table[right % SLOTS] = 2; /* RIGHT */
    UNGUARD();
    return p;
}

int main(int argc, char **argv)
{
    left = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    right = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    run_two(write_left, write_right, NULL);
    printf("%d\n", table[0]);
    return 0;
}
