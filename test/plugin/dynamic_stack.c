// Variables of the stack whose size or place is known at run time only. Bounds checks use the size
// and the address of the variable far from where it is made, and in both copies of a run of events.
// no event: outside
// event O0: read 8 vla dynamic_stack.c:28
// event O1: read 8 vla dynamic_stack.c:28
// event O0: write 4 vla dynamic_stack.c:46
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int count = 3, other = 1, steps;
int sink; void *last;
__attribute__((noinline)) void fill(void *p, size_t n) { last = p; memset(p, 1, n); }

/* The size is a load; the array is used after calls and in loops. */
__attribute__((noinline)) static long loaded_size(void)
{
    if (steps)
        count = 4, other = 2;
    steps++;
    long first[count], second[other];
    long sum = 0;
    for (int i = 0; i < count; i++)
        fill(&first[i], sizeof first[i]);
    for (int i = 0; i < other; i++)
        fill(&second[i], sizeof second[i]);
    for (int i = 0; i < count; i++)
        sum += steps + (sink = i) +
               first[i];
    for (int i = 0; i < other; i++)
        sum += second[i];
    return sum;
}

/* In a loop, with a size that changes; two dimensions; alloca next to it. */
__attribute__((noinline)) static int loops(void)
{
    int sum = 0;
    for (int n = 1; n < 5; n++) {
        steps += n;
        int square[n][n], *more = alloca(n * sizeof *more), *fixed = alloca(16);
        fill(square, sizeof square);
        fill(more, n * sizeof *more);
        fill(fixed, 16);
        steps += n;
        square[n - 1]
              [n - 1] = steps;
        sum += square[n - 1][0] + more[n - 1] + fixed[3] + fixed[0];
        steps += square[0][n - 1];
    }
    return sum;
}

/* Inlined, with a lifetime of its own in every iteration. */
static inline int inlined(int n)
{
    char text[24];
    int squares[n];
    fill(text, sizeof text);
    fill(squares, sizeof squares);
    steps++;
    return text[steps % 24] + squares[n - 1];
}

/* The size is computed together with other accesses and not used again by the program. */
__attribute__((noinline)) static int computed(int *a, int *b)
{
    int n = *a * 2 + *b, size = n < 1 ? 1 : n;
    char text[size], *end = text + *a;
    *b += 1;
    *a += 1;
    fill(text, 1);
    if (*b > 100)
        return *end;
    *a += text[0];
    *text = 3;
    return *a + text[0] + *b;
}

/* A structure of variable size by assignment; a goto out of the scope and back. */
__attribute__((noinline)) static int again(void)
{
    int turns = 0, sum = 0;
again:;
    unsigned char bytes[++turns * 3];
    fill(bytes, sizeof bytes);
    steps++;
    bytes[turns * 3 - 1] += steps;
    sum += bytes[turns * 3 - 1] + bytes[0];
    if (turns < 4)
        goto again;
    return sum;
}

int main(void)
{
    int a = 1, b = 2;
    printf("%ld %ld\n", loaded_size(), loaded_size());
    printf("%d\n", loops());
    for (int i = 1; i < 4; i++)
        printf("%d\n", inlined(i));
    printf("%d\n", computed(&a, &b));
    printf("%d\n", again());
}
