/* control_flow.c - see control_flow.h. */
#include "control_flow.h"

const struct pf_predecessors *pf_block_predecessors(struct pf_plan *plan)
{
    struct pf_predecessors *p = &plan->predecessors;
    size_t n = plan->nblocks, edges = 0;
    if (p->first)
        return p;
    p->first = pf_zeroed(n + 2, sizeof *p->first);
    for (size_t b = 0; b < n; b++) { /* count them, then list them */
        LLVMValueRef end = pf_block_end(plan, b);
        for (unsigned i = 0, k = LLVMGetNumSuccessors(end); i < k; i++, edges++)
            p->first[pf_block_successor(plan, end, i) + 2]++;
    }
    p->before = pf_grow(NULL, (edges + 1) * sizeof *p->before);
    for (size_t b = 2; b < n + 2; b++)
        p->first[b] += p->first[b - 1];
    for (size_t b = 0; b < n; b++) {
        LLVMValueRef end = pf_block_end(plan, b);
        for (unsigned i = 0, k = LLVMGetNumSuccessors(end); i < k; i++)
            p->before[p->first[pf_block_successor(plan, end, i) + 1]++] = b;
    }
    return p;
}
