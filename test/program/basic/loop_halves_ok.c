// Loops over bytes, shorts, members and pointers whose ranges are adjacent in the middle of a
// granule.
// want: none
#include "turns.h"

char bytes[301];
short shorts[301];
struct pair {
    int left, right;
} pairs[100];
int words[101];
volatile int cut = 101, end = 301;

void first(void)
{
    int to = cut;
    for (int i = 0; i < to; i++)
        bytes[i] = (char)(bytes[i] * 3 + i);
    for (int i = 0; i < to; i++)
        shorts[i] = (short)(i * i);
    for (int i = 0; i < 100; i++)
        pairs[i].left = i * 5;
    for (int *p = words, *e = words + to / 2; p != e; p++)
        *p = *p * 7 + 1;
}

void second(void)
{
    int from = cut, to = end;
    for (int i = from; i < to; i++)
        bytes[i] = (char)(bytes[i] * 5 + i);
    for (int i = from; i < to; i++)
        shorts[i] = (short)(i + 3);
    for (int i = 0; i < 100; i++)
        pairs[i].right = i * 5;
    for (int *p = words + from / 2, *e = words + 101; p != e; p++)
        *p = *p * 3 + 1;
}
