// Loops whose index is a sum of unsigned numbers, which may wrap: one range check, or two of them.
// count O2: 1 range_before_wrap.c:26 offset
// want O2: read 400 ints range_before_wrap.c:26 offset
// count O2: 1 range_before_wrap.c:35 unrolled
// want O2: read 392 ints range_before_wrap.c:35 unrolled
// count O2: 2 range_before_wrap.c:44 wrapped
// want O2: write 3 - range_before_wrap.c:44 wrapped
// want O2: write 7 - range_before_wrap.c:44 wrapped
// levels: O0 O2
// flags: -fno-vectorize -fno-slp-vectorize
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline)) static

int ints[100];

NOINLINE long offset(uint32_t from, uint32_t n)
{
    long s = 0;


#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < n; i++)
        s = s * 9 + ints[from + i];
    return s;
}
NOINLINE long unrolled(uint32_t from, uint32_t n)
{
    long s = 0;

#pragma clang loop unroll_count(2)
    for (uint32_t i = 0; i < n; i++)
        s = s * 7 + ints[from + i];
    return s;
}
NOINLINE void wrapped(unsigned char *p, uint32_t from, uint32_t n)
{


#pragma clang loop unroll(disable)
    for (uint32_t i = 0; i < n; i++)
        p[from + i] ^= 21;
}
int main(int argc, char **argv)
{
    size_t size = (1ull << 32) + 4096;
    unsigned char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return 1;
    wrapped(p, (uint32_t)-2 - (uint32_t)argc, 9 + (uint32_t)argc);
    printf("%ld %d %d %d\n", offset((uint32_t)argc - 1, 100) + unrolled((uint32_t)argc, 98),
           p[0xfffffffd], p[6], p[7]);
    return 0;
}
