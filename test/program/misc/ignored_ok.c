// Functions that the user excludes are not checked.
// want: none
#include "turns.h"

int shared;

__attribute__((no_sanitize("thread"))) void first(void) { shared = 1; }
__attribute__((disable_sanitizer_instrumentation)) void second(void) { shared = 2; }
