/*
 * fleet_check.h - the rounds of a check as tasks of a fleet.
 *
 * Model:   a task continues a check on its node: its folder holds what earlier tasks have learned
 *          (check_knowledge.h), and it runs some rounds of some tests with seeds of its own. Its
 *          steps are numbered from PF_CHECK_STRIDE times its number on, so the files of all tasks
 *          fit into one folder, and merging is copying. The first task of a group of tests runs
 *          round 0; later ones start from what that has shown.
 *          Tasks are submitted in waves. A wave knows what the waves up to the last but one have
 *          found, whatever the others have returned meanwhile: so the same command gives the same
 *          tasks, and no node waits for a single slow one. The systematic search runs in every
 *          second wave, in one task for each group.
 *          When all rounds are done, the confirmed races are judged, as tasks, too (fleet_judge.h).
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
