/*
 * ptrmap.c - the hash map from pointers to 64-bit values; see ptrmap.h.
 */
#include "ptrmap.h"
#include <stdio.h>
#include <string.h>

static void *check(void *p)
{
    if (!p) {
        fputs("pf cc: out of memory\n", stderr);
        abort();
    }
    return p;
}

void *pf_grow(void *p, size_t bytes) { return check(realloc(p, bytes ? bytes : 1)); }
void *pf_zeroed(size_t n, size_t size) { return check(calloc(n ? n : 1, size)); }
char *pf_copy_string(const char *s) { return check(strdup(s)); }

void pf_ptrmap_release(struct pf_ptrmap *m)
{
    free(m->keys);
    free(m->values);
    *m = (struct pf_ptrmap){0};
}

static size_t slot_of(const struct pf_ptrmap *m, const void *key)
{
    size_t i = ((uintptr_t)key * 0x9e3779b97f4a7c15ull >> 20) & (m->size - 1);
    while (m->keys[i] && m->keys[i] != key)
        i = (i + 1) & (m->size - 1);
    return i;
}

uint64_t *pf_ptrmap_find(const struct pf_ptrmap *m, const void *key)
{
    if (!m->size || !key)
        return NULL;
    size_t i = slot_of(m, key);
    return m->keys[i] ? &m->values[i] : NULL;
}

uint64_t *pf_ptrmap_at(struct pf_ptrmap *m, const void *key)
{
    if (m->used * 2 >= m->size) {
        struct pf_ptrmap old = *m;
        m->size = old.size ? old.size * 2 : 64;
        m->keys = pf_grow(NULL, m->size * sizeof *m->keys);
        m->values = pf_grow(NULL, m->size * sizeof *m->values);
        for (size_t i = 0; i < m->size; i++)
            m->keys[i] = NULL;
        for (size_t i = 0; i < old.size; i++) {
            if (!old.keys[i])
                continue;
            size_t j = slot_of(m, old.keys[i]);
            m->keys[j] = old.keys[i];
            m->values[j] = old.values[i];
        }
        free(old.keys);
        free(old.values);
    }
    size_t i = slot_of(m, key);
    if (!m->keys[i]) {
        m->keys[i] = key;
        m->values[i] = 0;
        m->used++;
    }
    return &m->values[i];
}
