/*
 * wrap_fd.h - descriptors as order: what is sent through one end happens before it is received
 * at the other.
 *
 * Model:   a channel is a clock: senders release, receivers acquire. A descriptor has a channel it
 *          sends to and one it receives from:
 *              pipe          one channel, from the writing end to the reading end
 *              socketpair    two, crosswise
 *              eventfd, timerfd, signalfd, epoll   one, both ways
 *              other sockets one for the whole process: who is connected to whom is not followed
 *              named pipes, inherited pipes, queues   one for each inode
 *              files, terminals, devices: none
 *          A close is a send: the reader of a pipe sees its end. Who opens a named pipe to read and who opens it to
 *          write wait for each other, each with a channel for that alone. A channel whose receiving end is
 *          watched by an epoll descriptor sends to that one's channel too.
 *          A descriptor nobody told us about (inherited) is asked what it is, once. One that was sent in a message is
 *          somebody's channel under a new number: it and that channel share the one of all sockets from then on.
 * Memory:  channels are counted: one for each descriptor and each use under way.
 * Threads: any; striped locks by descriptor. Callers are nested (inside PF_CALL) unless said.
 * Errors:  without memory, or above FD_MAX, descriptors make no order, counted as PF_LIMIT_MEMORY.
 */
#ifndef PF_RT_WRAP_FD_H
#define PF_RT_WRAP_FD_H

#include "wrap_libc.h"

enum pf_fd_kind {
    PF_FD_UNKNOWN, /* ask */
    PF_FD_NONE,    /* no order */
    PF_FD_EVENT,   /* one channel of its own */
    PF_FD_EPOLL,
    PF_FD_SIGNAL,
    PF_FD_PIPE,
    PF_FD_NAMED,
    PF_FD_SOCKET,
};

/* New descriptors; negative ones (a failed call) are ignored. */
void pf_fd_new(int fd, enum pf_fd_kind kind);
void pf_fd_new_pipe(int reader, int writer);
void pf_fd_new_pair(int a, int b);
void pf_fd_new_named(int fd); /* asks for the inode */
void pf_fd_copy(int from, int to);
/* Around an open. Who opens a named pipe to read it and who opens it to write wait for each other. */
struct pf_hb_clock *pf_fd_opening(struct pf_thread *t, int at, const char *path, int flags);
void pf_fd_opened(struct pf_thread *t, int fd, struct pf_hb_clock *others); /* what that returned */
/* About to be closed: sends the end, and forgets. */
void pf_fd_end(struct pf_thread *t, int fd);
void pf_fd_end_from(struct pf_thread *t, unsigned first, unsigned last);

enum pf_fd_kind pf_fd_kind(int fd);
void pf_fd_send(struct pf_thread *t, int fd);
void pf_fd_receive(struct pf_thread *t, int fd);
/* A message takes it along; it came with a message, under a new number. */
void pf_fd_pass(int fd);
void pf_fd_passed(int fd);
/* epoll descriptor `epoll` now watches fd. */
void pf_fd_watch(int epoll, int fd);
/* epoll_wait has something to tell. */
void pf_fd_watched(struct pf_thread *t, int epoll);

/* What the kernel says of it; false: nothing. */
struct stat;
bool pf_fd_look(int fd, struct stat *about);

/* Locks of files: wrap_filelock.c. Before one is given up, and when one was taken. */
void pf_file_unlocks(struct pf_thread *t, int fd);
void pf_file_locked(struct pf_thread *t, int fd);
void pf_fd_keeps_lock(int fd); /* its end unlocks the file */

void pf_fd_lock_all(void); /* around fork */
void pf_fd_unlock_all(void);

/* Fragments of an interposed function: the common shape of read and write. */
#define PF_FD_READS(c, p, n) pf_access_read((c).t, p, n, pf_here(&(c), PF_NATIVE_READ))
#define PF_FD_WRITES(c, p, n) pf_access_write((c).t, p, n, pf_here(&(c), PF_NATIVE_WRITE))

/* Where a signal in flight keeps its clock: wrap_signal.c. */
const void *pf_signal_object(int number);

#endif
