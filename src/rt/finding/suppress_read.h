/*
 * suppress_read.h - the suppressions of this process: those that the program defines, and those of
 * the option `suppressions`.
 *
 * Memory:  `forever` holds the suppressions; `work` is empty before and after.
 * Threads: called once, at the start.
 * Errors:  a file that cannot be read, or a line that is not a suppression: prints a message and
 *          ends the process with status 2.
 */
#ifndef PF_RT_SUPPRESS_READ_H
#define PF_RT_SUPPRESS_READ_H

#include "pool.h"
#include "suppress.h"

void pf_suppressions_read(struct pf_suppressions *to, struct pf_pool *forever,
                          struct pf_pool *work);

#endif
