/* start_linked.c - starts the runtime of a program built with pf cc, before any constructor
 * runs. */
#include "start.h"

__attribute__((section(".preinit_array"), used)) static void (*const init_first)(void) = pf_rt_init;
