/*
 * entry.h - prototypes of the runtime's entry points for compiled code, generated from the ABI
 * table.
 *
 * Entry points with the convention PF_ALL are written in assembler (check_entry.S).
 */
#ifndef PF_RT_ENTRY_H
#define PF_RT_ENTRY_H

#include <stdint.h>

#define PF_TYPE_V void
#define PF_TYPE_P void *
#define PF_TYPE_I uint32_t
#define PF_TYPE_L uint64_t
#define PF_ARGS_1(a) PF_TYPE_##a
#define PF_ARGS_2(a, b) PF_TYPE_##a, PF_TYPE_##b
#define PF_ARGS_3(a, b, c) PF_ARGS_2(a, b), PF_TYPE_##c
#define PF_ARGS_4(a, b, c, d) PF_ARGS_3(a, b, c), PF_TYPE_##d
#define PF_ARGS_5(a, b, c, d, e) PF_ARGS_4(a, b, c, d), PF_TYPE_##e
#define PF_ARGS_6(a, b, c, d, e, f) PF_ARGS_5(a, b, c, d, e), PF_TYPE_##f
#define PF_ARGS_N_(a, b, c, d, e, f, n, ...) PF_ARGS_##n
#define PF_ARGS_N(...) PF_ARGS_N_(__VA_ARGS__, 6, 5, 4, 3, 2, 1)
#define PF_ARGS(...) PF_ARGS_N(__VA_ARGS__)(__VA_ARGS__)

#define PF_PROTO_PF_ALL(name, result, args)
#define PF_PROTO_PF_C(name, result, args)                                                          \
    __attribute__((visibility("default"))) PF_TYPE_##result name(PF_ARGS args);
#define PF_PROTO_PF_MOST(name, result, args)                                                       \
    __attribute__((visibility("default"), preserve_most)) PF_TYPE_##result name(PF_ARGS args);
#define PF_ENTRY(name, convention, result, args) PF_PROTO_##convention(name, result, args)
#include "pf_abi.def"
#undef PF_ENTRY

#endif
