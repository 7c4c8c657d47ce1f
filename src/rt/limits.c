/*
 * limits.c - see limits.h.
 */
#include "limits.h"

uint64_t pf_limit_count[PF_LIMITS];
