/*
 * wrap_identity.c - functions that change the user and the groups of the process.
 *
 * In the kernel, each thread has its own identity. libc therefore sends a signal to every thread,
 * whose handler changes the identity, and waits for all of them. In directed mode all threads are
 * one kernel thread. The system call alone changes the identity of all, and no thread has to wait
 * for one that the schedule holds.
 */
#include "mode_ops.h"
#include "wrap.h"
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHANGES(name, parameters, arguments, ...)                                                  \
    PF_INTERPOSE(int, name, parameters)                                                            \
    {                                                                                              \
        return pf_mode->has_kernel_threads ? PF_REAL(name) arguments : (int)syscall(__VA_ARGS__);  \
    }

CHANGES(setuid, (uid_t id), (id), SYS_setuid, id)
CHANGES(setgid, (gid_t id), (id), SYS_setgid, id)
CHANGES(seteuid, (uid_t id), (id), SYS_setresuid, -1, id, -1)
CHANGES(setegid, (gid_t id), (id), SYS_setresgid, -1, id, -1)
CHANGES(setreuid, (uid_t real, uid_t effective), (real, effective), SYS_setreuid, real, effective)
CHANGES(setregid, (gid_t real, gid_t effective), (real, effective), SYS_setregid, real, effective)
CHANGES(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved),
        SYS_setresuid, real, effective, saved)
CHANGES(setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved),
        SYS_setresgid, real, effective, saved)
CHANGES(setgroups, (size_t n, const gid_t *groups), (n, groups), SYS_setgroups, n, groups)
