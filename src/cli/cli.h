/*
 * cli.h - the verbs of `pf` and the parser of their command lines.
 *
 * Errors:  verbs print error messages and return an exit status; libraries return errors to them.
 */
#ifndef PF_CLI_H
#define PF_CLI_H

#include "message.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_text;

/* Every verb of verbs.def: argv[0] is the verb; returns the exit status. */
#define PF_VERB(word, function, help) int function(int argc, char **argv);
#include "verbs.def"
#undef PF_VERB

/* Runs LLVM's tool of this name with the arguments. Returns only if it could not be started. */
int pf_llvm_tool(const char *name, char **argv);

/* One option of a verb: --name, --name=VALUE or --name VALUE; with a one-letter name: -n VALUE. */
struct pf_cli_option {
    const char *name;   /* without the dashes */
    const char *value;  /* placeholder for the value in the help; NULL: a switch */
    const char *help;
    const char **text;  /* where the value is stored */
    bool *flag;         /* or where the switch is stored */
};

struct pf_cli_verb {
    const char *name, *usage, *about;
    const struct pf_cli_option *options;
    size_t noptions;
};

/* Parses options up to the first word that is not an option, or up to and including `--`.
 * Returns the index of the next word, or -1 if the verb has nothing more to do; *status is then
 * its exit status (after --help, or after an error message). */
int pf_cli_parse(const struct pf_cli_verb *v, int argc, char **argv, int *status);
/* The first operand that begins with '-'; NULL: none. For verbs whose operands never do. */
const char *pf_cli_late_option(int argc, char **argv, int first);

/* Prints the OPTIONS section of the verb's man page, in roff, for `pf VERB --help=man`.
 * Returns an exit status. */
int pf_cli_print_man(const struct pf_cli_verb *v);

/* The option --quiet. */
#define PF_CLI_QUIET {"quiet", NULL, "print nothing but errors", NULL, &pf_quiet}
/* Writes the text to standard output, unless it is used for the JSON or --quiet was given, and the
 * JSON to the file (NULL: it is not wanted). False: an error, with a message. */
bool pf_cli_write(const char *verb, const struct pf_text *text, const char *file,
                  const struct pf_text *json);

/* True, after a message, if the output file is the file that the verb reads or runs. `output` NULL:
 * none. */
bool pf_cli_replaces_input(const char *verb, const char *output, const char *input);

/* True, after a message, if the output file cannot be written: a verb that runs for long must not
 * notice it only at its end. `output` NULL: none. */
bool pf_cli_cannot_write(const char *verb, const char *output);

/* True if the word is FILE:LINE. */
bool pf_cli_is_position(const char *word);

/* The option --window=N of `pf predict` and `pf hatch`: its help, the message for a wrong value,
 * and pf_cli_window, which returns the number of events, or 0 if the value is wrong. text NULL: the
 * default. */
#define PF_CLI_WINDOW "reorder at most N consecutive events to prove a race (default 4000)"
#define PF_CLI_WINDOW_WRONG "--window=%s: expected a number from 2 to 1000000"
uint32_t pf_cli_window(const char *text);

/* The word of the list that `word` was probably meant to be, or NULL. */
const char *pf_cli_closest(const char *word, const char *const *words, size_t n);

#endif
