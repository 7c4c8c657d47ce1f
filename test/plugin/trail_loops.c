// Loops along bytes whose end is found on the way have one range check behind them: the bytes that were touched, on
// whichever way the loop is left. At O0 the addresses are in variables, and every access has its own check.
// count O2: 1 length < main
// want O2: read 6 text
// count O2: 1 letters < main
// want O2: read 3 text
// count O2: 2 fill < main
// want O2: write 4 - 
// want O2: write 8 - 
// count O2: 2 halves < main
// want O2: read 6 halfs
// count O2: 6 calls < main
// count O2: 4 apart < main
// count O2: 2 same < main
// never O2: none < main
// count O2: 6 triples < main
// want O2: read 2 - trail_loops.c:126 triples
// want O2: read 2 - trail_loops.c:127 triples
// want O2: read 2 - trail_loops.c:128 triples
// want O2: write 2 - trail_loops.c:126 triples
// want O2: write 2 - trail_loops.c:128 triples
// count O2: 2 doubles < main
// want O2: read 4 text trail_loops.c:140 doubles
// count O2: 4 gap < main
// count O2: 2 sixes < main
// want O2: read 12 - 
// want O2: write 12 - 
// count O2: 6 unrolled < main
// want O2: read 4 - trail_loops.c:175 unrolled
// cross O2: read 6 text
// events O0: 6 length < main
// levels: O0 O2
// flags: -fno-vectorize -fno-unroll-loops -fno-slp-vectorize -fno-builtin
#include <stdio.h>

#define NOINLINE __attribute__((noinline)) static
char text[16] = "abc1d", *volatile known = text, room[16];
short halfs[8] = {5, 6, 7, 0};
volatile int four = 4, hundred = 100;

/* The end is in the bytes, and is one of them. */
NOINLINE int length(const char *s)
{
    int n = 0;
    while (text[n])
        n++;
    return n;
}

/* Left before the access, or behind it. */
NOINLINE int letters(long from, long to)
{
    long i = from;
    for (; i < to; i++)
        if (text[i] < 'a')
            break;
    return (int)i;
}

/* Left before the access alone. */
NOINLINE long fill(char *at, char *end, int n)
{
    unsigned seed = 7;
    for (; n && at < end; n--, seed = seed * 5 + 1)
        *at++ = (char)('a' + (seed ^ seed >> 3) % 26);
    return at - room;
}

/* Two bytes at a time. */
NOINLINE int halves(void)
{
    int sum = 0;
    for (long i = 0;; i++) {
        if (!halfs[i])
            return sum;
        sum = sum * 3 + halfs[i];
    }
}

NOINLINE int seen(int c) { return printf("%c", c) - 1; }

/* A call may do anything. */
NOINLINE int calls(void)
{
    long i = 0;
    while (text[i]) {
        i++;
        if (seen('.'))
            break;
    }
    return (int)i;
}

/* Every other byte. */
NOINLINE int apart(void)
{
    long i = 0;
    while (text[i])
        i += 2;
    return (int)i;
}

/* What is compared with each other ends soon. */
NOINLINE int same(const char *a, const char *b)
{
    int n = 0;
    while (a[n] == b[n] && a[n])
        n++;
    return n;
}

/* No round at all. */
NOINLINE long none(char *at, char *end)
{
    unsigned seed = 9;
    for (; at < end; seed = seed * 5 + 1)
        *at++ = (char)((seed ^ seed >> 3) % 26);
    return seed;
}

/* Three bytes a round, from three lines. */
NOINLINE long triples(char *to, int n)
{
    char *from = text, *out = to;
    do {
        *out++ = *from++;
        *out++ = *from++;
        *out++ = *from++;
        n -= 3;
    } while (n > 2);
    return out - to;
}

/* Two bytes a round, the higher first. */
NOINLINE int doubles(int n)
{
    int sum = 0;
    for (long i = 0; n > 0; n--, i += 2) {
        sum = sum * 3 + text[i + 1];
        sum = sum * 5 + text[i];
    }
    return sum;
}

/* Not all bytes: they have their checks in the loop. */
NOINLINE int gap(int n)
{
    int sum = 0;
    for (long i = 0; n > 0; n--, i += 3) {
        sum = sum * 3 + text[i];
        sum = sum * 5 + text[i + 1];
    }
    return sum;
}

#define COPY *out++ = *from++;
#define COPY_SIX COPY COPY COPY COPY COPY COPY

/* Six bytes a round, from one place. */
NOINLINE long sixes(char *to, int n)
{
    char *from = text, *out = to;
    do {
        COPY_SIX
    } while (--n);
    return out - to;
}

/* Six of three places, after the compiler was there. */
NOINLINE long unrolled(char *to, int n)
{
    char *from = text, *out = to;
#pragma clang loop unroll_count(2)
    for (;;) {
        COPY
        COPY
        COPY
        if (!(n -= 3))
            break;
    }
    return out - to;
}

int main(void)
{
    char *end = room + 16;
    printf("%d %d %ld ", length(known), letters(1, hundred), fill(room, end, four));
    printf("%ld %d %d ", fill(room + 8, end, hundred), halves(), calls());
    printf("%d %d %ld\n", apart(), same(known, room), none(end, end - four));
    printf("%ld %d %d\n", triples(room + 1, four + 3), doubles(four), gap(four - 2));
    printf("%ld %ld\n", sixes(room + 1, four - 2), unrolled(room, 3 * four));
    return room[9];
}
