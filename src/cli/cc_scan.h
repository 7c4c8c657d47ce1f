/*
 * cc_scan.h - what a clang command line asks for, as far as pf cc must know.
 *
 * Model:   flags are looked at one by one, the last one of a kind wins, as in clang. Response files
 *          (@file) are read with GNU quoting and looked at in place; clang gets them as they are.
 * Memory:  strings are the caller's or leaked: the process is about to become clang.
 */
#ifndef PF_CLI_CC_SCAN_H
#define PF_CLI_CC_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct pf_cc_scan {
    size_t inputs;      /* files to compile or link, `-` too */
    size_t headers;     /* those of them that are to be precompiled */
    const char *language; /* of -x, for the files behind it; NULL: by their names */
    bool cxx;           /* one of them, or -x, says C++ */
    bool links;         /* no flag stops before the linker */
    bool executable;    /* not -shared, not -r */
    bool is_static;     /* -static, -static-pie */
    bool all_defined;   /* the linker is told to refuse undefined symbols in a shared library */
    bool debug;         /* a flag asks for debug information with lines */
    const char *lto, *sanitizer, *target; /* the flag that cannot work, or NULL */
    const char *in_response; /* a flag of ours inside a response file: it cannot be taken out */
};

void pf_cc_scan(struct pf_cc_scan *s, int argc, char *const *argv);
/* How many arguments follow this flag as its value. */
int pf_cc_values(const char *arg);

#endif
