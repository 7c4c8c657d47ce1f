// Blocks from the aligned allocators; their free races with a use.
// want: race at USE1 FREE1:free
// want: race at USE2 FREE2:free
// want: race at USE3 FREE3:free
#define _GNU_SOURCE
#include "turns.h"
#include <malloc.h>
#include <stdlib.h>

char *a, *b, *c;
static _Thread_local volatile long sink;
void before(void)
{
    a = aligned_alloc(64, 128);
    b = memalign(32, 100);
    void *p;
    sink = posix_memalign(&p, 4096, 10);
    c = p;
}
void first(void)
{
    a[127] = 1; /* USE1 */
    b[99] = 1;  /* USE2 */
    c[9] = 1;   /* USE3 */
}
void second(void)
{
    free(a); /* FREE1 */
    free(b); /* FREE2 */
    free(c); /* FREE3 */
}
