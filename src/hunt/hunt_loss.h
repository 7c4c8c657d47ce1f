/*
 * hunt_loss.h - what symbolic runs made concrete: the functions without a model, and other reasons.
 *
 * Memory:  the list owns its names until release.
 * Threads: one.
 */
#ifndef PF_HUNT_LOSS_H
#define PF_HUNT_LOSS_H

#include "expression_log.h"

struct pf_hunt_loss {
    uint8_t reason; /* enum pf_symbolic_loss */
    char *name; /* of a function; empty: none */
    uint64_t count;
};

struct pf_hunt_losses {
    PF_VEC(struct pf_hunt_loss) all;
};

void pf_hunt_losses_release(struct pf_hunt_losses *l);
/* Adds the losses of one run. */
void pf_hunt_losses_add(struct pf_hunt_losses *l, const struct pf_expression_log *log);
const char *pf_hunt_loss_text(uint8_t reason);
/* Describes the first loss of a run. False: it has none. */
bool pf_hunt_losses_describe(const struct pf_expression_log *log, char *to, size_t room);

#endif
