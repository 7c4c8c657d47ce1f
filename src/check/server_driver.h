/*
 * server_driver.h - what a server needs to be checked: somebody who talks to it, and somebody who ends it.
 *
 * Model:   the attendant is a process above the program. Whenever a process below it begins to listen on a socket
 *          it runs the client command (sh -c, with PF_PORT), then asks that process to end (SIGTERM); with
 *          a period, it asks every process that has run for so long. It ends as the program does. In a step that
 *          runs the program many times, each of them is attended.
 * Errors:  PF_IO when there can be no attendant.
 */
#ifndef PF_CLI_CHECK_ATTEND_H
#define PF_CLI_CHECK_ATTEND_H

#include "check_settings.h"

/* Forks: the child returns and becomes the program; the parent attends and never returns. */
PF_MUST_USE pf_status pf_check_attend(const struct pf_check_plan *plan, struct pf_error *e);

/* What it has to say is a line of the step's output that begins so. */
#define PF_ATTEND_SAYS "pf check: "

#endif
