// The event body reports every access with its value, in program order; none is redundant.
// events: 4 write 4 counter event_stream.c
// events: 5 read 4 counter event_stream.c
// event: write 8 wide event_stream.c
// event: wide = 4008000000000000
// event: write 16 pair event_stream.c
// event: read 8 p event_stream.c
// no event: private
// levels: O0 O2
#include <stdio.h>

volatile int counter;
double wide;
struct pair {
    long a, b;
} pair, other;
long *p = &pair.a;
typedef long both __attribute__((vector_size(16)));

__attribute__((noinline)) static void add(void)
{
    counter++; // a read and a write each time, although the first makes the others redundant
    counter++;
    counter++;
    counter++;
}

__attribute__((noinline)) static void stores(double d, long n)
{
    int private[4] = {1, 2, 3, 4};
    wide = d;
    *(both *)&pair = (both){n, private[n]};
    *p += 1;
}

int main(void)
{
    add();
    stores(3.0, 2);
    printf("%d %g %ld %ld\n", counter, wide, pair.a, pair.b);
    return 0;
}
