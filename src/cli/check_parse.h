/*
 * check_parse.h - the options of `pf check`, read into its settings.
 */
#ifndef PF_CLI_CHECK_PARSE_H
#define PF_CLI_CHECK_PARSE_H

#include "check_settings.h"
#include "fleet.h"

/* Parses the options. False: there is nothing more to do, and *status is the exit status. */
bool pf_check_settings_parse(struct pf_check_settings *p, struct pf_fleet_options *fleet, int argc,
                             char **argv, int *status);

#endif
