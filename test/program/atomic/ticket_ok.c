// A ticket lock: taking the ticket is relaxed, the order comes from the number being served.
// want: none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int next, serving;
int shared;

static void *worker(void *arg)
{
    for (int i = 0; i < 200; i++) {
        int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
            sched_yield();
        shared++;
        atomic_store_explicit(&serving, mine + 1, memory_order_release);
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
