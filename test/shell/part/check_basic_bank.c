#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static long balance = 1000, visits;
static void pay_out(long amount)
{
    LOCK
    balance -= amount;
    UNLOCK
}
static void *teller(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&door);
        visits++;
        pthread_mutex_unlock(&door);
        pay_out(1);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, teller, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld visits\n", visits);
    return 0;
}
