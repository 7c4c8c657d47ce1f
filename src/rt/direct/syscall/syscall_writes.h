/*
 * syscall_writes.h - the macros by which syscalls.def describes what the kernel writes. Arguments
 * are numbered from 0: `at` is the argument with the address, `by` the one with a length or a
 * request.
 */
#ifndef PF_RT_SYSCALL_WRITES_H
#define PF_RT_SYSCALL_WRITES_H

enum write_kind {
    WRITE_NONE,
    WRITE_FIXED,
    WRITE_RESULT,
    WRITE_RESULT_WITHIN,
    WRITE_RESULT_UNITS,
    WRITE_COUNTED,
    WRITE_VECTOR,
    WRITE_IN_OUT,
    WRITE_MESSAGE,
    WRITE_MESSAGES,
    WRITE_MESSAGES_SENT,
    WRITE_SETS,
    WRITE_IOCTL,
    WRITE_FCNTL,
    WRITE_PRCTL,
    WRITE_HANDLE,
    WRITE_PAGES,
    WRITE_BITS,
    WRITE_CAPABILITIES,
    WRITE_SEMAPHORE_CONTROL,
    WRITE_QUEUE_CONTROL,
    WRITE_SHARED_CONTROL,
    WRITE_QUEUE_MESSAGE
};

#define FIXED(at, size) {WRITE_FIXED, at, 0, size} /* `size` bytes if the call succeeds */
#define RESULT(at) {WRITE_RESULT, at, 0, 0}        /* as many bytes as the result */
/* As many bytes as the result, but at most argument `by`: the kernel counts but does not write the
 * rest. */
#define RESULT_WITHIN(at, by) {WRITE_RESULT_WITHIN, at, by, 0}
#define RESULT_UNITS(at, by, size)                                                                 \
    {WRITE_RESULT_UNITS, at, by, size} /* result units, at most argument `by` */
#define COUNTED(at, by, size) {WRITE_COUNTED, at, by, size} /* argument `by` units */
#define VECTOR(at, by) {WRITE_VECTOR, at, by, 0} /* result bytes, in `by` struct iovec */
#define IN_OUT(at, by)                                                                             \
    {WRITE_IN_OUT, at, by, 0} /* `by`: address of a socklen_t, read and written */
#define MESSAGE(at) {WRITE_MESSAGE, at, 0, 0}    /* struct msghdr */
#define MESSAGES(at) {WRITE_MESSAGES, at, 0, 0}  /* as many struct mmsghdr as the result */
#define MESSAGES_SENT(at) {WRITE_MESSAGES_SENT, at, 0, 0} /* only msg_len of each message */
/* three fd_sets in arguments at, at+1, at+2; argument 0 is nfds */
#define SETS(at) {WRITE_SETS, at, 0, 0}
#define IOCTL(by, at) {WRITE_IOCTL, at, by, 0}
#define FCNTL(by, at) {WRITE_FCNTL, at, by, 0}
#define PRCTL(by, at) {WRITE_PRCTL, at, by, 0}
#define HANDLE(at) {WRITE_HANDLE, at, 0, 0}
/* one byte for each page of a length of `by` bytes */
#define PAGES(at, by) {WRITE_PAGES, at, by, 0}
#define BITS(at, by) {WRITE_BITS, at, by, 0} /* a bit mask of `by` bits */
#define CAPABILITIES(at, by) {WRITE_CAPABILITIES, at, by, 0}
#define SEMAPHORE_CONTROL(by, at) {WRITE_SEMAPHORE_CONTROL, at, by, 0}
#define QUEUE_CONTROL(by, at) {WRITE_QUEUE_CONTROL, at, by, 0}
#define SHARED_CONTROL(by, at) {WRITE_SHARED_CONTROL, at, by, 0}
#define QUEUE_MESSAGE(at)                                                                          \
    {WRITE_QUEUE_MESSAGE, at, 0, 0} /* struct msgbuf: a type, then result bytes */

#endif
