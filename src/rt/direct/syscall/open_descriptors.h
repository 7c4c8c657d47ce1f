/*
 * open_descriptors.h - which descriptors the target has open.
 *
 * Model:   one system call asks for all of them; a call for each one made checkpoints slow.
 * Threads: only the runner.
 * Errors:  if the kernel refuses the call (a low limit on descriptors), all count as open.
 */
#ifndef PF_RT_OPEN_DESCRIPTORS_H
#define PF_RT_OPEN_DESCRIPTORS_H

#include <stdbool.h>

#define PF_OPEN_DESCRIPTORS 1024 /* higher ones are not looked at */

/* Sets each entry to true if the descriptor with this number is open. */
void pf_open_descriptors(bool open[PF_OPEN_DESCRIPTORS]);

#endif
