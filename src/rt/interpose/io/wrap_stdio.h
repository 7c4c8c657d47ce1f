/*
 * wrap_stdio.h - one call of a stdio function on a stream.
 *
 * Model:   PF_STREAM(s, fn, file) keeps the frame of `fn` on the shadow stack until the scope ends.
 *          libc's accesses to its own FILE are not seen, and the lock of a FILE makes no order: a
 *          thread that prints does not order what it did before, as in ThreadSanitizer. These
 *          make order:
 *            flockfile and funlockfile, which the target calls for this purpose;
 *            the descriptor, where data can reach another thread (wrap_fd.c);
 *            streams without a descriptor: they call functions of the target, or fill its
 *            memory, under the lock. For these the runtime also holds the lock while it makes the
 *            order.
 * Threads: any.
 */
#ifndef PF_RT_WRAP_STDIO_H
#define PF_RT_WRAP_STDIO_H

#include "wrap_libc.h"
#include <stdio.h>

struct pf_stdio {
    struct pf_thread *t;
    FILE *locked; /* NULL: the stream has a descriptor */
    struct pf_frame_scope frame;
};

/* The descriptor of the stream, or -1. */
static inline int pf_stream_fd(const FILE *f)
{
    const int has_descriptor = 0x2000; /* _IO_IS_FILEBUF */
    return f->_flags & has_descriptor ? f->_fileno : -1;
}
struct pf_stdio pf_stream_enter(struct pf_func *native, FILE *f, const void *caller);
void pf_stream_leave(struct pf_stdio *s);
#define PF_STREAM(s, fn, f)                                                                        \
    struct pf_stdio s __attribute__((cleanup(pf_stream_leave))) =                                  \
        pf_stream_enter(&pf_native_##fn, f, __builtin_return_address(0))

static inline void pf_stream_sends(struct pf_stdio *s, FILE *f)
{
    if (s->t && !s->locked)
        pf_fd_send_unnested(s->t, f->_fileno);
}
static inline void pf_stream_receives(struct pf_stdio *s, FILE *f)
{
    if (s->t && !s->locked)
        pf_fd_receive_unnested(s->t, f->_fileno);
}

/* Defines a function that sends data: first its accesses, then the data may be sent. */
#define PF_SENDS(result, fn, parameters, arguments, ...)                                           \
    PF_INTERPOSE(result, fn, parameters)                                                           \
    {                                                                                              \
        PF_STREAM(s, fn, f);                                                                       \
        if (s.t) {                                                                                 \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        pf_stream_sends(&s, f);                                                                    \
        return PF_REAL(fn) arguments;                                                              \
    }

/* Defines a function that receives data: first the data arrives, then the accesses. `r` is the
 * result; `name` is the function on the stack. */
#define PF_RECEIVES(result, fn, parameters, arguments, ...)                                        \
    PF_INTERPOSE(result, fn, parameters) PF_RECEIVING(result, fn, fn, arguments, __VA_ARGS__)
#define PF_RECEIVING(result, fn, name, arguments, ...)                                             \
    {                                                                                              \
        PF_STREAM(s, name, f);                                                                     \
        result r = PF_REAL(fn) arguments;                                                          \
        pf_stream_receives(&s, f);                                                                 \
        if (s.t) {                                                                                 \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return r;                                                                                  \
    }

#endif
