// A spin lock made of atomic_flag.
// want: none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_flag lock = ATOMIC_FLAG_INIT;
int shared;

static void *worker(void *arg)
{
    for (int i = 0; i < 200; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            sched_yield();
        shared++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return shared != 600;
}
