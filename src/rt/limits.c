/*
 * limits.c - see limits.h.
 */
#include "limits.h"

uint64_t pf_limit_count[PF_LIMITS];

const struct pf_limit_text pf_limit_text[PF_LIMITS] = {
#define PF_LIMIT(name, one, many, text) {one text, many text},
#include "limits.def"
#undef PF_LIMIT
};
