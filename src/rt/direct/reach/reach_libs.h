/*
 * reach_libs.h - which static data of libc, its loader and the C++ library counts as reachable.
 *
 * Model:   libc is interposed. The static data of the C++ library consists of locales and their
 *          facets; after its initialisation only reference counts in it are written. So two kinds
 *          of data of these libraries are objects: the standard streams, and the page of an address
 *          that the program passes directly.
 * Memory:  a static table.
 * Threads: the target's one kernel thread; the table is filled before the program runs.
 * Errors:  a C++ library that is loaded later is treated like any other memory.
 */
#ifndef PF_RT_REACH_LIBS_H
#define PF_RT_REACH_LIBS_H

#include "reach_walk.h"

void pf_library_init(void);

/* True if p is in the data of these libraries. *out is then what is reached; its size is 0 if
 * nothing is. handed: the program passes p itself, as an argument. */
bool pf_library_object(uint64_t p, bool handed, struct pf_mem_range *out);

/* For functions that wait for another thread inside libc, where the wait is an event: how many
 * bytes the function accesses where its first argument points. It reaches nothing else. 0: not such
 * a function. */
uint64_t pf_library_bytes_accessed(const void *function);

/* True if the function is syscall(). Such calls can communicate through the kernel (a byte through
 * a pipe), which the runtime does not see; *out is an object that stands for this
 * communication. */
bool pf_library_is_syscall(const void *function, struct pf_mem_range *out);

/* True if the code at p belongs to a shared library that may keep data of its own between calls.
 * The program, libc and the libraries that come with libc or with the compiler do not count. file:
 * the library's file name. *out is an object that stands for this data. If there are too many
 * libraries, several share an object. */
bool pf_library_own_data(uint64_t p, const char *file, struct pf_mem_range *out);

/* True if the code at p may have pointers of its own that it could store in memory that it gets: to
 * static memory, from the kernel, or to the stack. The C++ library has none, except for the
 * functions that unwind the stack. */
bool pf_library_has_own_pointers(uint64_t p);

#endif
