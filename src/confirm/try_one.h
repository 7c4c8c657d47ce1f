/*
 * try_one.h - one candidate put to the test: the program is run along its schedule, recorded, and the
 * recording is asked whether what was predicted really happened.
 *
 * Model:   the schedule becomes a plan of steps {thread, events done} (src/clip/channel.h); behind it the
 *          default policy runs the program to its end, so that consequences show. Events are named by
 *          thread and number, so a run that went another way is noticed; that the events at these
 *          numbers are the ones meant, in the order meant, is read off the new recording.
 * Memory:  the candidate borrows its order; `clip` is the caller's to free.
 * Threads: pf_hatch_try may run in several processes at a time.
 */
#ifndef PF_CLI_HATCH_TRY_H
#define PF_CLI_HATCH_TRY_H

#include "analysis.h"
#include "clip.h"
#include "pecan/pattern.h"

enum pf_hatched {
    PF_HATCHED_UNKNOWN, /* it could not be tried to its end; `why` says what was in the way */
    PF_HATCHED_FALSE, /* it did not happen; `why` says where the run went another way */
    PF_HATCHED_REAL,
    PF_HATCHED_ERROR, /* it happened, and the program failed in a way it did not before */
};

struct pf_hatch {
    uint32_t event[PF_PATTERN_MAX], n; /* in the order wanted */
    uint32_t start, norder; /* the trace up to start, then order, which ends with them */
    const uint32_t *order;
    bool stuck; /* a deadlock: the events are takes that never succeed */
    bool adjacent; /* a race: the last two follow each other */
};

struct pf_hatch_result {
    bool tried; /* with others (try_shared.h); else it is tried alone */
    enum pf_hatched verdict;
    char why[400];
    char memory[280]; /* its first memory error; "": none was seen */
};

/* A witness as a candidate: it ends before the two accesses. The one that came last now goes first, unless the
 * order of the two is to be kept. Returns the order, the caller's to free. */
uint32_t *pf_hatch_witness(struct pf_hatch *h, const struct pf_race *r, bool keep);

/* Runs what `recording` describes along the candidate's schedule and records it into `file`. Prints what
 * the program prints. */
void pf_hatch_try(const struct pf_trace *t, const struct pf_clip *recording,
                  const struct pf_hatch *h, const char *file, struct pf_hatch_result *out);

/* The two accesses that follow each other, as pf replay --until=race wants them. */
void pf_hatch_race(const struct pf_trace *t, const struct pf_hatch *h, char *to, size_t room);
void pf_hatch_say(struct pf_hatch_result *out, enum pf_hatched verdict, const char *why);
/* FALSE: the run left its plan, as the runtime says it in `text`; with the place that it did not come to. */
void pf_hatch_diverged(const struct pf_trace *t, const char *text, struct pf_hatch_result *out);
/* What the program did that it did not do in the recording; NULL: nothing. */
const char *pf_hatch_failure(const struct pf_clip *recording, const struct pf_clip_end *end,
                             char *text, size_t room);

#endif
