/*
 * ptrmap.h - a hash map from pointers to 64-bit values, and a growing array.
 *
 * Model:   open addressing with linear probing; no deletion; NULL is not a valid key.
 * Memory:  malloc. Running out of memory ends the compiler, as in LLVM itself.
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
/* A pointer to the value of `key`, which is inserted as 0 if it is missing. Valid until the next
 * _at. */
uint64_t *pf_ptrmap_at(struct pf_ptrmap *m, const void *key);
/* NULL if the key is missing. */
uint64_t *pf_ptrmap_find(const struct pf_ptrmap *m, const void *key);

/* realloc, calloc and strdup that end the compiler with a message if they fail. */
void *pf_grow(void *p, size_t bytes);
void *pf_zeroed(size_t n, size_t size);
char *pf_copy_string(const char *s);

/* PF_PUSH(array, n, cap) appends an element and yields it as an lvalue. */
#define PF_PUSH(array, n, cap)                                                                     \
    (*((n) == (cap) ? ((cap) = (cap) ? (cap) * 2 : 16,                                             \
                       (array) = pf_grow((array), (cap) * sizeof *(array)), &(array)[(n)++])       \
                    : &(array)[(n)++]))

#endif
