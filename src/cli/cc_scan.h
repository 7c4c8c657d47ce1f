/*
 * cc_scan.h - what a clang command line does, as far as pf cc must know.
 *
 * Model:   flags are read one by one, and the last one of a kind wins, as in clang. Response files
 *          (@file) are read in place, with GNU quoting; clang gets them unchanged.
 * Memory:  strings belong to the caller or are leaked: the process is about to become clang.
 */
#ifndef PF_CLI_CC_SCAN_H
#define PF_CLI_CC_SCAN_H

#include "cc_sanitize.h"
#include <stdbool.h>
#include <stddef.h>

struct pf_cc_scan {
    size_t inputs;      /* files to compile or link, including `-` */
    size_t headers;     /* those of them that are to be precompiled */
    const char *language; /* from -x, for the files after it; NULL: by their names */
    bool cxx;           /* one of them, or -x, is C++ */
    bool links;         /* no flag stops before the linker */
    bool executable;    /* not -shared, not -r */
    bool is_static;     /* -static or -static-pie */
    bool lto;           /* link-time optimisation */
    bool all_defined;   /* the linker must refuse undefined symbols in a shared library */
    bool debug;         /* a flag enables debug information with lines */
    const char *target; /* the unsupported flag, or NULL */
    struct pf_cc_sanitize sanitize;
    /* a flag in a response file that only pf cc understands; clang would see it there */
    const char *in_response;
};

void pf_cc_scan(struct pf_cc_scan *s, int argc, char *const *argv);
/* The number of arguments after this flag that are its value: 0 or 1. */
int pf_cc_scan_values(const char *arg);

#endif
