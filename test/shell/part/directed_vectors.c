#include <pthread.h>
#include <stdio.h>
#define N 4000
volatile int step;
float in[2][16] __attribute__((aligned(64)));
#define WIDE(name, bytes, ...)                                                                     \
    __VA_ARGS__ static float name(const float *p, int n)                                           \
    {                                                                                              \
        typedef float v __attribute__((vector_size(bytes)));                                       \
        v a = *(const v *)p, b = a + a, sum = {0}, more = {0};                                     \
        for (int i = 0; i < n; i++) {                                                              \
            step++;                                                                                \
            sum += a;                                                                              \
            step++;                                                                                \
            more += b - a;                                                                         \
        }                                                                                          \
        float all = 0;                                                                             \
        for (unsigned i = 0; i < bytes / 4; i++)                                                   \
            all += sum[i] + more[i];                                                               \
        return all / (bytes / 4);                                                                  \
    }
WIDE(by16, 16)
WIDE(by32, 32, __attribute__((target("avx2"))))
WIDE(by64, 64, __attribute__((target("avx512f"))))
static long double old(const float *p, int n)
{
    long double a = p[0], sum = 0;
    for (int i = 0; i < n; i++) {
        step++;
        sum += a;
        step++;
        sum += a / 4;
    }
    return sum;
}
static float wide(const float *p, int round)
{
    if (round == 2 && __builtin_cpu_supports("avx512f")) return by64(p, N);
    if (round >= 1 && __builtin_cpu_supports("avx2")) return by32(p, N);
    return by16(p, N);
}
static void *f(void *a)
{
    const float *p = a;
    for (int round = 0; round < 3; round++) {
        if (old(p, N) != p[0] * N * 1.25L) return (void *)1;
        if (wide(p, round) != 2 * N * p[0]) return (void *)2;
    }
    return 0;
}
int main(void)
{
    for (int i = 0; i < 16; i++) in[0][i] = 1, in[1][i] = 3;
    pthread_t t[2];
    void *bad[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, in[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], &bad[i]);
    printf("%ld %ld\n", (long)bad[0], (long)bad[1]);
    return bad[0] || bad[1];
}
