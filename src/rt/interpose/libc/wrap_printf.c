/*
 * wrap_printf.c - the printf and scanf families. A variadic function calls the real one that takes
 * a va_list; its accesses follow from the format (wrap_format.c).
 *
 * Each output function has a fortified variant (__printf_chk), and each input function a second
 * one, because headers of C99 and later call __isoc99_scanf.
 */
#include "wrap_libc.h"
#undef __GLIBC_USE_DEPRECATED_SCANF
#define __GLIBC_USE_DEPRECATED_SCANF 1 /* `scanf` means scanf in this file */
#include "wrap_stdio.h"
#include <wchar.h>

/* Defines `fn (parameters, ...)` with this body, which sees the va_list `args` and sets the result
 * `r`. */
#define VARIADIC(fn, parameters, last, body)                                                       \
    PF_NATIVE(fn);                                                                                 \
    PF_INTERCEPTOR_NAME(fn);                                                                       \
    PF_EXPORT __attribute__((weak)) int fn parameters                                              \
    {                                                                                              \
        int r;                                                                                     \
        va_list args;                                                                              \
        va_start(args, last);                                                                      \
        body;                                                                                      \
        va_end(args);                                                                              \
        return r;                                                                                  \
    }
#define LISTED(fn, parameters, body)                                                               \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        int r;                                                                                     \
        body;                                                                                      \
        return r;                                                                                  \
    }

/* To a stream or a descriptor. */
#define TO_STREAM(fn, f, format, real)                                                             \
    PF_STREAM(s, fn, f);                                                                           \
    if (s.t)                                                                                       \
        pf_format_reads(format, args);                                                             \
    pf_stream_sends(&s, f);                                                                        \
    r = real
#define TO_FD(fn, fd, format, real)                                                                \
    PF_FRAME_SCOPE(t, fn);                                                                         \
    if (t) {                                                                                       \
        pf_format_reads(format, args);                                                             \
        pf_fd_send_unnested(t, fd);                                                                \
    }                                                                                              \
    r = real

int __vprintf_chk(int flag, const char *format, va_list args);
int __vfprintf_chk(FILE *f, int flag, const char *format, va_list args);
int __vdprintf_chk(int fd, int flag, const char *format, va_list args);
int __printf_chk(int flag, const char *format, ...);
int __fprintf_chk(FILE *f, int flag, const char *format, ...);
int __dprintf_chk(int fd, int flag, const char *format, ...);

LISTED(vprintf, (const char *format, va_list args),
       TO_STREAM(vprintf, stdout, format, PF_REAL(vprintf)(format, args)))
LISTED(vfprintf, (FILE * f, const char *format, va_list args),
       TO_STREAM(vfprintf, f, format, PF_REAL(vfprintf)(f, format, args)))
LISTED(vdprintf, (int fd, const char *format, va_list args),
       TO_FD(vdprintf, fd, format, PF_REAL(vdprintf)(fd, format, args)))
LISTED(__vprintf_chk, (int flag, const char *format, va_list args),
       TO_STREAM(vprintf, stdout, format, PF_REAL(__vprintf_chk)(flag, format, args)))
LISTED(__vfprintf_chk, (FILE * f, int flag, const char *format, va_list args),
       TO_STREAM(vfprintf, f, format, PF_REAL(__vfprintf_chk)(f, flag, format, args)))
LISTED(__vdprintf_chk, (int fd, int flag, const char *format, va_list args),
       TO_FD(vdprintf, fd, format, PF_REAL(__vdprintf_chk)(fd, flag, format, args)))
VARIADIC(printf, (const char *format, ...), format,
         TO_STREAM(printf, stdout, format, PF_REAL(vprintf)(format, args)))
VARIADIC(fprintf, (FILE * f, const char *format, ...), format,
         TO_STREAM(fprintf, f, format, PF_REAL(vfprintf)(f, format, args)))
VARIADIC(dprintf, (int fd, const char *format, ...), format,
         TO_FD(dprintf, fd, format, PF_REAL(vdprintf)(fd, format, args)))
VARIADIC(__printf_chk, (int flag, const char *format, ...), format,
         TO_STREAM(printf, stdout, format, PF_REAL(__vprintf_chk)(flag, format, args)))
VARIADIC(__fprintf_chk, (FILE * f, int flag, const char *format, ...), format,
         TO_STREAM(fprintf, f, format, PF_REAL(__vfprintf_chk)(f, flag, format, args)))
VARIADIC(__dprintf_chk, (int fd, int flag, const char *format, ...), format,
         TO_FD(dprintf, fd, format, PF_REAL(__vdprintf_chk)(fd, flag, format, args)))

/* To memory: r is the length without a limit, max the limit. */
#define TO_MEMORY(fn, d, max, format, real)                                                        \
    PF_FRAME_SCOPE(t, fn);                                                                         \
    if (t)                                                                                         \
        pf_format_reads(format, args);                                                             \
    r = real;                                                                                      \
    if (t && r >= 0)                                                                               \
    pf_writes(d, pf_least((size_t)r + 1, max))
#define TO_NEW(fn, d, format, real)                                                                \
    PF_FRAME_SCOPE(t, fn);                                                                         \
    if (t)                                                                                         \
        pf_format_reads(format, args);                                                             \
    r = real;                                                                                      \
    if (t && r >= 0) {                                                                             \
        pf_writes(d, sizeof *d);                                                                   \
        pf_writes(*d, (size_t)r + 1);                                                              \
    }

int __vsprintf_chk(char *d, int flag, size_t room, const char *format, va_list args);
int __vsnprintf_chk(char *d, size_t n, int flag, size_t room, const char *format, va_list args);
int __vasprintf_chk(char **d, int flag, const char *format, va_list args);
int __sprintf_chk(char *d, int flag, size_t room, const char *format, ...);
int __snprintf_chk(char *d, size_t n, int flag, size_t room, const char *format, ...);
int __asprintf_chk(char **d, int flag, const char *format, ...);

LISTED(vsprintf, (char *d, const char *format, va_list args),
       TO_MEMORY(vsprintf, d, SIZE_MAX, format, PF_REAL(vsprintf)(d, format, args)))
LISTED(vsnprintf, (char *d, size_t n, const char *format, va_list args),
       TO_MEMORY(vsnprintf, d, n, format, PF_REAL(vsnprintf)(d, n, format, args)))
LISTED(vasprintf, (char **d, const char *format, va_list args),
       TO_NEW(vasprintf, d, format, PF_REAL(vasprintf)(d, format, args)))
LISTED(__vsprintf_chk, (char *d, int flag, size_t room, const char *format, va_list args),
       TO_MEMORY(vsprintf, d, SIZE_MAX, format,
                 PF_REAL(__vsprintf_chk)(d, flag, room, format, args)))
LISTED(__vsnprintf_chk,
       (char *d, size_t n, int flag, size_t room, const char *format, va_list args),
       TO_MEMORY(vsnprintf, d, n, format, PF_REAL(__vsnprintf_chk)(d, n, flag, room, format, args)))
LISTED(__vasprintf_chk, (char **d, int flag, const char *format, va_list args),
       TO_NEW(vasprintf, d, format, PF_REAL(__vasprintf_chk)(d, flag, format, args)))
VARIADIC(sprintf, (char *d, const char *format, ...), format,
         TO_MEMORY(sprintf, d, SIZE_MAX, format, PF_REAL(vsprintf)(d, format, args)))
VARIADIC(snprintf, (char *d, size_t n, const char *format, ...), format,
         TO_MEMORY(snprintf, d, n, format, PF_REAL(vsnprintf)(d, n, format, args)))
VARIADIC(asprintf, (char **d, const char *format, ...), format,
         TO_NEW(asprintf, d, format, PF_REAL(vasprintf)(d, format, args)))
VARIADIC(__sprintf_chk, (char *d, int flag, size_t room, const char *format, ...), format,
         TO_MEMORY(sprintf, d, SIZE_MAX, format,
                   PF_REAL(__vsprintf_chk)(d, flag, room, format, args)))
VARIADIC(__snprintf_chk, (char *d, size_t n, int flag, size_t room, const char *format, ...),
         format,
         TO_MEMORY(snprintf, d, n, format,
                   PF_REAL(__vsnprintf_chk)(d, n, flag, room, format, args)))
VARIADIC(__asprintf_chk, (char **d, int flag, const char *format, ...), format,
         TO_NEW(asprintf, d, format, PF_REAL(__vasprintf_chk)(d, flag, format, args)))

/* Wide, to memory: only the bytes written are checked. */
#define TO_WIDE(fn, d, real)                                                                       \
    PF_FRAME_SCOPE(t, fn);                                                                         \
    r = real;                                                                                      \
    if (t && r >= 0)                                                                               \
    pf_writes(d, ((size_t)r + 1) * sizeof(wchar_t))
LISTED(vswprintf, (wchar_t * d, size_t n, const wchar_t *format, va_list args),
       TO_WIDE(vswprintf, d, PF_REAL(vswprintf)(d, n, format, args)))
VARIADIC(swprintf, (wchar_t * d, size_t n, const wchar_t *format, ...), format,
         TO_WIDE(swprintf, d, PF_REAL(vswprintf)(d, n, format, args)))

/* Wide, to and from streams: only the order is tracked. */
#define TO_WIDE_STREAM(fn, f, real)                                                                \
    PF_STREAM(s, fn, f);                                                                           \
    pf_stream_sends(&s, f);                                                                        \
    r = real
#define FROM_WIDE_STREAM(fn, f, real)                                                              \
    PF_STREAM(s, fn, f);                                                                           \
    r = real;                                                                                      \
    pf_stream_receives(&s, f)

int __vwprintf_chk(int flag, const wchar_t *format, va_list args);
int __vfwprintf_chk(FILE *f, int flag, const wchar_t *format, va_list args);
int __wprintf_chk(int flag, const wchar_t *format, ...);
int __fwprintf_chk(FILE *f, int flag, const wchar_t *format, ...);
LISTED(vwprintf, (const wchar_t *format, va_list args),
       TO_WIDE_STREAM(vwprintf, stdout, PF_REAL(vwprintf)(format, args)))
LISTED(vfwprintf, (FILE * f, const wchar_t *format, va_list args),
       TO_WIDE_STREAM(vfwprintf, f, PF_REAL(vfwprintf)(f, format, args)))
LISTED(__vwprintf_chk, (int flag, const wchar_t *format, va_list args),
       TO_WIDE_STREAM(vwprintf, stdout, PF_REAL(__vwprintf_chk)(flag, format, args)))
LISTED(__vfwprintf_chk, (FILE * f, int flag, const wchar_t *format, va_list args),
       TO_WIDE_STREAM(vfwprintf, f, PF_REAL(__vfwprintf_chk)(f, flag, format, args)))
VARIADIC(wprintf, (const wchar_t *format, ...), format,
         TO_WIDE_STREAM(wprintf, stdout, PF_REAL(vwprintf)(format, args)))
VARIADIC(fwprintf, (FILE * f, const wchar_t *format, ...), format,
         TO_WIDE_STREAM(fwprintf, f, PF_REAL(vfwprintf)(f, format, args)))
VARIADIC(__wprintf_chk, (int flag, const wchar_t *format, ...), format,
         TO_WIDE_STREAM(wprintf, stdout, PF_REAL(__vwprintf_chk)(flag, format, args)))
VARIADIC(__fwprintf_chk, (FILE * f, int flag, const wchar_t *format, ...), format,
         TO_WIDE_STREAM(fwprintf, f, PF_REAL(__vfwprintf_chk)(f, flag, format, args)))
#define SCANS_WIDE(vwscanf_, vfwscanf_, wscanf_, fwscanf_)                                         \
    LISTED(vwscanf_, (const wchar_t *format, va_list args),                                        \
           FROM_WIDE_STREAM(vwscanf, stdin, PF_REAL(vwscanf_)(format, args)))                      \
    LISTED(vfwscanf_, (FILE * f, const wchar_t *format, va_list args),                             \
           FROM_WIDE_STREAM(vfwscanf, f, PF_REAL(vfwscanf_)(f, format, args)))                     \
    VARIADIC(wscanf_, (const wchar_t *format, ...), format,                                        \
             FROM_WIDE_STREAM(wscanf, stdin, PF_REAL(vwscanf_)(format, args)))                     \
    VARIADIC(fwscanf_, (FILE * f, const wchar_t *format, ...), format,                             \
             FROM_WIDE_STREAM(fwscanf, f, PF_REAL(vfwscanf_)(f, format, args)))
int __isoc99_vwscanf(const wchar_t *format, va_list args);
int __isoc99_vfwscanf(FILE *f, const wchar_t *format, va_list args);
int __isoc99_wscanf(const wchar_t *format, ...);
int __isoc99_fwscanf(FILE *f, const wchar_t *format, ...);
SCANS_WIDE(vwscanf, vfwscanf, wscanf, fwscanf)
SCANS_WIDE(__isoc99_vwscanf, __isoc99_vfwscanf, __isoc99_wscanf, __isoc99_fwscanf)

/* Input. */
#define FROM_STREAM(fn, f, format, real)                                                           \
    PF_STREAM(s, fn, f);                                                                           \
    va_list again;                                                                                 \
    va_copy(again, args);                                                                          \
    r = real;                                                                                      \
    pf_stream_receives(&s, f);                                                                     \
    if (s.t)                                                                                       \
        pf_format_writes(format, again, r);                                                        \
    va_end(again)
#define FROM_TEXT(fn, text, format, real)                                                          \
    PF_FRAME_SCOPE(t, fn);                                                                         \
    va_list again;                                                                                 \
    va_copy(again, args);                                                                          \
    r = real;                                                                                      \
    if (t) {                                                                                       \
        pf_reads_string(text);                                                                     \
        pf_format_writes(format, again, r);                                                        \
    }                                                                                              \
    va_end(again)

#define SCANS(vscanf_, vfscanf_, vsscanf_, scanf_, fscanf_, sscanf_)                               \
    LISTED(vscanf_, (const char *format, va_list args),                                            \
           FROM_STREAM(vscanf, stdin, format, PF_REAL(vscanf_)(format, args)))                     \
    LISTED(vfscanf_, (FILE * f, const char *format, va_list args),                                 \
           FROM_STREAM(vfscanf, f, format, PF_REAL(vfscanf_)(f, format, args)))                    \
    LISTED(vsscanf_, (const char *text, const char *format, va_list args),                         \
           FROM_TEXT(vsscanf, text, format, PF_REAL(vsscanf_)(text, format, args)))                \
    VARIADIC(scanf_, (const char *format, ...), format,                                            \
             FROM_STREAM(scanf, stdin, format, PF_REAL(vscanf_)(format, args)))                    \
    VARIADIC(fscanf_, (FILE * f, const char *format, ...), format,                                 \
             FROM_STREAM(fscanf, f, format, PF_REAL(vfscanf_)(f, format, args)))                   \
    VARIADIC(sscanf_, (const char *text, const char *format, ...), format,                         \
             FROM_TEXT(sscanf, text, format, PF_REAL(vsscanf_)(text, format, args)))

int __isoc99_vscanf(const char *format, va_list args);
int __isoc99_vfscanf(FILE *f, const char *format, va_list args);
int __isoc99_vsscanf(const char *text, const char *format, va_list args);
int __isoc99_scanf(const char *format, ...);
int __isoc99_fscanf(FILE *f, const char *format, ...);
int __isoc99_sscanf(const char *text, const char *format, ...);
SCANS(vscanf, vfscanf, vsscanf, scanf, fscanf, sscanf)
SCANS(__isoc99_vscanf, __isoc99_vfscanf, __isoc99_vsscanf, __isoc99_scanf, __isoc99_fscanf,
      __isoc99_sscanf)
