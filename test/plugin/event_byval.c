// An argument that is passed by value in memory is an event of its own, before the call's, also in loops, where the
// budget is in a register: the number of events is the same with every budget.
// events: 5 read 24 large event_byval.c
// levels: O0 O2
#include <stdio.h>

struct large {
    long a, b, c;
};
struct large large = {1, 2, 3};
static long sum(struct large l, int i) { return l.a + l.b + l.c + i; }
long (*volatile callee)(struct large, int) = sum;

int main(void)
{
    long s = 0;
    for (int i = 0; i < 5; i++)
        s += callee(large, i);
    printf("%ld\n", s);
    return 0;
}
