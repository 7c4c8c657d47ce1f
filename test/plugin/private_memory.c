// Memory that no other thread can know of is not checked.
// never: write
// never: read
// levels: O1 O2 O3
#include <stdio.h>
#include <string.h>
#include <errno.h>

static __thread int mine;
struct pair { long a, b, c; };

__attribute__((noinline)) static long by_value(struct pair p) { return p.a + p.b * p.c; }

__attribute__((noinline)) static int count(int n)
{
    int digits[10], *p = digits;
    memset(digits, 0, sizeof digits);
    for (int i = 0; i < n; i++)
        p[i * i % 10]++;
    for (int k = 0; k < 5; k++) {
        int *q = k & 1 ? &digits[k] : digits;
        *q += k;
    }
    mine += digits[4] + digits[1];
    errno = 0;
    return digits[9] + mine;
}

static const int fixed[] = {3, 1, 4, 1, 5};

int main(int argc, char **argv)
{
    struct pair p = {1, 2, 3};
    printf("%d %d %ld %d\n", count(100), fixed[argc], by_value(p), errno);
    return 0;
}
