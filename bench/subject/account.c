/* Account: a transfer holds the lock of one account only, and changes the other account too. */
#include "subject.h"

struct account {
    pthread_mutex_t lock;
    long amount;
};
static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static struct account account[2] = {{PTHREAD_MUTEX_INITIALIZER, 100},
                                    {PTHREAD_MUTEX_INITIALIZER, 100}};

static void deposit(struct account *a, long sum)
{
    TWIN_LOCK(&all);
    LOCK(&a->lock);
    a->amount += sum;
    UNLOCK(&a->lock);
    TWIN_UNLOCK(&all);
}

static void transfer(struct account *from, struct account *to, long sum)
{
    TWIN_LOCK(&all);
    LOCK(&from->lock);
    from->amount -= sum;
    to->amount += sum;
    UNLOCK(&from->lock);
    TWIN_UNLOCK(&all);
}

static void *customer(void *p)
{
    struct account *mine = p, *other = mine == account ? account + 1 : account;
    deposit(mine, 30);
    transfer(mine, other, 20);
    deposit(mine, -10);
    return NULL;
}

int main(void)
{
    void *(*const body[])(void *) = {customer, customer};
    void *const arg[] = {account, account + 1};
    run_threads(body, arg, 2);
    MUST(account[0].amount + account[1].amount == 240);
    return 0;
}
