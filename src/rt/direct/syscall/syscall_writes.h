/*
 * syscall_writes.h - the words that syscalls.def has for what the kernel writes. Arguments count from 0.
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
    WRITE_ARCH,
    WRITE_HANDLE,
    WRITE_PAGES,
    WRITE_BITS,
    WRITE_CAPABILITIES,
    WRITE_SEMAPHORE_CONTROL,
    WRITE_QUEUE_CONTROL,
    WRITE_SHARED_CONTROL,
    WRITE_QUEUE_MESSAGE
};

#define FIXED(at, size) {WRITE_FIXED, at, 0, size} /* `size` bytes, when the call succeeds */
#define RESULT(at) {WRITE_RESULT, at, 0, 0}        /* as many bytes as the result says */
/* ... but no more than argument `by` says: what does not fit is counted and not written. */
#define RESULT_WITHIN(at, by) {WRITE_RESULT_WITHIN, at, by, 0}
#define RESULT_UNITS(at, by, size)                                                                 \
    {WRITE_RESULT_UNITS, at, by, size} /* ... units, no more than `by` */
#define COUNTED(at, by, size)                                                                      \
    {WRITE_COUNTED, at, by, size} /* as many units as argument `by` says */
#define VECTOR(at, by) {WRITE_VECTOR, at, by, 0} /* result bytes over `by` struct iovec */
#define IN_OUT(at, by)                                                                             \
    {WRITE_IN_OUT, at, by, 0} /* `by`: address of a socklen_t, read and written */
#define MESSAGE(at) {WRITE_MESSAGE, at, 0, 0}    /* struct msghdr */
#define MESSAGES(at) {WRITE_MESSAGES, at, 0, 0}  /* result struct mmsghdr */
#define MESSAGES_SENT(at) {WRITE_MESSAGES_SENT, at, 0, 0} /* only their msg_len */
#define SETS(at) {WRITE_SETS, at, 0, 0} /* three fd_set from `at` on, of argument 0 descriptors */
#define IOCTL(by, at) {WRITE_IOCTL, at, by, 0}
#define FCNTL(by, at) {WRITE_FCNTL, at, by, 0}
#define PRCTL(by, at) {WRITE_PRCTL, at, by, 0}
#define ARCH(by, at) {WRITE_ARCH, at, by, 0}
#define HANDLE(at) {WRITE_HANDLE, at, 0, 0}
#define PAGES(at, by) {WRITE_PAGES, at, by, 0} /* a byte for each page of a length */
#define BITS(at, by) {WRITE_BITS, at, by, 0} /* a mask of argument `by` bits */
#define CAPABILITIES(at, by) {WRITE_CAPABILITIES, at, by, 0}
#define SEMAPHORE_CONTROL(by, at) {WRITE_SEMAPHORE_CONTROL, at, by, 0}
#define QUEUE_CONTROL(by, at) {WRITE_QUEUE_CONTROL, at, by, 0}
#define SHARED_CONTROL(by, at) {WRITE_SHARED_CONTROL, at, by, 0}
#define QUEUE_MESSAGE(at)                                                                          \
    {WRITE_QUEUE_MESSAGE, at, 0, 0} /* struct msgbuf: a type, then result bytes */

#endif
