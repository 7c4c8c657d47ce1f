// Plain accesses of every size, alignment and shape are checked once, with the variable's name.
// want: write 1 c access.c
// want: write 2 h access.c
// want: write 4 i access.c
// want: write 8 l access.c
// want: read 8 d access.c
// want: write 4 packed access.c
// want: write 16 v access.c
// want: write 4 bits access.c
// want: write 10 x access.c
// want: copy 300 to access.c
// want: copy 300 from access.c
// want: read 24 small access.c
// want: write 4 flag access.c
// want: access.c:35 at < main:66
#include <stdio.h>
#include <string.h>

char c;
short h;
int i;
long l;
double d = 1.5;
struct __attribute__((packed)) packed {
    char pad;
    int a;
} packed;
typedef int vec __attribute__((vector_size(16)));
vec v;
unsigned _BitInt(24) bits;
long double x;
struct large { char bytes[300]; } to, from;
struct small { long a, b, c; } small = {1, 2, 3};
volatile int flag;
__attribute__((noinline)) static int at(int *p, int k) { return p[k]; }

__attribute__((noinline)) static void scalars(int n)
{
    c = n;
    h = n;
    i = n;
    l = n;
    packed.a = n;
}
__attribute__((noinline)) static void odd(int n)
{
    v = (vec){n, n, n, n};
    bits = n;
    x = n;
}
__attribute__((noinline)) static void copies(void)
{
    to = from;
    memset(&from, 7, sizeof from);
}
__attribute__((noinline)) static struct small get(void) { return small; }

int table[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
int main(int argc, char **argv)
{
    scalars(argc);
    odd(argc);
    copies();
    struct small s = get();
    flag = argc;
    int sum = flag + at(table, argc);
    printf("%d %d %d %ld %g %d %d %d %d %ld %d\n", c, h, i, l, d, packed.a, v[2], (int)bits, (int)x,
           s.a + s.b + s.c, sum + to.bytes[3] + from.bytes[299]);
    return 0;
}
