// Reads of the string functions, each against a write of one byte.
// flags: -fno-builtin
// tsan: it does not see strcat, strdup and strtol
// want: race s1 at W01 R01
// want: race s2 at W02 R02
// want: race s3 at W03 R03
// want: race s4 at W04 R04
// want: race s5 at W05 R05
// want: race s6 at W06 R06
// want: race s7 at W07 R07
// want: race s8 at W08 R08
// want: race s9 at W09 R09
// want: race s10 at W10 R10
// want: race s11 at W11 R11
// want: race s12 at W12 R12
// want: race s13 at W13 R13
// want: race s14 at W14 R14
// want: race s15 at W15 R15
#include "turns.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char s1[8] = "abc", s2[8] = "abc", s3[8] = "abc", s4[8] = "abc", s5[8] = "abc", s6[8] = "abc",
     s7[8] = "abc", s8[8] = "abc", s9[8] = "abc", s10[8] = "abc", s11[8] = "abc", s12[8] = "abc",
     s13[8] = "abc", s14[8] = "abc", s15[8] = "12";
static _Thread_local volatile long sink;

void first(void)
{
    s1[3] = 0;    /* W01 */
    s2[1] = 'b';  /* W02 */
    s3[2] = 'c';  /* W03 */
    s4[0] = 'a';  /* W04 */
    s5[3] = 0;    /* W05 */
    s6[3] = 0;    /* W06 */
    s7[2] = 'c';  /* W07 */
    s8[0] = 'a';  /* W08 */
    s9[2] = 'c';  /* W09 */
    s10[1] = 'b'; /* W10 */
    s11[3] = 0;   /* W11 */
    s12[1] = 'b'; /* W12 */
    s13[2] = 'c'; /* W13 */
    s14[3] = 0;   /* W14 */
    s15[2] = 0;   /* W15 */
}

void second(void)
{
    char to[16] = "";
    sink = (long)strlen(s1);           /* R01 */
    sink = memcmp(s2, "abc", 3);       /* R02 */
    sink = strcmp(s3, "abd");          /* R03 */
    sink = strncmp(s4, "abd", 2);      /* R04 */
    sink = strchr(s5, 'x') != NULL;    /* R05 */
    sink = strrchr(s6, 'a') != NULL;   /* R06 */
    sink = strstr(s7, "bc") != NULL;   /* R07 */
    sink = (long)strspn(s8, "a");      /* R08 */
    sink = memchr(s9, 'c', 8) != NULL; /* R09 */
    sink = strcasecmp(s10, "AB");      /* R10 */
    strcpy(to, s11);                   /* R11 */
    strcat(to, s12);                   /* R12 */
    strncpy(to, s13, 3);               /* R13 */
    free(strdup(s14));                 /* R14 */
    sink = strtol(s15, NULL, 10);      /* R15 */
}
