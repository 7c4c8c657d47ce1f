/*
 * options.h - what the user asked for, from the environment.
 *
 * Model:   PF_OPTIONS holds name=value pairs separated by ':', ',' or blanks; a value may stand in
 *          'quotes' or "quotes". Before it, the program's own __tsan_default_options() counts.
 *          PF_LOG_DIR and PF_RUN are set by `pf run`.
 * Memory:  the environment as the kernel has it is copied once and kept.
 * Threads: read once at start, constant afterwards.
 * Errors:  an unknown name or a bad value is named on stderr and ends the process with status 2,
 *          before the program itself runs.
 */
#ifndef PF_RT_OPTIONS_H
#define PF_RT_OPTIONS_H

#include <stdbool.h>

#define PF_OPTION_TYPE_BOOL bool
#define PF_OPTION_TYPE_INT int
#define PF_OPTION_TYPE_TEXT const char *

struct pf_options {
#define PF_OPTION(type, name, standard, help) PF_OPTION_TYPE_##type name;
#include "options.def"
#undef PF_OPTION
    const char *log_dir; /* where the findings log goes; NULL: none */
    const char *run;     /* the run it belongs to; NULL: none */
    bool no_color;
};

extern struct pf_options pf_options;

void pf_options_init(void);
/* The value of an option makes no sense: says so and ends the process. */
_Noreturn void pf_options_refuse(const char *option, const char *value);

#endif
