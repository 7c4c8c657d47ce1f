/*
 * reach_models.h - functions of the C++ library with known accesses: exactly what they access, or a
 * little more.
 *
 * Model:   these functions call back only the allocator, and they link only what they access or
 *          allocate.
 *          - std::string: for each argument, the object that it points into, and the object that
 *            the first word of that object points into, which holds the characters. Of a string on
 *            a stack, only the string and its characters;
 *          - nodes of std::map and std::set: the nodes that the function visits, found by following
 *            the same links;
 *          - nodes of std::list: the node and its neighbours.
 *          Without the models, a string in a tree node would reach the whole tree and everything
 *          that it points to.
 * Memory:  a static table.
 * Threads: the target's one kernel thread.
 * Errors:  a function that is not found in the library, or needs too many ranges, has no model.
 */
#ifndef PF_RT_REACH_MODELS_H
#define PF_RT_REACH_MODELS_H

#include "reach_walk.h"

/* The C++ library is loaded at `base` and has this dynamic section. */
void pf_reach_model_set_library(uint64_t base, const void *dynamic);

/* The symbol of the C++ library with this address; NULL: none. Reads its whole symbol table. */
const char *pf_reach_model_symbol(const void *function);

#define PF_MODEL_RANGES 96u /* that a function accesses; if there are more, it has no model */

/* Stores the ranges that the function accesses, unordered, and returns their number; 0: no model.
 * Call pf_walk_begin on some walk before. */
uint32_t pf_reach_model_accesses(const void *function, uint32_t n, void *const *words,
                                 struct pf_mem_range out[PF_MODEL_RANGES]);

#endif
