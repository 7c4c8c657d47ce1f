/* hunt_direction.c - see hunt_direction.h. */
#include "hunt_direction.h"
#include "hash_mix.h"
#include "hunt_order.h"

#define COUNT_EXACT 16 /* larger counts with the same number of bits are equal */
#define THREADS_APART 3 /* threads from this number on count as one */

uint64_t pf_hunt_direction(const struct pf_expression_log *log, const struct pf_log_condition *c,
                           bool holds)
{
    uint64_t h = pf_hash_mix(log->sites.at[c->site].hash, c->alternative);
    return pf_hash_mix(h, holds ? 1 : 2);
}

uint64_t pf_hunt_branch(uint64_t direction, uint32_t count)
{
    uint32_t rank =
        count <= COUNT_EXACT ? count : COUNT_EXACT + 32 - (uint32_t)__builtin_clz(count);
    return pf_hash_mix(direction, rank);
}

uint64_t pf_hunt_own(uint64_t direction, const struct pf_log_condition *c)
{
    uint32_t thread = c->thread < THREADS_APART ? c->thread : THREADS_APART;
    return c->reason == PF_REASON_ASSUMED ? 0 : pf_hash_mix(~direction, thread);
}

uint32_t pf_hunt_count(struct pf_hash_map *counts, uint64_t direction)
{
    struct pf_hash_walk w = pf_hash_map_walk(counts, direction);
    if (!pf_hash_map_next(counts, &w)) {
        pf_hash_map_add(counts, direction, 1);
        return 1;
    }
    pf_hash_map_set(counts, &w, w.value + 1);
    return w.value + 1;
}

uint32_t pf_hunt_condition_after(const struct pf_expression_log *log, struct pf_hunt_event event)
{
    uint32_t n = (uint32_t)log->conditions.len;
    for (uint32_t i = 0; i < n; i++)
        if (log->conditions.at[i].thread == event.thread &&
            log->conditions.at[i].events >= event.number)
            return i;
    return n ? n - 1 : PF_HUNT_NOTHING_NEW;
}
