/*
 * own_section.h - puts the runtime's variables and code into sections of their own. The build
 * includes it first in every C file of the runtime.
 *
 * Model:   the runtime is linked into the program, so its data would be mixed with the program's.
 *          Code that walks over the target's memory must be able to skip it
 *          (direct/reach/reach_walk.c): it is not the program's, and full of addresses. Code that
 *          stops a thread between two instructions must not do so inside the runtime
 *          (direct/schedule/spin_yield.c). The linker defines the bounds as __start_pf_bss and so
 *          on.
 */
#ifndef PF_RT_OWN_SECTION_H
#define PF_RT_OWN_SECTION_H

#pragma clang section bss = "pf_bss" data = "pf_data" text = "pf_text"

#endif
