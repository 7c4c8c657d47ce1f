/* For symbolic_on_demand.sh: calls of functions that have no jump to an event body. */
#include "symbolic_library.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int counted;

__attribute__((noinline)) static int plus_one(int n) { return n + 1; }
__attribute__((noinline)) static int minus_one(int n) { return n - 1; }
static int (*volatile chosen[])(int) = {plus_one, minus_one, triple};

__attribute__((noinline)) static int sum(int n, ...)
{
    va_list more;
    va_start(more, n);
    int total = n;
    for (int i = 0; i < 2; i++)
        total += va_arg(more, int);
    va_end(more);
    counted += total > 10;
    return total + n;
}

__attribute__((noinline)) static long sum_of(struct many_words w)
{
    counted++;
    return w.word[0] + w.word[3];
}

/* a function with labels whose address is taken */
__attribute__((noinline)) static int interpret(int n)
{
    static void *const at[] = {&&stop, &&add, &&subtract};
    const char *code = n > 20 ? "\1\1\0" : "\2\1\0";
    goto *at[(int)*code++];
add:
    n += 2;
    counted++;
    goto *at[(int)*code++];
subtract:
    n -= 3;
    goto *at[(int)*code++];
stop:
    return n;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    struct many_words w = {{n, 1, 2, n}};
    if (plus_one(n) == 4)
        puts("4");
    if (chosen[0](n) == 5)
        puts("5");
    if (chosen[1](n) == 6)
        puts("6");
    if (chosen[2](n) == 7)
        puts("7");
    if (twice(n) == 8)
        puts("8");
    if (sum(n, 1, 2) == 9)
        puts("9");
    if (sum_of(w) == 10)
        puts("10");
    if (library_sum(w) == 11)
        puts("11");
    if (interpret(n) == 12)
        puts("12");
    if (argc > 2 && is_letter(argv[2][0]))
        puts("letter");
    return 0;
}
