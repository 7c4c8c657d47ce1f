// A lock-free stack whose push is a relaxed exchange.
// want: race at FILL TAKE
#include "turns.h"
#include <stdatomic.h>

struct node {
    struct node *next;
    int value;
} node;
_Atomic(struct node *) top;
int seen;

void first(void)
{
    node.value = 42; /* FILL */
    struct node *old = NULL;
    atomic_compare_exchange_strong_explicit(&top, &old, &node, memory_order_relaxed,
                                            memory_order_relaxed);
}

void second(void)
{
    struct node *n = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
    if (n)
        seen = n->value; /* TAKE */
}
