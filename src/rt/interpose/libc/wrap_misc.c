/*
 * wrap_misc.c - libc functions that fill in the target's memory or read its strings: time, numbers,
 * files, names, sorting. Nothing here makes order.
 */
#include "mode_ops.h"
#include "wrap_libc.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <netdb.h>
#include <search.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

/* The real call, then the accesses, which may use its result r. */
#define AFTER(result, fn, parameters, arguments, ...)                                              \
    PF_INTERPOSE(result, fn, parameters)                                                           \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        result r = PF_REAL(fn) arguments;                                                          \
        PF_WITH_FRAME(fn, __VA_ARGS__);                                                            \
        return r;                                                                                  \
    }
#define FILLS(p)                                                                                   \
    if (r == 0 && p)                                                                               \
    pf_writes(p, sizeof *p)

/* Time. */
AFTER(time_t, time, (time_t *p), (p), if (p) pf_writes(p, sizeof *p))
AFTER(int, gettimeofday, (struct timeval *restrict p, void *restrict zone), (p, zone), FILLS(p))
AFTER(int, clock_gettime, (clockid_t id, struct timespec *p), (id, p), FILLS(p))
AFTER(int, clock_getres, (clockid_t id, struct timespec *p), (id, p), FILLS(p))
AFTER(struct tm *, gmtime_r, (const time_t *restrict at, struct tm *restrict p), (at, p),
      pf_reads(at, sizeof *at);
      if (r) pf_writes(p, sizeof *p))
AFTER(struct tm *, localtime_r, (const time_t *restrict at, struct tm *restrict p), (at, p),
      pf_reads(at, sizeof *at);
      if (r) pf_writes(p, sizeof *p))
/* They share one buffer in the process, by contract: two threads that use it race. */
AFTER(struct tm *, gmtime, (const time_t *at), (at), pf_reads(at, sizeof *at);
      if (r) pf_writes(r, sizeof *r))
AFTER(struct tm *, localtime, (const time_t *at), (at), pf_reads(at, sizeof *at);
      if (r) pf_writes(r, sizeof *r))
AFTER(char *, ctime, (const time_t *at), (at), pf_reads(at, sizeof *at); pf_writes_string(r))
AFTER(char *, asctime, (const struct tm *at), (at), pf_reads(at, sizeof *at); pf_writes_string(r))
AFTER(char *, ctime_r, (const time_t *restrict at, char *restrict p), (at, p),
      pf_reads(at, sizeof *at);
      pf_writes_string(r))
AFTER(char *, asctime_r, (const struct tm *restrict at, char *restrict p), (at, p),
      pf_reads(at, sizeof *at);
      pf_writes_string(r))
AFTER(time_t, mktime, (struct tm * p), (p), pf_reads(p, offsetof(struct tm, tm_wday));
      if (r != -1) pf_writes(p, sizeof *p))
AFTER(time_t, timegm, (struct tm * p), (p), pf_reads(p, offsetof(struct tm, tm_wday));
      if (r != -1) pf_writes(p, sizeof *p))
AFTER(size_t, strftime,
      (char *restrict p, size_t max, const char *restrict format, const struct tm *restrict at),
      (p, max, format, at), pf_reads_string(format);
      pf_reads(at, sizeof *at); if (r) pf_writes(p, r + 1))
AFTER(
    char *, strptime, (const char *restrict s, const char *restrict format, struct tm *restrict p),
    (s, format, p), pf_reads_string(format);
    if (r) {
        pf_reads(s, (size_t)(r - s));
        pf_writes(p, sizeof *p);
    })

static void slept(void)
{
    struct pf_thread *t = pf_self();
    if (t)
        pf_mode->slept(t);
}
AFTER(int, nanosleep, (const struct timespec *wait, struct timespec *left), (wait, left),
      pf_reads(wait, sizeof *wait);
      if (r == -1 && left && errno == EINTR) pf_writes(left, sizeof *left); slept())
AFTER(int, clock_nanosleep,
      (clockid_t clock, int flags, const struct timespec *wait, struct timespec *left),
      (clock, flags, wait, left), pf_reads(wait, sizeof *wait);
      if (r == EINTR && left && !(flags & TIMER_ABSTIME)) pf_writes(left, sizeof *left); slept())
AFTER(unsigned, sleep, (unsigned seconds), (seconds), slept())
AFTER(int, usleep, (useconds_t microseconds), (microseconds), slept())
AFTER(clock_t, times, (struct tms * p), (p), if (p) pf_writes(p, sizeof *p))

/* Numbers in text: they read up to the end of the number, and store where that was. */
#define PARSES(result, fn)                                                                         \
    PF_INTERPOSE(result, fn, (const char *restrict s, char **restrict end))                        \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        char *at;                                                                                  \
        result r = PF_REAL(fn)(s, &at);                                                            \
        PF_WITH_FRAME(fn, pf_reads(s, (size_t)(at - s) + 1);                                       \
                      if (end) pf_writes(end, sizeof *end));                                       \
        if (end)                                                                                   \
            *end = at;                                                                             \
        return r;                                                                                  \
    }
#define PARSES_BASE(result, fn)                                                                    \
    PF_INTERPOSE(result, fn, (const char *restrict s, char **restrict end, int base))              \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        char *at = (char *)(uintptr_t)s;                                                           \
        result r = PF_REAL(fn)(s, &at, base);                                                      \
        PF_WITH_FRAME(fn, pf_reads(s, (size_t)(at - s) + 1);                                       \
                      if (end) pf_writes(end, sizeof *end));                                       \
        if (end)                                                                                   \
            *end = at;                                                                             \
        return r;                                                                                  \
    }
PARSES(double, strtod)
PARSES(float, strtof)
PARSES(long double, strtold)
PARSES_BASE(long, strtol)
PARSES_BASE(long long, strtoll)
PARSES_BASE(unsigned long, strtoul)
PARSES_BASE(unsigned long long, strtoull)
PARSES_BASE(intmax_t, strtoimax)
PARSES_BASE(uintmax_t, strtoumax)
#define READS_NUMBER(result, fn, real, ...)                                                        \
    PF_NATIVE(fn);                                                                                 \
    PF_INTERCEPTOR_NAME(fn);                                                                       \
    PF_EXPORT __attribute__((weak)) result fn(const char *s)                                       \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        char *at = (char *)(uintptr_t)s;                                                           \
        result r = (result)PF_REAL(real)(s, &at, ##__VA_ARGS__);                                   \
        PF_WITH_FRAME(fn, pf_reads(s, (size_t)(at - s) + 1));                                      \
        return r;                                                                                  \
    }
READS_NUMBER(int, atoi, strtol, 10)
READS_NUMBER(long, atol, strtol, 10)
READS_NUMBER(long long, atoll, strtoll, 10)
READS_NUMBER(double, atof, strtod)

/* Parts of a number. */
AFTER(double, frexp, (double x, int *p), (x, p), pf_writes(p, sizeof *p))
AFTER(float, frexpf, (float x, int *p), (x, p), pf_writes(p, sizeof *p))
AFTER(double, modf, (double x, double *p), (x, p), pf_writes(p, sizeof *p))
AFTER(float, modff, (float x, float *p), (x, p), pf_writes(p, sizeof *p))
AFTER(int, rand_r, (unsigned *p), (p), pf_reads(p, sizeof *p); pf_writes(p, sizeof *p))

/* Files. */
#define ABOUT_FILE(fn, type)                                                                       \
    AFTER(int, fn, (const char *restrict path, struct type *restrict p), (path, p),                \
          pf_reads_path(path);                                                                     \
          FILLS(p))
ABOUT_FILE(stat, stat)
ABOUT_FILE(lstat, stat)
ABOUT_FILE(stat64, stat64)
ABOUT_FILE(lstat64, stat64)
ABOUT_FILE(statfs, statfs)
AFTER(int, fstat, (int fd, struct stat *p), (fd, p), FILLS(p))
AFTER(int, fstat64, (int fd, struct stat64 *p), (fd, p), FILLS(p))
AFTER(int, fstatat, (int at, const char *restrict path, struct stat *restrict p, int flags),
      (at, path, p, flags), pf_reads_path(path);
      FILLS(p))
AFTER(char *, getcwd, (char *p, size_t n), (p, n), pf_writes_string(r))
AFTER(ssize_t, readlink, (const char *restrict path, char *restrict p, size_t n), (path, p, n),
      pf_reads_path(path);
      if (r > 0) pf_writes(p, (size_t)r))
AFTER(int, mkstemp, (char *path), (path), pf_writes_string(path))
AFTER(char *, mkdtemp, (char *path), (path), pf_writes_string(path))
PF_INTERPOSE(char *, realpath, (const char *restrict path, char *restrict p))
{
    PF_FRAME_SCOPE(t, realpath);
    char *r = PF_REAL(realpath)(path, p);
    if (t) {
        pf_reads_string(path);
        pf_writes_string(r);
    }
    return r;
}
#define NEXT_ENTRY(fn, type)                                                                       \
    AFTER(struct type *, fn, (DIR * d), (d), if (r) pf_writes(r, r->d_reclen))
NEXT_ENTRY(readdir, dirent)
NEXT_ENTRY(readdir64, dirent64)

/* The system and the network. */
AFTER(int, uname, (struct utsname * p), (p), FILLS(p))
AFTER(int, getrusage, (__rusage_who_t who, struct rusage *p), (who, p), FILLS(p))
AFTER(int, gethostname, (char *p, size_t n), (p, n),
      if (r == 0) pf_writes(p, pf_least(pf_bounded_length(p, n) + 1, n)))
AFTER(ssize_t, getrandom, (void *p, size_t n, unsigned flags), (p, n, flags),
      if (r > 0) pf_writes(p, (size_t)r))
AFTER(int, getentropy, (void *p, size_t n), (p, n), if (r == 0) pf_writes(p, n))
AFTER(char *, strerror_r, (int err, char *p, size_t n), (err, p, n),
      if (r == p) pf_writes_string(p))
AFTER(const char *, inet_ntop, (int family, const void *restrict at, char *restrict p, socklen_t n),
      (family, at, p, n), pf_reads(at, family == AF_INET6 ? 16 : 4);
      pf_writes_string(r))
AFTER(int, inet_pton, (int family, const char *restrict s, void *restrict p), (family, s, p),
      pf_reads_string(s);
      if (r == 1) pf_writes(p, family == AF_INET6 ? 16 : 4))
PF_INTERPOSE(int, getaddrinfo,
             (const char *restrict node, const char *restrict service,
              const struct addrinfo *restrict hints, struct addrinfo **restrict out))
{
    PF_FRAME_SCOPE(t, getaddrinfo);
    int r = PF_REAL(getaddrinfo)(node, service, hints, out);
    if (!t || r != 0)
        return r;
    pf_reads_string(node);
    pf_reads_string(service);
    pf_writes(out, sizeof *out);
    for (struct addrinfo *a = *out; a; a = a->ai_next) {
        pf_writes(a, sizeof *a);
        pf_writes(a->ai_addr, a->ai_addrlen);
    }
    return r;
}

/* Sorting moves elements while the target compares them: all are read before the comparisons and
 * written after them. */
PF_INTERPOSE(void, qsort, (void *base, size_t n, size_t each, __compar_fn_t compare))
{
    PF_FRAME_SCOPE(t, qsort);
    if (t && n > 1)
        pf_reads(base, n * each);
    PF_REAL(qsort)(base, n, each, compare);
    if (t && n > 1)
        pf_writes(base, n * each);
}
PF_INTERPOSE(void, qsort_r, (void *base, size_t n, size_t each, __compar_d_fn_t compare, void *arg))
{
    PF_FRAME_SCOPE(t, qsort_r);
    if (t && n > 1)
        pf_reads(base, n * each);
    PF_REAL(qsort_r)(base, n, each, compare, arg);
    if (t && n > 1)
        pf_writes(base, n * each);
}
