// A static variable inside a function is shared.
// want: race at COUNT COUNT
#include "turns.h"

static __attribute__((noinline)) int count(void)
{
    static int calls;
    return ++calls; /* COUNT */
}

void first(void) { count(); }
void second(void) { count(); }
