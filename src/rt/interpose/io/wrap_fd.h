/*
 * wrap_fd.h - order by file descriptors: what is sent through one end happens before it is received
 * at the other.
 *
 * Model:   a channel is a clock: senders release, receivers acquire. A descriptor has a channel
 *          that it sends to, and one that it receives from:
 *              pipe          one channel, from the writing end to the reading end
 *              socketpair    two, crosswise
 *              eventfd, timerfd, signalfd, epoll   one, both ways
 *              other sockets one for the whole process: connections are not tracked
 *              named pipes, inherited pipes, queues   one for each inode
 *              files, terminals, devices: none
 *          A close is a send: the reader of a pipe sees its end. An open of a named pipe for
 *          reading waits for an open for writing, and the reverse. Each direction has a channel
 *          that only opening uses. A channel whose receiving end is in an epoll set also sends to
 *          the channel of the epoll descriptor.
 *          The kernel is asked once for the kind of an unknown (inherited) descriptor. A descriptor
 *          that is received in a message is a new number for a descriptor that was sent in one.
 *          Which one is not known, so from then on both also use the channel of all sockets.
 * Memory:  channels are reference-counted: one for each descriptor, and one for each use in
 *          progress.
 * Threads: any; striped locks by descriptor. Callers are nested (inside PF_CALL) unless noted.
 * Errors:  without memory, or above FD_MAX, descriptors make no order, counted as PF_LIMIT_MEMORY.
 */
#ifndef PF_RT_WRAP_FD_H
#define PF_RT_WRAP_FD_H

#include "wrap_libc.h"

enum pf_fd_kind {
    PF_FD_UNKNOWN, /* not asked yet */
    PF_FD_NONE,    /* makes no order */
    PF_FD_EVENT,   /* one channel of its own */
    PF_FD_EPOLL,
    PF_FD_SIGNAL,
    PF_FD_PIPE,
    PF_FD_NAMED,
    PF_FD_SOCKET,
};

/* New descriptors. Negative ones (a failed call) are ignored. */
void pf_fd_new(int fd, enum pf_fd_kind kind);
void pf_fd_new_pipe(int reader, int writer);
void pf_fd_new_pair(int a, int b);
void pf_fd_new_named(int fd); /* asks for the inode */
void pf_fd_dup(int from, int to);
/* Around an open: opening a named pipe for reading and opening it for writing wait for each
 * other. */
struct pf_hb_clock *pf_fd_opening(struct pf_thread *t, int at, const char *path, int flags);
/* `others`: what pf_fd_opening returned */
void pf_fd_opened(struct pf_thread *t, int fd, struct pf_hb_clock *others);
/* The descriptor is about to be closed: sends, and forgets it. */
void pf_fd_end(struct pf_thread *t, int fd);
void pf_fd_end_range(struct pf_thread *t, unsigned first, unsigned last);

/*
 * Races of descriptors: a use reads the descriptor, close writes it. Opening it does not count as a
 * write, because a thread can use the number only after it was opened. Nor does dup2 over an open
 * descriptor: programs use it to avoid such a race. A close also removes the history, because not
 * every call that opens the number again is interposed.
 */
void pf_fd_use(struct pf_call *c, int fd);
void pf_fd_close(struct pf_call *c, int fd); /* pf_fd_end, and the write */
void pf_fd_opened_by(struct pf_call *c, int fd); /* for reports */
void pf_fd_init(void);

enum pf_fd_kind pf_fd_kind(int fd);
void pf_fd_send(struct pf_thread *t, int fd);
void pf_fd_receive(struct pf_thread *t, int fd);
/* fd is sent in a message; fd was received in a message, under a new number. */
void pf_fd_sent_in_message(int fd);
void pf_fd_received_in_message(int fd);
/* fd was added to the set of the epoll descriptor. */
void pf_fd_epoll_add(int epoll, int fd);
/* epoll_wait returned an event. */
void pf_fd_epoll_returned(struct pf_thread *t, int epoll);

/* fstat; false: it failed. */
struct stat;
bool pf_fd_stat(int fd, struct stat *about);

/* File locks, wrap_filelock.c: call _unlocking before a lock is released, _locked after one was
 * taken. */
void pf_file_unlocking(struct pf_thread *t, int fd);
void pf_file_locked(struct pf_thread *t, int fd);
void pf_fd_set_holds_file_lock(int fd); /* closing it releases a file lock */

void pf_fd_lock_all(void); /* around fork */
void pf_fd_unlock_all(void);

/* The common parts of read and write. */
#define PF_FD_READS(c, p, n) pf_runtime_read((c).t, p, n, pf_call_id(&(c), PF_NATIVE_READ))
#define PF_FD_WRITES(c, p, n) pf_runtime_write((c).t, p, n, pf_call_id(&(c), PF_NATIVE_WRITE))

/* An interposed function that sends to the descriptor `fd`. accesses: those before the call. */
#define PF_FD_SENDS(result, fn, parameters, fd, call, accesses)                                    \
    PF_INTERPOSE_BLOCKING(result, fn, parameters, call, accesses; pf_fd_use(&c, fd);               \
                          pf_fd_send(c.t, fd), )
/* An interposed function that receives from `fd`, and returns the number r of the bytes received,
 * or -1. after: what follows. */
#define PF_FD_RECEIVES(fn, parameters, fd, call, after)                                            \
    PF_INTERPOSE_BLOCKING(ssize_t, fn, parameters, call, pf_fd_use(&c, fd), after)

/* An interposed function that returns a new descriptor of this kind, or -1. */
#define PF_FD_MAKES(fn, parameters, call, kind)                                                    \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        int fd = call;                                                                             \
        pf_call_keep_errno(&c);                                                                    \
        if (c.t) {                                                                                 \
            pf_fd_new(fd, kind);                                                                   \
            pf_fd_opened_by(&c, fd);                                                               \
        }                                                                                          \
        return fd;                                                                                 \
    }
/* An interposed function that stores two new descriptors in fds[0] and fds[1]. made: the function
 * above that enters them in the table. */
#define PF_FD_MAKES_TWO(fn, parameters, call, fds, made)                                           \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        int r = call;                                                                              \
        pf_call_keep_errno(&c);                                                                    \
        if (c.t && r == 0) {                                                                       \
            PF_FD_WRITES(c, fds, 2 * sizeof *fds);                                                 \
            made(fds[0], fds[1]);                                                                  \
            pf_fd_opened_by(&c, fds[0]);                                                           \
            pf_fd_opened_by(&c, fds[1]);                                                           \
        }                                                                                          \
        return r;                                                                                  \
    }

/* The object that orders the sender of a signal and its handler: wrap_signal.c. */
const void *pf_signal_object(int number);

#endif
