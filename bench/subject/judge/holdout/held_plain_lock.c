// A lock made of a test and a store: both threads can get it.
// race: held acquire acquire output-differs: both threads enter, and an increment is lost; printed
// race: held acquire work output-differs: if the lock is taken before the other thread releases it,
//     both are inside
// race: counter add add output-differs: an increment is lost; printed
#include <pthread.h>
#include <stdio.h>

static volatile int held, counter;

static void acquire(void)
{
    while (held)
        ;
    held = 1;
}

static void add(void) { counter = counter + 1; }

static void *work(void *unused)
{
    acquire();
    add();
    held = 0;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter);
    return 0;
}
