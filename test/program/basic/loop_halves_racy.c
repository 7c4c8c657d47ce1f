// Loops that overlap in one byte, in the middle of a granule; and a loop that only reads.
// want: race bytes at BYTES_UP BYTES_ON
// want: race at WORDS_UP WORDS_ON
#include "turns.h"

char bytes[301];
int words[101];
int result;
volatile int cut = 101, end = 301;

void first(void)
{
    int to = cut;
    for (int i = 0; i < to; i++)
        bytes[i] = (char)(i * 3); /* BYTES_UP */
    for (int *p = words, *e = words + to / 2; p != e; p++)
        *p = to; /* WORDS_UP */
}

void second(void)
{
    int from = cut, to = end, sum = 0;
    for (int i = from - 1; i < to; i++)
        bytes[i] = (char)(i * 5); /* BYTES_ON */
    for (int i = from / 2 - 1; i < 101; i++)
        sum = sum * 3 + words[i]; /* WORDS_ON */
    result = sum;
}
