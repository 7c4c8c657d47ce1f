/*
 * hot_loops.c - decides which checks are in a hot loop, where inline code is worth its size.
 *
 * Model:   a cycle is a strongly connected component of the control flow graph that contains an
 *          edge. A cycle with few checks is a hot loop. From a cycle with many checks (an
 *          interpreter's main loop, a state machine) the first block is removed, and the components
 *          of the rest are computed again; this finds the loops inside it. Code that is only in a
 *          large cycle gets calls.
 *
 * Tarjan's algorithm with an explicit stack, because functions can have many thousand blocks.
 */
#include "plugin.h"
#include <llvm-c/DebugInfo.h>

/* Limits of a hot loop: source positions with checks, and checks. The checks of a larger cycle are
 * calls of the runtime. Copies that unrolling made have the same source position, so they count as
 * one position. */
#define LOOP_POSITIONS 12
#define LOOP_CHECKS 96
#define NESTING_MAX 12 /* nesting depth of large cycles that is searched */

struct visit {
    size_t block;
    unsigned next; /* the next successor to visit */
};

struct loop_search {
    struct pf_plan *plan;
    bool *active, *open;
    size_t *order, *low, *stack;
    struct visit *visits;
    size_t nstack, clock;
    bool again; /* the first block of a large cycle was removed: search once more */
};

/* True if the blocks stack[from..nstack) have few enough checks. */
static bool is_small(const struct loop_search *s, size_t from)
{
    LLVMMetadataRef positions[LOOP_POSITIONS];
    size_t checks = 0, npositions = 0;
    for (size_t i = from; i < s->nstack; i++) {
        size_t b = s->stack[i];
        for (size_t k = s->plan->first_step[b]; k < s->plan->first_step[b + 1]; k++) {
            if (s->plan->steps[k].what != PF_DO_ACCESS)
                continue;
            LLVMMetadataRef position = LLVMInstructionGetDebugLoc(s->plan->steps[k].inst);
            size_t at = 0;
            while (at < npositions && positions[at] != position)
                at++;
            if (at == LOOP_POSITIONS || ++checks > LOOP_CHECKS)
                return false;
            if (at == npositions)
                positions[npositions++] = position;
        }
    }
    return true;
}

/* stack[from..nstack) is a strongly connected component; stack[from] was reached first. */
static void close_component(struct loop_search *s, size_t from, bool cycle)
{
    bool small = cycle && is_small(s, from);
    for (size_t i = from; i < s->nstack; i++) {
        size_t b = s->stack[i];
        s->open[b] = false;
        s->plan->in_loop[b] |= cycle;
        if (cycle && !small && i > from) {
            s->again = true;
            continue;
        }
        s->active[b] = false;
        s->plan->hot[b] = cycle && small;
        for (size_t k = s->plan->first_step[b]; cycle && small && k < s->plan->first_step[b + 1];
             k++)
            s->plan->steps[k].loop = true;
    }
    s->nstack = from;
}

/* Tarjan's search, from one block, for strongly connected components of the active blocks. */
static void search_from(struct loop_search *s, size_t start)
{
    size_t nvisits = 0;
    s->visits[nvisits++] = (struct visit){start, 0};
    while (nvisits) {
        struct visit *v = &s->visits[nvisits - 1];
        size_t b = v->block;
        if (!s->order[b]) {
            s->order[b] = s->low[b] = ++s->clock;
            s->stack[s->nstack++] = b;
            s->open[b] = true;
        }
        LLVMValueRef term = LLVMGetBasicBlockTerminator(s->plan->blocks[b]);
        if (v->next < LLVMGetNumSuccessors(term)) {
            LLVMBasicBlockRef succ = LLVMGetSuccessor(term, v->next++);
            size_t to = *pf_ptrmap_find(&s->plan->block_index, succ);
            if (s->active[to] && !s->order[to])
                s->visits[nvisits++] = (struct visit){to, 0};
            else if (s->open[to] && s->order[to] < s->low[b])
                s->low[b] = s->order[to];
            continue;
        }
        nvisits--;
        if (nvisits && s->low[b] < s->low[s->visits[nvisits - 1].block])
            s->low[s->visits[nvisits - 1].block] = s->low[b];
        if (s->low[b] != s->order[b])
            continue;
        size_t from = s->nstack - 1;
        bool cycle = s->stack[from] != b;
        while (s->stack[from] != b)
            from--;
        /* a single block with an edge to itself */
        for (unsigned i = 0, n = LLVMGetNumSuccessors(term); i < n; i++)
            cycle |= LLVMGetSuccessor(term, i) == s->plan->blocks[b];
        close_component(s, from, cycle);
    }
}

void pf_plan_hot_loops(struct pf_plan *plan)
{
    size_t n = plan->nblocks;
    struct loop_search s = {.plan = plan,
                            .active = pf_zeroed(n + 1, sizeof(bool)),
                            .open = pf_zeroed(n + 1, sizeof(bool)),
                            .order = pf_zeroed(n + 1, sizeof(size_t)),
                            .low = pf_zeroed(n + 1, sizeof(size_t)),
                            .stack = pf_zeroed(n + 1, sizeof(size_t)),
                            .visits = pf_zeroed(n + 1, sizeof(struct visit)),
                            .again = true};
    for (size_t i = 0; i < n; i++)
        s.active[i] = true;
    for (unsigned nesting = 0; s.again && nesting < NESTING_MAX; nesting++) {
        s.again = false;
        for (size_t i = 0; i < n; i++)
            s.order[i] = 0;
        for (size_t i = 0; i < n; i++)
            if (s.active[i] && !s.order[i])
                search_from(&s, i);
    }
    free(s.active);
    free(s.open);
    free(s.order);
    free(s.low);
    free(s.stack);
    free(s.visits);
}
