// Waiting releases the mutex: the signaller is ordered after the waiter's accesses before the
// wait. Both timed waits, with a distant deadline, and a recursive mutex.
// want: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
const struct timespec far = {4000000000, 0};
int turn, x;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    x = 1;
    turn = 1;
    pthread_cond_signal(&c);
    while (turn != 2)
        assert(pthread_cond_timedwait(&c, &m, &far) == 0);
    x++;
    turn = 3;
    pthread_cond_signal(&c);
    while (turn != 4)
        assert(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &far) == 0);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, waiter, NULL);
    while (turn != 1)
        pthread_cond_wait(&c, &m);
    x++;
    turn = 2;
    pthread_cond_signal(&c);
    while (turn != 3)
        pthread_cond_wait(&c, &m);
    x++;
    turn = 4;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    assert(x == 5);
    return 0;
}
