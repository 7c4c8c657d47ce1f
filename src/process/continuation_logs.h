/*
 * continuation_logs.h - what is left of a recording that had continuations (--at): a clip for each
 * continuation that was kept, and a list of all.
 *
 * Model:   docs/format/run-report.md describes the list. The behaviours that continuations have
 *          shown are kept in a file of PF_BEHAVIOURS bits, so that the next recording of the same
 *          program starts with them.
 * Memory:  the list is written into the caller's text.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_PROCESS_CONTINUATION_LOGS_H
#define PF_PROCESS_CONTINUATION_LOGS_H

#include "clip.h"
#include "textbuf.h"

/* Turns the log of each kept continuation into a clip and removes the log. `prefix` is the clip of
 * the run before the checkpoint. list: gets a JSON array; NULL: not wanted. */
PF_MUST_USE pf_status pf_continuation_logs_join(const struct pf_channel *c, const char *prefix,
                                                struct pf_text *list, struct pf_error *e);

/* read: reads the behaviours from the file into the channel; a missing file has none. write: writes
 * them back. */
PF_MUST_USE pf_status pf_behaviours_read(struct pf_channel *c, const char *file,
                                         struct pf_error *e);
PF_MUST_USE pf_status pf_behaviours_write(const struct pf_channel *c, const char *file,
                                          struct pf_error *e);

#endif
