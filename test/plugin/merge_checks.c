/* Accesses from one source position to adjacent bytes get one check. If there is a gap, or a call
 * between them, each has its own check. */
// levels: O2 O3
// flags: -fno-slp-vectorize -fno-vectorize
#include <stdio.h>

int values[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
short few[64];
int (*volatile call)(const char *) = puts;

/* Unrolled: twelve reads from one source position. */
static __attribute__((noinline)) long sum_all(const int *v)
{
    long sum = 0;
    for (int i = 0; i < 12; i++)
        sum = sum * 3 + v[i]; // merged
    return sum;
}

/* Every second element: there are gaps. */
static __attribute__((noinline)) long sum_some(const short *v)
{
    long sum = 0;
    for (int i = 0; i < 4; i++)
        sum = sum * 3 + v[2 * i]; // gaps
    return sum;
}

/* Calls in between. */
static __attribute__((noinline)) long sum_loud(const int *v)
{
    long sum = 0;
    for (int i = 0; i < 2; i++) {
        sum += v[i]; // calls
        call("next");
    }
    return sum;
}

int main(void)
{
    for (int i = 0; i < 64; i++)
        few[i] = (short)i;
    printf("%ld %ld %ld\n", sum_all(values), sum_some(few), sum_loud(values));
    return 0;
}
// count: 1 read 48 values merge_checks.c:16
// never: read 4 values merge_checks.c:16
// count: 4 read 2 few merge_checks.c:25
// count: 2 read 4 values merge_checks.c:34
