/*
 * machine_instructions.h - instructions whose result depends on the machine and would differ in a
 * replay.
 *
 * Model:   the kernel makes these instructions fault, and the fault handler emulates them here.
 *          rdtsc and rdtscp return virtual time. cpuid hides the features whose results cannot be
 *          recorded: rdrand, rdseed, rdpid, transactional memory, the number of the core. Programs
 *          that check for a feature before they use it, as libraries do, then use a system call
 *          instead. If the processor cannot make cpuid fault, cpuid is not emulated.
 * Threads: the setting belongs to the kernel thread; fork inherits it.
 */
#ifndef PF_RT_MACHINE_INSTRUCTIONS_H
#define PF_RT_MACHINE_INSTRUCTIONS_H

#include <stdbool.h>
#include <ucontext.h>

void pf_machine_trap(bool faults);
/* Emulates the instruction at which u faulted. False: it is not one of these instructions. */
bool pf_machine_emulate(ucontext_t *u);

#endif
