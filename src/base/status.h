/*
 * status.h - how functions of the tools fail: a status that must be checked, and a message.
 *
 * Model:   errors of bad input or a bad environment. The message names the file, what was expected
 *          and what was found; only the command line prints it. Running out of memory is not an
 *          error that functions return: the tool ends (allocation.h).
 * Memory:  the message is stored in the caller's struct pf_error.
 */
#ifndef PF_BASE_STATUS_H
#define PF_BASE_STATUS_H

#define PF_MUST_USE __attribute__((warn_unused_result))

typedef enum pf_status {
    PF_OK,
    PF_IO,  /* a system call failed */
    PF_BAD, /* the input is invalid */
} pf_status;

struct pf_error {
    char text[1024]; /* longer messages are cut and end in "..." */
};

/* Writes the message (printf style) and returns `s`. */
PF_MUST_USE pf_status pf_fail(struct pf_error *e, pf_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
