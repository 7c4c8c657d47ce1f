// A race inside a shared library that the program is linked with.
// want: race plug_shared at PLUG MAIN
// shared: libplug.so part/plug.c
// libs: -lplug
#include "turns.h"

extern int plug_shared;
void plug_set(int v);

void first(void) { plug_set(1); }
void second(void) { plug_shared = 2; /* MAIN */ }
