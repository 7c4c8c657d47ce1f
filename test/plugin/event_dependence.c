// Events that may depend on reads: decisions since the previous event, addresses from reads.
// event: first = 11 branch.
// event: second = 12.
// event: third = 13.
// event: chosen = 14 branch.
// event: after = 15 branch.
// event: - = 16 address.
// event O1: pair = 17 branch.
// event: pair = 18.
// levels: O1 O2
#include <stdio.h>

int first, second, third, chosen, after;
int table[4], *place = table;
struct pair {
    int a, b;
} pair;

__attribute__((noinline)) static void start(int n)
{
    first = 0x11; // the caller may have decided to make the call
    second = 0x12;
    third = 0x13;
    if (n > 1)
        chosen = 0x14;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); // leaves no record: the decision is still pending
    after = 0x15; // paths join, one of them after a decision
    *place = 0x16;
    for (int i = 0; i < 2; i++)
        __asm__ volatile("" : : "r"(&pair) : "memory");
    pair.a = 0x17;
    pair.b = 0x18;
}

int main(int argc, char **argv)
{
    start(argc + 1);
    printf("%d\n", first + second + third + chosen + after + table[0] + pair.a + pair.b);
    return 0;
}
