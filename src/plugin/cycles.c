/*
 * cycles.c - which blocks are part of a cycle of the control flow: Tarjan's strongly connected
 * components, with an explicit stack because functions can have many thousand blocks.
 */
#include "plugin.h"

struct visit {
    size_t block;
    unsigned next; /* successor to look at */
};

void pf_plan_cycles(struct pf_plan *plan)
{
    size_t n = plan->nblocks, clock = 0, nstack = 0, nvisits = 0;
    size_t *order = calloc(n + 1, sizeof *order), *low = calloc(n + 1, sizeof *low);
    size_t *stack = calloc(n + 1, sizeof *stack);
    bool *open = calloc(n + 1, sizeof *open);
    struct visit *visits = calloc(n + 1, sizeof *visits);
    plan->in_cycle = calloc(n + 1, sizeof *plan->in_cycle);
    if (!order || !low || !stack || !open || !visits || !plan->in_cycle)
        abort();
    for (size_t start = 0; start < n; start++) {
        if (order[start])
            continue;
        visits[nvisits++] = (struct visit){start, 0};
        while (nvisits) {
            struct visit *v = &visits[nvisits - 1];
            size_t b = v->block;
            if (!v->next) {
                order[b] = low[b] = ++clock;
                stack[nstack++] = b;
                open[b] = true;
            }
            LLVMValueRef term = LLVMGetBasicBlockTerminator(plan->blocks[b]);
            if (v->next < LLVMGetNumSuccessors(term)) {
                LLVMBasicBlockRef succ = LLVMGetSuccessor(term, v->next++);
                size_t s = *pf_ptrmap_find(&plan->block_index, succ);
                if (s == b)
                    plan->in_cycle[b] = true;
                else if (!order[s])
                    visits[nvisits++] = (struct visit){s, 0};
                else if (open[s] && order[s] < low[b])
                    low[b] = order[s];
                continue;
            }
            nvisits--;
            if (nvisits && low[b] < low[visits[nvisits - 1].block])
                low[visits[nvisits - 1].block] = low[b];
            if (low[b] != order[b])
                continue;
            bool many = stack[nstack - 1] != b;
            size_t member;
            do {
                member = stack[--nstack];
                open[member] = false;
                plan->in_cycle[member] |= many;
            } while (member != b);
        }
    }
    free(order);
    free(low);
    free(stack);
    free(open);
    free(visits);
}
