/*
 * control_flow.h - the edges between the blocks of a planned function, by block numbers; the
 * instructions that cannot leave the epoch.
 *
 * Memory:  the plan owns the list of predecessors; pf_plan_release frees it.
 */
#ifndef PF_PLUGIN_CONTROL_FLOW_H
#define PF_PLUGIN_CONTROL_FLOW_H

#include "plugin.h"

/* The terminator of the block. */
static inline LLVMValueRef pf_block_end(const struct pf_plan *plan, size_t block)
{
    return LLVMGetBasicBlockTerminator(plan->blocks[block]);
}

/* Successor i of a terminator. */
static inline size_t pf_block_successor(const struct pf_plan *plan, LLVMValueRef end, unsigned i)
{
    return *pf_ptrmap_find(&plan->block_index, LLVMGetSuccessor(end, i));
}

/* The predecessors of every block, one entry per edge. Built by the first call. */
const struct pf_predecessors *pf_block_predecessors(struct pf_plan *plan);

/* True if the instruction cannot synchronise and control always reaches the next one: it cannot
 * block, exit or throw. */
bool pf_proceeds_in_epoch(LLVMValueRef inst);

#endif
