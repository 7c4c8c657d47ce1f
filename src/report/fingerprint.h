/*
 * fingerprint.h - the identity of a finding. The same race has the same fingerprint in every run
 * and on every machine, wherever the sources are stored, and also after edits above or below the
 * functions involved.
 *
 * Model:   FNV-1a (64 bits) over the kind, which is the same for all kinds of races, and the hashes
 *          of the accesses (of a race of two accesses: the smaller one first; of a deadlock: their
 *          sum). The hash of an access covers its op, the names of the library functions in
 *          which it was made, and its innermost frame in the user's sources (finding.h): function,
 *          base name of the file, line within the function (the absolute line where the function's
 *          first line is unknown) and column. In a race of two accesses, reads and writes count
 *          alike, and so do atomic ones: `x++` reads and writes at one position, and either of the
 *          two may be the access that is found to race. Addresses, threads, locks, folders, outer
 *          stack frames and the version of the C++ library do not count.
 *          docs/format/findings-log.md defines the bytes.
 */
#ifndef PF_REPORT_FINGERPRINT_H
#define PF_REPORT_FINGERPRINT_H

#include "finding.h"

uint64_t pf_fingerprint(const struct pf_finding *f);

#endif
