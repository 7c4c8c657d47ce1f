/* A part of explore_errno_main.c: has no accesses of its own. */
#include <errno.h>

int current_errno(void) { return errno; }
