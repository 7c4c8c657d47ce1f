// Reference counting without order: the free races with the other thread's use.
// want: race at USE FREE
#include "turns.h"
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int count;
    int value;
} *object;

static void drop(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_relaxed) == 1) /* USE */
        free(o);                                                           /* FREE */
}

void before(void)
{
    object = calloc(1, sizeof *object);
    object->count = 2;
}

void first(void) { drop(object); }
void second(void) { drop(object); }
