/* syscall_table.c - the table of syscalls.def, indexed by system call number. */
#define _GNU_SOURCE
#include "syscalls.h"

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
