// fread and fgets write the target's buffer, fwrite and fputs read it.
// want: race a at W1 R1
// want: race b at W2 R2
// want: race c at W3 R3
// want: race e at W4 R4
// want: race at W5 R5
#define _GNU_SOURCE
#include "turns.h"
#include <stdio.h>
#include <stdlib.h>

char a[16], b[16], c[16] = "abc", e[16] = "abc", *line;
static _Thread_local volatile int sink;

void first(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    sink = (int)fread(a, 1, 5, f);       /* W1 */
    sink = fgets(b, 16, f) != NULL;      /* W2 */
    size_t room = 0;
    sink = (int)getline(&line, &room, f); /* W5 */
    fclose(f);
    c[1] = 'b'; /* W3 */
    e[3] = 0;   /* W4 */
}
void second(void)
{
    FILE *f = fopen("/dev/null", "w");
    sink = a[4];                     /* R1 */
    sink = b[0];                     /* R2 */
    sink = (int)fwrite(c, 1, 2, f);  /* R3 */
    fputs(e, f);                     /* R4 */
    sink = a[5];
    sink = line[1];                  /* R5 */
    fclose(f);
}
