/*
 * merge_adjacent.c - replaces checks of adjacent bytes from one source position by one check.
 *
 * Model:   unrolling and the expansion of small aggregates leave, in one block, accesses from one
 *          source position, all reads or all writes, to base + constants. If their bytes together
 *          have no gap, one check of all bytes at the first access is equivalent: once the first
 *          access happens, the others happen too, in the same epoch. Therefore nothing between them
 *          may synchronise or fail to return: calls end a group.
 */
#include "address.h"
#include "plugin.h"
#include <llvm-c/DebugInfo.h>

#define GROUPS 8 /* open at the same time */
#define SPAN_MAX 64 /* bytes; one bit each */
#define SIZE_MAX_MERGED 8

struct merge_group {
    LLVMValueRef base;
    LLVMMetadataRef position;
    struct pf_plan_step *first;
    uint64_t bytes;     /* bit i: the byte at base + origin + i is accessed */
    int64_t origin, low; /* low: the lowest offset so far */
    uint32_t low_align;
    struct pf_plan_step *members[SPAN_MAX];
    size_t n;
};

struct groups {
    struct merge_group all[GROUPS];
    size_t n;
};

bool pf_is_same_source_position(LLVMMetadataRef x, LLVMMetadataRef y)
{
    return x == y || (x && y && LLVMDILocationGetLine(x) == LLVMDILocationGetLine(y) &&
                      LLVMDILocationGetColumn(x) == LLVMDILocationGetColumn(y) &&
                      LLVMDILocationGetScope(x) == LLVMDILocationGetScope(y) &&
                      LLVMDILocationGetInlinedAt(x) == LLVMDILocationGetInlinedAt(y));
}

/* The group is complete. If its bytes have no gap, the first access checks all of them. */
static void finish_group(struct merge_group *g)
{
    unsigned from = (unsigned)__builtin_ctzll(g->bytes);
    uint64_t run = g->bytes >> from;
    if (g->n < 2 || run & (run + 1)) /* a gap */
        return;
    for (size_t i = 0; i < g->n; i++)
        if (g->members[i] != g->first)
            g->members[i]->what = PF_DO_NOTHING;
    g->first->span = (uint32_t)__builtin_popcountll(g->bytes);
    g->first->span_at = (int32_t)(g->origin + from - g->first->offset);
    g->first->span_align = g->low_align;
}

static void finish_all(struct groups *gs)
{
    for (size_t i = 0; i < gs->n; i++)
        finish_group(&gs->all[i]);
    gs->n = 0;
}

static bool join(struct merge_group *g, LLVMValueRef base, int64_t offset, struct pf_plan_step *s)
{
    int64_t at = offset - g->origin;
    if (g->base != base || g->first->write != s->write || g->n == SPAN_MAX || at < 0 ||
        at + (int64_t)s->size > SPAN_MAX ||
        !pf_is_same_source_position(g->position, LLVMInstructionGetDebugLoc(s->inst)))
        return false;
    g->bytes |= ((1ull << s->size) - 1) << at;
    if (offset < g->low) {
        g->low = offset;
        g->low_align = s->align;
    }
    g->members[g->n++] = s;
    return true;
}

static void add(struct pf_unit *u, struct groups *gs, struct pf_plan_step *s)
{
    int64_t offset;
    LLVMValueRef base = pf_gep_constant_offset(u, s->ptr, &offset);
    for (size_t i = 0; i < gs->n; i++)
        if (join(&gs->all[i], base, offset, s))
            return;
    if (gs->n == GROUPS) { /* the oldest group is the most likely to be complete */
        finish_group(&gs->all[0]);
        for (size_t i = 1; i < GROUPS; i++)
            gs->all[i - 1] = gs->all[i];
        gs->n--;
    }
    s->offset = offset;
    /* The first access is usually the lowest. Leave room for 8 bytes below it. */
    struct merge_group *g = &gs->all[gs->n++];
    *g = (struct merge_group){.base = base,
                              .position = LLVMInstructionGetDebugLoc(s->inst),
                              .first = s,
                              .origin = offset - 8,
                              .low = INT64_MAX};
    join(g, base, offset, s);
}

void pf_plan_merge_adjacent(struct pf_unit *u, struct pf_plan *plan)
{
    struct groups gs = {.n = 0};
    for (size_t b = 0; plan->accesses && b < plan->nblocks; b++) {
        size_t k = plan->first_step[b], end = plan->first_step[b + 1];
        if (end - k < 2)
            continue;
        for (LLVMValueRef v = LLVMGetFirstInstruction(plan->blocks[b]); v;
             v = LLVMGetNextInstruction(v)) {
            struct pf_plan_step *s = k < end && plan->steps[k].inst == v ? &plan->steps[k++] : NULL;
            LLVMOpcode op = LLVMGetInstructionOpcode(v);
            bool call = op == LLVMCall && !(pf_callee(v) && LLVMGetIntrinsicID(pf_callee(v)));
            if (call || op == LLVMInvoke || op == LLVMCallBr ||
                (s &&
                 (s->may_synchronise || (s->what != PF_DO_ACCESS && s->what != PF_DO_NOTHING))))
                finish_all(&gs);
            else if (s && s->what == PF_DO_ACCESS && s->size <= SIZE_MAX_MERGED &&
                     LLVMInstructionGetDebugLoc(v))
                add(u, &gs, s);
        }
        finish_all(&gs);
    }
}
