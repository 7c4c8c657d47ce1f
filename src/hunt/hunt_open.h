/*
 * hunt_open.h - the open runs of a hunt, from which something is left to try, as a file.
 *
 * Model:   a run is a pair of an input and a schedule. Left to try are its questions that were not
 *          asked (hunt_order.h), its symbolic run, and inputs that are made from its input without
 *          the solver: longer ones, changed ones, copies of a part, and the same input under other
 *          schedules. Each question is in the list once, at one of the runs that have it. So parts
 *          of the list can be given to different processes, and no question is asked twice. The
 *          file is text, with a line for each run:
 *
 *              run INPUT SCHEDULE PLAN POLICY LONGER FLAGS NEW GROWN SCHEDULES CHANGED
 *                  COPIES SOURCE AT COST : KEY... .
 *
 *          INPUT, SCHEDULE, PLAN and KEY are hexadecimal; FLAGS is a sum of PF_HUNT_OPEN_*.
 * Memory:  the list owns its runs and their keys until release.
 * Errors:  PF_IO and PF_BAD with the path. A line that was cut is ignored.
 */
#ifndef PF_HUNT_OPEN_H
#define PF_HUNT_OPEN_H

#include "status.h"
#include "vector.h"
#include <stdbool.h>
#include <stdio.h>

#define PF_HUNT_NOT_OPEN UINT32_MAX /* of a counter: nothing is left to try */
#define PF_HUNT_CHANGES_MAX 8192 /* changes of each input that reached something new */
#define PF_HUNT_SCHEDULES_MAX 2 /* other policies for each such input */

enum {
    PF_HUNT_OPEN_REACHED_NEW = 1,
    PF_HUNT_OPEN_TOOK_NEW = 2,
    PF_HUNT_OPEN_EXPLORED = 4, /* its symbolic run was made */
    PF_HUNT_OPEN_RACE = 8, /* it shows a race whose two orders were not run yet */
    PF_HUNT_OPEN_SHOWS = 16, /* it shows a race */
};

/* The members have the meaning of those of struct pf_hunt_run. */
struct pf_hunt_open {
    uint64_t input, schedule;
    uint64_t plan; /* the name of its file; 0: none */
    uint32_t policy, longer, flags;
    uint32_t first_new; /* the first new condition of its path; PF_HUNT_NOTHING_NEW: none */
    uint32_t grown, schedules, changed;
    uint32_t copies, source, at; /* the next copy of a part, and that part */
    uint32_t cost; /* of its cheapest question */
    pf_vec_u64 keys; /* of its questions, the cheapest first */
};

typedef PF_VEC(struct pf_hunt_open) pf_hunt_open_list;

void pf_hunt_open_list_release(pf_hunt_open_list *l);
/* True if the run is open: something is left to try from it. */
bool pf_hunt_is_open(const struct pf_hunt_open *o);
void pf_hunt_open_print(FILE *out, const struct pf_hunt_open *o);
/* Adds the runs of a text. */
void pf_hunt_open_parse(pf_hunt_open_list *l, const char *text);
/* Adds the runs of a file. No error if it does not exist. */
PF_MUST_USE pf_status pf_hunt_open_read(pf_hunt_open_list *l, const char *path, struct pf_error *e);
/* The list as text, malloced. */
char *pf_hunt_open_text(const pf_hunt_open_list *l);
/* The cheapest runs first; among equals, the newest first. */
void pf_hunt_open_sort(pf_hunt_open_list *l);
/* Joins the entries of the same run. A question that several runs have stays only with the first of
 * them. Runs from which nothing is left to try are removed. */
void pf_hunt_open_join(pf_hunt_open_list *l);
/* Adds part `part` of `parts` of a list to `out`. The parts have about the same number of
 * questions. A run with many questions is in several parts; the first of them has its inputs that
 * need no solver. */
void pf_hunt_open_part(const pf_hunt_open_list *l, size_t part, size_t parts,
                       pf_hunt_open_list *out);

#endif
