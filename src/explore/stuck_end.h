/*
 * stuck_end.h - executions in which threads wait for ever in loops.
 *
 * Model:   an iteration of a loop that waits is not part of the graph. So two executions may have
 *          the same operations, although a thread leaves its loop in one of them only: which write
 *          to a cell comes last is not determined by what the operations have read. A *stop* is a
 *          thread before an operation of a loop, and the writes that it would read there, after
 *          which it only waits. An execution is stuck if some threads have stopped and none of
 *          the others can run. Its operations are a closed set of an execution seen before: those
 *          before the stops, and everything that does not depend on later ones. The writes of the
 *          stops must be the last ones to their cells. If the engine finds such an order, the
 *          program is run along it.
 * Cost:    O(operations * threads) for each combination of stops; their number is limited.
 */
#ifndef PF_EXPLORE_STUCK_END_H
#define PF_EXPLORE_STUCK_END_H

#include "target_choice.h"

/* Sets s->beginnings to the runs after which threads of c->x may wait for ever. Uses c->node and
 * c->sources. */
void pf_stuck_find(struct pf_choice *c);

#endif
