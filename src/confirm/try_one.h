/*
 * try_one.h - tries one candidate: runs the program along its schedule, records it, and checks in
 * the recording whether the prediction happened.
 *
 * Model:   the schedule becomes a plan of steps {thread, events done} (src/clip/channel.h); after
 *          the plan the default policy runs the program to its end, so that consequences show.
 *          Events are identified by thread and number, so a run that diverges is noticed. The new
 *          recording then shows whether the events with these numbers are the intended ones, in the
 *          intended order.
 * Memory:  a schedule borrows its order.
 * Threads: pf_try_one may run in several processes at the same time.
 */
#ifndef PF_CONFIRM_TRY_ONE_H
#define PF_CONFIRM_TRY_ONE_H

#include "analysis.h"
#include "clip.h"
#include "harm_cause.h"
#include "pecan/search.h"

enum pf_try_verdict {
    PF_TRY_UNKNOWN, /* the try was not completed; `why` is the reason */
    PF_TRY_FALSE, /* it did not happen; `why` tells where the run diverged */
    PF_TRY_REAL,
    PF_TRY_ERROR, /* it happened, and the program failed in a way it did not before */
};

struct pf_try_schedule {
    uint32_t event[PF_PATTERN_MAX], n; /* in the wanted order */
    uint32_t start, norder; /* the trace up to start, then order, which ends with the events */
    const uint32_t *order;
    bool stuck; /* a deadlock: the events are lock operations that never succeed */
    bool adjacent; /* a race: the last two must be adjacent */
    /* WEAK or INFERRED: what happened must be shown to matter (serial_orders.h) */
    enum pf_region_evidence evidence;
    struct pf_match_region region[2]; /* used with such evidence only */
};

struct pf_try_result {
    bool tried; /* evaluated in a shared run (try_shared.h); otherwise it is tried alone */
    enum pf_try_verdict verdict;
    char why[400];
    char memory[280]; /* its first memory error; "": none */
    bool is_memory; /* the error is the memory error */
    /* of an error: whether it belongs to the candidate (harm_cause.h), and if not, the reason */
    enum pf_harm_cause cause;
    char unrelated[160];
    /* the clip was replayed from scratch and showed it; otherwise `unverified` is the reason */
    bool verified;
    char unverified[200];
    bool compared; /* with the serial orders of its regions: */
    bool matters; /* it failed, or gave a result that no serial order gives */
    bool serial; /* it has the values of a serial order, so it is not an anomaly */
    char doubt[160]; /* otherwise: why it is only suspicious */
};

/* Makes a schedule from a witness, which ends before the two accesses. The access that was
 * recorded last now comes first, unless keep_order is set. Returns the order, which the caller
 * frees. */
uint32_t *pf_try_schedule_from_witness(struct pf_try_schedule *h, const struct pf_race *r,
                                       bool keep_order);

/* Runs the program of `recording` along the schedule and records it into `file`. The program's
 * output is not redirected. */
void pf_try_one(const struct pf_trace *t, const struct pf_clip *recording,
                const struct pf_try_schedule *h, const char *file, struct pf_try_result *out);

/* The event of `now` that corresponds to event e of `then`; PF_NONE: a different event is in its
 * place. */
uint32_t pf_try_same_event(const struct pf_trace *then, uint32_t e, const struct pf_trace *now);
/* The two adjacent accesses, in the syntax of pf replay --until=race. */
void pf_try_race_text(const struct pf_trace *t, const struct pf_try_schedule *h, char *to,
                      size_t room);
void pf_try_result_set(struct pf_try_result *out, enum pf_try_verdict verdict, const char *why);
/* Sets FALSE with a reason: how the run left its plan, and the source line that was not
 * reached. */
void pf_try_result_diverged(const struct pf_trace *t, const struct pf_clip_end *end,
                            struct pf_try_result *out);
/* Describes how the program failed: deadlock, hang, or death of a signal; NULL: it did not. */
const char *pf_try_failure(const struct pf_clip_end *end, char *text, size_t room);
/* Describes a failure of the program that the recording does not have, which may also be an exit
 * status; NULL: none. */
const char *pf_try_new_failure(const struct pf_clip *recording, const struct pf_clip_end *end,
                               char *text, size_t room);

#endif
