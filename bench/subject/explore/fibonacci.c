/* Fibonacci: two threads add each other's variable to their own N times. It fails only if they
 * take turns at every addition, so that the largest possible value is reached. */
// variants: N=2 N=3 N=4
// fails: assertion
#include "explore.h"

static atomic_int i = 1, j = 1;
static const int largest[] = {0, 3, 8, 21, 55}; /* of j, after N additions each */

static void *add_j(void *p)
{
    for (int k = 0; k < N; k++)
        atomic_store(&i, atomic_load(&i) + atomic_load(&j));
    return p;
}

static void *add_i(void *p)
{
    for (int k = 0; k < N; k++)
        atomic_store(&j, atomic_load(&j) + atomic_load(&i));
    return p;
}

int main(void)
{
    start(add_j, 0);
    start(add_i, 0);
    join_all();
    assert(atomic_load(&j) < largest[N]);
    return 0;
}
