/*
 * machine_instructions.h - instructions that ask the machine and would say something else in a replay.
 *
 * Model:   the kernel makes them fault, and the handler of faults has them answered here. rdtsc gives virtual time.
 *          cpuid answers without what no process can record: rdrand, rdseed, rdpid, transactions, the number of the
 *          core. Who asks before using them, as libraries do, goes another way, to the kernel. Where the processor
 *          cannot make cpuid fault it is left alone.
 * Threads: the setting is each kernel thread's own, and passed on by fork.
 */
#ifndef PF_RT_MACHINE_INSTRUCTIONS_H
#define PF_RT_MACHINE_INSTRUCTIONS_H

#include <stdbool.h>
#include <ucontext.h>

void pf_machine_trap(bool faults);
/* The fault at u was such an instruction: it is done. */
bool pf_machine_emulate(ucontext_t *u);

#endif
