/*
 * message.h - exit statuses, and messages to the user on standard error.
 */
#ifndef PF_BASE_MESSAGE_H
#define PF_BASE_MESSAGE_H

#include <stdbool.h>

enum pf_exit { PF_EXIT_OK = 0, PF_EXIT_USAGE = 2, PF_EXIT_FOUND = 66 };

/* Prints "pf VERB: message" on standard error and returns PF_EXIT_USAGE. */
int pf_complain(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The last message of pf_complain, without "pf VERB: "; "": there was none. */
const char *pf_last_complaint(void);

/* True if text on this descriptor should be coloured: it is a terminal, and NO_COLOR is not set. */
bool pf_color_wanted(int fd);

#endif
