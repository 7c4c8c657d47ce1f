/* Two withdrawals: the balance is checked in one critical section and changed in another, so that
 * both may withdraw although there is enough for one only. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int get(void)
{
    pthread_mutex_lock(&door);
    int b = balance;
    pthread_mutex_unlock(&door);
    return b;
}

static void add(int n)
{
    pthread_mutex_lock(&door);
    balance += n;
    pthread_mutex_unlock(&door);
}

static void *withdraw(void *p)
{
    if (get() >= 80)
        add(-80);
    return p;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, withdraw, 0);
    pthread_create(&b, 0, withdraw, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(balance >= SAFE); /* HERE */
    return 0;
}
