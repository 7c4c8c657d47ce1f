/*
 * wrap_wide.c - wmem* and wcs*: what wrap_string.c does, for wide characters.
 */
#include "wrap_libc.h"
#include <stdlib.h>
#include <wchar.h>

#define WIDE sizeof(wchar_t)
static size_t length(const wchar_t *s, size_t max)
{
    size_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}
static void reads_wide(const wchar_t *s) { pf_reads(s, (length(s, SIZE_MAX) + 1) * WIDE); }

#define MOVES(fn)                                                                                  \
    PF_INTERPOSE(wchar_t *, fn, (wchar_t * d, const wchar_t *s, size_t n))                         \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, pf_reads(s, n *WIDE); pf_writes(d, n * WIDE));                           \
        return PF_REAL(fn)(d, s, n);                                                               \
    }
MOVES(wmemcpy)
MOVES(wmemmove)
MOVES(wmempcpy)
PF_INTERPOSE(wchar_t *, wmemset, (wchar_t * d, wchar_t c, size_t n))
{
    PF_VISIBLE(wmemset);
    PF_WITH_FRAME(wmemset, pf_writes(d, n * WIDE));
    return PF_REAL(wmemset)(d, c, n);
}
PF_INTERPOSE(wchar_t *, wmemchr, (const wchar_t *s, wchar_t c, size_t n))
{
    PF_VISIBLE(wmemchr);
    wchar_t *hit = PF_REAL(wmemchr)(s, c, n);
    PF_WITH_FRAME(wmemchr, pf_reads(s, (hit ? (size_t)(hit - s) + 1 : n) * WIDE));
    return hit;
}
PF_INTERPOSE(size_t, wcslen, (const wchar_t *s))
{
    PF_VISIBLE(wcslen);
    size_t n = PF_REAL(wcslen)(s);
    PF_WITH_FRAME(wcslen, pf_reads(s, (n + 1) * WIDE));
    return n;
}
PF_INTERPOSE(size_t, wcsnlen, (const wchar_t *s, size_t max))
{
    PF_VISIBLE(wcsnlen);
    size_t n = PF_REAL(wcsnlen)(s, max);
    PF_WITH_FRAME(wcsnlen, pf_reads(s, pf_least(n + 1, max) * WIDE));
    return n;
}

#define FINDS(fn, last)                                                                            \
    PF_INTERPOSE(wchar_t *, fn, (const wchar_t *s, wchar_t c))                                     \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        wchar_t *hit = PF_REAL(fn)(s, c);                                                          \
        PF_WITH_FRAME(fn, size_t n = hit && !last ? (size_t)(hit - s) : length(s, SIZE_MAX);       \
                      pf_reads(s, (n + 1) * WIDE));                                                \
        return hit;                                                                                \
    }
FINDS(wcschr, false)
FINDS(wcsrchr, true)
PF_INTERPOSE(wchar_t *, wcsstr, (const wchar_t *s, const wchar_t *part))
{
    PF_VISIBLE(wcsstr);
    wchar_t *hit = PF_REAL(wcsstr)(s, part);
    PF_WITH_FRAME(wcsstr, size_t m = length(part, SIZE_MAX); pf_reads(part, (m + 1) * WIDE);
                  pf_reads(s, (hit ? (size_t)(hit - s) + m : length(s, SIZE_MAX) + 1) * WIDE));
    return hit;
}

static size_t same(const wchar_t *a, const wchar_t *b, size_t max, bool to_end)
{
    for (size_t i = 0; i < max; i++)
        if (a[i] != b[i] || (to_end && !a[i]))
            return i + 1;
    return max;
}
PF_INTERPOSE(int, wcscmp, (const wchar_t *a, const wchar_t *b))
{
    PF_VISIBLE(wcscmp);
    PF_WITH_FRAME(wcscmp, size_t n = same(a, b, SIZE_MAX, true) * WIDE; pf_reads(a, n);
                  pf_reads(b, n));
    return PF_REAL(wcscmp)(a, b);
}
#define COMPARES_N(fn, to_end)                                                                     \
    PF_INTERPOSE(int, fn, (const wchar_t *a, const wchar_t *b, size_t max))                        \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, size_t n = same(a, b, max, to_end) * WIDE; pf_reads(a, n);               \
                      pf_reads(b, n));                                                             \
        return PF_REAL(fn)(a, b, max);                                                             \
    }
COMPARES_N(wcsncmp, true)
COMPARES_N(wmemcmp, false)

#define COPIES(fn)                                                                                 \
    PF_INTERPOSE(wchar_t *, fn, (wchar_t * d, const wchar_t *s))                                   \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, size_t n = (length(s, SIZE_MAX) + 1) * WIDE; pf_reads(s, n);             \
                      pf_writes(d, n));                                                            \
        return PF_REAL(fn)(d, s);                                                                  \
    }
COPIES(wcscpy)
COPIES(wcpcpy)
#define COPIES_N(fn)                                                                               \
    PF_INTERPOSE(wchar_t *, fn, (wchar_t * d, const wchar_t *s, size_t n))                         \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        PF_WITH_FRAME(fn, pf_reads(s, pf_least(length(s, n) + 1, n) * WIDE);                       \
                      pf_writes(d, n * WIDE));                                                     \
        return PF_REAL(fn)(d, s, n);                                                               \
    }
COPIES_N(wcsncpy)
COPIES_N(wcpncpy)
PF_INTERPOSE(wchar_t *, wcscat, (wchar_t * d, const wchar_t *s))
{
    PF_VISIBLE(wcscat);
    PF_WITH_FRAME(wcscat, size_t at = length(d, SIZE_MAX); reads_wide(s); reads_wide(d);
                  pf_writes(d + at, (length(s, SIZE_MAX) + 1) * WIDE));
    return PF_REAL(wcscat)(d, s);
}
PF_INTERPOSE(wchar_t *, wcsncat, (wchar_t * d, const wchar_t *s, size_t max))
{
    PF_VISIBLE(wcsncat);
    PF_WITH_FRAME(wcsncat, size_t at = length(d, SIZE_MAX); size_t n = length(s, max);
                  pf_reads(s, pf_least(n + 1, max) * WIDE); reads_wide(d);
                  pf_writes(d + at, (n + 1) * WIDE));
    return PF_REAL(wcsncat)(d, s, max);
}
PF_INTERPOSE(wchar_t *, wcsdup, (const wchar_t *s))
{
    PF_FRAME_SCOPE(t, wcsdup);
    wchar_t *d = PF_REAL(wcsdup)(s);
    if (t && d) {
        reads_wide(s);
        pf_writes(d, (length(d, SIZE_MAX) + 1) * WIDE);
    }
    return d;
}

/* Conversions. As many bytes or characters as the result says were stored, and the terminating zero
 * if there was room. `real` is the function with a state, which libc's own one calls, too: it
 * returns where in the source the conversion has stopped (NULL: after its terminating zero). */
#define CONVERTS(fn, real, to, from, reads_all)                                                    \
    PF_INTERPOSE(size_t, fn, (to *restrict d, const from *restrict s, size_t n))                   \
    {                                                                                              \
        PF_VISIBLE(fn);                                                                            \
        mbstate_t state = {0};                                                                     \
        const from *at = s;                                                                        \
        size_t r = real(d, &at, n, &state);                                                        \
        PF_WITH_FRAME(fn, if (d && at) pf_reads(s, (size_t)(at - s) * sizeof(from));               \
                      else reads_all(s);                                                           \
                      if (d && r != (size_t)-1) pf_writes(d, pf_least(r + 1, n) * sizeof(to)));    \
        return r;                                                                                  \
    }
CONVERTS(mbstowcs, mbsrtowcs, wchar_t, char, pf_reads_string)
CONVERTS(wcstombs, wcsrtombs, char, wchar_t, reads_wide)
