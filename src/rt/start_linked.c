/* start_linked.c - the runtime's beginning in a program built with pf cc: before any constructor. */
#include "rt.h"

__attribute__((section(".preinit_array"), used)) static void (*const init_first)(void) = pf_rt_init;
