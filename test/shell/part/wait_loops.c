/* Threads that wait for each other in loops with events. argv[1]: flag, lock, exchange, pair (two
 * threads alternate), sleeping (the other thread sleeps first), counting (one thread gives up after
 * 200 tries). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int flag, locked, turn, given_up;
static int shared;
static const char *how;

static void lock(void)
{
    if (how[0] == 'e')
        while (atomic_exchange(&locked, 1))
            ;
    else
        for (int was_free = 0; !atomic_compare_exchange_strong(&locked, &was_free, 1);)
            was_free = 0;
}

static void *other(void *arg)
{
    (void)arg;
    switch (how[0]) {
    case 'f':
        shared = 7;
        atomic_store(&flag, 1);
        break;
    case 's':
        sleep(5);
        atomic_store(&flag, 1);
        break;
    case 'p':
        for (int i = 1; i < 10; i += 2) {
            while (atomic_load(&turn) != i)
                ;
            atomic_store(&turn, i + 1);
        }
        break;
    case 'c':
        atomic_store(&flag, 1);
        break;
    default:
        lock();
        shared++;
        atomic_store(&locked, 0);
    }
    return NULL;
}

static void wait_here(void)
{
    switch (how[0]) {
    case 'f':
    case 's':
        while (!atomic_load(&flag))
            ;
        break;
    case 'p':
        for (int i = 0; i < 10; i += 2) {
            while (atomic_load(&turn) != i)
                ;
            atomic_store(&turn, i + 1);
        }
        break;
    case 'c': {
        int tries = 0;
        while (!atomic_load(&flag) && tries < 200)
            tries++;
        given_up = tries == 200;
        break;
    }
    default:
        lock();
        shared++;
        atomic_store(&locked, 0);
    }
}

int main(int argc, char **argv)
{
    pthread_t t;
    how = argc > 1 ? argv[1] : "flag";
    pthread_create(&t, NULL, other, NULL);
    wait_here();
    pthread_join(t, NULL);
    puts(given_up ? "gave up" : "done");
    return 0;
}
