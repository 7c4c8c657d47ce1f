// Kinds of calls: variable arguments, structs by value and by hidden pointer, musttail, through a
// pointer, recursion, dynamic stack memory, switch. A call reads its by-value arguments.
// want: read 32 record calls.c
// want: write 4 total calls.c:45 last < main
// never: < even
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record { long a, b, c, d; } record = {1, 2, 3, 4};
int total;

__attribute__((noinline)) static int add(int n, ...)
{
    va_list ap;
    int s = 0;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        s += i & 1 ? (int)va_arg(ap, double) : va_arg(ap, int);
    va_end(ap);
    return s;
}
__attribute__((noinline)) long by_value(struct record r, int k) { return r.a * k + r.d; }
__attribute__((noinline)) static struct record make(int n)
{
    struct record r = {n, n + 1, n + 2, n + 3};
    return r;
}
__attribute__((noinline)) static int dynamic(int n)
{
    char text[n + 1];
    int s = 0;
    for (int k = 1; k <= n; k++) {
        char *more = __builtin_alloca(k);
        memset(more, k, k);
        s += more[k - 1];
    }
    memset(text, 'x', n);
    text[n] = 0;
    return s + (int)strlen(text);
}
__attribute__((noinline)) static int last(int n)
{
    total += n;
    return n;
}
__attribute__((noinline)) static int odd(int n);
__attribute__((noinline)) static int even(int n)
{
    if (n == 0)
        __attribute__((musttail)) return last(n + 1);
    __attribute__((musttail)) return odd(n - 1);
}
__attribute__((noinline)) static int odd(int n)
{
    if (n == 0)
        __attribute__((musttail)) return last(n);
    __attribute__((musttail)) return even(n - 1);
}
__attribute__((noinline)) static const char *pick(int n)
{
    switch (n) {
    case 1: return "one";
    case 2: return "two";
    case 5: return "five";
    case 100: return "hundred";
    default: return n < 0 ? "less" : "more";
    }
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void)
{
    int list[] = {5, 3, 9, 1};
    qsort(list, 4, sizeof *list, compare);
    struct record r = make(3);
    printf("%d %ld %ld %d %d %s%s%s %d %d\n", add(4, 1, 2.0, 3, 4.0), by_value(record, 2), r.d,
           dynamic(9), even(100000) + odd(3), pick(5), pick(-1), pick(7), list[0], total);
    return 0;
}
