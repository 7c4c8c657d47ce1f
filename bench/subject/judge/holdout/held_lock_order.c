// The order in which two locks are taken depends on a flag.
// race: reversed first second spec-violated: with different values of the flag, the threads
//     deadlock
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static volatile int reversed;
static int amount;

static void both(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    amount++;
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}

static void *first(void *unused)
{
    if (reversed)
        both(&two, &one);
    else
        both(&one, &two);
    return unused;
}

static void *second(void *unused)
{
    reversed = 1;
    both(&two, &one);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", amount);
    return 0;
}
