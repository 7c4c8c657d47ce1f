/*
 * reach_libs.h - the own data of libc, its loader and the C++ library: what of it counts as reached.
 *
 * Model:   libc is interposed, and what the C++ library has in static memory, locales and their facets, is not written
 *          after its start but for counts. So of these only the standard streams are objects, and what
 *          the program hands over directly, with its page.
 * Memory:  a table of its own.
 * Threads: the target's one kernel thread; the table is made before the program runs.
 * Errors:  a C++ library that is loaded later is memory like any other.
 */
#ifndef PF_RT_REACH_LIBS_H
#define PF_RT_REACH_LIBS_H

#include "reach_walk.h"

void pf_library_init(void);

/* Does p belong to these? Then *out is what is reached, of size 0 when it is nothing. */
bool pf_library_object(uint64_t p, bool handed, struct pf_mem_range *out);

/* Bytes that the function touches of what its first word points to, and nothing else of what that reaches; 0: not known. Those that
 * wait for another thread in libc, where it is an event. */
uint64_t pf_library_bytes_touched(const void *function);

/* Does the function ask the kernel for whatever it is told to? What such calls tell each other there (a byte through a pipe) nobody sees:
 * *out stands for it. */
bool pf_library_is_syscall(const void *function, struct pf_mem_range *out);

/* May the code at p have addresses of its own to link to what it is given: of static memory, from the kernel, of the stack? Not that of
 * the C++ library, but for what unwinds the stack. */
bool pf_library_has_own_pointers(uint64_t p);

#endif
