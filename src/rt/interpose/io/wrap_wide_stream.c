/*
 * wrap_wide_stream.c - what wrap_stdio.c does, for wide characters. The formatted functions are in
 * wrap_printf.c.
 */
#include "wrap_stdio.h"
#include <wchar.h>

static size_t bytes_of(const wchar_t *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return (n + 1) * sizeof *text;
}

#define PUTS(fn) PF_SENDS(wint_t, fn, (wchar_t ch, FILE * f), (ch, f))
PUTS(fputwc)
PUTS(putwc)
PUTS(fputwc_unlocked)
PUTS(putwc_unlocked)
#define PUTS_TEXT(fn)                                                                              \
    PF_SENDS(int, fn, (const wchar_t *text, FILE *f), (text, f), pf_reads(text, bytes_of(text)))
PUTS_TEXT(fputws)
PUTS_TEXT(fputws_unlocked)

#define GETS(fn) PF_RECEIVES(wint_t, fn, (FILE * f), (f))
GETS(fgetwc)
GETS(getwc)
GETS(fgetwc_unlocked)
GETS(getwc_unlocked)
#define GETS_TEXT(fn)                                                                              \
    PF_RECEIVES(wchar_t *, fn, (wchar_t * p, int n, FILE *f), (p, n, f),                           \
                if (r) pf_writes(r, bytes_of(r)))
GETS_TEXT(fgetws)
GETS_TEXT(fgetws_unlocked)

#define PUTS_CHARACTER(fn)                                                                         \
    PF_INTERPOSE(wint_t, fn, (wchar_t ch))                                                         \
    {                                                                                              \
        PF_STREAM(s, fn, stdout);                                                                  \
        pf_stream_sends(&s, stdout);                                                               \
        return PF_REAL(fn)(ch);                                                                    \
    }
PUTS_CHARACTER(putwchar)
PUTS_CHARACTER(putwchar_unlocked)
#define GETS_CHARACTER(fn)                                                                         \
    PF_INTERPOSE(wint_t, fn, (void))                                                               \
    {                                                                                              \
        PF_STREAM(s, fn, stdin);                                                                   \
        wint_t r = PF_REAL(fn)();                                                                  \
        pf_stream_receives(&s, stdin);                                                             \
        return r;                                                                                  \
    }
GETS_CHARACTER(getwchar)
GETS_CHARACTER(getwchar_unlocked)
