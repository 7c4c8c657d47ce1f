/*
 * vector.h - growable arrays for the tools.
 *
 * Memory:  a zero-initialised vector is empty and valid; pf_vec_release frees the array.
 * Errors:  none; see allocation.h.
 */
#ifndef PF_BASE_VECTOR_H
#define PF_BASE_VECTOR_H

#include "allocation.h"
#include <stdbool.h>

#define PF_VEC(T)                                                                                  \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t len, cap;                                                                           \
    }

typedef PF_VEC(uint32_t) pf_vec_u32;
typedef PF_VEC(uint64_t) pf_vec_u64;

/* Makes room for at least `more` further elements; returns the new array and updates *cap. */
void *pf_vec_grow_(void *at, size_t len, size_t *cap, size_t more, size_t size);

#define pf_vec_reserve(v, more)                                                                    \
    ((v)->len + (more) > (v)->cap                                                                  \
         ? (void)((v)->at = pf_vec_grow_((v)->at, (v)->len, &(v)->cap, (more), sizeof *(v)->at))   \
         : (void)0)
#define pf_vec_push(v, ...) (pf_vec_reserve(v, 1), (void)((v)->at[(v)->len++] = (__VA_ARGS__)))
/* For arrays that share one capacity. If n elements do not fit, sets *cap to a larger one and
 * returns true: the caller then resizes all of them to it. */
bool pf_vec_outgrown(size_t *cap, size_t n);

#define pf_vec_clear(v) ((void)((v)->len = 0))
#define pf_vec_release(v) (free((v)->at), (v)->at = NULL, (v)->len = (v)->cap = 0)

#endif
