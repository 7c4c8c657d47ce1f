// Each thread executes `shared++` once, in a block of a loop that all other iterations skip, long
// after its bursts are over. The second thread begins its loop when the first one has ended its
// own.
#include <pthread.h>

#define CALLS 1000000 /* they take longer than a burst */

int shared;
int turn;

__attribute__((noinline)) static int call(int i)
{
    __asm__ volatile("" : "+r"(i));
    return i;
}

static void *loop(void *arg)
{
    long me = (long)arg;
    while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != me)
        ;
    for (int i = 0; i < CALLS; i++)
        if (call(i) == CALLS - 10)
            shared++;
    __atomic_store_n(&turn, me + 1, __ATOMIC_RELAXED);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, loop, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
