/*
 * reached.h - describes what a recording under the policies racefuzzer or assetfuzzer has reached,
 * as text and as JSON.
 *
 * Memory:  from the text's pool.
 * Errors:  none; for other policies the text is empty.
 */
#ifndef PF_CONFIRM_REACHED_H
#define PF_CONFIRM_REACHED_H

#include "clip.h"
#include "textbuf.h"

/* Writes "not reached", or "reached 3 times, first: T1:137 (a.c:4 write of 4 bytes at 0x7f...),
 * then T2:40 (...)". */
void pf_reached_text(struct pf_text *t, const char *schedule, const struct pf_reached *r);
/* Writes the recording as a JSON object: what was run, how it ended, what was reached.
 * continuations: their list as JSON; "": the checkpoint was not reached; NULL: it had none. */
void pf_reached_json(struct pf_text *t, const char *file, const struct pf_clip_meta *m,
                     const struct pf_clip_end *end, const char *continuations);

#endif
