// A spin lock of inline assembly, acquired by an exchange and released by a move; and one of
// compare-and-exchange.
// want: none
// tsan: it does not model assembly
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

unsigned char lock;
struct {
    unsigned long v[10];
} other; /* an operand's type does not give the size: this one, and the first byte of a pointer */
struct item {
    int value;
} *handed;
int shared, guarded;

static int try_exchange(void)
{
    unsigned char was = 1;
    __asm__ volatile("xchgb %0, %1" : "+q"(was), "+m"(lock) : : "memory");
    return !was;
}
static int try_compare(void)
{
    unsigned int was = 0;
    unsigned char done;
    __asm__ volatile("lock; cmpxchgl %3, %1; setz %2"
                     : "+a"(was), "+m"(other), "=q"(done)
                     : "r"(1)
                     : "memory", "cc");
    return done;
}

static void *worker(void *arg)
{
    for (int i = 0; i < 200; i++) {
        while (!try_exchange())
            sched_yield();
        shared++;
        __asm__ volatile("movb $0, %0" : "=m"(lock) : : "memory");
        while (!try_compare())
            sched_yield();
        guarded++;
        __asm__ volatile("lock decl %0" : "+m"(other) : : "memory", "cc");
    }
    struct item *got;
    do
        __asm__ volatile("movq %1, %0" : "=r"(got) : "m"(*(char *)&handed) : "memory");
    while (!got && !sched_yield());
    if (got->value != 1)
        abort();
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    static struct item item;
    item.value = 1;
    __asm__ volatile("movq %1, %0" : "=m"(*(char *)&handed) : "r"(&item) : "memory");
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return shared != 600 || guarded != 600;
}
