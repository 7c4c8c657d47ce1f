// A thread that yields very often while no other thread can run, and then ends: not a hang.
// It counts its yields in a register, in a variable, or in a register that system calls preserve
// and function calls do not.
// case: record
// case: record -- global
// case: record -- inline call
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

static int count;
static void yield_inline(void)
{
    long result = SYS_sched_yield;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     :
                     : "rbx", "rcx", "r11", "r12", "r13", "r14", "r15", "memory");
}
static void *work(void *arg)
{
    const int *words = arg;
    if (*words == 3)
        for (int i = 0; i < 60000; i++)
            yield_inline();
    else if (*words == 2)
        for (count = 0; count < 60000; count++)
            sched_yield();
    else
        for (int i = 0; i < 60000; i++)
            sched_yield();
    return arg;
}
int main(int argc, char **argv)
{
    (void)argv;
    pthread_t t;
    pthread_create(&t, NULL, work, &argc);
    pthread_join(t, NULL);
    return 0;
}
