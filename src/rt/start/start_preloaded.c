/*
 * start_preloaded.c - starts the runtime in a program without instrumentation, from a shared object
 * that the dynamic linker loads first (LD_PRELOAD) and initialises first (linked with -z
 * initfirst).
 *
 * pf passes the object as an open descriptor, and LD_PRELOAD names it as /proc/self/fd/N. The
 * environment is on the stack, so the length of this path changes the addresses of everything on
 * the stack. /proc/self/fd/N has the same length wherever pf is installed. The program sees neither
 * the descriptor nor the entry in its environment.
 */
#include "channel.h"
#include "start.h"
#include "sys.h"
#include "textbuf.h"
#include <stdbool.h>

/* "LD_PRELOAD=ours:theirs" becomes "LD_PRELOAD=theirs"; "LD_PRELOAD=ours" is removed. */
static void remove_entry(char **environment)
{
    static const char key[] = PF_PRELOAD_KEY, value[] = PF_PRELOAD_PATH;
    for (char **e = environment; *e; e++) {
        if (!pf_str_starts(*e, key) || !pf_str_starts(*e + sizeof key - 1, value))
            continue;
        char *rest = *e + sizeof key - 1 + sizeof value - 1;
        if (*rest == ':') {
            size_t n = 0;
            while (rest[n])
                n++;
            pf_copy(*e + sizeof key - 1, rest + 1, n);
        } else {
            for (char **at = e; *at; at++)
                at[0] = at[1];
        }
        return;
    }
}

__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    remove_entry(environment);
    pf_sys(SYS_close, PF_PRELOAD_FD);
    pf_rt_init();
}
