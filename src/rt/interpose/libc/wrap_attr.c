/*
 * wrap_attr.c - functions of libc that fill in an object and access nothing else: attributes of
 * threads and locks, sets of signals. They are interposed so that a recording does not treat them
 * as missing calls, which may access everything reachable from their arguments.
 */
#include "wrap_libc.h"
#include <pthread.h>
#include <signal.h>

#define FILLS(fn, parameters, arguments)                                                           \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, pf_writes(to, sizeof *to));                                              \
        return PF_REAL(fn) arguments;                                                              \
    }
#define FILLS_ALONE(fn, type) FILLS(fn, (type * to), (to))
#define FILLS_INT(fn, type) FILLS(fn, (type * to, int value), (to, value))

FILLS_ALONE(pthread_attr_init, pthread_attr_t)
FILLS_INT(pthread_attr_setdetachstate, pthread_attr_t)
FILLS_INT(pthread_attr_setinheritsched, pthread_attr_t)
FILLS_INT(pthread_attr_setschedpolicy, pthread_attr_t)
FILLS_INT(pthread_attr_setscope, pthread_attr_t)
FILLS(pthread_attr_setstacksize, (pthread_attr_t * to, size_t size), (to, size))
FILLS(pthread_attr_setguardsize, (pthread_attr_t * to, size_t size), (to, size))
FILLS_ALONE(pthread_mutexattr_init, pthread_mutexattr_t)
FILLS_ALONE(pthread_mutexattr_destroy, pthread_mutexattr_t)
FILLS_INT(pthread_mutexattr_settype, pthread_mutexattr_t)
FILLS_INT(pthread_mutexattr_setpshared, pthread_mutexattr_t)
FILLS_INT(pthread_mutexattr_setprotocol, pthread_mutexattr_t)
FILLS_INT(pthread_mutexattr_setrobust, pthread_mutexattr_t)
FILLS_ALONE(pthread_condattr_init, pthread_condattr_t)
FILLS_ALONE(pthread_condattr_destroy, pthread_condattr_t)
FILLS_INT(pthread_condattr_setclock, pthread_condattr_t)
FILLS_INT(pthread_condattr_setpshared, pthread_condattr_t)
FILLS_ALONE(pthread_rwlockattr_init, pthread_rwlockattr_t)
FILLS_ALONE(pthread_rwlockattr_destroy, pthread_rwlockattr_t)
FILLS_INT(pthread_rwlockattr_setpshared, pthread_rwlockattr_t)
FILLS_INT(pthread_rwlockattr_setkind_np, pthread_rwlockattr_t)
FILLS_ALONE(sigemptyset, sigset_t)
FILLS_ALONE(sigfillset, sigset_t)
