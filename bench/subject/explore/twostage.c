/* Two-stage locking: N writers set two variables in two critical sections, and a reader expects
 * both to be set. It fails if the reader runs between the two sections of the first writer. */
// variants: N=1 N=4 N=20 N=98
// fails: assertion
#include "explore.h"

static pthread_mutex_t lock1 = MUTEX, lock2 = MUTEX;
static int data1, data2;

static void *write_both(void *p)
{
    LOCK(&lock1);
    data1 = 1;
    UNLOCK(&lock1);
    LOCK(&lock2);
    data2 = data1 + 1;
    UNLOCK(&lock2);
    return p;
}

static void *read_both(void *p)
{
    LOCK(&lock1);
    int a = data1;
    UNLOCK(&lock1);
    if (!a)
        return p;
    LOCK(&lock2);
    int b = data2;
    UNLOCK(&lock2);
    assert(b == a + 1);
    return p;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        start(write_both, i);
    start(read_both, 0);
    join_all();
    return 0;
}
