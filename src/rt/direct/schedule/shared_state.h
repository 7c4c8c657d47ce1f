/*
 * shared_state.h - what the continuations of a checkpoint share although each is a copy of the
 * process: memory mapped with MAP_SHARED, and descriptors other than files. Files are private
 * (file_overlay.h).
 *
 * Model:   continuations run one after the other. A later one must find everything as the first one
 *          found it; otherwise it may fail for a reason that no run of the program has. Shared
 *          memory is restored. Pipes, sockets, eventfds and epoll descriptors are not: if one has
 *          changed (its unread bytes, its addresses, its state for poll, its text in
 *          /proc/self/fdinfo), the checkpoint cannot be used again.
 * Memory:  a copy of the shared memory, up to 64 MB.
 * Threads: the target's one kernel thread.
 */
#ifndef PF_RT_SHARED_STATE_H
#define PF_RT_SHARED_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* Remembers the state before the first continuation. */
void pf_shared_state_save(void);
/* After a continuation: restores shared memory. Returns false if not everything is as it was. */
bool pf_shared_state_restore(void);

/* True if there is memory that is mapped with MAP_SHARED, or if that is not known. */
bool pf_shared_state_has_memory(void);

#endif
