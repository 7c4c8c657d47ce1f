#include <cpuid.h>
#include <cstdio>
#include <immintrin.h>
#include <random>
#include <sys/random.h>
__attribute__((target("rdrnd"))) static unsigned of_processor()
{
    unsigned a, b, c, d, value = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_RDRND)
        for (int i = 0; i < 10 && !_rdrand32_step(&value); i++)
            ;
    else
        getrandom(&value, sizeof value, 0);
    return value;
}
int main(int argc, char **)
{
    std::random_device device;
    printf("%u %u\n", device(), device());
    if (argc > 1)
        printf("%u\n", of_processor());
}
