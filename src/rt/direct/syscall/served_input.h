/*
 * served_input.h - inputs that pf supplies in place of the real ones: contents of files, bytes from
 * sockets, random bytes.
 *
 * Model:   a served file is a private file (file_overlay.h) with the new contents. A served socket
 *          delivers the new bytes when the real ones arrive, as many as arrived. If there are fewer
 *          new bytes, the connection ends; if there are more, they follow where a stream really
 *          ended. Sockets are numbered from 1, in the order in which they first deliver bytes.
 *          Random bytes are replaced in order; when the new ones are used up, the real ones follow.
 * Threads: only the runner.
 * Errors:  a list that cannot be read ends the run.
 */
#ifndef PF_RT_SERVED_INPUT_H
#define PF_RT_SERVED_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Reads the list that the channel names; if the channel asks for it, changes to files become
 * private. */
void pf_served_init(void);
/* A call was performed with this result: puts the new bytes in place of those that arrived. Returns
 * the result that the target gets. */
long pf_served_result(long number, const long argument[6], long result);

/* The buffers into which a call receives bytes from a descriptor. peeks: the same bytes are
 * delivered again. False: it is not such a call. */
struct pf_received {
    int fd;
    const struct iovec *at;
    size_t n;
    bool peeks;
    struct iovec one;
};
bool pf_received(long number, const long argument[6], struct pf_received *out);
/* The number of a socket; 0: it has none. is_new: it gets one now, unless there are too many. */
#define PF_SOCKETS_MAX 128
uint32_t pf_socket_number(uint64_t inode, bool is_new);
struct stat;
/* True if the file is /dev/random or /dev/urandom. */
bool pf_is_random_device(const struct stat *st);

#endif
