/*
 * cores.h - the cores that pf may use.
 *
 * Model:   directed mode restricts pf, and so its children, to one core. The target must not see
 *          that: a program that chooses its number of threads by the cores would run with one
 *          thread. So pf remembers the cores with which it was started, and passes them on to its
 *          own child processes with the internal option `pf --cores HEX VERB ...`.
 */
#ifndef PF_PROCESS_CORES_H
#define PF_PROCESS_CORES_H

#include <sched.h>
#include <stdbool.h>

/* The cores with which the first pf was started. */
const cpu_set_t *pf_cores(void);
/* The same as a hexadecimal number, for `--cores`. */
char *pf_cores_text(void);
/* Takes the value of `--cores`. False: it is not a set of cores. */
bool pf_cores_take(const char *text);

#endif
