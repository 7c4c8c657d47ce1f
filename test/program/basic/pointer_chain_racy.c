// The race is on a node in the middle of a list.
// want: race at SET SUM
#include "turns.h"

struct node {
    struct node *next;
    int value;
} nodes[3] = {{&nodes[1], 1}, {&nodes[2], 2}, {NULL, 3}};
int sum;

void first(void) { nodes[0].next->value = 5; /* SET */ }

void second(void)
{
    for (struct node *n = nodes; n; n = n->next)
        sum += n->value; /* SUM */
}
