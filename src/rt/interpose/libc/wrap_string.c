/*
 * wrap_string.c - mem* and str*: exactly the bytes that their contract reads and writes. A function
 * that may stop early (memcmp, strchr) reads up to where its result was decided.
 *
 * The number of bytes read is mostly known only afterwards: reads are checked after the real call,
 * writes before it. Fortified programs call the variants with a size check (__memcpy_chk); a size
 * that is too small is left to the real function.
 */
#include "missing_call.h"
#include "module.h"
#include "wrap_libc.h"
#include <stdlib.h>

/* The compiler inserts calls of these by itself, also in the runtime, and compiled code has
 * separate entry points for them (wrap_intrinsic.c). In directed mode only calls by name from
 * compiled code count, and while tracing those that a missing call makes, such as std::string in
 * the C++ library. They are not preemption points. */
static bool is_called_by_name(const struct pf_func *native)
{
    const struct pf_frame *caller = __pf_tls.frame - 1;
    if (!pf_self() || !caller->func || !pf_frame_site(caller))
        return false;
    const char *called = pf_rel_str(&pf_func_site(caller->func, pf_frame_site(caller) - 1)->var);
    const char *own = pf_rel_str(&native->name);
    while (called && *called && *called == *own) {
        called++;
        own++;
    }
    return called && *called == *own;
}
/* Directed mode: the call was made neither by name nor by a missing call, and is not an event. */
static inline bool is_unseen(const struct pf_func *native)
{
    uint32_t id;
    return pf_directed() && !is_called_by_name(native) &&
           !(pf_direct.tracing && !__pf_tls.nested && pf_missing_call_runs(&id));
}
#define BASIC(fn, ...)                                                                             \
    if (!is_unseen(&pf_native_##fn))                                                               \
    PF_WITH_FRAME(fn, __VA_ARGS__)

/* Most calls come from a library; in directed mode few of them do more than the call. (Testing
 * whether anything records an access to these bytes would not be faster: the destination was often
 * allocated just now, and its red-zone marks are slow to read while they are being written.) */
#define COPIES_BYTES(fn)                                                                           \
    if (is_unseen(&pf_native_##fn) && real_##fn)                                                   \
        return real_##fn(d, s, n);                                                                 \
    PF_WITH_FRAME(fn, pf_reads(s, n); pf_writes(d, n));                                            \
    return PF_REAL(fn)(d, s, n)
PF_INTERPOSE_HOT(void *, memcpy, (void *restrict d, const void *restrict s, size_t n))
{
    COPIES_BYTES(memcpy);
}
PF_INTERPOSE_HOT(void *, memmove, (void *d, const void *s, size_t n)) { COPIES_BYTES(memmove); }
PF_INTERPOSE_HOT(void *, mempcpy, (void *restrict d, const void *restrict s, size_t n))
{
    PF_VISIBLE(mempcpy);
    PF_WITH_FRAME(mempcpy, pf_reads(s, n); pf_writes(d, n));
    return PF_REAL(mempcpy)(d, s, n);
}
PF_INTERPOSE_HOT(void *, memset, (void *d, int byte, size_t n))
{
    BASIC(memset, pf_writes(d, n));
    return PF_REAL(memset)(d, byte, n);
}
PF_INTERPOSE_HOT(void, bzero, (void *d, size_t n))
{
    PF_VISIBLE(bzero);
    PF_WITH_FRAME(bzero, pf_writes(d, n));
    PF_REAL(bzero)(d, n);
}
PF_INTERPOSE_HOT(void, explicit_bzero, (void *d, size_t n))
{
    PF_VISIBLE(explicit_bzero);
    PF_WITH_FRAME(explicit_bzero, pf_writes(d, n));
    PF_REAL(explicit_bzero)(d, n);
}
PF_INTERPOSE_HOT(void, bcopy, (const void *s, void *d, size_t n))
{
    PF_VISIBLE(bcopy);
    PF_WITH_FRAME(bcopy, pf_reads(s, n); pf_writes(d, n));
    PF_REAL(bcopy)(s, d, n);
}
PF_INTERPOSE_HOT(void *, memccpy, (void *restrict d, const void *restrict s, int c, size_t n))
{
    PF_VISIBLE(memccpy);
    void *end = PF_REAL(memccpy)(d, s, c, n);
    size_t done = end ? (size_t)((char *)end - (char *)d) : n;
    PF_WITH_FRAME(memccpy, pf_reads(s, done); pf_writes(d, done));
    return end;
}

/* The number of bytes up to the first difference. */
static size_t same_bytes(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        typedef uint64_t word __attribute__((aligned(1), may_alias));
        uint64_t differs = *(const word *)(x + i) ^ *(const word *)(y + i);
        if (differs)
            return i + (size_t)__builtin_ctzll(differs) / 8;
    }
    while (i < n && x[i] == y[i])
        i++;
    return i;
}
static void compared(struct pf_func *native, const void *a, const void *b, size_t n,
                     const void *caller)
{
    struct pf_frame *top = __pf_tls.frame;
    pf_stack_push_from(native, caller);
    pf_reads(a, n);
    pf_reads(b, n);
    __pf_tls.frame = top;
}
/* Programs call these at every step down a tree: if nothing records the accesses, they jump to the
 * real function. */
#define COMPARES_BYTES(fn)                                                                         \
    static int fn##_recorded(const void *a, const void *b, size_t n, const void *caller);          \
    PF_INTERPOSE_HOT(int, fn, (const void *a, const void *b, size_t n))                            \
    {                                                                                              \
        if (__builtin_expect(                                                                      \
                pf_access_is_unobserved(a, n) && pf_access_is_unobserved(b, n) && real_##fn, 1) && \
            pf_visible_without_switch(&pf_native_##fn))                                            \
            return real_##fn(a, b, n);                                                             \
        return fn##_recorded(a, b, n, __builtin_return_address(0));                                \
    }                                                                                              \
    static __attribute__((noinline)) int fn##_recorded(const void *a, const void *b, size_t n,     \
                                                       const void *caller)                         \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        int r = PF_REAL(fn)(a, b, n);                                                              \
        if (pf_access_is_unobserved(a, n) && pf_access_is_unobserved(b, n))                        \
            return r;                                                                              \
        if (pf_self() && pf_watching() && !pf_is_self_ordered(caller))                             \
            compared(&pf_native_##fn, a, b, r ? pf_least(same_bytes(a, b, n) + 1, n) : n, caller); \
        return r;                                                                                  \
    }
COMPARES_BYTES(memcmp)
COMPARES_BYTES(bcmp)

/* memchr(s, c, n) reads up to the hit, or everything. */
PF_INTERPOSE_HOT(void *, memchr, (const void *s, int c, size_t n))
{
    PF_VISIBLE(memchr);
    void *hit = PF_REAL(memchr)(s, c, n);
    PF_WITH_FRAME(memchr, pf_reads(s, hit ? (size_t)((char *)hit - (const char *)s) + 1 : n));
    return hit;
}
PF_INTERPOSE_HOT(void *, rawmemchr, (const void *s, int c))
{
    PF_VISIBLE(rawmemchr);
    void *hit = PF_REAL(rawmemchr)(s, c);
    PF_WITH_FRAME(rawmemchr, pf_reads(s, (size_t)((char *)hit - (const char *)s) + 1));
    return hit;
}
PF_INTERPOSE_HOT(void *, memrchr, (const void *s, int c, size_t n))
{
    PF_VISIBLE(memrchr);
    void *hit = PF_REAL(memrchr)(s, c, n);
    const char *from = hit ? hit : s;
    PF_WITH_FRAME(memrchr, pf_reads(from, (size_t)((const char *)s + n - from)));
    return hit;
}
PF_INTERPOSE_HOT(void *, memmem, (const void *s, size_t n, const void *part, size_t m))
{
    PF_VISIBLE(memmem);
    void *hit = PF_REAL(memmem)(s, n, part, m);
    PF_WITH_FRAME(memmem, pf_reads(s, hit ? (size_t)((char *)hit - (const char *)s) + m : n);
                  pf_reads(part, m));
    return hit;
}

PF_INTERPOSE_HOT(size_t, strlen, (const char *s))
{
    PF_VISIBLE(strlen);
    size_t n = PF_REAL(strlen)(s);
    PF_WITH_FRAME(strlen, pf_reads(s, n + 1));
    return n;
}
PF_INTERPOSE_HOT(size_t, strnlen, (const char *s, size_t max))
{
    PF_VISIBLE(strnlen);
    size_t n = PF_REAL(strnlen)(s, max);
    PF_WITH_FRAME(strnlen, pf_reads(s, pf_least(n + 1, max)));
    return n;
}
size_t pf_bounded_length(const char *s, size_t max) { return PF_REAL(strnlen)(s, max); }
#define LENGTH(s) PF_REAL(strlen)(s)

/* strchr and the like read up to the hit, or the whole string. */
#define FINDS_CHAR(fn)                                                                             \
    PF_INTERPOSE_HOT(char *, fn, (const char *s, int c))                                           \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        char *hit = PF_REAL(fn)(s, c);                                                             \
        PF_WITH_FRAME(fn, pf_reads(s, (hit ? (size_t)(hit - s) : LENGTH(s)) + 1));                 \
        return hit;                                                                                \
    }
FINDS_CHAR(strchr)
FINDS_CHAR(index)
FINDS_CHAR(strchrnul)
/* strrchr reads up to the end. */
#define FINDS_LAST(fn)                                                                             \
    PF_INTERPOSE_HOT(char *, fn, (const char *s, int c))                                           \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, pf_reads_string(s));                                                     \
        return PF_REAL(fn)(s, c);                                                                  \
    }
FINDS_LAST(strrchr)
FINDS_LAST(rindex)

#define FINDS_PART(fn)                                                                             \
    PF_INTERPOSE_HOT(char *, fn, (const char *s, const char *part))                                \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        char *hit = PF_REAL(fn)(s, part);                                                          \
        PF_WITH_FRAME(fn, size_t m = LENGTH(part); pf_reads(part, m + 1);                          \
                      pf_reads(s, hit ? (size_t)(hit - s) + m : LENGTH(s) + 1));                   \
        return hit;                                                                                \
    }
FINDS_PART(strstr)
FINDS_PART(strcasestr)

#define SPANS(fn)                                                                                  \
    PF_INTERPOSE_HOT(size_t, fn, (const char *s, const char *set))                                 \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        size_t n = PF_REAL(fn)(s, set);                                                            \
        PF_WITH_FRAME(fn, pf_reads(s, n + 1); pf_reads_string(set));                               \
        return n;                                                                                  \
    }
SPANS(strspn)
SPANS(strcspn)
PF_INTERPOSE_HOT(char *, strpbrk, (const char *s, const char *set))
{
    PF_VISIBLE(strpbrk);
    char *hit = PF_REAL(strpbrk)(s, set);
    PF_WITH_FRAME(strpbrk, pf_reads(s, (hit ? (size_t)(hit - s) : LENGTH(s)) + 1);
                  pf_reads_string(set));
    return hit;
}

/* The number of characters up to and including the first difference or the end; fold: ignoring
 * case. */
static size_t same_chars(const char *a, const char *b, size_t max, bool fold)
{
    size_t i = 0;
    for (; i < max; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (fold && x - 'A' < 26u)
            x += 'a' - 'A';
        if (fold && y - 'A' < 26u)
            y += 'a' - 'A';
        if (x != y || !x)
            return i + 1;
    }
    return i;
}
#define COMPARES(fn, fold)                                                                         \
    PF_INTERPOSE_HOT(int, fn, (const char *a, const char *b))                                      \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, size_t n = same_chars(a, b, SIZE_MAX, fold); pf_reads(a, n);             \
                      pf_reads(b, n));                                                             \
        return PF_REAL(fn)(a, b);                                                                  \
    }
#define COMPARES_N(fn, fold)                                                                       \
    PF_INTERPOSE_HOT(int, fn, (const char *a, const char *b, size_t max))                          \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, size_t n = same_chars(a, b, max, fold); pf_reads(a, n); pf_reads(b, n)); \
        return PF_REAL(fn)(a, b, max);                                                             \
    }
COMPARES(strcmp, false)
COMPARES(strcasecmp, true)
COMPARES_N(strncmp, false)
COMPARES_N(strncasecmp, true)
/* The order depends on the locale: both strings are read completely. */
PF_INTERPOSE_HOT(int, strcoll, (const char *a, const char *b))
{
    PF_VISIBLE(strcoll);
    PF_WITH_FRAME(strcoll, pf_reads_string(a); pf_reads_string(b));
    return PF_REAL(strcoll)(a, b);
}
PF_INTERPOSE_HOT(size_t, strxfrm, (char *restrict d, const char *restrict s, size_t n))
{
    PF_VISIBLE(strxfrm);
    size_t r = PF_REAL(strxfrm)(d, s, n);
    PF_WITH_FRAME(strxfrm, pf_reads_string(s); pf_writes(d, pf_least(r + 1, n)));
    return r;
}

#define COPIES(fn)                                                                                 \
    PF_INTERPOSE_HOT(char *, fn, (char *restrict d, const char *restrict s))                       \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, size_t n = LENGTH(s) + 1; pf_reads(s, n); pf_writes(d, n));              \
        return PF_REAL(fn)(d, s);                                                                  \
    }
COPIES(strcpy)
COPIES(stpcpy)
/* The rest of the destination is filled with zeroes. */
#define COPIES_N(fn)                                                                               \
    PF_INTERPOSE_HOT(char *, fn, (char *restrict d, const char *restrict s, size_t n))             \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, pf_reads(s, pf_least(pf_bounded_length(s, n) + 1, n)); pf_writes(d, n)); \
        return PF_REAL(fn)(d, s, n);                                                               \
    }
COPIES_N(strncpy)
COPIES_N(stpncpy)
PF_INTERPOSE_HOT(char *, strcat, (char *restrict d, const char *restrict s))
{
    PF_VISIBLE(strcat);
    PF_WITH_FRAME(strcat, size_t n = LENGTH(s) + 1; size_t at = LENGTH(d); pf_reads(s, n);
                  pf_reads(d, at + 1); pf_writes(d + at, n));
    return PF_REAL(strcat)(d, s);
}
PF_INTERPOSE_HOT(char *, strncat, (char *restrict d, const char *restrict s, size_t max))
{
    PF_VISIBLE(strncat);
    PF_WITH_FRAME(strncat, size_t n = pf_bounded_length(s, max); size_t at = LENGTH(d);
                  pf_reads(s, pf_least(n + 1, max)); pf_reads(d, at + 1); pf_writes(d + at, n + 1));
    return PF_REAL(strncat)(d, s, max);
}

/* libc makes the copy: its block is new, and its bytes are written here. */
PF_INTERPOSE_HOT(char *, strdup, (const char *s))
{
    PF_FRAME_SCOPE(t, strdup);
    char *d = PF_REAL(strdup)(s);
    if (t && d) {
        pf_reads_string(s);
        pf_writes_string(d);
    }
    return d;
}
PF_INTERPOSE_HOT(char *, strndup, (const char *s, size_t max))
{
    PF_FRAME_SCOPE(t, strndup);
    char *d = PF_REAL(strndup)(s, max);
    if (t && d) {
        pf_reads(s, pf_least(pf_bounded_length(s, max) + 1, max));
        pf_writes_string(d);
    }
    return d;
}

/* strtok accesses the skipped delimiters, the token, and the zero that it writes after it. */
PF_REAL_EXTERN(strtok_r);
static char *next_token(struct pf_thread *t, char *s, const char *set, char **at)
{
    if (!t)
        return PF_REAL(strtok_r)(s, set, at);
    if (!s)
        pf_reads(at, sizeof *at);
    char *from = s ? s : *at, *token = PF_REAL(strtok_r)(s, set, at);
    pf_reads_string(set);
    pf_writes(at, sizeof *at);
    if (token) {
        char *end = token + LENGTH(token);
        pf_reads(from, (size_t)(end - from) + 1);
        if (*at != end)
            pf_writes(end, 1);
    } else if (from) {
        pf_reads_string(from);
    }
    return token;
}
PF_INTERPOSE_HOT(char *, strtok_r, (char *restrict s, const char *restrict set, char **restrict at))
{
    PF_FRAME_SCOPE(t, strtok_r);
    return next_token(t, s, set, at);
}
PF_INTERPOSE_HOT(char *, strtok, (char *restrict s, const char *restrict set))
{
    static char *at; /* one for the process, by contract */
    PF_FRAME_SCOPE(t, strtok);
    return next_token(t, s, set, &at);
}
PF_INTERPOSE_HOT(char *, strsep, (char **restrict at, const char *restrict set))
{
    PF_VISIBLE(strsep);
    char *from = *at, *token = PF_REAL(strsep)(at, set);
    PF_WITH_FRAME(
        strsep, if (!from) pf_reads(at, sizeof *at); else {
            size_t n = LENGTH(token);
            pf_reads_string(set);
            pf_writes(at, sizeof *at);
            pf_reads(from, n + 1);
            if (*at)
                pf_writes(from + n, 1);
        });
    return token;
}

/* Fortified variants. */
#define CHECKED(result, fn, plain, parameters, arguments, ...)                                     \
    result fn parameters;                                                                          \
    PF_INTERPOSE_HOT(result, fn, parameters)                                                       \
    {                                                                                              \
        PF_VISIBLE(plain);                                                                         \
        PF_WITH_FRAME(plain, __VA_ARGS__);                                                         \
        return PF_REAL(fn) arguments;                                                              \
    }
#define COPY_CHECKED(fn, plain)                                                                    \
    CHECKED(                                                                                       \
        void *, fn, plain, (void *d, const void *s, size_t n, size_t room), (d, s, n, room),       \
        if (n <= room) {                                                                           \
            pf_reads(s, n);                                                                        \
            pf_writes(d, n);                                                                       \
        })
COPY_CHECKED(__memcpy_chk, memcpy)
COPY_CHECKED(__memmove_chk, memmove)
COPY_CHECKED(__mempcpy_chk, mempcpy)
CHECKED(void *, __memset_chk, memset, (void *d, int c, size_t n, size_t room), (d, c, n, room),
        if (n <= room) pf_writes(d, n))
#define STRCPY_CHECKED(fn, plain)                                                                  \
    CHECKED(                                                                                       \
        char *, fn, plain, (char *d, const char *s, size_t room), (d, s, room),                    \
        size_t n = LENGTH(s) + 1;                                                                  \
        if (n <= room) {                                                                           \
            pf_reads(s, n);                                                                        \
            pf_writes(d, n);                                                                       \
        })
STRCPY_CHECKED(__strcpy_chk, strcpy)
STRCPY_CHECKED(__stpcpy_chk, stpcpy)
#define STRNCPY_CHECKED(fn, plain)                                                                 \
    CHECKED(                                                                                       \
        char *, fn, plain, (char *d, const char *s, size_t n, size_t room), (d, s, n, room),       \
        if (n <= room) {                                                                           \
            pf_reads(s, pf_least(pf_bounded_length(s, n) + 1, n));                                 \
            pf_writes(d, n);                                                                       \
        })
STRNCPY_CHECKED(__strncpy_chk, strncpy)
STRNCPY_CHECKED(__stpncpy_chk, stpncpy)
CHECKED(
    char *, __strcat_chk, strcat, (char *d, const char *s, size_t room), (d, s, room),
    size_t n = LENGTH(s) + 1;
    size_t at = LENGTH(d); if (at + n <= room) {
        pf_reads(s, n);
        pf_reads(d, at + 1);
        pf_writes(d + at, n);
    })
CHECKED(
    char *, __strncat_chk, strncat, (char *d, const char *s, size_t max, size_t room),
    (d, s, max, room), size_t n = pf_bounded_length(s, max);
    size_t at = LENGTH(d); if (at + n + 1 <= room) {
        pf_reads(s, pf_least(n + 1, max));
        pf_reads(d, at + 1);
        pf_writes(d + at, n + 1);
    })
