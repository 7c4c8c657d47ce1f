/* Two threads take from an account, with the check and the act in two critical sections. A thread
 * that sees another balance than in a recording stores another one. */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static int done;
static int take(int n)
{
    pthread_mutex_lock(&m);
    int b = balance;
    pthread_mutex_unlock(&m);
    if (b < n)
        return 0;
    pthread_mutex_lock(&m);
    balance -= n;
    pthread_mutex_unlock(&m);
    return 1;
}
static void *first(void *p) { return take(70), p; }
static void *second(void *p)
{
    if (take(60))
        done = 1;
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    int d = done;
    pthread_join(b, NULL);
    printf("%d %d\n", balance, d);
    return balance < 0;
}
