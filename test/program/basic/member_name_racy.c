// A report names the member as the source does, although LLVM appends a number to the name of the
// second value in a function that uses it twice. `next1` is another member. Names that begin or
// end like those of LLVM's temporaries (add, base, call) are members, too.
// want: race next at FIRST SECOND
// want: race next1 at OTHER_FIRST OTHER_SECOND
// want: race address at ADDRESS ADDRESS
// want: race callback at CALLBACK CALLBACK
// want: race condition at CONDITION CONDITION
// want: race _count at COUNT COUNT
// want: race base at BASE BASE
// levels: O0
// flags: -g
#include "turns.h"
#include <stdlib.h>

struct item {
    struct item *next, *next1;
    int address, callback, condition, _count, base;
};
static struct item *shared;

__attribute__((constructor)) static void allocate(void) { shared = calloc(1, sizeof *shared); }

static void use(struct item *it)
{
    it->address++;   /* ADDRESS */
    it->callback++;  /* CALLBACK */
    it->condition++; /* CONDITION */
    it->_count++;    /* COUNT */
    it->base++;      /* BASE */
}

void first(void)
{
    struct item *own = calloc(1, sizeof *own), *it = shared;
    own->next = own->next1 = it;
    it->next = own;  /* FIRST */
    it->next1 = own; /* OTHER_FIRST */
    use(it);
}
void second(void)
{
    struct item *own = calloc(1, sizeof *own), *it = shared;
    own->next = own->next1 = it;
    it->next = own;  /* SECOND */
    it->next1 = own; /* OTHER_SECOND */
    use(it);
}
