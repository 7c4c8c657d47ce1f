/*
 * hunt_paths.h - the paths that symbolic runs took, and the inputs that would make them take
 * others.
 *
 * Model:   the conditions of all runs form a tree. A flip is a condition of a run that is to get
 *          the other value, while the conditions before it stay. No branch of the tree is asked for
 *          twice. Flips to a direction that no run has taken, or not as many times, come first.
 *          For two accesses of different threads whose addresses depend on the input, the solver
 *          also looks for an input that makes these addresses equal. All that may be asked for is
 *          called a question (hunt_order.h).
 * Memory:  opaque, because finding.h and pf_symbolic.h use the same names. The owner of an input
 *          that is returned releases it.
 * Threads: one.
 * Errors:  PF_BAD for a clip without an expression log, or with a damaged one.
 */
#ifndef PF_HUNT_PATHS_H
#define PF_HUNT_PATHS_H

#include "hunt_open.h"
#include "input_bytes.h"
#include "status.h"
#include <stdbool.h>

struct pf_hunt_paths;
typedef PF_VEC(uint64_t) pf_hunt_keys;

/* An event of a run: the number of its thread, and its own number among the events of the thread,
 * from 1; 0: none. */
struct pf_hunt_event {
    uint32_t thread, number;
};

struct pf_hunt_paths_counts {
    uint64_t questions, solved, impossible, limit, failed; /* as in solve.h */
    uint64_t cached, quick, z3;
    uint64_t cpu_ms, below_20_ms; /* CPU time of questions; how many needed less than 20 ms */
    uint64_t worker_ms; /* CPU time of the worker that runs now */
    uint64_t wrong; /* conditions that do not hold under the input of their own run */
    uint64_t taken; /* different (branch, direction) */
    uint64_t open; /* questions that were not asked yet */
    uint64_t predicted, followed; /* runs with a predicted path; those that took it */
};

/* The answer to a question: a new input for a run to be made. */
struct pf_hunt_answer {
    struct pf_input_bytes input;
    uint32_t run; /* whose path is changed */
    uint64_t key; /* identifies the question, also in later sessions */
    uint64_t predicted; /* identifies the path that the new run is to take; 0: unknown */
};

/* worker: the path of pf-z3; limit_ms: for each question to Z3. */
struct pf_hunt_paths *pf_hunt_paths_new(const char *worker, uint64_t limit_ms);
void pf_hunt_paths_free(struct pf_hunt_paths *p);

/* Adds the expression log of a clip, which belongs to run `run` with this input. Two runs with
 * different schedules have different numbers `schedule`. `predicted`: that of the answer that
 * asked for the run; 0: none. `aliases`: see input_bytes.h. If the input has no bytes for a socket
 * or for random bytes, those that the run read are taken. Adds to `branches` a key for each branch
 * that the run took, together with its count. *new: one of them has a direction that no
 * run took before. */
PF_MUST_USE pf_status pf_hunt_paths_add(struct pf_hunt_paths *p, const char *clip, uint32_t run,
                                        const struct pf_input_bytes *input, uint64_t schedule,
                                        uint64_t predicted, const pf_source_aliases *aliases,
                                        pf_hunt_keys *branches, bool *new, struct pf_error *e);
/* Finds the next new input by the questions of runs for which wanted(arg, run) is true; NULL: of
 * all runs. False: there is none. */
bool pf_hunt_paths_next(struct pf_hunt_paths *p, bool (*wanted)(void *arg, uint32_t run), void *arg,
                        struct pf_hunt_answer *out);
/* The run that is added next reached this many sites: its questions come before those of runs
 * that reached fewer. `stored`: where it has stored a value that no run has stored there. If it
 * took no new direction, this is the place where it did something new. `flip`: the key of the
 * answer that asked for it; 0: none. */
void pf_hunt_paths_reached(struct pf_hunt_paths *p, uint32_t sites, struct pf_hunt_event stored,
                           uint64_t flip);
/* From now on, inputs may have further arguments; `first`: the number of the first one. */
void pf_hunt_paths_arguments(struct pf_hunt_paths *p, uint32_t first);
/* The next run that is added is this one, of an earlier session: it has only the questions that
 * are left. NULL: it is new. */
void pf_hunt_paths_restore(struct pf_hunt_paths *p, const struct pf_hunt_open *o);
/* Adds the questions that were not asked to the entries of their runs; runs[r] is the entry of run
 * r. Sets first_new of these entries. The question `unfinished` counts as not asked. */
void pf_hunt_paths_open(const struct pf_hunt_paths *p, uint64_t unfinished,
                        struct pf_hunt_open *runs);
/* From now on, no question is asked while stopped(arg) is true. Without this, one call may ask many
 * questions that yield no input, and each may take as long as the solver's limit. */
void pf_hunt_paths_stop(struct pf_hunt_paths *p, bool (*stopped)(void *arg), void *arg);
/* Marks a question as asked, by its key. */
void pf_hunt_paths_skip(struct pf_hunt_paths *p, uint64_t key);
/* Marks a direction of a branch as taken; see pf_hunt_order_took. */
void pf_hunt_paths_took(struct pf_hunt_paths *p, uint64_t direction, uint64_t branch, uint64_t own);
/* What a later session needs to know: the questions that were asked since the last call, and the
 * directions that were taken first since then. The lists are valid until the next call of a
 * function that changes `p`. */
struct pf_hunt_paths_news {
    pf_hunt_keys tried;
    pf_hunt_keys taken; /* a direction, its branch, and its `own`, as in pf_hunt_order_took */
};
void pf_hunt_paths_news(struct pf_hunt_paths *p, struct pf_hunt_paths_news *out);
/* Describes why questions about this run may not lead on: a limit of the solver, or code without a
 * model. False: there is no such reason. */
bool pf_hunt_paths_obstacle(const struct pf_hunt_paths *p, uint32_t run, char *to, size_t room);
void pf_hunt_paths_counts(const struct pf_hunt_paths *p, struct pf_hunt_paths_counts *out);

/* Word number i that the program passes to library functions; NULL: i is too large. Words are added
 * at the end. */
const char *pf_hunt_paths_word(const struct pf_hunt_paths *p, size_t i);
/* What was made concrete in all runs (hunt_loss.h). */
const struct pf_hunt_losses *pf_hunt_paths_losses(const struct pf_hunt_paths *p);

#endif
