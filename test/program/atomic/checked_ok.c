// Correct double-checked locking: the outer check acquires.
// want: none
#include "turns.h"
#include <stdatomic.h>
#include <stdlib.h>

struct thing {
    int value;
};
_Atomic(struct thing *) instance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int seen;

static struct thing *get(void)
{
    struct thing *t = atomic_load_explicit(&instance, memory_order_acquire);
    if (!t) {
        pthread_mutex_lock(&lock);
        t = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!t) {
            t = malloc(sizeof *t);
            t->value = 42;
            atomic_store_explicit(&instance, t, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return t;
}

void first(void) { seen = get()->value; }
void second(void) { (void)*(volatile int *)&get()->value; }

int after(void)
{
    free(instance);
    return seen != 42;
}
