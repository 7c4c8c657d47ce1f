/* call_name.c - see call_name.h. */
#include "call_name.h"
#include <stdio.h>
#include <sys/syscall.h>

static const char *const names[] = {
#define PF_SYSCALL(name, ...) [SYS_##name] = #name,
#define PF_SYSCALL_CUSTOM(name, ...) [SYS_##name] = #name,
#define PF_SYSCALL_SCHED(name) [SYS_##name] = #name,
#include "syscalls.def"
};

void pf_call_name(char *to, size_t room, long number)
{
    if (number >= 0 && (size_t)number < sizeof names / sizeof *names && names[number])
        snprintf(to, room, "%s", names[number]);
    else
        snprintf(to, room, "system call %ld", number);
}
