/* Shop: customers wait for goods; the test is in one critical section, the taking in another. */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int goods = 5, sold;

static int in_stock(void)
{
    LOCK(&lock);
    int n = goods;
    UNLOCK(&lock);
    return n > 0;
}

static void buy(void)
{
#ifdef TWIN
    LOCK(&lock);
    if (goods > 0) {
        goods--;
        sold++;
    }
    UNLOCK(&lock);
#else
    if (!in_stock())
        return;
    LOCK(&lock);
    goods--;
    UNLOCK(&lock);
    sold++;
#endif
}

static void *customer(void *p)
{
    buy();
    buy();
    return p;
}

int main(void)
{
    void *(*const body[])(void *) = {customer, customer, customer};
    run_threads(body, NULL, 3);
    MUST(goods >= 0);
    return in_stock();
}
