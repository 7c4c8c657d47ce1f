// Computed gotos with tables of addresses and of differences work in all bodies.
// want: write 4 sum computed_gotos.c
// want: write 4 steps computed_gotos.c
#include <stdio.h>

int sum, steps;

__attribute__((noinline)) static int run(const char *code)
{
    static const void *const table[] = {&&add, &&twice, &&stop};
    static const int offsets[] = {&&add - &&add, &&twice - &&add, &&stop - &&add};
    int n = 0;
    goto *table[*code++ - '0'];
add:
    sum += ++n;
    goto *(&&add + offsets[*code++ - '0']);
twice:
    sum *= 2;
    goto *table[*code++ - '0'];
stop:
    return n;
}

__attribute__((noinline)) static int local(int n)
{
    void *next = n & 1 ? &&odd : &&even;
    goto *next;
odd:
    steps += 3;
    return 1;
even:
    steps += 5;
    return 2;
}

int main(int argc, char **argv)
{
    int n = run("0010102");
    printf("%d %d %d %d\n", n, sum, local(argc) + local(argc + 1), steps);
    return 0;
}
