// String functions do not access the bytes next to those that they read and write.
// flags: -fno-builtin
// tsan: it reads the whole string where a function stops early
// want: none
#define _GNU_SOURCE
#include "turns.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char s1[16] = "abc", s2[16] = "abc", s3[16] = "abc", s4[16] = "abc", s5[16] = "abc", s6[16] = "abc",
     s7[16] = "12x", s8[16] = "abc", set[16] = ",", *none, t1[16], t2[16], t3[16], t4[16] = "abc",
     t5[16], t6[16];
wchar_t w1[16] = L"abc";
static _Thread_local volatile long sink;
volatile size_t five = 5;

void first(void)
{
    s1[4] = 1;
    s2[2] = 1; /* after the first difference */
    s3[2] = 1;
    s4[2] = 1; /* after the match */
    s5[4] = 1;
    s6[2] = 1;
    s7[3] = 1; /* one after the end of the number */
    t1[5] = 1;
    t2[5] = 1;
    t3[4] = 1;
    t4[0] = 'a';
    t5[5] = 1;
    t6[3] = 1;
    s8[2] = 1; /* after the part that is converted */
    w1[2] = 1;
    set[0] = 1; /* not needed if there is no string */
    sink = none != NULL;
}

void second(void)
{
    sink = (long)strlen(s1);
    sink = memcmp(s2, "axc", 3);
    sink = strcmp(s3, "axc");
    sink = strchr(s4, 'b') != NULL;
    strcpy(t3, s5);
    sink = memchr(s6, 'b', 8) != NULL;
    sink = strtol(s7, NULL, 10);
    memcpy(t1, "abcdefgh", five);
    memset(t2, 1, five);
    t4[5] = 1;
    snprintf(t5, five, "%s", "abcdefgh");
    snprintf(t6, five, "%.2s", "abcdefgh");
    wchar_t wide[2];
    char narrow[2];
    sink = (long)mbstowcs(wide, s8, 2) + (long)wcstombs(narrow, w1, 2);
    sink = strsep(&none, set) != NULL;
}
