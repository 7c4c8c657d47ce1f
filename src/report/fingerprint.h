/*
 * fingerprint.h - the identity of a finding: the same race has the same one in every run, on every
 * machine, wherever the sources lie and whatever is edited above or below the functions involved.
 *
 * Model:   FNV-1a (64 bits) over the kind and the two accesses in an order of their own (smaller hash
 *          first). An access counts with its op (of a race only whether it is plain or atomic: `x++` reads
 *          and writes at one position, and which of the two meets the other thread is chance), the names of the library functions it was made
 *          in, and its innermost position in the user's own sources (finding.h): function, base name
 *          of the file, line within the function (the line itself where the function's first line is
 *          not known) and column. Addresses, threads, locks, folders, the outer stack and the
 *          version of the C++ library do not count. docs/format/findings-log.md has the bytes.
 */
#ifndef PF_REPORT_FINGERPRINT_H
#define PF_REPORT_FINGERPRINT_H

#include "finding.h"

uint64_t pf_fingerprint(const struct pf_finding *f);

#endif
