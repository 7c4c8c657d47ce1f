// The bare entry passes on all arguments: structs by value and by address, wide numbers, more
// arguments than registers. A function whose arguments it cannot pass on has no bare entry.
// want: write 8 sum bare_entries.c:28 by_value
// want: write 4 last bare_entries.c:59 listed
#include <stdarg.h>
#include <stdio.h>

struct big {
    long v[5];
};
struct pair {
    double a, b;
};
static long sum;
static int last;

__attribute__((noinline)) static struct big doubled(const struct big *b)
{
    struct big r;
    for (int i = 0; i < 5; i++)
        r.v[i] = 2 * b->v[i];
    return r;
}

__attribute__((noinline)) static long by_value(struct big b, int k, struct big c)
{
    for (int i = 0; i < 5; i++)
        sum += b.v[i] * k - c.v[i];
    return sum;
}

__attribute__((noinline)) static struct pair swapped(struct pair p, float f)
{
    last = (int)f;
    return (struct pair){p.b, p.a + (double)f};
}

__attribute__((noinline)) static long many(int a, int b, int c, int d, int e, int f, int g, long h,
                                           double x, short i, char j)
{
    last = a;
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + (long)x + 9 * i + 10 * j;
}

__attribute__((noinline)) static __int128 wide(__int128 n, long double x)
{
    sum += (long)n;
    return n * (long)x;
}

__attribute__((noinline)) static int listed(int n, ...)
{
    va_list list;
    int all = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        all += i % 2 ? (int)va_arg(list, double) : va_arg(list, int);
    va_end(list);
    last = all;
    return all;
}

/* In every body, the address of a function is that of its bare entry. */
__attribute__((noinline)) static int is_me(int (*volatile fn)(void *), void *me)
{
    return (void *)fn == me;
}
static int self(void *me) { return last + is_me(self, me); }

/* Called through pointers, as from another file; otherwise bodies call bodies directly. */
static struct big (*volatile doubled_at)(const struct big *) = doubled;
static long (*volatile by_value_at)(struct big, int, struct big) = by_value;
static struct pair (*volatile swapped_at)(struct pair, float) = swapped;
static long (*volatile many_at)(int, int, int, int, int, int, int, long, double, short,
                                char) = many;
static __int128 (*volatile wide_at)(__int128, long double) = wide;
static int (*volatile listed_at)(int, ...) = listed;
static int (*volatile self_at)(void *) = self;

int main(void)
{
    struct big one = {{1, 2, 3, 4, 5}};
    struct big two = doubled_at(&one), four = doubled(&two);
    struct pair p = swapped_at((struct pair){1.5, 2.5}, 4), q = swapped(p, 5);
    printf("%ld %ld %g %g\n", by_value_at(two, 3, one), by_value(four, 2, two), p.a, q.b);
    printf("%ld %ld\n", many_at(1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10, 11),
           many(1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10, 11));
    printf("%ld\n", (long)((wide_at((__int128)1 << 70, 3.0L) + wide((__int128)5 << 70, 2.0L)) >> 64));
    printf("%d %d\n", listed_at(4, 1, 2.0, 3, 4.0), listed(2, 7, 8.0));
    printf("%d %d\n", self((void *)self), self_at((void *)self));
    return 0;
}
