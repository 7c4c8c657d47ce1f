/*
 * own_section.h - the runtime's variables and code in sections of their own; the compiler is told to include it first in every C file of the
 * runtime.
 *
 * Model:   the runtime is linked into the program, so its data would lie among the program's. Who walks over the target's
 *          memory must know it (direct/reach/reach_walk.c): it is not the program's, and full of addresses. Who stops a thread between two
 *          instructions must not do so in the runtime (direct/schedule/spin_detect.c). The linker gives the bounds under the names __start_pf_bss and so on.
 */
#ifndef PF_RT_OWN_SECTION_H
#define PF_RT_OWN_SECTION_H

#pragma clang section bss = "pf_bss" data = "pf_data" text = "pf_text"

#endif
