// Reference counting: the decrement releases, and a fence acquires before the last owner frees.
// want: none
// tsan: does not model fences
#include "turns.h"
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int count;
    int value[2];
} *object;

static void drop(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        free(o);
    }
}

void before(void)
{
    object = calloc(1, sizeof *object);
    object->count = 2;
}

void first(void)
{
    object->value[0] = 1;
    drop(object);
}

void second(void)
{
    object->value[1] = 1;
    drop(object);
}
