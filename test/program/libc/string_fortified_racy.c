// A fortified program calls __memcpy_chk and similar functions.
// flags: -D_FORTIFY_SOURCE=2 -O1
// tsan: it does not see the fortified functions
// want: race a at W1 R1
// want: race b at W2 R2
// want: race c at W3 R3
// levels: O2
#include "turns.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char a[16], b[16], c[16];
volatile size_t five = 5;
static _Thread_local volatile int sink;
int fds[2];

void before(void)
{
    sink = pipe(fds);
    sink = (int)write(fds[1], "abc", 3);
}
void first(void)
{
    memcpy(a, "abcdefgh", five);               /* W1 */
    snprintf(b, sizeof b, "%d", (int)five);    /* W2 */
    sink = (int)read(fds[0], c, five - 1);     /* W3 */
}
void second(void)
{
    sink = a[4]; /* R1 */
    sink = b[0]; /* R2 */
    sink = c[2]; /* R3 */
}
