/*
 * ptrmap.h - a hash map from pointers to 64-bit values, and a growing array; the plugin's containers.
 *
 * Model:   open addressing, linear probing, no deletion; NULL is no key.
 * Memory:  malloc; out of memory ends the compiler, as LLVM itself does.
 */
#ifndef PF_PLUGIN_PTRMAP_H
#define PF_PLUGIN_PTRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct pf_ptrmap {
    const void **keys;
    uint64_t *values;
    size_t size; /* a power of two, or 0 */
    size_t used;
};

void pf_ptrmap_release(struct pf_ptrmap *m);
/* Where the value of `key` is, made 0 if it was not there. Valid until the next _at. */
uint64_t *pf_ptrmap_at(struct pf_ptrmap *m, const void *key);
/* NULL if it is not there. */
uint64_t *pf_ptrmap_find(const struct pf_ptrmap *m, const void *key);

/* realloc that does not fail. */
void *pf_grow(void *p, size_t bytes);

/* PF_PUSH(array, n, cap) makes room for one more and yields it as an lvalue. */
#define PF_PUSH(array, n, cap)                                                                     \
    (*((n) == (cap) ? ((cap) = (cap) ? (cap) * 2 : 16,                                             \
                       (array) = pf_grow((array), (cap) * sizeof *(array)), &(array)[(n)++])       \
                    : &(array)[(n)++]))

#endif
