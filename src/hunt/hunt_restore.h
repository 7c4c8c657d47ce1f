/*
 * hunt_restore.h - continues the search from the open runs of earlier sessions (hunt_open.h).
 *
 * Model:   the file `open` of the hunt's folder has the open runs of all sessions. A session makes
 *          them again, the cheapest first, a few at a time: the next ones when nothing else is left
 *          to try. A run is added to the file as soon as it was made; at the end of the session the
 *          file is written anew. If the folder has a file `part`, this session is one of several
 *          that share the runs of `open`: it has those of `part`, and leaves the questions of the
 *          others alone.
 * Errors:  PF_IO with the path.
 */
#ifndef PF_HUNT_RESTORE_H
#define PF_HUNT_RESTORE_H

#include "hunt.h"

/* Reads the open runs. same: they are of this build of the program; otherwise they are dropped. */
PF_MUST_USE pf_status pf_hunt_open_begin(struct pf_hunt *h, bool same, struct pf_error *e);
/* True if a run of this input is to be made again. */
bool pf_hunt_is_parked(const struct pf_hunt *h, uint64_t input);
/* True if any run is to be made again. */
bool pf_hunt_has_parked(const struct pf_hunt *h);
/* Makes the ordinary run of this input the next one to be made again. False: it is not open. */
bool pf_hunt_restore_input(struct pf_hunt *h, uint64_t input);
/* Makes the next runs again, at most `most` of them. */
PF_MUST_USE pf_status pf_hunt_restore(struct pf_hunt *h, size_t most, struct pf_error *e);
/* Adds a run that was made to the file. */
PF_MUST_USE pf_status pf_hunt_note_open(struct pf_hunt *h, uint32_t run, struct pf_error *e);
/* Writes the file anew, and removes inputs that are not needed from the corpus. */
PF_MUST_USE pf_status pf_hunt_open_end(struct pf_hunt *h, struct pf_error *e);

#endif
