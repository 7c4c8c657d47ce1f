/*
 * scatter.c - 32 races, each executed once, some milliseconds apart: measures the share that Pacer
 * finds. The argument says what the two accesses are: ww, wr (the read is second) or rw.
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

static void use(int v) { __asm__ volatile("" : : "r"(v)); }

/* One race for each combination of kinds, in functions of their own. */
#define RACE(n)                                                                                    \
    int v##n;                                                                                      \
    COLD void w##n(void) { v##n = 1; }                                                             \
    COLD void x##n(void) { v##n = 2; }                                                             \
    COLD void r##n(void) { use(v##n); }                                                            \
    static void (*const first##n[])(void) = {w##n, w##n, r##n};                                    \
    static void (*const second##n[])(void) = {x##n, r##n, x##n};
#define FOR_8(f, a, b, c, d, e, g, h, i) f(a) f(b) f(c) f(d) f(e) f(g) f(h) f(i)
#define FOR_ALL(f)                                                                                 \
    FOR_8(f, 0, 1, 2, 3, 4, 5, 6, 7)                                                               \
    FOR_8(f, 8, 9, 10, 11, 12, 13, 14, 15)                                                         \
    FOR_8(f, 16, 17, 18, 19, 20, 21, 22, 23)                                                       \
    FOR_8(f, 24, 25, 26, 27, 28, 29, 30, 31)
FOR_ALL(RACE)
#define FIRST(n) first##n,
#define SECOND(n) second##n,
static void (*const *const first[])(void) = {FOR_ALL(FIRST)};
static void (*const *const second[])(void) = {FOR_ALL(SECOND)};

static void work(uint64_t *sum)
{
    for (int i = 0; i < 100; i++)
        *sum += spin(2000);
}

static void *other(void *kind)
{
    for (int i = 0; i < 32; i++) {
        until(2 * i + 1);
        second[i][*(int *)kind]();
        __atomic_store_n(&turn, 2 * i + 2, __ATOMIC_RELAXED);
    }
    return kind;
}

int main(int argc, char **argv)
{
    pthread_t t;
    uint64_t sum = 0;
    int kind = argc < 2 || !strcmp(argv[1], "ww") ? 0 : !strcmp(argv[1], "wr") ? 1 : 2;
    pthread_create(&t, NULL, other, &kind);
    for (int i = 0; i < 32; i++) {
        work(&sum);
        first[i][kind]();
        work(&sum);
        __atomic_store_n(&turn, 2 * i + 1, __ATOMIC_RELAXED);
        until(2 * i + 2);
    }
    pthread_join(t, NULL);
    printf("scatter %d\n", (int)(sum & 1));
    return 0;
}
