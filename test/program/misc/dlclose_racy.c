// The report names the source position in a plug-in that is already unloaded.
// want: race shared at TOOL MAIN
// stack: TOOL tool_write first turn_first
// shared: libtool.so part/tool.c
// tsan: the plug-in is unloaded when the report is made
#include "turns.h"
#include <dlfcn.h>

int shared;

void first(void)
{
    void *lib = dlopen("./libtool.so", RTLD_NOW);
    void (*tool_write)(int *, int);
    *(void **)&tool_write = dlsym(lib, "tool_write");
    tool_write(&shared, 1);
    dlclose(lib);
}
void second(void) { shared = 2; /* MAIN */ }
