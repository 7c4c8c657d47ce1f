// Workers take tasks by an index without a lock. A task that is done twice gives the same result.
// race: next work work k-witness-harmless: a task may be done twice, with the same result
// race: results work work k-witness-harmless: both write the same value
#include <pthread.h>
#include <stdio.h>

#define TASKS 4

static volatile int next, results[TASKS];

static void *work(void *unused)
{
    for (;;) {
        int task = next;
        if (task >= TASKS)
            return unused;
        next = task + 1;
        results[task] = 7 * task + 1;
    }
}

int main(void)
{
    pthread_t a, b;
    int sum = 0;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < TASKS; i++)
        sum += results[i];
    printf("%d\n", sum);
    return 0;
}
