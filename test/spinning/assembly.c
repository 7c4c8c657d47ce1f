/* A lock in assembly: its loops have no events, but are in functions with events. */
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
static volatile int word = 1; /* 1: free */
static int counter, cells[50];

static inline void take(void)
{
    __asm__ volatile("1: lock; decl %0\n"
                     "   je 3f\n"
#ifdef PAUSING
                     "2: pause\n"
                     "   cmpl $1, %0\n"
#else
                     "2: cmpl $1, %0\n"
#endif
                     "   jne 2b\n"
                     "   jmp 1b\n"
                     "3:\n"
                     : "+m"(word)
                     :
                     : "memory", "cc");
}

static inline void give(void) { __asm__ volatile("movl $1, %0" : "=m"(word) : : "memory"); }

static void *run(void *arg)
{
    for (int i = 0; i < 100; i++) {
        take();
        for (int k = 0; k < 50; k++)
            cells[k] += counter;
        counter++;
        give();
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", counter, cells[7]);
    return 0;
}
