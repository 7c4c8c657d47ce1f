/* textbuf.c - see textbuf.h. */
#include "textbuf.h"

size_t pf_str_len(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

bool pf_str_same(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

bool pf_str_starts(const char *s, const char *prefix)
{
    while (*prefix)
        if (*s++ != *prefix++)
            return false;
    return true;
}

void pf_bytes_copy(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

bool pf_bytes_same(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

const char *pf_str_base(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    return base;
}

void pf_text_init(struct pf_text *t, struct pf_pool *pool) { *t = (struct pf_text){.pool = pool}; }

void pf_text_bytes(struct pf_text *t, const char *s, size_t n)
{
    if (t->failed)
        return;
    if (t->cap - t->n < n) {
        size_t cap = t->cap ? t->cap : 2048;
        while (cap - t->n < n)
            cap *= 2;
        char *more = pf_pool_get(t->pool, cap);
        if (!more) {
            t->failed = true;
            return;
        }
        pf_bytes_copy(more, t->at, t->n);
        t->at = more;
        t->cap = cap;
    }
    pf_bytes_copy(t->at + t->n, s, n);
    t->n += n;
}

void pf_text_add(struct pf_text *t, const char *s)
{
    if (s)
        pf_text_bytes(t, s, pf_str_len(s));
}

void pf_text_line(struct pf_text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i], next = i + 1 < n ? (unsigned char)s[i + 1] : 0;
        bool c1 = c == 0xc2 && next >= 0x80 && next < 0xa0; /* U+0080 to U+009F */
        if ((c < 0x20 && c != '\t') || c == 0x7f || c1) {
            pf_text_add(t, "\\x");
            pf_text_hex(t, c1 ? next : c, 2);
            i += c1;
        } else {
            pf_text_bytes(t, s + i, 1);
        }
    }
}

void pf_text_name(struct pf_text *t, const char *s)
{
    size_t n = 0;
    for (; s && *s; s += n) {
        for (n = 0; s[n] && s[n] != '\n' && s[n] != '\t';)
            n++;
        pf_text_line(t, s, n);
        if (s[n])
            pf_text_add(t, s[n++] == '\n' ? "\\n" : "\\t");
    }
}

void pf_text_char(struct pf_text *t, char c) { pf_text_bytes(t, &c, 1); }

void pf_text_u64(struct pf_text *t, uint64_t v)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    pf_text_bytes(t, p, (size_t)(digits + sizeof digits - p));
}

void pf_text_i64(struct pf_text *t, int64_t v)
{
    if (v < 0)
        pf_text_char(t, '-');
    pf_text_u64(t, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void pf_text_hex(struct pf_text *t, uint64_t v, unsigned digits)
{
    char hex[16], *p = hex + sizeof hex;
    do {
        *--p = "0123456789abcdef"[v & 15];
        v >>= 4;
    } while (v || (size_t)(hex + sizeof hex - p) < digits);
    pf_text_bytes(t, p, (size_t)(hex + sizeof hex - p));
}

void pf_text_address(struct pf_text *t, uint64_t v)
{
    pf_text_add(t, "0x");
    pf_text_hex(t, v, 12);
}

/* The length of the well-formed UTF-8 sequence at s; 0 if there is none. Overlong forms,
 * surrogates and code points above U+10FFFF are not well-formed. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    size_t len = s[0] < 0x80   ? 1
                 : s[0] < 0xc2 ? 0
                 : s[0] < 0xe0 ? 2
                 : s[0] < 0xf0 ? 3
                 : s[0] < 0xf5 ? 4
                               : 0;
    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

void pf_text_json_bytes(struct pf_text *t, const char *s, size_t n)
{
    pf_text_char(t, '"');
    for (size_t i = 0; i < n;) {
        unsigned char c = (unsigned char)s[i];
        size_t len = utf8_length((const unsigned char *)s + i, n - i);
        if (len == 0) {
            pf_text_add(t, "\xef\xbf\xbd");
            len = 1;
        } else if (c == '"' || c == '\\') {
            pf_text_char(t, '\\');
            pf_text_char(t, (char)c);
        } else if (c == '\n') {
            pf_text_add(t, "\\n");
        } else if (c == '\t') {
            pf_text_add(t, "\\t");
        } else if (c < 0x20 || c == 0x7f) {
            pf_text_add(t, "\\u");
            pf_text_hex(t, c, 4);
        } else {
            pf_text_bytes(t, s + i, len);
        }
        i += len;
    }
    pf_text_char(t, '"');
}

void pf_text_json(struct pf_text *t, const char *s)
{
    if (s)
        pf_text_json_bytes(t, s, pf_str_len(s));
    else
        pf_text_add(t, "null");
}
