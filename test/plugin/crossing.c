// A call that is in its plain body crosses to the watch body at the first back edge of a loop: what it does from then
// on is seen, and every value is as it was.
// cross: write 4 x crossing.c:30 counted < main
// cross: write 4 last crossing.c:32 counted < main
// crosses O2: 1 read 4 - crossing.c:25 counted < main
// crosses: 9 read 4 stop crossing.c:45 waits < main
// crosses O0: 999 read 2 b crossing.c:55 sum < main
// crosses O1: 1 read 1998 b crossing.c:55 sum < main
// crosses O2: 1 read 1992 b crossing.c:55 sum < main
// cross: write 4 a crossing.c:65 nested < main
// crosses O2: 1 read 16 c crossing.c:95 apart < main
// no cross: total
// no cross O2: few
#include <stdio.h>

#define NOINLINE __attribute__((noinline)) static
int x, last, total, a[1000], seven = 7, *volatile known = &seven;
volatile int stop, ten = 10, many = 1000;
short b[1000];
long c[1000];

/* *p is read before the loop, which covers the reads in it: it is checked on the way over. */
NOINLINE int counted(int n, const int *p)
{
    int s = 0, k = *p;
    for (int i = 0; i < n; i++) {
        s ^= x;
        if (s & 4)
            s += *p;
        x += i * k;
    }
    last = s;
    return s;
}

NOINLINE int straight(int n)
{
    total += n;
    return total;
}

NOINLINE int waits(int n)
{
    int rounds = 0;
    while (!stop)
        if (++rounds == n)
            return rounds;
    return -1;
}

NOINLINE long sum(int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s += b[i];
    return s;
}

NOINLINE int nested(int n, int m, int c)
{
    int t = c * 3;
    for (int i = 0; i < n; i++) {
        int q = i * t;
        for (int k = 0; k < m; k++) {
            a[(i + k) % 1000] += q + k;
            switch (a[k] & 3) {
            case 0:
                continue;
            case 1:
                t++;
                break;
            case 2:
                goto next;
            }
            x ^= t;
        }
        last = q;
    next:;
    }
    return t;
}

/* So short that nobody waits for its end. */
NOINLINE void few(int by)
{
    for (int i = 0; i < 100; i++)
        a[i] += by;
}

/* The bytes of one place before those of the other are few, here and for the rounds that are left. */
NOINLINE long apart(int n)
{
    long s = 0;
    for (int i = 0; i < n; i++)
        s = s * 3 + (c[i + 2] ^ c[i]);
    return s;
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        b[i] = (short)(c[i] = i * 31);
    few(3);
    printf("%d %d %d %ld %d %d %ld\n", counted(100, known), straight(3), waits(ten), sum(many),
           nested(20, 30, 5), x, apart(many - 2));
    return 0;
}
