/*
 * wrap_queue.c - message queues, POSIX and System V, and System V semaphores: a message orders its
 * sender before its receiver, a semaphore operation all earlier ones before all later ones.
 */
#include "wrap_fd.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>

PF_INTERPOSE(mqd_t, mq_open, (const char *name, int flags, ...))
{
    PF_CALL(c, mq_open);
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    struct mq_attr *attr = flags & O_CREAT ? va_arg(args, struct mq_attr *) : NULL;
    va_end(args);
    mqd_t q = PF_REAL(mq_open)(name, flags, mode, attr);
    pf_call_keep_errno(&c);
    if (c.t)
        pf_fd_new_named(q);
    return q;
}
PF_INTERPOSE(int, mq_close, (mqd_t q))
{
    PF_CALL(c, mq_close);
    if (c.t)
        pf_fd_end(c.t, q);
    int r = PF_REAL(mq_close)(q);
    pf_call_keep_errno(&c);
    return r;
}

#define SENDS(fn, parameters, call)                                                                \
    PF_FD_SENDS(int, fn, parameters, q, call, PF_FD_READS(c, p, size))
SENDS(mq_send, (mqd_t q, const char *p, size_t size, unsigned priority),
      PF_REAL(mq_send)(q, p, size, priority))
SENDS(mq_timedsend,
      (mqd_t q, const char *p, size_t size, unsigned priority, const struct timespec *limit),
      PF_REAL(mq_timedsend)(q, p, size, priority, limit))
static void received(struct pf_call *c, mqd_t q, char *p, ssize_t n, unsigned *priority)
{
    if (n < 0)
        return;
    pf_fd_receive(c->t, q);
    PF_FD_WRITES(*c, p, (size_t)n);
    if (priority)
        PF_FD_WRITES(*c, priority, sizeof *priority);
}
#define RECEIVES(fn, parameters, call)                                                             \
    PF_FD_RECEIVES(fn, parameters, q, call, received(&c, q, p, r, priority))
RECEIVES(mq_receive, (mqd_t q, char *p, size_t size, unsigned *priority),
         PF_REAL(mq_receive)(q, p, size, priority))
RECEIVES(mq_timedreceive,
         (mqd_t q, char *p, size_t size, unsigned *priority, const struct timespec *limit),
         PF_REAL(mq_timedreceive)(q, p, size, priority, limit))

/* Sync objects of System V queues and semaphores, chosen by id. Ids that share an object are also
 * ordered with each other: this adds order, but loses none. */
static char queues[64 * 8], semaphores[64 * 8]; /* only their addresses are used */
static const void *object(const char *of, int id) { return of + (unsigned)id % 64 * 8; }

PF_INTERPOSE(int, msgsnd, (int id, const void *p, size_t size, int flags))
{
    PF_CALL(c, msgsnd);
    if (!c.t)
        return PF_REAL(msgsnd)(id, p, size, flags);
    PF_FD_READS(c, p, size + sizeof(long));
    pf_hb_release(c.t, object(queues, id));
    return PF_BLOCKING(c, PF_REAL(msgsnd)(id, p, size, flags));
}
PF_INTERPOSE(ssize_t, msgrcv, (int id, void *p, size_t size, long type, int flags))
{
    PF_CALL(c, msgrcv);
    if (!c.t)
        return PF_REAL(msgrcv)(id, p, size, type, flags);
    ssize_t n = PF_BLOCKING(c, PF_REAL(msgrcv)(id, p, size, type, flags));
    if (n >= 0) {
        pf_hb_acquire(c.t, object(queues, id));
        PF_FD_WRITES(c, p, (size_t)n + sizeof(long));
    }
    return n;
}
#define OPERATES(fn, parameters, call)                                                             \
    PF_INTERPOSE_BLOCKING(int, fn, parameters, call, PF_FD_READS(c, ops, n * sizeof *ops);         \
                          pf_hb_release(c.t, object(semaphores, id)),                              \
                          if (r == 0) pf_hb_acquire(c.t, object(semaphores, id)))
OPERATES(semop, (int id, struct sembuf *ops, size_t n), PF_REAL(semop)(id, ops, n))
OPERATES(semtimedop, (int id, struct sembuf *ops, size_t n, const struct timespec *limit),
         PF_REAL(semtimedop)(id, ops, n, limit))

/* Setting a value may wake waiters, as an operation does. */
PF_INTERPOSE(int, semctl, (int id, int number, int what, ...))
{
    PF_CALL(c, semctl);
    va_list args;
    va_start(args, what);
    void *arg = va_arg(args, void *);
    va_end(args);
    if (c.t && (what == SETVAL || what == SETALL))
        pf_hb_release(c.t, object(semaphores, id));
    int r = PF_REAL(semctl)(id, number, what, arg);
    pf_call_keep_errno(&c);
    return r;
}
