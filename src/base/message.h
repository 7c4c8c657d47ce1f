/*
 * message.h - exit statuses, and messages to the user on standard error.
 */
#ifndef PF_BASE_MESSAGE_H
#define PF_BASE_MESSAGE_H

#include <stdbool.h>
#include <stdio.h>

enum pf_exit { PF_EXIT_OK = 0, PF_EXIT_USAGE = 2, PF_EXIT_FOUND = 66 };

/* Prints "pf VERB: message" on standard error, as one line (pf_print_name), and returns
 * PF_EXIT_USAGE. */
int pf_complain(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set by --quiet: notes and reports are not printed, only errors. */
extern bool pf_quiet;

/* Prints "pf VERB: message" for a message that is not an error, unless pf_quiet is set.
 * pf_last_complaint is unchanged. */
void pf_note(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints text that contains names from elsewhere, with control characters escaped
 * (pf_text_name). */
void pf_print_name(FILE *to, const char *s);

/* The last message of pf_complain, without "pf VERB: "; "": there was none. */
const char *pf_last_complaint(void);

/* True if text on this descriptor should be coloured: it is a terminal, and NO_COLOR is not set. */
bool pf_color_wanted(int fd);

#endif
