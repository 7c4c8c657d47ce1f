/*
 * status.h - how functions of the tools fail: a status that must be looked at, and a message.
 *
 * Model:   bad input or a bad environment (STYLE: errors of the second kind). The message names the
 *          file, what was expected and what was found; only the command line prints it.
 * Memory:  the message lives in the caller's struct pf_error.
 */
#ifndef PF_BASE_STATUS_H
#define PF_BASE_STATUS_H

#define PF_MUST_USE __attribute__((warn_unused_result))

typedef enum pf_status {
    PF_OK,
    PF_NOMEM, /* out of memory */
    PF_IO,    /* the system refused */
    PF_BAD,   /* the input is not what it should be */
} pf_status;

struct pf_error {
    char text[1024]; /* longer messages are cut, visibly */
};

/* Writes the message (printf style) and returns `s`. */
PF_MUST_USE pf_status pf_fail(struct pf_error *e, pf_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
