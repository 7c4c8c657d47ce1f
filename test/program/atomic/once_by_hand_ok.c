// The first thread initialises, chosen by compare-and-swap; the others wait for the final state.
// want: none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int state;
int value;

static void *worker(void *arg)
{
    int none = 0;
    if (atomic_compare_exchange_strong(&state, &none, 1)) {
        value = 42;
        atomic_store_explicit(&state, 2, memory_order_release);
    }
    while (atomic_load_explicit(&state, memory_order_acquire) != 2)
        sched_yield();
    *(int *)arg = value;
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int seen[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, &seen[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return seen[0] + seen[1] + seen[2] + seen[3] != 168;
}
