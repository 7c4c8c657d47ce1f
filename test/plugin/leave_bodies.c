// A long loop switches from the watch body to the plain body, and back to the watch body where the
// outermost loop ends or, every second time, at the next back edge. All values survive.
// leave: write 4 last leave_bodies.c:29 counted < main
// leave: write 8 total leave_bodies.c:49 nested < main
// leave: write 4 last leave_bodies.c:60 calls < main
// leave: write 4 found leave_bodies.c:71 finds < main
// leave: write 4 before leave_bodies.c:72 finds < main
// leaves: 2048 write 4 a leave_bodies.c:39 nested < main
// A block that some iterations skip is entered in the watch body, which the loop leaves at its end.
// rare-count: 4 write 4 rare leave_bodies.c:83 rarely < main
// not rare: write 4 every leave_bodies.c:80 rarely < main
#include <stdio.h>

#define NOINLINE __attribute__((noinline)) static
int x, last, found, rare, every, before, a[5000], key = 4321;
long total;
volatile int many = 2500, some = 20;

/* The loop has two exits. */
NOINLINE int counted(int n, int k)
{
    int s = 0, twice = k * 2;
    for (int i = 0; i < n; i++) {
        s ^= x;
        x += i * twice + s;
        if (s == -7)
            return k;
    }
    last = s + twice;
    return s;
}

NOINLINE long nested(int n, int m, int c)
{
    long t = c * 3, u = t ^ 5;
    for (int i = 0; i < n; i++) {
        long q = i * t;
        for (int k = 0; k < m; k++) {
            a[(i * 7 + k) % 5000] += (int)(q + k);
            if (a[k] & 4)
                continue;
            t += a[(k * k) % 5000] & 3;
            if (t == -1)
                goto out;
        }
        x ^= (int)t;
    }
out:
    total = t + u;
    return t - u;
}

NOINLINE int calls(int n)
{
    int s = n;
    for (int i = 0; i < n; i++) {
        s += counted(i, s & 7);
        x ^= s;
    }
    last = s;
    return s;
}

/* Both exits of the loop lead to the same code. */
NOINLINE int finds(int n)
{
    int i, h = n ^ 77;
    for (i = 0; i < n; i++)
        if ((a[i] ^ x ^ i * h) == key)
            break;
    found = i + h;
    before = i ? a[i - 1] : h;
    return i == n ? -1 : i;
}

NOINLINE int rarely(int n, int k)
{
    int s = k;
    for (int i = 0; i < n; i++) {
        every += i;
        s = counted(1, s & 7);
        if (i % 700 == 3)
            rare += i ^ k;
    }
    return s;
}

int main(void)
{
    for (int i = 0; i < 5000; i++)
        a[i] = i * 31;
    int c = counted(many, 3);
    long n = nested(some / 5, some * 60, c & 15);
    printf("%d %ld %d %d %ld %d %d %d\n", c, n, calls(some), finds(many), total, last, x,
           found + before);
    printf("%d %d %d\n", rarely(many, 5), rare, every);
    return 0;
}
