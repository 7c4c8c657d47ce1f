/*
 * wrap_open.c - opening and closing of descriptors: open, close, dup, pipe, eventfd, and the like.
 *
 * The kind of a descriptor that open returns is found when it is first used: the path may be a
 * named pipe.
 */
#include "wrap_fd.h"
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void reads_path(struct pf_call *c, const char *path)
{
    if (pf_sys_readable(path, 1)) /* else the kernel refuses it */
        pf_runtime_read(c->t, path, pf_bounded_length(path, SIZE_MAX) + 1,
                        pf_call_id(c, PF_NATIVE_READ));
}

/* The caller passes a mode only with these flags. */
#define MODE(last)                                                                                 \
    __extension__({                                                                                \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        mode_t pf_m_ = last & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;                  \
        va_end(args);                                                                              \
        pf_m_;                                                                                     \
    })
#define OPENS(fn, parameters, call, ...)                                                           \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        __VA_ARGS__;                                                                               \
        if (!c.t)                                                                                  \
            return call;                                                                           \
        reads_path(&c, path);                                                                      \
        struct pf_hb_clock *others = pf_fd_opening(c.t, at, path, flags);                          \
        int fd = PF_BLOCKING(c, call);                                                             \
        pf_fd_opened(c.t, fd, others);                                                             \
        pf_fd_opened_by(&c, fd);                                                                   \
        return fd;                                                                                 \
    }
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int at, const char *path, int flags);
int __openat64_2(int at, const char *path, int flags);
OPENS(open, (const char *path, int flags, ...), PF_REAL(open)(path, flags, mode), int at = AT_FDCWD;
      mode_t mode = MODE(flags))
OPENS(open64, (const char *path, int flags, ...), PF_REAL(open64)(path, flags, mode),
      int at = AT_FDCWD;
      mode_t mode = MODE(flags))
OPENS(openat, (int at, const char *path, int flags, ...), PF_REAL(openat)(at, path, flags, mode),
      mode_t mode = MODE(flags))
OPENS(openat64, (int at, const char *path, int flags, ...),
      PF_REAL(openat64)(at, path, flags, mode), mode_t mode = MODE(flags))
#define CREATES int at = AT_FDCWD, flags = O_WRONLY
OPENS(creat, (const char *path, mode_t mode), PF_REAL(creat)(path, mode), CREATES)
OPENS(creat64, (const char *path, mode_t mode), PF_REAL(creat64)(path, mode), CREATES)
OPENS(__open_2, (const char *path, int flags), PF_REAL(__open_2)(path, flags), int at = AT_FDCWD)
OPENS(__open64_2, (const char *path, int flags), PF_REAL(__open64_2)(path, flags),
      int at = AT_FDCWD)
OPENS(__openat_2, (int at, const char *path, int flags), PF_REAL(__openat_2)(at, path, flags))
OPENS(__openat64_2, (int at, const char *path, int flags), PF_REAL(__openat64_2)(at, path, flags))

PF_INTERPOSE(int, memfd_create, (const char *name, unsigned flags))
{
    PF_CALL(c, memfd_create);
    if (c.t)
        reads_path(&c, name);
    int fd = PF_REAL(memfd_create)(name, flags);
    pf_call_keep_errno(&c);
    if (c.t)
        pf_fd_new(fd, PF_FD_NONE);
    return fd;
}

PF_INTERPOSE(int, close, (int fd))
{
    PF_CALL(c, close);
    if (!c.t)
        return PF_REAL(close)(fd);
    pf_fd_close(&c, fd);
    return PF_BLOCKING(c, PF_REAL(close)(fd));
}
PF_INTERPOSE(int, close_range, (unsigned first, unsigned last, int flags))
{
    PF_CALL(c, close_range);
    if (c.t && !flags)
        pf_fd_end_range(c.t, first, last);
    int r = PF_REAL(close_range)(first, last, flags);
    pf_call_keep_errno(&c);
    return r;
}
PF_INTERPOSE(void, closefrom, (int first))
{
    PF_CALL(c, closefrom);
    if (c.t)
        pf_fd_end_range(c.t, first < 0 ? 0 : (unsigned)first, UINT32_MAX);
    PF_REAL(closefrom)(first);
}

PF_INTERPOSE(int, dup, (int fd))
{
    PF_CALL(c, dup);
    if (c.t)
        pf_fd_use(&c, fd);
    int r = PF_REAL(dup)(fd);
    pf_call_keep_errno(&c);
    if (c.t) {
        pf_fd_dup(fd, r);
        pf_fd_opened_by(&c, r);
    }
    return r;
}
#define DUPS_TO(fn, parameters, call)                                                              \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            pf_fd_use(&c, fd);                                                                     \
        if (c.t && fd != to && fcntl(fd, F_GETFD) >= 0)                                            \
            pf_fd_end(c.t, to); /* it is closed first */                                           \
        int r = call;                                                                              \
        pf_call_keep_errno(&c);                                                                    \
        if (c.t && fd != to) {                                                                     \
            pf_fd_dup(fd, r);                                                                      \
            pf_fd_opened_by(&c, r);                                                                \
        }                                                                                          \
        return r;                                                                                  \
    }
DUPS_TO(dup2, (int fd, int to), PF_REAL(dup2)(fd, to))
DUPS_TO(dup3, (int fd, int to, int flags), PF_REAL(dup3)(fd, to, flags))
#define CONTROLS(fn)                                                                               \
    PF_INTERPOSE(int, fn, (int fd, int what, ...))                                                 \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        va_list args;                                                                              \
        va_start(args, what);                                                                      \
        void *arg = va_arg(args, void *);                                                          \
        va_end(args);                                                                              \
        if (!c.t)                                                                                  \
            return PF_REAL(fn)(fd, what, arg);                                                     \
        bool locks = what == F_OFD_SETLK || what == F_OFD_SETLKW;                                  \
        if (locks)                                                                                 \
            pf_file_unlocking(c.t, fd);                                                            \
        int r = PF_BLOCKING(c, PF_REAL(fn)(fd, what, arg)); /* it may wait for a file lock */      \
        if (locks && r == 0 && ((struct flock *)arg)->l_type != F_UNLCK)                           \
            pf_file_locked(c.t, fd);                                                               \
        if (what == F_DUPFD || what == F_DUPFD_CLOEXEC)                                            \
            pf_fd_dup(fd, r);                                                                      \
        return r;                                                                                  \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

PF_FD_MAKES_TWO(pipe, (int *fds), PF_REAL(pipe)(fds), fds, pf_fd_new_pipe)
PF_FD_MAKES_TWO(pipe2, (int *fds, int flags), PF_REAL(pipe2)(fds, flags), fds, pf_fd_new_pipe)

PF_FD_MAKES(eventfd, (unsigned count, int flags), PF_REAL(eventfd)(count, flags), PF_FD_EVENT)
PF_FD_MAKES(timerfd_create, (clockid_t clock, int flags), PF_REAL(timerfd_create)(clock, flags),
            PF_FD_EVENT)
PF_FD_MAKES(inotify_init, (void), PF_REAL(inotify_init)(), PF_FD_NONE)
PF_FD_MAKES(inotify_init1, (int flags), PF_REAL(inotify_init1)(flags), PF_FD_NONE)
/* With a descriptor given, its mask is changed and it is returned. */
PF_INTERPOSE(int, signalfd, (int fd, const sigset_t *mask, int flags))
{
    PF_CALL(c, signalfd);
    int r = PF_REAL(signalfd)(fd, mask, flags);
    pf_call_keep_errno(&c);
    if (c.t && fd < 0)
        pf_fd_new(r, PF_FD_SIGNAL);
    return r;
}

/* Sends what the reader of the timer will receive. */
PF_INTERPOSE(int, timerfd_settime,
             (int fd, int flags, const struct itimerspec *to, struct itimerspec *old))
{
    PF_CALL(c, timerfd_settime);
    if (c.t) {
        PF_FD_READS(c, to, sizeof *to);
        pf_fd_send(c.t, fd);
    }
    int r = PF_REAL(timerfd_settime)(fd, flags, to, old);
    pf_call_keep_errno(&c);
    if (c.t && r == 0 && old)
        PF_FD_WRITES(c, old, sizeof *old);
    return r;
}
PF_INTERPOSE(int, eventfd_write, (int fd, eventfd_t value))
{
    PF_CALL(c, eventfd_write);
    if (!c.t)
        return PF_REAL(eventfd_write)(fd, value);
    pf_fd_use(&c, fd);
    pf_fd_send(c.t, fd);
    return PF_BLOCKING(c, PF_REAL(eventfd_write)(fd, value));
}
PF_INTERPOSE(int, eventfd_read, (int fd, eventfd_t *value))
{
    PF_CALL(c, eventfd_read);
    if (!c.t)
        return PF_REAL(eventfd_read)(fd, value);
    pf_fd_use(&c, fd);
    int r = PF_BLOCKING(c, PF_REAL(eventfd_read)(fd, value));
    if (r == 0) {
        pf_fd_receive(c.t, fd);
        PF_FD_WRITES(c, value, sizeof *value);
    }
    return r;
}
