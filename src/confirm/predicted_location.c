/* predicted_location.c - see predicted_location.h. Only recordings have variables with a size and
 * allocations with a stack; a finding of a text trace has no location. */
#include "predicted_location.h"

/* The alloc event of each block. */
struct pf_allocations {
    uint32_t *event; /* PF_NONE: the block is a thread's stack, or was there before the recording */
    uint32_t n;
};

static const struct pf_allocations *allocations(struct pf_predict_job *j)
{
    const struct pf_trace *t = &j->t;
    if (j->allocations)
        return j->allocations;
    struct pf_allocations *a = pf_pool_get(&j->pool, sizeof *a);
    for (size_t i = 0; i < t->places.len; i++)
        a->n = t->places.at[i].block >= a->n ? t->places.at[i].block + 1 : a->n;
    a->event = pf_pool_get(&j->pool, a->n * sizeof *a->event + 1);
    for (uint32_t i = 0; i < a->n; i++)
        a->event[i] = PF_NONE;
    for (uint32_t i = 0; i < t->events.len; i++)
        if (t->events.at[i].kind == PF_EV_ALLOC)
            a->event[t->places.at[t->events.at[i].what].block] = i;
    return j->allocations = a;
}

void pf_predicted_location(struct pf_predict_job *j, uint32_t i, struct pf_location *l)
{
    const struct pf_trace *t = &j->t;
    const struct pf_range *place = &t->places.at[t->events.at[i].what];
    struct pf_variable v;
    if (!t->recorded.present)
        return;
    uint32_t alloc = allocations(j)->event[place->block];
    if (place->block && alloc != PF_NONE) {
        const struct pf_range *block = &t->places.at[t->events.at[alloc].what];
        *l = (struct pf_location){.kind = PF_LOCATION_HEAP,
                                  .thread = t->events.at[alloc].thread,
                                  .address = block->addr,
                                  .size = block->size,
                                  .stack = pf_predicted_stack(j, alloc)};
    } else if (!place->block && pf_trace_variable_at(t, place->addr, &v)) {
        *l = (struct pf_location){.kind = PF_LOCATION_GLOBAL,
                                  .name = pf_trace_text(t, v.name),
                                  .address = v.addr,
                                  .size = v.size};
    }
}
