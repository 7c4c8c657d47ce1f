/*
 * wrap_stdio.c - streams: opening and closing, bytes, lines, blocks, and the lock of a FILE.
 */
#include "wrap_stdio.h"
#include <stdlib.h>
#include <wchar.h>

/* The lock of a FILE is a recursive lock of the target. */
PF_INTERPOSE(void, flockfile, (FILE * f))
{
    PF_CALL(c, flockfile);
    if (!c.t) {
        PF_REAL(flockfile)(f);
        return;
    }
    (void)PF_BLOCKING(c, (PF_REAL(flockfile)(f), 0));
    pf_lock_taken(c.t, f, PF_LOCK_RECURSIVE, pf_call_id(&c, PF_NATIVE_CALL));
}
PF_INTERPOSE(int, ftrylockfile, (FILE * f))
{
    PF_CALL(c, ftrylockfile);
    int r = PF_REAL(ftrylockfile)(f);
    if (c.t && r == 0)
        pf_lock_taken(c.t, f, PF_LOCK_RECURSIVE, pf_call_id(&c, PF_NATIVE_CALL));
    return r;
}
PF_INTERPOSE(void, funlockfile, (FILE * f))
{
    PF_CALL(c, funlockfile);
    if (c.t)
        pf_lock_dropping(c.t, f);
    PF_REAL(funlockfile)(f);
}

struct pf_stdio pf_stream_enter(struct pf_func *native, FILE *f, const void *caller)
{
    struct pf_frame_scope frame = pf_frame_scope_enter(native, caller);
    struct pf_stdio s = {frame.t, NULL, frame};
    if (s.t && pf_stream_fd(f) < 0) {
        PF_REAL(flockfile)(f);
        s.locked = f;
        pf_order_unnested(s.t, pf_hb_acquire, f);
    }
    return s;
}
/* Tells directed mode what is in the buffer of standard output or standard error, if it asks for
 * the stack that prints a certain byte. */
static void tell_buffered(const struct pf_stdio *s)
{
    int fd = s->t && pf_directed() ? pf_output_wanted_stream() : -1;
    const FILE *f = fd == 1 ? stdout : fd == 2 ? stderr : NULL;
    if (__builtin_expect(f != NULL, 0))
        pf_output_buffered((uint64_t)(f->_IO_write_ptr - f->_IO_write_base));
}

void pf_stream_leave(struct pf_stdio *s)
{
    tell_buffered(s);
    if (s->locked) {
        pf_order_unnested(s->t, pf_hb_release, s->locked);
        PF_REAL(funlockfile)(s->locked);
    }
    pf_frame_scope_leave(&s->frame);
}

#define OPENS(fn, parameters, arguments, ...)                                                      \
    PF_INTERPOSE(FILE *, fn, parameters)                                                           \
    {                                                                                              \
        PF_FRAME_SCOPE(t, fn);                                                                     \
        if (t) {                                                                                   \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return PF_REAL(fn) arguments;                                                              \
    }
OPENS(fopen, (const char *path, const char *mode), (path, mode), pf_reads_path(path);
      pf_reads_string(mode))
OPENS(fopen64, (const char *path, const char *mode), (path, mode), pf_reads_path(path);
      pf_reads_string(mode))
OPENS(fdopen, (int fd, const char *mode), (fd, mode), pf_reads_string(mode))
OPENS(popen, (const char *command, const char *mode), (command, mode), pf_reads_string(command);
      pf_reads_string(mode))

/* Closing a stream closes its descriptor; a stream without one may call functions of the target.
 * Its lock cannot be held here, because the stream is freed. */
static void closing(struct pf_thread *t, FILE *f)
{
    int fd = pf_stream_fd(f);
    if (fd >= 0)
        pf_fd_end_unnested(t, fd);
    else
        pf_order_unnested(t, pf_hb_acquire, f);
}
PF_INTERPOSE(int, fclose, (FILE * f))
{
    PF_FRAME_SCOPE(t, fclose);
    if (t)
        closing(t, f);
    return PF_REAL(fclose)(f);
}
PF_INTERPOSE(int, pclose, (FILE * f))
{
    PF_FRAME_SCOPE(t, pclose);
    if (t)
        closing(t, f);
    return PF_REAL(pclose)(f);
}
#define REOPENS(fn)                                                                                \
    PF_INTERPOSE(FILE *, fn, (const char *path, const char *mode, FILE *f))                        \
    {                                                                                              \
        PF_FRAME_SCOPE(t, fn);                                                                     \
        if (t) {                                                                                   \
            pf_reads_path(path);                                                                   \
            closing(t, f);                                                                         \
        }                                                                                          \
        return PF_REAL(fn)(path, mode, f);                                                         \
    }
REOPENS(freopen)
REOPENS(freopen64)
#define FLUSHES(fn)                                                                                \
    PF_INTERPOSE(int, fn, (FILE * f))                                                              \
    {                                                                                              \
        struct pf_thread *t = pf_self();                                                           \
        if (!f && t) /* all streams */                                                             \
            pf_fd_send_all_unnested(t);                                                            \
        if (!f || !t)                                                                              \
            return PF_REAL(fn)(f);                                                                 \
        PF_STREAM(s, fn, f);                                                                       \
        pf_stream_sends(&s, f);                                                                    \
        return PF_REAL(fn)(f);                                                                     \
    }
FLUSHES(fflush)
FLUSHES(fflush_unlocked)

PF_SENDS(size_t, fwrite, (const void *p, size_t each, size_t n, FILE *f), (p, each, n, f),
         pf_reads(p, each *n))
PF_SENDS(size_t, fwrite_unlocked, (const void *p, size_t each, size_t n, FILE *f), (p, each, n, f),
         pf_reads(p, each *n))
PF_SENDS(int, fputs, (const char *text, FILE *f), (text, f), pf_reads_string(text))
PF_SENDS(int, fputs_unlocked, (const char *text, FILE *f), (text, f), pf_reads_string(text))
PF_SENDS(int, fputc, (int ch, FILE *f), (ch, f))
PF_SENDS(int, putc, (int ch, FILE *f), (ch, f))
PF_SENDS(int, fputc_unlocked, (int ch, FILE *f), (ch, f))
PF_SENDS(int, putc_unlocked, (int ch, FILE *f), (ch, f))
/* putc_unlocked is inlined up to this call. */
PF_SENDS(int, __overflow, (FILE * f, int ch), (f, ch))
PF_INTERPOSE(int, puts, (const char *text))
{
    PF_STREAM(s, puts, stdout);
    if (s.t)
        pf_reads_string(text);
    pf_stream_sends(&s, stdout);
    return PF_REAL(puts)(text);
}
#define PUTS_CHARACTER(fn)                                                                         \
    PF_INTERPOSE(int, fn, (int ch))                                                                \
    {                                                                                              \
        PF_STREAM(s, fn, stdout);                                                                  \
        pf_stream_sends(&s, stdout);                                                               \
        return PF_REAL(fn)(ch);                                                                    \
    }
PUTS_CHARACTER(putchar)
PUTS_CHARACTER(putchar_unlocked)
PF_INTERPOSE(void, perror, (const char *text))
{
    PF_FRAME_SCOPE(t, perror);
    if (t)
        pf_reads_string(text);
    PF_REAL(perror)(text);
}

PF_RECEIVES(size_t, fread, (void *p, size_t each, size_t n, FILE *f), (p, each, n, f),
            pf_writes(p, each *r))
PF_RECEIVES(size_t, fread_unlocked, (void *p, size_t each, size_t n, FILE *f), (p, each, n, f),
            pf_writes(p, each *r))
PF_RECEIVES(char *, fgets, (char *p, int n, FILE *f), (p, n, f), pf_writes_string(r))
PF_RECEIVES(char *, fgets_unlocked, (char *p, int n, FILE *f), (p, n, f), pf_writes_string(r))
PF_RECEIVES(int, fgetc, (FILE * f), (f))
PF_RECEIVES(int, getc, (FILE * f), (f))
PF_RECEIVES(int, fgetc_unlocked, (FILE * f), (f))
PF_RECEIVES(int, getc_unlocked, (FILE * f), (f))
/* getc_unlocked is inlined up to this call. */
PF_RECEIVES(int, __uflow, (FILE * f), (f))
#define GETS_CHARACTER(fn)                                                                         \
    PF_INTERPOSE(int, fn, (void))                                                                  \
    {                                                                                              \
        PF_STREAM(s, fn, stdin);                                                                   \
        int r = PF_REAL(fn)();                                                                     \
        pf_stream_receives(&s, stdin);                                                             \
        return r;                                                                                  \
    }
GETS_CHARACTER(getchar)
GETS_CHARACTER(getchar_unlocked)

/* A line into a buffer that grows: the target's block may be freed here and a new one allocated. */
static ssize_t line_read(struct pf_stdio *s, FILE *f, char **line, size_t *room, char *was,
                         ssize_t n)
{
    pf_stream_receives(s, f);
    if (s->t) {
        pf_reads(line, sizeof *line);
        pf_reads(room, sizeof *room);
        if (*line != was) {
            pf_writes(line, sizeof *line);
            pf_writes(room, sizeof *room);
        }
        if (n >= 0)
            pf_writes(*line, (size_t)n + 1);
    }
    return n;
}
PF_INTERPOSE(ssize_t, getline, (char **line, size_t *room, FILE *f))
{
    if (!line || !room)
        return PF_REAL(getline)(line, room, f); /* fails */
    PF_STREAM(s, getline, f);
    char *was = *line;
    return line_read(&s, f, line, room, was, PF_REAL(getline)(line, room, f));
}
#define READS_UNTIL(fn)                                                                            \
    PF_INTERPOSE(ssize_t, fn, (char **line, size_t *room, int end, FILE *f))                       \
    {                                                                                              \
        if (!line || !room)                                                                        \
            return PF_REAL(fn)(line, room, end, f);                                                \
        PF_STREAM(s, fn, f);                                                                       \
        char *was = *line;                                                                         \
        return line_read(&s, f, line, room, was, PF_REAL(fn)(line, room, end, f));                 \
    }
READS_UNTIL(getdelim)
READS_UNTIL(__getdelim)

/* Fortified variants. */
#define CHECKED(result, fn, plain, parameters, arguments, ...)                                     \
    result fn parameters;                                                                          \
    PF_REAL_DEFINE(fn, NULL);                                                                      \
    PF_INTERCEPTOR_NAME(fn);                                                                       \
    PF_EXPORT __attribute__((weak)) result fn parameters PF_RECEIVING(result, fn, plain,           \
                                                                      arguments, __VA_ARGS__)
CHECKED(size_t, __fread_chk, fread, (void *p, size_t room, size_t each, size_t n, FILE *f),
        (p, room, each, n, f), pf_writes(p, each *r))
CHECKED(char *, __fgets_chk, fgets, (char *p, size_t room, int n, FILE *f), (p, room, n, f),
        pf_writes_string(r))
