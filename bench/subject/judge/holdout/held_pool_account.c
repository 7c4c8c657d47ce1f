// As held_pool.c, but the tasks are bookings on an account: a task that is done twice is an error.
// race: next work work output-differs: a booking may be done twice; the balance is printed
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define TASKS 3

static volatile int next;
static atomic_int balance;

static void *work(void *unused)
{
    for (;;) {
        int task = next;
        if (task >= TASKS)
            return unused;
        next = task + 1;
        atomic_fetch_add(&balance, 10 + task);
    }
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", atomic_load(&balance));
    return 0;
}
