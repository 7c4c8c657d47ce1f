/*
 * inside_waits.h - do threads wait only for descriptors whose other end this process has?
 *
 * Model:   such a descriptor is an eventfd, a pipe with both ends here, a socket whose peer is
 *          here, a listening socket to which a socket of this process is connected, or an epoll
 *          descriptor that has only such ones. Nothing outside can end these waits, so the runs and
 *          recordings of `pf judge` need no real time for them: virtual time jumps to the next
 *          deadline.
 * Threads: only the runner.
 */
#ifndef PF_RT_INSIDE_WAITS_H
#define PF_RT_INSIDE_WAITS_H

#include <stdbool.h>

/* True in a run of `pf judge`, if every waiting thread waits for one of
 * these, for a futex, or for time. Costs some system calls for each descriptor. */
bool pf_waits_are_inside(void);

#endif
