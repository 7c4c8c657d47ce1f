/*
 * ipc_calls.c - semaphores and message queues of System V and POSIX. Those of System V have no
 * descriptor that can be polled, so they are tried again periodically.
 */
#define _GNU_SOURCE
#include "scheduler.h"
#include "syscalls.h"
#include <errno.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

#define SEMAPHORES_MAX 64 /* operations of a call; one with more may wait in the kernel */

static bool semop_now(struct pf_blocking *b)
{
    const long *a = b->argument;
    const struct sembuf *given = (const struct sembuf *)a[1];
    struct sembuf now[SEMAPHORES_MAX];
    size_t n = (size_t)a[2];
    bool waits = true;
    if (n > SEMAPHORES_MAX) { /* too many to copy: may wait in the kernel */
        b->result = pf_perform(b->number, a);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        now[i] = given[i];
        waits &= !(given[i].sem_flg & IPC_NOWAIT);
        now[i].sem_flg |= IPC_NOWAIT;
    }
    b->result = pf_sys(SYS_semop, a[0], now, n);
    return b->result != -EAGAIN || !waits || b->last;
}

static bool queue_now(struct pf_blocking *b)
{
    const long *a = b->argument;
    long flags = a[b->number == SYS_msgsnd ? 3 : 4];
    b->result = b->number == SYS_msgsnd
                    ? pf_sys(SYS_msgsnd, a[0], a[1], a[2], flags | IPC_NOWAIT)
                    : pf_sys(SYS_msgrcv, a[0], a[1], a[2], a[3], flags | IPC_NOWAIT);
    return flags & IPC_NOWAIT || b->result != (b->number == SYS_msgsnd ? -EAGAIN : -ENOMSG);
}

static bool posix_now(struct pf_blocking *b)
{
    const long *a = b->argument;
    struct timespec past = {0, 0};
    if (pf_fd_nonblocking((int)a[0]))
        b->result = pf_perform(b->number, a);
    else
        b->result = pf_sys(b->number, a[0], a[1], a[2], a[3], &past);
    return b->result != -ETIMEDOUT || b->last;
}

long pf_call_ipc(long number, const long a[6])
{
    struct pollfd one = {(int)a[0], number == SYS_mq_timedsend ? POLLOUT : POLLIN, 0};
    struct pf_blocking b = {.number = number, .argument = a, .kind = PF_WAIT_FD};
    const struct timespec *limit = (const struct timespec *)a[number == SYS_semtimedop ? 3 : 4];
    switch (number) {
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
        b.try_now = posix_now;
        b.set = &one;
        b.set_size = 1;
        if (limit)
            b.deadline = pf_virtual_deadline(CLOCK_REALTIME, limit);
        break;
    case SYS_semtimedop:
        if (limit)
            b.deadline = pf_deadline_after(limit->tv_sec, limit->tv_nsec);
        __attribute__((fallthrough));
    case SYS_semop:
        b.try_now = semop_now;
        b.repeat = true;
        b.never_restart = true;
        break;
    default:
        b.try_now = queue_now;
        b.repeat = true;
        b.never_restart = true;
    }
    return pf_blocking_run(&b);
}
