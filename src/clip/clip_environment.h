/*
 * clip_environment.h - which values of the environment a clip contains.
 *
 * Model:   a clip has the names and the lengths of all variables, but only the values that a replay
 *          may need: of variables that the dynamic linker, libc and the runtime read before the
 *          target can be observed, of the locale and the time zone, and of variables that the
 *          target read (rt/direct/environment.h). If the target passes its environment on, all
 *          values. The other values are filler of the same length. docs/decision/environment.md has
 *          the reasons.
 * Memory:  the description of a run owns its lists.
 * Threads: not thread-safe.
 * Errors:  PF_BAD for more variables than the channel can describe.
 */
#ifndef PF_CLIP_ENVIRONMENT_H
#define PF_CLIP_ENVIRONMENT_H

#include "clip.h"

#define PF_ENVIRONMENT_FILLER 'x'

/* Chooses, for a new recording, where the clip has each value: with `keep` all are STORED; those
 * whose names match `redact` (globs separated by commas; NULL: none) are WITHHELD. */
PF_MUST_USE pf_status pf_environment_choose(struct pf_clip_meta *m, bool keep, const char *redact,
                                            struct pf_error *e);
/* Prepares another run of the program of a clip: the values that the target has read come from the
 * clip, and the others from our own environment if name and length agree. */
PF_MUST_USE pf_status pf_environment_restore(struct pf_clip *c, struct pf_error *e);
/* Describes the environment to the target. */
PF_MUST_USE pf_status pf_environment_to_channel(const struct pf_clip_meta *m, struct pf_channel *c,
                                                struct pf_error *e);
/* After the end of a run: notes in `end` whether the whole environment was read or passed on, and
 * the names of the variables that were read although they are withheld. If the program passed its
 * environment on, appends the values that `w` does not have yet; `w` may be NULL. */
PF_MUST_USE pf_status pf_environment_end(const struct pf_clip_meta *m, const struct pf_channel *c,
                                         struct pf_clip_writer *w, struct pf_clip_end *end,
                                         struct pf_error *e);

/* The values that a clip contains, for printing. */
struct pf_environment_values {
    char **at; /* one for each variable of the environment; NULL: the clip does not contain it */
    size_t n;
};
PF_MUST_USE pf_status pf_environment_values_read(struct pf_environment_values *v,
                                                 const struct pf_clip *c, struct pf_error *e);
void pf_environment_values_release(struct pf_environment_values *v);

#endif
