/* file_text.c - see file_text.h. */
#include "file_text.h"
#include "sys.h"
#include "textbuf.h"
#include <fcntl.h>

#define PART 4096 /* bytes that are read at once */

char *pf_file_text(struct pf_pool *pool, const char *path, size_t *size)
{
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    struct pf_text t;
    char *part = pf_pool_get(pool, PART); /* the target's stack may be small */
    long r = -1;
    pf_text_init(&t, pool);
    while (part && (r = pf_sys(SYS_read, fd, part, PART)) > 0)
        pf_text_bytes(&t, part, (size_t)r);
    pf_sys(SYS_close, fd);
    pf_text_char(&t, 0);
    *size = t.n - 1;
    return r < 0 || t.failed ? NULL : t.at;
}

uintptr_t pf_maps_hex(const char **s)
{
    uintptr_t v = 0;
    for (;; (*s)++) {
        char c = **s;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return v;
        v = v << 4 | (uintptr_t)digit;
    }
}

const char *pf_maps_path(const char *maps, const void *p, size_t *length, uintptr_t range[2])
{
    for (const char *s = maps; s && *s;) {
        uintptr_t lo = pf_maps_hex(&s);
        s += *s == '-';
        uintptr_t hi = pf_maps_hex(&s);
        const char *end = s;
        while (*end && *end != '\n')
            end++;
        if ((uintptr_t)p >= lo && (uintptr_t)p < hi) {
            while (s < end && *s != '/')
                s++;
            *length = (size_t)(end - s);
            range[0] = lo;
            range[1] = hi;
            return s < end ? s : NULL;
        }
        s = end + (*end == '\n');
    }
    return NULL;
}
