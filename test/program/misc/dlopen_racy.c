// A race between a plug-in that is loaded at run time and the program.
// want: race shared at TOOL MAIN
// stack: TOOL tool_write first turn_first
// shared: libtool.so part/tool.c
#include "turns.h"
#include <dlfcn.h>

int shared;
static void (*tool_write)(int *, int);

void before(void)
{
    void *lib = dlopen("./libtool.so", RTLD_NOW);
    *(void **)&tool_write = dlsym(lib, "tool_write");
}

void first(void)
{
    tool_write(&shared, 1);
    __asm__ volatile("");
}
void second(void) { shared = 2; /* MAIN */ }
