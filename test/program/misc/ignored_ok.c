// What the user asks not to be looked at is not looked at.
// want: none
#include "turns.h"

int shared;

__attribute__((no_sanitize("thread"))) void first(void) { shared = 1; }
__attribute__((disable_sanitizer_instrumentation)) void second(void) { shared = 2; }
