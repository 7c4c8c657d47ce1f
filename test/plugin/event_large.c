// A function with many accesses has event calls outside of loops and runs in loops; same events.
// events: 1 write 1 bytes event_large.c
// events: 2 write 2 shorts event_large.c
// events: 12 write 4 words event_large.c
// events: 12 read 4 words event_large.c
// events: 8 write 8 longs event_large.c
// event: longs = 4008000000000000
// event: longs = fffffffffffffffe
// event: shorts = fffe
// event: bytes = ff
// event: write 16 pair event_large.c
// events: 5 atomic
// no event: private
// flags O1: -fpf-inline=none
// flags O3: -fpf-inline=all
#include <stdatomic.h>
#include <stdio.h>

volatile char bytes[4];
volatile short shorts[4];
volatile int words[64];
volatile long longs[8];
typedef long both __attribute__((vector_size(16)));
both pair;
atomic_int count;

__attribute__((noinline)) static int many(int n, double d)
{
    int private[4] = {n, n, n, n};
    bytes[0] = -1;
    shorts[0] = -2;
    shorts[1] = 3;
    longs[0] = 1, longs[1] = 2, longs[2] = 3, longs[3] = 4, longs[4] = 5, longs[5] = 6;
    longs[6] = -2;
    *(volatile double *)&longs[7] = d;
    words[0] = 1;
    words[1] = words[0] + 1;
    atomic_fetch_add(&count, 1);
    words[2] = words[1] + 1;
    words[3] = words[2] + 1;
    for (int i = 4; i < 4 + n; i++)
        words[i] = words[i - 1] + private[i & 3];
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    if (n > 2)
        words[60] = words[61] + words[62];
    pair = (both){n, words[63]};
    words[63] = n;
    for (int i = 0; i < 2; i++)
        words[40 + i] = atomic_load(&count) + i;
    return words[3];
}

int main(void)
{
    int r = many(4, 3.0);
    printf("%d %d %ld %d\n", r, words[7], longs[6], count);
    return 0;
}
