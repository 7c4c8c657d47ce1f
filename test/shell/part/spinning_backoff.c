#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static volatile unsigned word;
static int counter;
static unsigned exchange(unsigned v)
{
    __asm__ volatile("xchg %0, %1" : "+m"(word), "+r"(v) : : "memory");
    return v;
}
static void *run(void *arg)
{
    for (int i = 0; i < 20; i++) {
        unsigned wait = 1;
        while (exchange(1)) {
            for (volatile unsigned k = 0; k < wait; k++)
                ;
            wait = wait < 2000 ? wait * 2 : wait;
        }
        for (int k = 0; k < 30; k++)
            counter++;
        if (i == 3)
            sched_yield(); /* while it holds the lock */
        word = 0;
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", counter);
    return 0;
}
