/*
 * clip_machine.h - the machine that a clip was recorded on: what a replay may depend on.
 *
 * Model:   a text of lines "NAME VALUE": `cpu` has the registers of the CPUID leaves 1 and 7 in
 *          hexadecimal, `kernel` its release, `libc` its version. glibc and programs choose code by
 *          features of the CPU, so a replay on a machine that lacks one may run other code.
 * Memory:  texts are malloced.
 */
#ifndef PF_CLIP_CLIP_MACHINE_H
#define PF_CLIP_CLIP_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* The text of this machine. */
char *pf_clip_machine(void);
/* Describes how the machine `here` differs from `recorded`: "CPU features differ (+: only on
 * this machine): avx2; glibc 2.36, here 2.41". Compares kernels only if `all`. Returns false if the
 * machines do not differ. */
bool pf_clip_machine_compare(const char *recorded, const char *here, bool all, char *to,
                             size_t room);

#endif
