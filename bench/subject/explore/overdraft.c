/* Account: the balance is checked in one critical section and changed in another. It fails if
 * both withdrawals check before either changes. */
// fails: assertion
#include "explore.h"

static pthread_mutex_t door = MUTEX;
static int balance = 100;

static int get(void)
{
    LOCK(&door);
    int b = balance;
    UNLOCK(&door);
    return b;
}

static void add(int n)
{
    LOCK(&door);
    balance += n;
    UNLOCK(&door);
}

static void *withdraw(void *p)
{
    if (get() >= 80)
        add(-80);
    return p;
}

int main(void)
{
    start(withdraw, 0);
    start(withdraw, 0);
    join_all();
    assert(balance >= 0);
    return 0;
}
