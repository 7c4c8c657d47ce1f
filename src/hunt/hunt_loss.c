/* hunt_loss.c - see hunt_loss.h. */
#include "hunt_loss.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pf_hunt_loss_text(uint8_t reason)
{
    static const char *const texts[] = {
#define PF_LOSS(name, text) text,
#include "pf_symbolic.def"
    };
    return texts[reason];
}

void pf_hunt_losses_release(struct pf_hunt_losses *l)
{
    for (size_t i = 0; i < l->all.len; i++)
        free(l->all.at[i].name);
    pf_vec_release(&l->all);
}

void pf_hunt_losses_add(struct pf_hunt_losses *l, const struct pf_expression_log *log)
{
    for (size_t i = 0; i < log->losses.len; i++) {
        const struct pf_log_loss *x = &log->losses.at[i];
        size_t k = 0;
        while (k < l->all.len &&
               (l->all.at[k].reason != x->reason || strcmp(l->all.at[k].name, x->name)))
            k++;
        if (k == l->all.len)
            pf_vec_push(&l->all, (struct pf_hunt_loss){x->reason, pf_mem_copy(x->name), 0});
        l->all.at[k].count += x->count;
    }
}

bool pf_hunt_losses_describe(const struct pf_expression_log *log, char *to, size_t room)
{
    if (!log->losses.len)
        return false;
    const struct pf_log_loss *x = &log->losses.at[0];
    snprintf(to, room, "part of the path is not modelled: %s%s%s", pf_hunt_loss_text(x->reason),
             *x->name ? ", " : "", x->name);
    return true;
}
