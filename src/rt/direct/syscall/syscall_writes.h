/*
 * syscall_writes.h - the words that syscalls.def has for what the kernel writes. Arguments count from 0.
 */
#ifndef PF_RT_OUTPUTS_H
#define PF_RT_OUTPUTS_H

enum output_kind {
    OUTPUT_NONE,
    OUTPUT_FIXED,
    OUTPUT_RESULT,
    OUTPUT_RESULT_WITHIN,
    OUTPUT_RESULT_UNITS,
    OUTPUT_COUNTED,
    OUTPUT_VECTOR,
    OUTPUT_IN_OUT,
    OUTPUT_MESSAGE,
    OUTPUT_MESSAGES,
    OUTPUT_MESSAGES_SENT,
    OUTPUT_SETS,
    OUTPUT_IOCTL,
    OUTPUT_FCNTL,
    OUTPUT_PRCTL,
    OUTPUT_ARCH,
    OUTPUT_HANDLE,
    OUTPUT_PAGES,
    OUTPUT_BITS,
    OUTPUT_CAPABILITIES,
    OUTPUT_SEMAPHORE_CONTROL,
    OUTPUT_QUEUE_CONTROL,
    OUTPUT_SHARED_CONTROL,
    OUTPUT_QUEUE_MESSAGE
};

#define FIXED(at, size) {OUTPUT_FIXED, at, 0, size} /* `size` bytes, when the call succeeds */
#define RESULT(at) {OUTPUT_RESULT, at, 0, 0}        /* as many bytes as the result says */
/* ... but no more than argument `by` says: what does not fit is counted and not written. */
#define RESULT_WITHIN(at, by) {OUTPUT_RESULT_WITHIN, at, by, 0}
#define RESULT_UNITS(at, by, size)                                                                 \
    {OUTPUT_RESULT_UNITS, at, by, size} /* ... units, no more than `by` */
#define COUNTED(at, by, size)                                                                      \
    {OUTPUT_COUNTED, at, by, size} /* as many units as argument `by` says */
#define VECTOR(at, by) {OUTPUT_VECTOR, at, by, 0} /* result bytes over `by` struct iovec */
#define IN_OUT(at, by)                                                                             \
    {OUTPUT_IN_OUT, at, by, 0} /* `by`: address of a socklen_t, read and written */
#define MESSAGE(at) {OUTPUT_MESSAGE, at, 0, 0}    /* struct msghdr */
#define MESSAGES(at) {OUTPUT_MESSAGES, at, 0, 0}  /* result struct mmsghdr */
#define MESSAGES_SENT(at) {OUTPUT_MESSAGES_SENT, at, 0, 0} /* only their msg_len */
#define SETS(at) {OUTPUT_SETS, at, 0, 0} /* three fd_set from `at` on, of argument 0 descriptors */
#define IOCTL(by, at) {OUTPUT_IOCTL, at, by, 0}
#define FCNTL(by, at) {OUTPUT_FCNTL, at, by, 0}
#define PRCTL(by, at) {OUTPUT_PRCTL, at, by, 0}
#define ARCH(by, at) {OUTPUT_ARCH, at, by, 0}
#define HANDLE(at) {OUTPUT_HANDLE, at, 0, 0}
#define PAGES(at, by) {OUTPUT_PAGES, at, by, 0} /* a byte for each page of a length */
#define BITS(at, by) {OUTPUT_BITS, at, by, 0} /* a mask of argument `by` bits */
#define CAPABILITIES(at, by) {OUTPUT_CAPABILITIES, at, by, 0}
#define SEMAPHORE_CONTROL(by, at) {OUTPUT_SEMAPHORE_CONTROL, at, by, 0}
#define QUEUE_CONTROL(by, at) {OUTPUT_QUEUE_CONTROL, at, by, 0}
#define SHARED_CONTROL(by, at) {OUTPUT_SHARED_CONTROL, at, by, 0}
#define QUEUE_MESSAGE(at)                                                                          \
    {OUTPUT_QUEUE_MESSAGE, at, 0, 0} /* struct msgbuf: a type, then result bytes */

#endif
