// Message passing by consume, along a data dependency.
// want: none
#include "turns.h"
#include <stdatomic.h>

struct message {
    int data;
} message;
int seen;
_Atomic(struct message *) box;

void first(void)
{
    message.data = 42;
    atomic_store_explicit(&box, &message, memory_order_release);
}

void second(void)
{
    struct message *m;
    while (!(m = atomic_load_explicit(&box, memory_order_consume)))
        ;
    seen = m->data;
}

int after(void) { return seen != 42; }
