/*
 * scatter.c - 32 races, each executed once, some milliseconds apart: measures the share that Pacer
 * finds.
 *
 * The second access of each race is in the other thread, a while after the first. Work before the
 * next pair places the pairs in different sampling periods.
 */
#include "../prog/bench.h"

#define COLD __attribute__((noinline)) static
static int turn; /* atomic, relaxed: creates no order */

COLD uint64_t spin(uint64_t n)
{
    uint64_t s = 0;
    __asm__ volatile("" : "+r"(n)); /* keeps the compiler from computing the sum once */
    for (uint64_t i = 0; i < n; i++)
        s += bench_hash(i);
    return s;
}

COLD void until(int n)
{
    while (__atomic_load_n(&turn, __ATOMIC_RELAXED) < n)
        spin(20);
}

int v0;
COLD void a0(void) { v0 = 1; }
COLD void b0(void) { v0 = 2; }
int v1;
COLD void a1(void) { v1 = 1; }
COLD void b1(void) { v1 = 2; }
int v2;
COLD void a2(void) { v2 = 1; }
COLD void b2(void) { v2 = 2; }
int v3;
COLD void a3(void) { v3 = 1; }
COLD void b3(void) { v3 = 2; }
int v4;
COLD void a4(void) { v4 = 1; }
COLD void b4(void) { v4 = 2; }
int v5;
COLD void a5(void) { v5 = 1; }
COLD void b5(void) { v5 = 2; }
int v6;
COLD void a6(void) { v6 = 1; }
COLD void b6(void) { v6 = 2; }
int v7;
COLD void a7(void) { v7 = 1; }
COLD void b7(void) { v7 = 2; }
int v8;
COLD void a8(void) { v8 = 1; }
COLD void b8(void) { v8 = 2; }
int v9;
COLD void a9(void) { v9 = 1; }
COLD void b9(void) { v9 = 2; }
int v10;
COLD void a10(void) { v10 = 1; }
COLD void b10(void) { v10 = 2; }
int v11;
COLD void a11(void) { v11 = 1; }
COLD void b11(void) { v11 = 2; }
int v12;
COLD void a12(void) { v12 = 1; }
COLD void b12(void) { v12 = 2; }
int v13;
COLD void a13(void) { v13 = 1; }
COLD void b13(void) { v13 = 2; }
int v14;
COLD void a14(void) { v14 = 1; }
COLD void b14(void) { v14 = 2; }
int v15;
COLD void a15(void) { v15 = 1; }
COLD void b15(void) { v15 = 2; }
int v16;
COLD void a16(void) { v16 = 1; }
COLD void b16(void) { v16 = 2; }
int v17;
COLD void a17(void) { v17 = 1; }
COLD void b17(void) { v17 = 2; }
int v18;
COLD void a18(void) { v18 = 1; }
COLD void b18(void) { v18 = 2; }
int v19;
COLD void a19(void) { v19 = 1; }
COLD void b19(void) { v19 = 2; }
int v20;
COLD void a20(void) { v20 = 1; }
COLD void b20(void) { v20 = 2; }
int v21;
COLD void a21(void) { v21 = 1; }
COLD void b21(void) { v21 = 2; }
int v22;
COLD void a22(void) { v22 = 1; }
COLD void b22(void) { v22 = 2; }
int v23;
COLD void a23(void) { v23 = 1; }
COLD void b23(void) { v23 = 2; }
int v24;
COLD void a24(void) { v24 = 1; }
COLD void b24(void) { v24 = 2; }
int v25;
COLD void a25(void) { v25 = 1; }
COLD void b25(void) { v25 = 2; }
int v26;
COLD void a26(void) { v26 = 1; }
COLD void b26(void) { v26 = 2; }
int v27;
COLD void a27(void) { v27 = 1; }
COLD void b27(void) { v27 = 2; }
int v28;
COLD void a28(void) { v28 = 1; }
COLD void b28(void) { v28 = 2; }
int v29;
COLD void a29(void) { v29 = 1; }
COLD void b29(void) { v29 = 2; }
int v30;
COLD void a30(void) { v30 = 1; }
COLD void b30(void) { v30 = 2; }
int v31;
COLD void a31(void) { v31 = 1; }
COLD void b31(void) { v31 = 2; }
static void (*const first[])(void) = {a0,  a1,  a2,  a3,  a4,  a5,  a6,  a7,  a8,  a9,  a10,
                                      a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,
                                      a22, a23, a24, a25, a26, a27, a28, a29, a30, a31};
static void (*const second[])(void) = {b0,  b1,  b2,  b3,  b4,  b5,  b6,  b7,  b8,  b9,  b10,
                                       b11, b12, b13, b14, b15, b16, b17, b18, b19, b20, b21,
                                       b22, b23, b24, b25, b26, b27, b28, b29, b30, b31};

static void work(uint64_t *sum)
{
    for (int i = 0; i < 100; i++)
        *sum += spin(2000);
}

static void *other(void *arg)
{
    for (int i = 0; i < 32; i++) {
        until(2 * i + 1);
        second[i]();
        __atomic_store_n(&turn, 2 * i + 2, __ATOMIC_RELAXED);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    uint64_t sum = 0;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 32; i++) {
        work(&sum);
        first[i]();
        work(&sum);
        __atomic_store_n(&turn, 2 * i + 1, __ATOMIC_RELAXED);
        until(2 * i + 2);
    }
    pthread_join(t, NULL);
    printf("scatter %d\n", (int)(sum & 1));
    return 0;
}
