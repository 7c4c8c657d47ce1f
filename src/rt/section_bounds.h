/*
 * section_bounds.h - where the sections of the runtime (own_section.h) begin and end in memory.
 *
 * Model:   the linker defines these names. They are hidden, so that they are those of the linked
 *          object that contains the runtime; weak, because it need not have all of the sections:
 *          the address of a bound is then NULL.
 */
#ifndef PF_RT_SECTION_BOUNDS_H
#define PF_RT_SECTION_BOUNDS_H

#define PF_SECTION_BOUNDS(section)                                                                 \
    extern char __start_##section[] __attribute__((weak, visibility("hidden")));                   \
    extern char __stop_##section[] __attribute__((weak, visibility("hidden")))

PF_SECTION_BOUNDS(pf_bss);
PF_SECTION_BOUNDS(pf_data);
PF_SECTION_BOUNDS(pf_func); /* records of functions (pf_abi.h) */
PF_SECTION_BOUNDS(pf_real); /* pointers to real functions (wrap.h) */
PF_SECTION_BOUNDS(pf_text);

#endif
