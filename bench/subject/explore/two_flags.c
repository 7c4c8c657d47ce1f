/* Peterson's lock with the turn set before the flag: both threads can be in the critical
 * section. It fails if one enters between the turn and the flag of the other. */
// fails: assertion
#include "explore.h"

static atomic_int flag[2], turn, inside;

static void *enter(void *p)
{
    long me = (long)p, other = 1 - me;
    atomic_store(&turn, (int)other);
    atomic_store(&flag[me], 1);
    for (int tries = 0; tries < 3; tries++) {
        if (atomic_load(&flag[other]) && atomic_load(&turn) == other)
            continue;
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        break;
    }
    atomic_store(&flag[me], 0);
    return NULL;
}

int main(void)
{
    start(enter, 0);
    start(enter, 1);
    join_all();
    return 0;
}
