/*
 * reach_models.h - functions of the C++ library that are known: what they touch, exactly or a little more.
 *
 * Model:   they call nobody back but the allocator, and they link only what they touch, and what they allocate.
 *          - std::string: of each word that is handed over the object it points into, and the one that its first word
 *            points into, where the characters are; of a string on a stack the string;
 *          - nodes of std::map and std::set: those that the function goes over, found by going the same way;
 *          - nodes of std::list: the node, and those beside it.
 *          Without this, a string in a node of a tree would reach the whole tree, and what hangs on it.
 * Memory:  a table of its own.
 * Threads: the target's one kernel thread.
 * Errors:  what is not found in the library, or needs more ranges than there is room for, is not known.
 */
#ifndef PF_RT_REACH_MODELS_H
#define PF_RT_REACH_MODELS_H

#include "reach_walk.h"

/* The C++ library is loaded at `base`, with this dynamic section. */
void pf_model_set_library(uint64_t base, const void *dynamic);

#define PF_MODEL_RANGES 96u

/* What the function touches, in no order; 0: not known. After pf_walk_begin of some walk. */
uint32_t pf_model_touches(const void *function, uint32_t n, void *const *words,
                          struct pf_mem_range out[PF_MODEL_RANGES]);

#endif
