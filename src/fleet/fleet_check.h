/*
 * fleet_check.h - the rounds of a check as tasks of a fleet.
 *
 * Model:   a task continues a check on its node: its folder holds the knowledge of earlier tasks
 *          (check_knowledge.h), and it runs some rounds of some tests with seeds of its own. The
 *          first step of a task has the number PF_CHECK_STRIDE times the number of the task. So the
 *          files of all tasks have different names, and are merged by copying them into one folder.
 *          The first task of a group of tests runs round 0; later ones start from its findings.
 *          Tasks are submitted in waves. Wave n gets the knowledge of all waves up to n - 2, and
 *          nothing of wave n - 1, even if some of its tasks have ended. So the same command creates
 *          the same tasks, and a single slow task does not block the nodes. Only the function pairs
 *          of free runs are those of all tasks that have returned. The systematic search
 *          runs in every second wave, in one task for each group.
 *          When all rounds are done, further tasks judge the confirmed races (fleet_judge.h).
 */
#ifndef PF_FLEET_CHECK_H
#define PF_FLEET_CHECK_H

#include "check_folder.h"
#include "fleet.h"

#define PF_CHECK_STRIDE 100000

/* The folder of the check that belongs to the fleet: a new one, or that of the fleet that is
 * continued. argv: the command line of the check. */
PF_MUST_USE pf_status pf_fleet_check_folder(struct pf_fleet *f, struct pf_check_folder *folder,
                                            const struct pf_check_settings *settings, int argc,
                                            char **argv, struct pf_error *e);
/* Runs the rounds that are not done; `collect`: only merges results. *finished: all are done. */
PF_MUST_USE pf_status pf_fleet_check_run(struct pf_fleet *f, const struct pf_check_settings *s,
                                         const struct pf_check_folder *folder, int argc,
                                         char **argv, bool collect, bool *finished,
                                         struct pf_error *e);

#endif
