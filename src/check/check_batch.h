/*
 * check_batch.h - the result of a batch: many schedules of one program, run from one checkpoint by
 * `pf record --news`, or of a systematic search by `pf explore`. Chooses the recordings that are
 * worth a search for predictions.
 *
 * Model:   a recording that failed is chosen if no earlier one failed with the same text; of
 *          failures whose texts differ only in numbers (thread numbers, addresses, values) a few
 *          are chosen. Of the others in a batch, those that showed the most new behaviours are
 *          chosen; in a systematic search, those that were the first to show a data race.
 * Memory:  the caller releases the result and the set of failures.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_CHECK_CHECK_BATCH_H
#define PF_CHECK_CHECK_BATCH_H

#include "check_folder.h"
#include "vector.h"

/* The failures that were seen so far, as hashes of their texts. */
struct pf_check_failures {
    PF_VEC(uint64_t) exact, alike; /* alike: without their numbers */
};

struct pf_check_batch_recording {
    char schedule[200], clip[4096];
    bool failed, chosen;
    uint64_t behaviours;
};

struct pf_check_batch {
    PF_VEC(struct pf_check_batch_recording) kept;
    uint64_t schedules, behaviours, failures; /* failures: new ones */
    uint64_t refused; /* schedules that a private run cannot follow */
    uint64_t events; /* of a schedule, on average */
    uint64_t left; /* systematic search: targets that are left */
};

/* Reads the document of the batch and chooses recordings. stopped: the batch was terminated, so
 * that a schedule which died of SIGTERM or SIGKILL has not failed. */
PF_MUST_USE pf_status pf_check_batch_read(struct pf_check_batch *b, struct pf_check_failures *seen,
                                          const char *document, bool stopped, struct pf_error *e);
/* The same for the document of a systematic search; `behaviours` is the number of different
 * executions. known: the number of schedules that the search had run before; it has repeated them,
 * and the races that they show are known. */
PF_MUST_USE pf_status pf_check_batch_read_explored(struct pf_check_batch *b,
                                                   struct pf_check_failures *seen, uint64_t known,
                                                   const char *document, struct pf_error *e);
/* Writes the part of this document that the report needs to the file `to`. */
PF_MUST_USE pf_status pf_check_exploration_move(const char *document, const char *to,
                                                struct pf_error *e);
/* Reads the document of a hunt: the number of its runs, and whether inputs are left to try. */
PF_MUST_USE pf_status pf_check_batch_read_hunt(const char *document, uint64_t *runs, uint64_t *left,
                                               struct pf_error *e);
void pf_check_batch_release(struct pf_check_batch *b);
void pf_check_failures_release(struct pf_check_failures *f);

#endif
