// An argument that is passed by value in memory is a separate event before that of the call, also
// in loops, where the budget is in a register: all budgets give the same number of events.
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
