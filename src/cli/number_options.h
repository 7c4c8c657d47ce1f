/*
 * number_options.h - options of a verb whose values are numbers or durations.
 */
#ifndef PF_CLI_NUMBER_OPTIONS_H
#define PF_CLI_NUMBER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

struct pf_cli_number {
    const char *name, *text; /* text NULL: the option was not given, and *out is not changed */
    unsigned least, most, *out;
};

/* Parses the values. Returns an exit status; complains about the first value that is not a number
 * in its range. */
int pf_cli_numbers(const char *verb, const struct pf_cli_number *at, size_t count);

/* Parses the value of one option as a number from 1; `text` NULL: *out is not changed. Returns an
 * exit status. */
int pf_cli_count(const char *verb, const char *name, const char *text, uint64_t *out);
/* The same for a duration (duration.h). */
int pf_cli_duration(const char *verb, const char *name, const char *text, uint64_t *ms);

#endif
