/*
 * allocation.h - allocation in the tools: it succeeds, or the tool ends.
 *
 * Model:   the policy for all tools: when memory runs out, the tool prints "pf: out of memory" and
 *          exits with status 2. Everything that a tool keeps in files survives that, as it survives
 *          kill -9, so functions of the tools do not return it as an error. A size that
 *          comes from a file is checked against the size of the file first: a damaged file is
 *          PF_BAD, not a lack of memory.
 * Memory:  malloced; the caller frees it.
 * Threads: any.
 */
#ifndef PF_BASE_ALLOCATION_H
#define PF_BASE_ALLOCATION_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Prints the message and exits. bytes: how many were wanted; 0: unknown. */
_Noreturn void pf_out_of_memory(size_t bytes);

/* realloc for count elements. count 0 gives a block that can be freed. */
void *pf_mem_resize(void *old, size_t count, size_t size);
/* Zeroed memory for count elements. */
void *pf_mem_zero(size_t count, size_t size);
/* A copy of the string; NULL for NULL. */
char *pf_mem_copy(const char *s);
/* A copy of at most n bytes of the string, followed by a 0. */
char *pf_mem_copy_n(const char *s, size_t n);
/* Formatted text. */
char *pf_mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Sets an environment variable to the formatted text. */
void pf_mem_setenv(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns p, or ends the tool if it is NULL: for pools and for libraries that allocate. */
void *pf_mem_checked(void *p);

#endif
