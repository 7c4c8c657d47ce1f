/*
 * check.h - the slow path of the checks in compiled code: check_entry.S and check_miss.c call these
 * functions when no fast path applies.
 *
 * Threads: the caller is the thread that makes the access.
 *
 * Compiled without vector registers, like everything that these functions call: compiled code has
 * live values in them.
 */
#ifndef PF_RT_CHECK_H
#define PF_RT_CHECK_H

#include <stdint.h>

/* what = size of the access (1, 2, 4, 8) | PF_CHECK_WRITE. */
#define PF_CHECK_WRITE 16
void pf_check_slow(uintptr_t addr, uint32_t site, uint32_t what);
void pf_check_range(uintptr_t addr, uint64_t size, uint32_t site, uint32_t what);
/* A range of bytes that 2 to 4 sites access in turn; pf_abi.def explains `two` and `others`. */
void pf_check_turns(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others, uint32_t what);
/* A write of the vtable pointer `value`. */
void pf_check_vptr(uintptr_t addr, uintptr_t value, uint32_t site);

/* The entry points that compiled code calls: they try the fast paths first. They preserve all
 * registers except r11. */
__attribute__((preserve_most)) void __pf_read_range(uintptr_t addr, uint64_t size, uint32_t site);
__attribute__((preserve_most)) void __pf_write_range(uintptr_t addr, uint64_t size, uint32_t site);
__attribute__((preserve_most)) void __pf_read_turns(uintptr_t addr, uint64_t size, uint64_t two,
                                                    uint64_t others);
__attribute__((preserve_most)) void __pf_write_turns(uintptr_t addr, uint64_t size, uint64_t two,
                                                     uint64_t others);

/* Calls f(arg) where vector registers are live: saves and restores all of them. */
void pf_call_saving_vectors(void (*f)(void *), void *arg);

#endif
