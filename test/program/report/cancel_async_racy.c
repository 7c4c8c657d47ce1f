// Threads that may be cancelled at any instruction are cancelled while they report races. Each race
// has another source line, so each thread reports. The program ends, and its last race is reported.
// case: run
// exit: 66
// out: every thread was joined
// err: #0 last
#include <pthread.h>
#include <stdio.h>

#define EIGHT(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define ROUNDS 20

static int shared[9];
static int started; /* atomic, without order */

/* One function for each variable. */
#define RACES(n)                                                                                   \
    static void race##n(void)                                                                      \
    {                                                                                              \
        shared[n]++;                                                                               \
        __asm__ volatile("" ::: "memory");                                                         \
    }
EIGHT(RACES)
#define NAME(n) race##n,
static void (*const races[])(void) = {EIGHT(NAME)};

static void *worker(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
    for (;;)
        for (int i = 0; i < 8; i++)
            races[i]();
    return arg;
}

static void *last(void *arg)
{
    shared[8]++;
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_create(&t, NULL, worker, NULL);
        while (__atomic_load_n(&started, __ATOMIC_RELAXED) <= i)
            ;
        for (int k = 0; k < 8; k++)
            races[(i + k) % 8]();
        pthread_cancel(t);
        pthread_join(t, NULL);
    }
    pthread_create(&t, NULL, last, NULL);
    shared[8]++;
    pthread_join(t, NULL);
    printf("every thread was joined\n");
}
