// Two threads stay in their loops, which call nothing; a third thread makes calls. The race begins
// when no pair is new and no burst lasts, so only windows can find it. The argument is the number
// of racing iterations; without it, the threads race until a finding ends the program.
#include <pthread.h>
#include <stdlib.h>

#define CALLS 100000 /* after so many, the pairs are hot */
#define ITERATIONS 1000000 /* they take longer than a burst */

int shared;
unsigned calls;
int begun, late, done;
static long races;

static int get(int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }

static void *loop(void *arg)
{
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
    for (long i = 0; !races || i < ITERATIONS + races; i += get(&late))
        if (i > ITERATIONS)
            *(volatile int *)&shared = (int)i; /* stays in the loop */
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    return arg;
}

__attribute__((noinline)) static void call(void) { calls++; }

int main(int argc, char **argv)
{
    pthread_t t[2];
    races = argc > 1 ? atol(argv[1]) : 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, loop, NULL);
    while (get(&begun) < 2)
        ;
    while (get(&done) < 2) {
        call();
        if (calls == CALLS)
            __atomic_store_n(&late, 1, __ATOMIC_RELAXED);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
