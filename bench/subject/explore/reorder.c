/* Reorder: N threads set a to 1 and then b to -1 without a lock; another one expects to see both
 * values or none. It fails if it reads after the first a was set and before the first b was set. */
// variants: N=2 N=4 N=19 N=99
// fails: assertion
#include "explore.h"

static volatile int a, b;

static void *set(void *p)
{
    a = 1;
    b = -1;
    return p;
}

static void *check(void *p)
{
    int x = a, y = b;
    assert((x == 0 && y == 0) || (x == 1 && y == -1));
    return p;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        start(set, i);
    start(check, 0);
    join_all();
    return 0;
}
