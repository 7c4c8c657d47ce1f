// A report names the member as the source does, although LLVM appends a number to the name of the
// second value in a function that uses it twice. `next1` is another member.
// want: race next at FIRST SECOND
// want: race next1 at OTHER_FIRST OTHER_SECOND
// levels: O0
// flags: -g
#include "turns.h"
#include <stdlib.h>

struct item {
    struct item *next, *next1;
};
static struct item *shared;

__attribute__((constructor)) static void allocate(void) { shared = calloc(1, sizeof *shared); }

void first(void)
{
    struct item *own = calloc(1, sizeof *own), *it = shared;
    own->next = own->next1 = it;
    it->next = own;  /* FIRST */
    it->next1 = own; /* OTHER_FIRST */
}
void second(void)
{
    struct item *own = calloc(1, sizeof *own), *it = shared;
    own->next = own->next1 = it;
    it->next = own;  /* SECOND */
    it->next1 = own; /* OTHER_SECOND */
}
