/* Wrong lock: N threads change the variable under another lock than the one that reads it twice.
 * It fails if a change happens between the two reads. */
// variants: N=1 N=3 N=6
// fails: assertion
#include "explore.h"

static pthread_mutex_t right = MUTEX, wrong = MUTEX;
static volatile int value; /* read from memory each time */

static void *check(void *p)
{
    LOCK(&right);
    int x = value;
    value++;
    assert(value == x + 1);
    UNLOCK(&right);
    return p;
}

static void *change(void *p)
{
    LOCK(&wrong);
    value++;
    UNLOCK(&wrong);
    return p;
}

int main(void)
{
    start(check, 0);
    for (int i = 0; i < N; i++)
        start(change, i);
    join_all();
    return 0;
}
