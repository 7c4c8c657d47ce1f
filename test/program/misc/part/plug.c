/* A plug-in with a shared variable, for the dlopen tests. */
#include "order.h"

int plug_shared;

void plug_set(int v) { plug_shared = v; /* PLUG */ }
