/* Lock-free stack with ABA: pop compares the top with the address that it read, but the node may
 * have been popped and pushed again meanwhile. It fails if a pop is preempted after it read
 * `next`, and the other thread pops two nodes and pushes the first one back. */
// fails: assertion
#include "explore.h"

struct node {
    struct node *_Atomic next;
    atomic_int owners; /* 1: a thread has popped it and uses it */
};
static struct node node[3];
static struct node *_Atomic top;

static void push(struct node *n)
{
    struct node *t = atomic_load(&top);
    atomic_fetch_sub(&n->owners, 1);
    do
        atomic_store(&n->next, t);
    while (!atomic_compare_exchange_strong(&top, &t, n));
}

static struct node *pop(void)
{
    struct node *t = atomic_load(&top), *next;
    do {
        if (!t)
            return NULL;
        next = atomic_load(&t->next);
    } while (!atomic_compare_exchange_strong(&top, &t, next));
    assert(atomic_fetch_add(&t->owners, 1) == 0);
    return t;
}

static void *swap(void *p)
{
    struct node *x = pop(), *y = pop();
    if (x)
        push(x);
    (void)y; /* keeps it */
    return p;
}

static void *take(void *p)
{
    pop();
    pop();
    return p;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        atomic_store(&node[i].owners, 1);
        push(&node[i]);
    }
    start(swap, 0);
    start(take, 0);
    join_all();
    return 0;
}
