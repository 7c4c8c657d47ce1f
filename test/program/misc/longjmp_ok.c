// setjmp and longjmp out of nested calls, many times, in two threads.
// want: none
#include <pthread.h>
#include <setjmp.h>

static __attribute__((noinline)) void deep(jmp_buf *env, int n)
{
    if (n == 0)
        longjmp(*env, 1);
    deep(env, n - 1);
    __asm__ volatile("");
}

static void *worker(void *arg)
{
    volatile int jumps = 0;
    for (int i = 0; i < 1000; i++) {
        jmp_buf env;
        if (setjmp(env) == 0)
            deep(&env, 30);
        else
            jumps++;
    }
    *(int *)arg = jumps;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int jumps[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &jumps[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return jumps[0] != 1000 || jumps[1] != 1000;
}
