/*
 * clip_program.h - finds the program of a clip: where it was recorded, or copied next to the clip.
 *
 * Model:   the program is identified by the hash of its bytes (the clip's build id). If the file at
 *          the recorded path is missing or differs, the program is searched for in the folder of
 *          the clip, in the folders above it and in the current folder. In each of them, it may be
 *          under its name, or under its path relative to the folder it was recorded in.
 * Memory:  paths are malloced.
 * Errors:  PF_BAD, PF_IO with the path of the clip and of the program.
 */
#ifndef PF_PROCESS_CLIP_PROGRAM_H
#define PF_PROCESS_CLIP_PROGRAM_H

#include "clip.h"

/* `given` is the path that the user names; NULL: none. */
PF_MUST_USE pf_status pf_clip_program_find(const struct pf_clip *clip, const char *given,
                                           char **path, struct pf_error *e);

/* Call before the program of a clip is run on behalf of `verb`. If the clip is from elsewhere (it
 * was not written at this path by this user on this machine, or its program was copied), prints
 * which command is about to run. */
void pf_clip_program_announce(const char *verb, const struct pf_clip *clip);

/* Prepares the clip to be run again: sets its program to the file found, and its environment to the
 * values that the recording read. */
PF_MUST_USE pf_status pf_clip_program_resolve(struct pf_clip *clip, struct pf_error *e);

/* Another path for a program, of the same length as the recorded path. The kernel stores the path
 * of the program at the top of its stack: a path of another length would move everything on it. */
struct pf_program_alias {
    char folder[24]; /* temporary; "": `path` is the program itself */
    char *path;
};
PF_MUST_USE pf_status pf_program_alias_make(struct pf_program_alias *a, const char *program,
                                            const char *as_long_as, struct pf_error *e);
void pf_program_alias_remove(struct pf_program_alias *a); /* the program may be running */

#endif
