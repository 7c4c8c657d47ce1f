// Writes of the string functions, each against a read of one byte.
// flags: -fno-builtin
// tsan: it does not see strcat, strtok and wcscpy
// want: race t1 at W01 R01
// want: race t2 at W02 R02
// want: race t3 at W03 R03
// want: race t4 at W04 R04
// want: race t5 at W05 R05
// want: race t6 at W06 R06
// want: race t7 at W07 R07
// want: race t8 at W08 R08
// want: race t9 at W09 R09
// want: race t10 at W10 R10
// want: race t11 at W11 R11
// want: race t12 at W12 R12
#include "turns.h"
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

char t1[16], t2[16], t3[16], t4[16], t5[16] = "abc", t6[16] = "abc", t7[16], t8[16], t9[16],
                                     t10[16], t11[16] = "a,b";
wchar_t t12[16];
static _Thread_local volatile int sink;
volatile size_t five = 5;

void first(void)
{
    memcpy(t1, "abcdefgh", five);          /* W01 */
    memset(t2, 1, five);                   /* W02 */
    memmove(t3, t1, five);                 /* W03 */
    strcpy(t4, "abc");                     /* W04 */
    strcat(t5, "def");                     /* W05 */
    strncat(t6, "defg", 2);                /* W06 */
    strncpy(t7, "a", 9);                   /* W07 */
    bzero(t8, five);                       /* W08 */
    sprintf(t9, "%d-%s", 12, "ab");        /* W09 */
    snprintf(t10, five, "%s", "abcdefgh"); /* W10 */
    strtok(t11, ",");                      /* W11 */
    wcscpy(t12, L"abc");                   /* W12 */
}

void second(void)
{
    sink = t1[4];  /* R01 */
    sink = t2[0];  /* R02 */
    sink = t3[2];  /* R03 */
    sink = t4[3];  /* R04 */
    sink = t5[6];  /* R05 */
    sink = t6[5];  /* R06 */
    sink = t7[8];  /* R07 */
    sink = t8[4];  /* R08 */
    sink = t9[5];  /* R09 */
    sink = t10[4]; /* R10 */
    sink = t11[1]; /* R11 */
    sink = t12[3]; /* R12 */
}
