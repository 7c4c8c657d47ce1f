/*
 * wrap_aio.c - POSIX asynchronous I/O: a write sends when it is submitted, a read has received when
 * its completion is observed.
 *
 * libc implements it with its own threads. A read into a buffer is not an access here: the runtime
 * does not see which thread observes the completion first. If the access were made when another
 * thread observes it, it would race with correct uses of the buffer by the first thread.
 */
#include "wrap_fd.h"
#include <aio.h>

static void submitted(struct pf_call *c, const struct aiocb *a, int what)
{
    pf_hb_release(c->t, a);
    if (what != LIO_WRITE)
        return;
    PF_FD_READS(*c, (const void *)a->aio_buf, a->aio_nbytes);
    pf_fd_send(c->t, a->aio_fildes);
}
static void completed(struct pf_call *c, const struct aiocb *a)
{
    pf_hb_acquire(c->t, a);
    pf_fd_receive(c->t, a->aio_fildes);
}

#define SUBMITS(fn, type, what)                                                                    \
    PF_INTERPOSE(int, fn, (struct type * a))                                                       \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            submitted(&c, (const struct aiocb *)a, what);                                          \
        int r = PF_REAL(fn)(a);                                                                    \
        pf_call_keep_errno(&c);                                                                    \
        return r;                                                                                  \
    }
SUBMITS(aio_read, aiocb, LIO_READ)
SUBMITS(aio_read64, aiocb64, LIO_READ)
SUBMITS(aio_write, aiocb, LIO_WRITE)
SUBMITS(aio_write64, aiocb64, LIO_WRITE)

#define REPORTS_END(result, fn, parameters, arguments, is_over)                                    \
    PF_INTERPOSE(result, fn, parameters)                                                           \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        result r = PF_REAL(fn) arguments;                                                          \
        pf_call_keep_errno(&c);                                                                    \
        if (c.t && (is_over))                                                                      \
            completed(&c, (const struct aiocb *)a);                                                \
        return r;                                                                                  \
    }
REPORTS_END(int, aio_error, (const struct aiocb *a), (a), r != EINPROGRESS)
REPORTS_END(int, aio_error64, (const struct aiocb64 *a), (a), r != EINPROGRESS)
REPORTS_END(ssize_t, aio_return, (struct aiocb * a), (a), true)
REPORTS_END(ssize_t, aio_return64, (struct aiocb64 * a), (a), true)

#define SUBMITS_LIST(fn, type)                                                                     \
    PF_INTERPOSE(int, fn,                                                                          \
                 (int how, struct type *const *list, int n, struct sigevent *restrict notify))     \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (!c.t)                                                                                  \
            return PF_REAL(fn)(how, list, n, notify);                                              \
        for (int i = 0; i < n; i++)                                                                \
            if (list[i])                                                                           \
                submitted(&c, (const struct aiocb *)list[i], list[i]->aio_lio_opcode);             \
        int r = PF_BLOCKING(c, PF_REAL(fn)(how, list, n, notify));                                 \
        for (int i = 0; r == 0 && how == LIO_WAIT && i < n; i++)                                   \
            if (list[i])                                                                           \
                completed(&c, (const struct aiocb *)list[i]);                                      \
        return r;                                                                                  \
    }
SUBMITS_LIST(lio_listio, aiocb)
SUBMITS_LIST(lio_listio64, aiocb64)
