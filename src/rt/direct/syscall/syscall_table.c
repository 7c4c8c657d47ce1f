/* syscall_table.c - the table of syscalls.def, indexed by system call number. */
#define _GNU_SOURCE
#include "syscalls.h"

/* System calls that are newer than the installed headers. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#define SYS_fchmodat2 452
#define SYS_map_shadow_stack 453
#define SYS_futex_wake 454
#define SYS_futex_wait 455
#define SYS_futex_requeue 456
#define SYS_statmount 457
#define SYS_listmount 458
#define SYS_lsm_get_self_attr 459
#define SYS_lsm_set_self_attr 460
#define SYS_lsm_list_modules 461
#define SYS_mseal 462
#endif

#include "syscall_writes.h"

static const struct pf_syscall table[PF_SYSCALL_MAX] = {
#define PF_SYSCALL(name, effect, wait, ...)                                                        \
    [SYS_##name] = {#name, PF_EFFECT_##effect, PF_CALL_WAIT_##wait, {__VA_ARGS__}, NULL},
#define PF_SYSCALL_CUSTOM(name, function, ...)                                                     \
    [SYS_##name] = {#name, PF_EFFECT_CUSTOM, PF_CALL_WAIT_NO, {__VA_ARGS__}, function},
#define PF_SYSCALL_SCHED(name)                                                                     \
    [SYS_##name] = {#name, PF_EFFECT_SCHED, PF_CALL_WAIT_NO, {{0}}, NULL},
#include "syscalls.def"
};

static const struct pf_syscall unknown;

const struct pf_syscall *pf_syscall_at(long number)
{
    return number >= 0 && number < PF_SYSCALL_MAX ? &table[number] : &unknown;
}
