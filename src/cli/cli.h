/*
 * cli.h - what the verbs share: exit statuses, messages, the options of a command line.
 *
 * Errors:  verbs print their own messages and return an exit status; nothing else prints.
 */
#ifndef PF_CLI_H
#define PF_CLI_H

#include "pool.h"
#include "textbuf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_exit { PF_EXIT_OK = 0, PF_EXIT_USAGE = 2, PF_EXIT_FOUND = 66 };

/* Every verb of verbs.def: argv[0] is the verb; returns the exit status. */
#define PF_VERB(word, function, help) int function(int argc, char **argv);
#include "verbs.def"
#undef PF_VERB

/* "pf VERB: message" on stderr; returns PF_EXIT_USAGE. */
int pf_complain(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One option of a verb: --name, --name=VALUE or --name VALUE; one letter: -n VALUE. */
struct pf_cli_option {
    const char *name;   /* without the dashes */
    const char *value;  /* what it takes, for the help; NULL: a switch */
    const char *help;
    const char **text;  /* where the value goes */
    bool *flag;         /* or where the switch goes */
};

struct pf_cli_verb {
    const char *name, *usage, *about;
    const struct pf_cli_option *options;
    size_t noptions;
};

/* Reads options up to the first word that is none, or up to and including `--`. Returns the index of
 * what follows, or -1 when the verb has nothing more to do: *status is then its exit status (after
 * --help, or after a complaint). */
int pf_cli_parse(const struct pf_cli_verb *v, int argc, char **argv, int *status);

/* Colours on this stream: a terminal, and NO_COLOR is not set. */
bool pf_cli_color(int fd);
/* The word of the list that `word` was probably meant to be, or NULL. */
const char *pf_cli_closest(const char *word, const char *const *words, size_t n);

/* printf into a text; pieces of up to 400 bytes. */
void pf_cli_format(struct pf_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "90", "90s", "500ms", "2m", "1h" in milliseconds; false: no such time. */
bool pf_cli_duration(const char *text, uint64_t *ms);
/* A clock that only goes forwards. */
uint64_t pf_cli_now_ns(void);
static inline uint64_t pf_cli_now_ms(void) { return pf_cli_now_ns() / 1000000; }

/* A pool on malloc. */
void pf_cli_pool_init(struct pf_pool *p);

#endif
