/*
 * start.h - starts the runtime.
 */
#ifndef PF_RT_START_H
#define PF_RT_START_H

/* Runs before any constructor of the program: start_linked.c, start_preloaded.c. */
void pf_rt_init(void);

#endif
