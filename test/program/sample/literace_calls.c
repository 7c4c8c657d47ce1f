// LiteRace: of each function, a thread watches the first ten calls, then ten of a hundred, of a
// thousand, of ten thousand: the 1st to 10th, the 101st to 110th, the 1101st, the 11101st, ... A
// race in a watched call has two complete stacks, including unwatched callers: main's caller() is
// no longer watched when touch() is watched again.
// levels: O2
// case: run --sample=literace -- {0,9,100,109,1100,1109,11100,11109,21100} 0
// exit: 66
// case: run --sample=literace -- {10,99,110,1099,1110,11099,11110,21099} 0
// case: run --sample=literace -- 100 10
// exit: 66
// err: #0 touch
// err: #1 caller
// err: #2 main
// err: #2 other
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
int at[64];
__attribute__((noinline)) static void touch(int i) { at[i]++; }
__attribute__((noinline)) static void caller(int i, int calls)
{
    for (int k = 0; k < calls; k++)
        touch(63);
    if (i >= 0)
        touch(i);
}
static int calls, warm;
static void *other(void *arg)
{
    order_wait(1);
    caller(0, calls);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    calls = atoi(argv[1]);
    warm = atoi(argv[2]);
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < warm; i++)
        caller(-1, 0);
    caller(0, 0);
    order_arrive();
    pthread_join(t, NULL);
    return 0;
}
