/*
 * judge_races.h - which races `pf judge` judges: those of a recording, of a state folder, or of a
 * report of another tool.
 *
 * Memory:  races and their texts are in v->pool, or belong to v->all.
 * Errors:  functions that return an int print a message and return an exit status.
 */
#ifndef PF_CLI_JUDGE_RACES_H
#define PF_CLI_JUDGE_RACES_H

#include "findings.h"
#include "fleet_options.h"
#include "judge_findings.h"
#include "predicted_finding.h"
#include "requirement.h"

#define PF_JUDGE_REQUIREMENTS 16 /* most conditions of --require */

struct pf_judge_verb {
    const char *state, *json, *race, *folder;
    struct pf_requirement requirements[PF_JUDGE_REQUIREMENTS];
    const char *without_lock; /* the lock operation to remove, FILE:LINE; NULL: none */
    char *removal; /* the recording without it */
    const char *check; /* the folder of one check, instead of a state folder */
    const char *findings; /* a document with races, instead of a state folder */
    const char *from; /* a report of another tool, or a document, instead of a state folder */
    struct pf_fleet_options fleet;
    bool from_state;
    bool blind; /* for tests: a detector that does not know locks finds the races of a clip */
    enum pf_judge_class fail_on;
    struct pf_predict_job job; /* of a clip */
    size_t nmet; /* races at the end of `items` that runs of other races showed */
    unsigned met; /* most races that are judged because runs of other races showed them */
    PF_VEC(struct pf_predict_job *) met_jobs; /* traces of the runs that showed them */
    int first; /* the first word of the command line that is not an option */
    struct pf_findings all; /* of a state folder */
    struct pf_findings returned; /* by the tasks of a fleet */
    struct pf_judge_list list;
    pf_judge_items items;
    struct pf_pool pool;
};

/* Lists the races of a recording. */
int pf_judge_races_clip(struct pf_judge_verb *v, const char *path);
/* Lists the races that the program of the recording has only without the lock v->without_lock. */
int pf_judge_races_without_lock(struct pf_judge_verb *v, const char *path);
/* Lists the races with these ids, or all races (n = 0), of v->findings, v->check or v->state. */
int pf_judge_races_state(struct pf_judge_verb *v, int n, char **ids);
/* Lists the races of the file v->from. `command` is the program and its arguments, ended by NULL;
 * if it is empty, the document or the state folder names the program. */
int pf_judge_races_from(struct pf_judge_verb *v, char **command);
/* Adds the races of a run of the alternate order that are not known yet. */
void pf_judge_races_met(struct pf_judge_verb *v, const char *clip);

#endif
