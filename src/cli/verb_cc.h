/*
 * verb_cc.h - `pf cc` and `pf c++`: clang-19 with the plugin, line tables and, when an executable is
 * linked, the runtime.
 *
 * Model:   the command line goes to clang as it is, with flags added around it; cc_scan.h reads it
 *          first, to know what clang will do.
 * Errors:  what cannot work (static linking, LTO, other sanitizers, other targets) is refused with a
 *          message and exit status 2; everything else is clang's.
 */
#ifndef PF_CLI_CC_H
#define PF_CLI_CC_H

#include <stdbool.h>

/* argv[0] is the verb. Returns only when clang could not be started. */
int pf_cmd_cc(int argc, char **argv, bool cxx);

#endif
