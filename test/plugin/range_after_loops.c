// A loop along bytes that ends at a value found on the way has one range check on every exit, for
// the bytes accessed. At O0 the addresses are in variables, and every access has its own check.
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
// want O2: read 2 - range_after_loops.c:126 triples
// want O2: read 2 - range_after_loops.c:127 triples
// want O2: read 2 - range_after_loops.c:128 triples
// want O2: write 2 - range_after_loops.c:126 triples
// want O2: write 2 - range_after_loops.c:128 triples
// count O2: 2 doubles < main
// want O2: read 4 text range_after_loops.c:140 doubles
// count O2: 4 gap < main
// count O2: 2 sixes < main
// want O2: read 12 - 
// want O2: write 12 - 
// count O2: 6 unrolled < main
// want O2: read 4 - range_after_loops.c:175 unrolled
// switch O2: read 6 text
// events O0: 6 length < main
// levels: O0 O2
// flags: -fno-vectorize -fno-unroll-loops -fno-slp-vectorize -fno-builtin
#include <stdio.h>

#define NOINLINE __attribute__((noinline)) static
char text[16] = "abc1d", *volatile known = text, room[16];
short halfs[8] = {5, 6, 7, 0};
volatile int four = 4, hundred = 100;

/* One of the bytes ends the loop. */
NOINLINE int length(const char *s)
{
    int n = 0;
    while (text[n])
        n++;
    return n;
}

/* Exits before and after the access. */
NOINLINE int letters(long from, long to)
{
    long i = from;
    for (; i < to; i++)
        if (text[i] < 'a')
            break;
    return (int)i;
}

/* Exits only before the access. */
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

/* Loops that compare two loaded values end soon. */
NOINLINE int same(const char *a, const char *b)
{
    int n = 0;
    while (a[n] == b[n] && a[n])
        n++;
    return n;
}

/* No iteration at all. */
NOINLINE long none(char *at, char *end)
{
    unsigned seed = 9;
    for (; at < end; seed = seed * 5 + 1)
        *at++ = (char)((seed ^ seed >> 3) % 26);
    return seed;
}

/* Three bytes per iteration, from three lines. */
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

/* Two bytes per iteration, the higher first. */
NOINLINE int doubles(int n)
{
    int sum = 0;
    for (long i = 0; n > 0; n--, i += 2) {
        sum = sum * 3 + text[i + 1];
        sum = sum * 5 + text[i];
    }
    return sum;
}

/* Not all bytes: the checks stay in the loop. */
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

/* Six bytes per iteration, from one source position. */
NOINLINE long sixes(char *to, int n)
{
    char *from = text, *out = to;
    do {
        COPY_SIX
    } while (--n);
    return out - to;
}

/* Unrolled by the compiler: six bytes from three source positions. */
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

/* Accesses of four bytes, without and with another access in the loop. */
// count O2: 1 search < main
// want O2: read 12 numbers
// count O2: 6 search_pairs < main
int numbers[8] = {7, 8, 9};
NOINLINE int search(int n)
{
    int i = 0;
    while (i < n && numbers[i] != 9)
        i++;
    return i;
}
NOINLINE int search_pairs(int n)
{
    int i = 0;
    while (i < n && numbers[i] != numbers[7 - i] + 9)
        i++;
    return i;
}

int main(void)
{
    char *end = room + 16;
    printf("%d %d %ld ", length(known), letters(1, hundred), fill(room, end, four));
    printf("%ld %d %d ", fill(room + 8, end, hundred), halves(), calls());
    printf("%d %d %ld\n", apart(), same(known, room), none(end, end - four));
    printf("%ld %d %d\n", triples(room + 1, four + 3), doubles(four), gap(four - 2));
    printf("%ld %ld\n", sixes(room + 1, four - 2), unrolled(room, 3 * four));
    printf("%d %d\n", search(four), search_pairs(four));
    return room[9];
}
