/*
 * wrap_format.c - which arguments a format string makes printf read and scanf write.
 *
 * The arguments are walked on a copy of the argument list, in addition to the real function. The
 * walk ends at anything that is not understood, and at positional arguments (%2$s): accesses may be
 * missed, but none is invented.
 */
#include "wrap_libc.h"
#include <ctype.h>
#include <wchar.h>

enum length { PLAIN, CHAR, SHORT, LONG, LONGLONG, SIZE, MAX, DIFF, LONGDOUBLE };

static size_t length_bytes(enum length l)
{
    switch (l) {
    case CHAR:
        return 1;
    case SHORT:
        return 2;
    case PLAIN:
        return 4;
    default:
        return 8;
    }
}

static const char *parse_length(const char *f, enum length *l)
{
    *l = PLAIN;
    switch (*f) {
    case 'h':
        *l = f[1] == 'h' ? CHAR : SHORT;
        return f + (f[1] == 'h' ? 2 : 1);
    case 'l':
        *l = f[1] == 'l' ? LONGLONG : LONG;
        return f + (f[1] == 'l' ? 2 : 1);
    case 'q':
        *l = LONGLONG;
        return f + 1;
    case 'j':
        *l = MAX;
        return f + 1;
    case 'z':
    case 'Z':
        *l = SIZE;
        return f + 1;
    case 't':
        *l = DIFF;
        return f + 1;
    case 'L':
        *l = LONGDOUBLE;
        return f + 1;
    default:
        return f;
    }
}

/* The character after the next % that begins a conversion; NULL if there is none. */
static const char *next_conversion(const char *f)
{
    for (; *f; f++)
        if (*f == '%' && *++f != '%')
            return f;
    return NULL;
}

enum conversion { INTEGER, FLOATING, CHARACTER, TEXT, POINTER, COUNT, ERROR_TEXT, SET, UNKNOWN };

/* What the last character of a conversion converts. */
static enum conversion conversion_of(char c)
{
    switch (c) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
        return INTEGER;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return FLOATING;
    case 'c':
    case 'C':
        return CHARACTER;
    case 's':
    case 'S':
        return TEXT;
    case 'p':
        return POINTER;
    case 'n':
        return COUNT;
    case 'm':
        return ERROR_TEXT;
    case '[':
        return SET;
    default:
        return UNKNOWN;
    }
}

static bool is_flag(char c)
{
    return c == '-' || c == '+' || c == ' ' || c == '#' || c == '0' || c == '\'' || c == 'I';
}

static const char *parse_number(const char *f, long *out)
{
    long n = 0;
    while (*f >= '0' && *f <= '9')
        n = n * 10 + (*f++ - '0');
    *out = n;
    return f;
}

static void reads_text(const void *s, enum length l, long precision)
{
    if (!s)
        return;
    if (l == LONG) {
        const wchar_t *w = s;
        size_t n = 0;
        while ((precision < 0 || n < (size_t)precision) && w[n])
            n++;
        pf_reads(w, (n + (precision < 0 || n < (size_t)precision)) * sizeof *w);
        return;
    }
    size_t max = precision < 0 ? SIZE_MAX : (size_t)precision;
    size_t n = pf_bounded_length(s, max);
    pf_reads(s, n < max ? n + 1 : n);
}

void pf_format_reads(const char *f, va_list given)
{
    va_list args;
    if (!f)
        return; /* the call fails */
    va_copy(args, given);
    pf_reads_string(f);
    while ((f = next_conversion(f))) {
        long width, precision = -1;
        enum length l;
        while (is_flag(*f))
            f++;
        if (*f == '*') {
            (void)va_arg(args, int);
            f++;
        }
        f = parse_number(f, &width);
        if (*f == '$')
            break;
        if (*f == '.') {
            f++;
            if (*f == '*') {
                precision = va_arg(args, int);
                f++;
            } else {
                f = parse_number(f, &precision);
            }
        }
        f = parse_length(f, &l);
        if (*f == 'C' || *f == 'S')
            l = LONG;
        switch (conversion_of(*f++)) {
        case INTEGER:
            (void)(l == PLAIN || l == CHAR || l == SHORT ? va_arg(args, int) : va_arg(args, long));
            continue;
        case FLOATING:
            if (l == LONGDOUBLE)
                (void)va_arg(args, long double);
            else
                (void)va_arg(args, double);
            continue;
        case CHARACTER:
            (void)va_arg(args, int);
            continue;
        case TEXT:
            reads_text(va_arg(args, void *), l, precision);
            continue;
        case POINTER:
            (void)va_arg(args, void *);
            continue;
        case COUNT:
            pf_writes(va_arg(args, void *), length_bytes(l));
            continue;
        case ERROR_TEXT:
            continue;
        case SET:
        case UNKNOWN:
            goto done;
        }
    }
done:
    va_end(args);
}

/* A set like [^]a-z]: returns the character after it. */
static const char *skip_set(const char *f)
{
    if (*f == '^')
        f++;
    if (*f == ']')
        f++;
    while (*f && *f != ']')
        f++;
    return *f ? f + 1 : f;
}

static void writes_text(void *s, enum length l, bool ended, long width)
{
    size_t each = l == LONG ? sizeof(wchar_t) : 1;
    if (!ended) { /* %5c: exactly that many characters, without a terminating zero */
        pf_writes(s, (size_t)(width ? width : 1) * each);
        return;
    }
    if (l != LONG) {
        pf_writes_string(s);
        return;
    }
    size_t n = 0;
    while (((wchar_t *)s)[n])
        n++;
    pf_writes(s, (n + 1) * each);
}

/* True if there is only white space before the next conversion; that matches any input. */
static bool only_space(const char *f)
{
    while (isspace((unsigned char)*f))
        f++;
    return f[0] == '%' && f[1] != '%';
}

/* A %n is reached for sure if a later conversion was, or if nothing that could fail lies between
 * the last known one and it. */
void pf_format_writes(const char *f, va_list given, int filled)
{
    bool reached = true; /* everything before f was */
    va_list args;
    va_copy(args, given);
    pf_reads_string(f);
    for (const char *end = f; (f = next_conversion(end)); end = f) {
        reached &= only_space(end);
        long width;
        enum length l;
        bool drop = false, own = false;
        for (; *f == '*' || *f == '\'' || *f == 'I'; f++)
            drop |= *f == '*';
        f = parse_number(f, &width);
        if (*f == '$')
            break;
        if (*f == 'm') {
            own = true;
            f++;
        }
        f = parse_length(f, &l);
        if (*f == 'C' || *f == 'S')
            l = LONG;
        enum conversion what = conversion_of(*f);
        f += *f != 0;
        if (what == SET)
            f = skip_set(f);
        if (drop) {
            reached = false;
            continue;
        }
        void *to = va_arg(args, void *);
        if (what == COUNT) {
            if (filled > 0 || (filled == 0 && reached))
                pf_writes(to, length_bytes(l));
            continue;
        }
        if (filled-- <= 0)
            break;
        reached = true;
        if (own) {
            pf_writes(to, sizeof(void *));
            continue;
        }
        switch (what) {
        case INTEGER:
            pf_writes(to, length_bytes(l));
            continue;
        case POINTER:
            pf_writes(to, sizeof(void *));
            continue;
        case FLOATING:
            pf_writes(to, l == LONGDOUBLE ? 16 : l == PLAIN ? 4 : 8);
            continue;
        case CHARACTER:
            writes_text(to, l, false, width);
            continue;
        case TEXT:
        case SET:
            writes_text(to, l, true, width);
            continue;
        case COUNT:
        case ERROR_TEXT:
        case UNKNOWN:
            goto done;
        }
    }
done:
    va_end(args);
}
