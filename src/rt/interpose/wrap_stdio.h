/*
 * wrap_stdio.h - one call of a stdio function on a stream.
 *
 * Model:   PF_STREAM(s, fn, file) lets `fn` stand on the shadow stack until the scope ends. What
 *          libc does to its own FILE is not seen, and its lock makes no order: a thread that prints
 *          says nothing about what it did before, as with ThreadSanitizer. Order is made
 *            by flockfile and funlockfile, which the target calls to have it;
 *            through the descriptor, where data can arrive at another thread (wrap_fd.c);
 *            for streams with no descriptor: they run functions of the target, or fill its memory,
 *            under the lock. Here the lock is taken by us too, around the order.
 */
#ifndef PF_RT_WRAP_STDIO_H
#define PF_RT_WRAP_STDIO_H

#include "wrap_libc.h"
#include <stdio.h>

struct pf_stdio {
    struct pf_thread *t;
    FILE *locked; /* NULL: it has a descriptor */
};

/* The descriptor, or -1. */
static inline int pf_stream_fd(const FILE *f)
{
    const int has_descriptor = 0x2000; /* _IO_IS_FILEBUF */
    return f->_flags & has_descriptor ? f->_fileno : -1;
}
struct pf_stdio pf_stream_enter(struct pf_func *native, FILE *f);
void pf_stream_leave(struct pf_stdio *s);
#define PF_STREAM(s, fn, f)                                                                        \
    struct pf_stdio s __attribute__((cleanup(pf_stream_leave))) =                                  \
        pf_stream_enter(&pf_native_##fn, f)

static inline void pf_stream_sends(struct pf_stdio *s, FILE *f)
{
    if (s->t && !s->locked)
        pf_fd_sends(s->t, f->_fileno);
}
static inline void pf_stream_receives(struct pf_stdio *s, FILE *f)
{
    if (s->t && !s->locked)
        pf_fd_receives(s->t, f->_fileno);
}

/* A function whose data goes out: the accesses, then the data may leave. */
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

/* The same for what comes in: the data came, then the accesses. `r` is the result; `name` stands on the stack. */
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
