/*
 * check_rounds.h - which rounds of a check a fleet still has to run.
 *
 * Model:   a piece is a range of rounds of a group of tests. The pieces that are left are those
 *          that no task covers.
 * Memory:  the caller releases the lists.
 */
#ifndef PF_FLEET_CHECK_ROUNDS_H
#define PF_FLEET_CHECK_ROUNDS_H

#include "vector.h"

struct pf_check_piece {
    uint64_t group, round, rounds;
};
typedef PF_VEC(struct pf_check_piece) pf_check_pieces;

/* Adds the rounds below `rounds` of each group that `covered` does not contain, the first round of
 * a group as a piece of its own. First rounds come before all others. Sorts `covered`. */
void pf_check_pieces_left(pf_check_pieces *left, pf_check_pieces *covered, uint64_t ngroups,
                          uint64_t rounds);

#endif
