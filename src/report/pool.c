/* pool.c - see pool.h. Each chunk is twice the size of the last, so that large findings need
 * few. */
#include "pool.h"
#include "textbuf.h"

#define CHUNK (64u << 10) /* bytes of the first chunk */

struct pf_pool_chunk {
    struct pf_pool_chunk *older;
    size_t size;
};

static size_t round16(size_t n) { return (n + 15) & ~(size_t)15; }

void pf_pool_init(struct pf_pool *a, void *(*map)(size_t), void (*unmap)(void *, size_t))
{
    *a = (struct pf_pool){.map = map, .unmap = unmap};
}

void pf_pool_release(struct pf_pool *a)
{
    while (a->chunks) {
        struct pf_pool_chunk *c = a->chunks;
        a->chunks = c->older;
        a->unmap(c, c->size);
    }
    a->at = a->end = NULL;
}

static bool grow(struct pf_pool *a, size_t need)
{
    size_t size = a->chunks ? a->chunks->size * 2 : CHUNK;
    size_t head = round16(sizeof(struct pf_pool_chunk));
    if (need > SIZE_MAX / 4)
        return false;
    while (size < need + head)
        size *= 2;
    struct pf_pool_chunk *c = a->map(size);
    if (!c)
        return false;
    *c = (struct pf_pool_chunk){a->chunks, size};
    a->chunks = c;
    a->at = (char *)c + head;
    a->end = (char *)c + size;
    return true;
}

void *pf_pool_get(struct pf_pool *a, size_t size)
{
    size_t n = round16(size);
    if (n < size || ((size_t)(a->end - a->at) < n && !grow(a, n)))
        return NULL;
    char *p = a->at;
    a->at += n;
    for (size_t i = 0; i < size; i++)
        p[i] = 0;
    return p;
}

char *pf_pool_text(struct pf_pool *a, const char *s, size_t n)
{
    char *p = pf_pool_get(a, n + 1);
    if (p)
        pf_bytes_copy(p, s, n);
    return p;
}
