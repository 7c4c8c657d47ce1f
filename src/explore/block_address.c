/* block_address.c - see block_address.h. */
#include "block_address.h"
#include "exec_builder.h"

void pf_block_addresses_check(struct pf_block_addresses *a, const struct pf_execution *run,
                              const struct pf_trace *t, struct pf_exploration *out)
{
    uint32_t before = PF_NONE, number = 0;
    for (size_t i = 0; i < run->blocks.len; i++) {
        const struct pf_exec_block *b = &run->blocks.at[i];
        number = b->node == before ? number + 1 : 0; /* of the block in its operation */
        before = b->node;
        a->several |=
            run->g.nodes.at[b->node].thread != run->g.nodes.at[run->blocks.at[0].node].thread;
        uint64_t key = pf_exec_mix(run->nodes.at[b->node].history, number);
        uint32_t hash = (uint32_t)(pf_exec_mix(b->addr, 1) >> 33);
        char where[240];
        if (pf_hash_map_put(&a->seen, key, hash) == hash)
            continue;
        pf_exec_place(t, b->event, where, sizeof where);
        pf_exploration_add_unexplored(out, "an address that depends on the schedule", where);
    }
}

void pf_block_addresses_release(struct pf_block_addresses *a) { pf_hash_map_release(&a->seen); }
