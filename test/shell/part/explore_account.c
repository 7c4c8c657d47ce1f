/* Two withdrawals check the balance in one critical section and act in another: both can pass the
 * check. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *a)
{
    pthread_mutex_lock(&m);
    int enough = balance >= 80;
    pthread_mutex_unlock(&m);
    if (!enough)
        return a;
    pthread_mutex_lock(&m);
    balance -= 80;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, withdraw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(balance >= 0);
    return 0;
}
