/*
 * options.h - the user's options, from the environment.
 *
 * Model:   PF_OPTIONS holds name=value pairs separated by ':', ',' or blanks; a value may be in
 *          'quotes' or "quotes". The program's own __tsan_default_options() is read first, so
 *          PF_OPTIONS overrides it. `pf run` sets PF_LOG_DIR and PF_RUN.
 * Memory:  the environment as the kernel has it is copied once and kept.
 * Threads: read once at start, constant afterwards.
 * Errors:  an unknown name or an invalid value is reported on stderr and ends the process with
 *          status 2, before the program itself runs.
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
    /* true: the user or the program has set the option */
    struct {
#define PF_OPTION(type, name, standard, help) bool name;
#include "options.def"
#undef PF_OPTION
    } given;
    const char *log_dir; /* folder of the findings log; NULL: none */
    const char *run;     /* the run that the log belongs to; NULL: none */
    bool no_color;
};

extern struct pf_options pf_options;

void pf_options_init(void);
/* Reports an invalid value of an option and ends the process with status 2. */
_Noreturn void pf_options_refuse(const char *option, const char *value);
/* Prints `text`, which says why the run cannot begin, and ends the process with status 2. */
_Noreturn void pf_refuse(const char *text);

#endif
