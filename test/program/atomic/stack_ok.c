// A lock-free stack: release to push, acquire to take all.
// want: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};
_Atomic(struct node *) top;

static void *pusher(void *arg)
{
    for (int i = 0; i < 100; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = 1;
        struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
        do
            n->next = old;
        while (!atomic_compare_exchange_weak_explicit(&top, &old, n, memory_order_release,
                                                      memory_order_relaxed));
    }
    return arg;
}

static void *taker(void *arg)
{
    int sum = 0;
    while (sum < 300) {
        struct node *n = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
        while (n) {
            struct node *next = n->next;
            sum += n->value;
            free(n);
            n = next;
        }
    }
    *(int *)arg = sum;
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int sum = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, pusher, NULL);
    pthread_create(&t[3], NULL, taker, &sum);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return sum != 300;
}
