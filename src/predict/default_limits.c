/* default_limits.c - the limits of analyses, unless the caller sets others (struct pf_limits). */
#include "analysis.h"

const struct pf_limits pf_limits_default = {
    .window = 4000,
    .cp_window = 1024,
    .conflicts = 2000,
    .tries = 10,
    .history = 48,
};
