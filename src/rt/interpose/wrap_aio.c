/*
 * wrap_aio.c - POSIX asynchronous I/O: a write sends when it is asked for, a read has received when its end is known.
 *
 * libc does it by threads of its own. What is read into a buffer is no access here: who learns of the end first is not
 * told, and another one may use the buffer before that.
 */
#include "wrap_fd.h"
#include <aio.h>

static void asked(struct pf_call *c, const struct aiocb *a, int what)
{
    pf_hb_release(c->t, a);
    if (what != LIO_WRITE)
        return;
    PF_FD_READS(*c, (const void *)a->aio_buf, a->aio_nbytes);
    pf_fd_send(c->t, a->aio_fildes);
}
static void ended(struct pf_call *c, const struct aiocb *a)
{
    pf_hb_acquire(c->t, a);
    pf_fd_receive(c->t, a->aio_fildes);
}

#define ASKS(fn, type, what)                                                                       \
    PF_INTERPOSE(int, fn, (struct type * a))                                                       \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            asked(&c, (const struct aiocb *)a, what);                                              \
        int r = PF_REAL(fn)(a);                                                                    \
        pf_call_keep_errno(&c);                                                                    \
        return r;                                                                                  \
    }
ASKS(aio_read, aiocb, LIO_READ)
ASKS(aio_read64, aiocb64, LIO_READ)
ASKS(aio_write, aiocb, LIO_WRITE)
ASKS(aio_write64, aiocb64, LIO_WRITE)

#define TELLS_END(result, fn, parameters, arguments, is_over)                                      \
    PF_INTERPOSE(result, fn, parameters)                                                           \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        result r = PF_REAL(fn) arguments;                                                          \
        pf_call_keep_errno(&c);                                                                    \
        if (c.t && (is_over))                                                                      \
            ended(&c, (const struct aiocb *)a);                                                    \
        return r;                                                                                  \
    }
TELLS_END(int, aio_error, (const struct aiocb *a), (a), r != EINPROGRESS)
TELLS_END(int, aio_error64, (const struct aiocb64 *a), (a), r != EINPROGRESS)
TELLS_END(ssize_t, aio_return, (struct aiocb * a), (a), true)
TELLS_END(ssize_t, aio_return64, (struct aiocb64 * a), (a), true)

#define ASKS_SEVERAL(fn, type)                                                                     \
    PF_INTERPOSE(int, fn,                                                                          \
                 (int how, struct type *const *list, int n, struct sigevent *restrict told))       \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (!c.t)                                                                                  \
            return PF_REAL(fn)(how, list, n, told);                                                \
        for (int i = 0; i < n; i++)                                                                \
            if (list[i])                                                                           \
                asked(&c, (const struct aiocb *)list[i], list[i]->aio_lio_opcode);                 \
        int r = PF_BLOCKING(c, PF_REAL(fn)(how, list, n, told));                                   \
        for (int i = 0; r == 0 && how == LIO_WAIT && i < n; i++)                                   \
            if (list[i])                                                                           \
                ended(&c, (const struct aiocb *)list[i]);                                          \
        return r;                                                                                  \
    }
ASKS_SEVERAL(lio_listio, aiocb)
ASKS_SEVERAL(lio_listio64, aiocb64)
