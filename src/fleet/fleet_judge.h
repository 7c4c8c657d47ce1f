/*
 * fleet_judge.h - the races of a state folder or of a check, judged as tasks of a fleet.
 *
 * Model:   a task gets a document with its races, and their clips in the shared folder. It returns
 *          the document with verdicts, and the clips of the evidence. Races that share a clip are
 *          judged by one task, because one trace serves all of them.
 */
#ifndef PF_FLEET_JUDGE_H
#define PF_FLEET_JUDGE_H

#include "check_folder.h"
#include "findings.h"
#include "fleet.h"

/* Races to be judged. */
struct pf_fleet_races {
    struct pf_finding **at;
    size_t n;
    const char *const *options; /* of pf judge, for every task */
    size_t noptions;
    char *const *command; /* the program, for races without a clip; NULL: unknown */
    const char *folder; /* absolute: where the clips of the evidence will be */
    uint64_t until_ms; /* when the judging ends (pf_now_ms); 0: it has no time limit */
};

/* How long tasks took to judge races. */
struct pf_judge_times {
    uint64_t ms, races; /* the time that was needed for this many races */
    uint64_t all; /* the number of all races, also of those without a task */
};

/* Sorts the races by their clips. */
void pf_fleet_judge_sort(const struct pf_fleet_races *r);
/* Adds at most `room` tasks for the first races, which are sorted; *taken: how many races got one.
 * wave: the wave of these tasks. While no time is known, a task has the races of one clip. */
PF_MUST_USE pf_status pf_fleet_judge_tasks(struct pf_fleet *f, const struct pf_fleet_races *r,
                                           const struct pf_judge_times *times, uint64_t wave,
                                           uint64_t room, size_t *taken, struct pf_error *e);
/* Adds at most `room` tasks for the confirmed races of a check that have no verdict and no task.
 * *more: there are further ones. */
PF_MUST_USE pf_status pf_fleet_judge_check(struct pf_fleet *f, const char *folder,
                                           struct pf_judge_times *times, uint64_t wave,
                                           uint64_t room, bool *more, struct pf_error *e);
/* Merges the result of such a task into the folder of the check, as a step. */
PF_MUST_USE pf_status pf_fleet_judge_merge_check(struct pf_fleet *f,
                                                 const struct pf_check_folder *folder,
                                                 const struct pf_fleet_task *t, const char *result,
                                                 struct pf_judge_times *times, struct pf_error *e);
/* Runs tasks for the races, and adds their verdicts to `judged`. */
PF_MUST_USE pf_status pf_fleet_judge_run(struct pf_fleet *f, const struct pf_fleet_races *r,
                                         struct pf_findings *judged, bool collect,
                                         struct pf_error *e);

#endif
