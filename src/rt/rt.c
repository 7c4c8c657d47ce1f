/*
 * rt.c - the variables of the runtime as a whole.
 */
#include "rt.h"

struct pf_rt pf_rt;
PF_EXPORT __thread struct pf_tls __pf_tls;
PF_EXPORT uint32_t __pf_bare;
