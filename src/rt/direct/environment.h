/*
 * environment.h - observes which values of its environment the target reads.
 *
 * Model:   the strings of the environment move to memory of their own, the environment area. There
 *          each name ends at the end of a page, and its value has pages of its own, which are not
 *          accessible until the first access. So every reader is noticed: getenv, code that uses
 *          `environ` or the third argument of main, and libc itself. The value that was read goes
 *          into PF_STREAM_ENVIRONMENT. A replay puts it there, and ends as diverged if the target
 *          reads a value that the clip does not contain.
 * Memory:  the environment area, at a fixed address, and a table of the variables in it.
 * Threads: the runner only.
 * Errors:  if there is no memory for the area, all values are recorded.
 */
#ifndef PF_RT_DIRECT_ENVIRONMENT_H
#define PF_RT_DIRECT_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* in the range of non-PIE programs and their heap, far above both */
#define PF_ENVIRONMENT_AREA 0x04f000000000ull
#define PF_ENVIRONMENT_AREA_END 0x04f100000000ull

static inline bool pf_environment_has(uint64_t address)
{
    return address - PF_ENVIRONMENT_AREA < PF_ENVIRONMENT_AREA_END - PF_ENVIRONMENT_AREA;
}

/* Moves the environment of the process. Call before any constructor runs. */
void pf_environment_init(char **environment);
/* The target, or the runtime for it, faulted at this address. True: the value can be read now. */
bool pf_environment_fault(uint64_t address);
/* A system call gets these arguments: the kernel may read the values they point to. */
void pf_environment_arguments(const long argument[6]);
/* A system call failed with EFAULT, perhaps because it got a list of pointers into the area. True:
 * values became readable, and the call can be repeated, because it has had no effect. */
bool pf_environment_retry(long number);
/* The target executes another program, perhaps with its environment: records all values. */
void pf_environment_pass(void);
/* In a child process that is not recorded: makes all values readable. */
void pf_environment_child(void);

#endif
