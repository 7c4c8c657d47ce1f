// The program of ../symbolic.sh: what a symbolic run cannot express is counted.
#include <stdarg.h>
#include <stdlib.h>

__attribute__((noinline)) static int sum(int n, ...)
{
    int s = 0;
    va_list list;
    va_start(list, n);
    while (n--)
        s += va_arg(list, int);
    va_end(list);
    return s;
}

/* Both return by a musttail call, to a function that never reports an access. */
__attribute__((noinline)) static long odd(long n, long k);
__attribute__((noinline)) static long even(long n, long k)
{
    if (!n)
        return k;
    __attribute__((musttail)) return odd(n - 1, k + 1);
}
static long odd(long n, long k)
{
    if (!n)
        return -k;
    __attribute__((musttail)) return even(n - 1, k + 1);
}

int main(int argc, char **argv)
{
    unsigned long v = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned __int128 wide = (unsigned __int128)v * v;
    double real = (double)v;
    if (even((long)v, 1) == 5)
        return 4;
    return (unsigned long)(wide >> 64) == 3 || sum(2, (int)v, 1) == 7 || real * 2 == 5;
}
