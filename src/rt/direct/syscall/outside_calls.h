/*
 * outside_calls.h - calls of a continuation that would reach another process: connections, and
 * messages to sockets of others.
 *
 * Model:   an address is inside if a socket of this process is bound to it. A descriptor that the
 *          continuation has inherited is outside if it is a connected socket, or one end of a
 *          pipe, whose other end this process does not have.
 * Threads: only the runner.
 */
#ifndef PF_RT_OUTSIDE_CALLS_H
#define PF_RT_OUTSIDE_CALLS_H

#include <stdbool.h>
#include <sys/stat.h>

/* Before the process is copied: finds its descriptors that lead outside. */
void pf_outside_prepare(void);
/* In a continuation: ends it, as a divergence, if the call would reach another process and the user
 * has not allowed that. */
void pf_outside_check(long number, const long argument[6]);
/* True if the call would reach another process. */
bool pf_outside_reached(long number, const long argument[6]);
/* True if the descriptor leads to another process. */
bool pf_outside_descriptor(int fd);
/* From now on the descriptor leads to another process. */
void pf_outside_add(int fd);
/* True if the peer of a connected socket is another process. */
bool pf_outside_peer(int fd);
/* True if the socket is connected to the address of `listener`, a listening socket. */
bool pf_outside_is_connected(int fd, int listener);
/* True if this process has both ends of a pipe; `pipe` is the result of fstat. */
bool pf_outside_has_both_ends(int fd, const struct stat *pipe);

#endif
