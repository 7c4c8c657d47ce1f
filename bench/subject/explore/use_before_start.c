/* Use before initialisation: main stores a pointer after it has started the thread that uses it.
 * It fails if the new thread runs first. */
// fails: crash
#include "explore.h"

static int value = 3;
static int *_Atomic pointer;

static void *use(void *p)
{
    *atomic_load(&pointer) = 4;
    return p;
}

int main(void)
{
    start(use, 0);
    atomic_store(&pointer, &value);
    join_all();
    return 0;
}
