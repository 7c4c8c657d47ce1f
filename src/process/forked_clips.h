/*
 * forked_clips.h - the clips of the forked children of a recorded program.
 *
 * Model:   child 2.1 of the recording FILE has the clip FILE.child-2.1: the recording of its parent
 *          up to the fork, then its own (docs/format/clip.md). A child that executes another
 *          program has no clip.
 * Memory:  the list owns its texts.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_PROCESS_FORKED_CLIPS_H
#define PF_PROCESS_FORKED_CLIPS_H

#include "clip.h"
#include <sys/types.h>

struct pf_forked_clip {
    char *path; /* of the process: 2.1 */
    char *file;
    bool ended; /* otherwise it still runs */
    struct pf_clip_end end;
};
struct pf_forked_clips {
    struct pf_forked_clip *at;
    size_t n;
};

/* Removes the clips of the children of an earlier recording of the same name. */
void pf_forked_clips_remove(const char *file);
/* Stores the status of a child that has ended. */
void pf_forked_clips_reaped(struct pf_channel *c, pid_t pid, int wait);
/* Writes the clip of each child, and removes the files into which they recorded. `program` is how
 * the program ended. */
PF_MUST_USE pf_status pf_forked_clips_write(struct pf_forked_clips *out, const struct pf_channel *c,
                                            const char *file, const struct pf_clip_end *program,
                                            struct pf_error *e);
void pf_forked_clips_release(struct pf_forked_clips *f);
/* True if the child created no threads (so it has only one schedule) and did not fail. (It may
 * still have memory errors, if they were not searched for.) A child that a signal killed has not
 * failed if the program ended with status 0: a test expected that. */
bool pf_forked_clip_is_settled(const struct pf_clip *c);
/* Reads the path of a process, such as 2.1. False: it is not one. */
bool pf_forked_path_read(const char *text, uint32_t path[PF_FORKED_DEPTH], uint32_t *n);
/* How many forks lead to this process; 0 for NULL. */
uint32_t pf_forked_path_length(const char *text);
/* The names of the clips of the children of the recording `file`, in the order of their paths: a
 * NULL-terminated, malloced array of malloced texts. */
char **pf_forked_clips_list(const char *file);

#endif
