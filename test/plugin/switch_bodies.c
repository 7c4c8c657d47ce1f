// A call in its plain body switches to the watch body at the first back edge of a loop. From then
// on its accesses are checked, and all values are preserved.
// switch: write 4 x switch_bodies.c:30 counted < main
// switch: write 4 last switch_bodies.c:32 counted < main
// switches O2: 1 read 4 - switch_bodies.c:25 counted < main
// switches: 9 read 4 stop switch_bodies.c:45 waits < main
// switches O0: 999 read 2 b switch_bodies.c:55 sum < main
// switches O1: 1 read 1998 b switch_bodies.c:55 sum < main
// switches O2: 1 read 1992 b switch_bodies.c:55 sum < main
// switch: write 4 a switch_bodies.c:65 nested < main
// switches O2: 1 read 16 c switch_bodies.c:95 apart < main
// no switch: total
// no switch O2: few
#include <stdio.h>

#define NOINLINE __attribute__((noinline)) static
int x, last, total, a[1000], seven = 7, *volatile known = &seven;
volatile int stop, ten = 10, many = 1000;
short b[1000];
long c[1000];

/* *p is read before the loop, which makes the reads in it redundant: the body switch checks it. */
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

/* Too short for a body switch. */
NOINLINE void few(int by)
{
    for (int i = 0; i < 100; i++)
        a[i] += by;
}

/* Few bytes of one read precede those of the other, also for the remaining iterations. */
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
