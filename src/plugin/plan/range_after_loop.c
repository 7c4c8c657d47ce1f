/*
 * range_after_loop.c - replaces a check in every iteration of a loop by one range check after it.
 *
 * Model:   a loop advances along bytes until a condition holds, often on the byte just read. The
 *          distance is not known before the loop, but the induction variable gives it on every exit
 *          edge. Only loops are changed in which nothing synchronises, ends the thread or frees
 *          memory. So a check on the exit edge is in the epoch of the accesses, and finds every
 *          race with them. An access that every iteration executes, at affine addresses
 *          (affine_address.h) that advance by the access size, has accessed all bytes from its
 *          first address to its current one. The bytes at the current address count only if this
 *          iteration has executed the access. The same holds for several accesses of one block that
 *          are adjacent and together as large as the stride: a copy of three bytes per iteration,
 *          or an unrolled loop. If they have several source positions, the check gets all of them,
 *          and each byte its own.
 *
 * Only checks of accesses of at most four bytes are replaced. The first check of some bytes in an
 * epoch calls the runtime. Small accesses make several such calls for each granule, which the range
 * check saves. Larger accesses make one or two; there the range check saves little, and a check in
 * every iteration is fast in short loops. The watch body cannot switch to the plain body inside a
 * loop that is changed (switch_edges.c). So checks of four bytes, which more often have other
 * checks in their loop, are replaced only if the loop has no other checks.
 */
#include "affine_address.h"
#include "control_flow.h"
#include "debuginfo.h"
#include <llvm-c/DebugInfo.h>

#define SIZE_MAX_AFTER 4 /* bytes of an access whose check may move behind the loop */
#define SIZE_MAX_NEXT_TO_OTHERS 2 /* the same if the loop keeps other checks */
#define NEAR_STEPS 16 /* how many steps apart the accesses of one group may be */

/* A loop that is examined. Its blocks are numbered from the head, which is 0. */
struct candidate_loop {
    struct pf_plan *plan;
    size_t block[PF_RANGE_AFTER_BLOCKS]; /* block numbers of the plan */
    size_t n, latch;
    uint32_t next[PF_RANGE_AFTER_BLOCKS]; /* bit j: an edge to block j, except back edges */
    uint32_t reach[PF_RANGE_AFTER_BLOCKS]; /* bit j: block j is reachable in the same iteration */
};

static size_t index_of(const struct candidate_loop *l, size_t block)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->block[i] == block)
            return i;
    return PF_RANGE_AFTER_BLOCKS;
}

/* Finds the blocks on paths from the head to `from`. False if there are too many, or the function's
 * entry is among them. */
static bool find_blocks(struct candidate_loop *l, const struct pf_predecessors *g, size_t from,
                        size_t head)
{
    l->block[0] = head;
    l->n = 1;
    if (from != head)
        l->block[l->n++] = from;
    l->latch = l->n - 1;
    for (size_t at = 1; at < l->n; at++) {
        size_t b = l->block[at];
        if (g->first[b] == g->first[b + 1]) /* the entry block */
            return false;
        for (size_t i = g->first[b]; i < g->first[b + 1]; i++) {
            if (index_of(l, g->before[i]) < PF_RANGE_AFTER_BLOCKS)
                continue;
            if (l->n == PF_RANGE_AFTER_BLOCKS)
                return false;
            l->block[l->n++] = g->before[i];
        }
    }
    return true;
}

/* Computes the paths of one iteration. False if there is an inner loop or another back edge to the
 * head. */
static bool find_paths(struct candidate_loop *l)
{
    for (size_t i = 0; i < l->n; i++) {
        LLVMValueRef end = pf_block_end(l->plan, l->block[i]);
        l->next[i] = 0;
        if (!LLVMIsABranchInst(end))
            return false;
        for (unsigned k = 0, m = LLVMGetNumSuccessors(end); k < m; k++) {
            size_t to = index_of(l, pf_block_successor(l->plan, end, k));
            if (!to && i != l->latch)
                return false;
            if (to && to < PF_RANGE_AFTER_BLOCKS)
                l->next[i] |= 1u << to;
        }
        l->reach[i] = l->next[i];
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < l->n; i++)
            for (size_t j = 0; j < l->n; j++)
                if (l->reach[i] >> j & 1 && l->reach[j] & ~l->reach[i]) {
                    l->reach[i] |= l->reach[j];
                    more = true;
                }
    }
    for (size_t i = 0; i < l->n; i++)
        if (l->reach[i] >> i & 1)
            return false;
    return true;
}

/* True if every path from the head to b passes a. */
static bool dominates(const struct candidate_loop *l, size_t a, size_t b)
{
    if (a == b || !a)
        return true;
    uint32_t seen = 1;
    for (uint32_t before = 0; before != seen;) {
        before = seen;
        for (size_t i = 0; i < l->n; i++)
            if (before >> i & 1 && i != a)
                seen |= l->next[i];
    }
    return !(seen >> b & 1);
}

static LLVMValueRef load_behind_casts(LLVMValueRef v)
{
    while (LLVMIsACastInst(v))
        v = LLVMGetOperand(v, 0);
    return LLVMIsALoadInst(v);
}

/* Loops that compare two loaded values usually end soon, so their checks stay inside. */
static bool compares_loads(LLVMValueRef v)
{
    return LLVMIsAICmpInst(v) && load_behind_casts(LLVMGetOperand(v, 0)) &&
           load_behind_casts(LLVMGetOperand(v, 1));
}

static bool proceeds_in_epoch(const struct candidate_loop *l)
{
    for (size_t i = 0; i < l->n; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(l->plan->blocks[l->block[i]]); v;
             v = LLVMGetNextInstruction(v))
            if (!pf_proceeds_in_epoch(v) || compares_loads(v))
                return false;
    return true;
}

/* Has an iteration that leaves at the end of b executed the access in a? 1, 0, or -1 if unknown. */
static int was_executed(const struct candidate_loop *l, size_t a, size_t b)
{
    return dominates(l, a, b) ? 1 : l->reach[a] >> b & 1 ? -1 : 0;
}

/* Visits every edge that leaves the loop. With `add`, records the edges, and sets `bit` in those
 * where an access in block a has been executed. False if that is unknown for some edge, or there is
 * none. */
static bool note_exits(struct candidate_loop *l, size_t a, bool add, uint32_t bit)
{
    struct pf_plan *plan = l->plan;
    size_t at = plan->nexits, found = 0;
    for (size_t i = 0; i < l->n; i++) {
        LLVMValueRef end = pf_block_end(plan, l->block[i]);
        unsigned m = LLVMGetNumSuccessors(end);
        if (m == 2 && LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1))
            return false;
        for (unsigned k = 0; k < m; k++) {
            size_t to = pf_block_successor(plan, end, k);
            if (index_of(l, to) < PF_RANGE_AFTER_BLOCKS)
                continue;
            int executed = was_executed(l, a, i);
            if (executed < 0)
                return false;
            found++;
            if (!add)
                continue;
            for (at = 0; at < plan->nexits &&
                         (plan->exits[at].from != l->block[i] || plan->exits[at].to != to);)
                at++;
            if (at == plan->nexits)
                PF_PUSH(plan->exits, plan->nexits, plan->exits_cap) = (struct pf_loop_exit){
                    .from = l->block[i], .to = to, .range = plan->nranges_after - 1};
            plan->exits[at].executed |= executed ? bit : 0;
        }
    }
    return found;
}

/* Finds the affine address of an access that may be replaced, and its stride. */
static bool find_affine(struct pf_unit *u, const struct pf_plan_step *s, const struct pf_loop *loop,
                        struct pf_affine *affine, int64_t *stride)
{
    return s->what == PF_DO_ACCESS && s->size <= SIZE_MAX_AFTER &&
           pf_affine_find(u, affine, s->ptr, loop) && affine->phi && !affine->narrow &&
           !__builtin_mul_overflow(affine->coefficient, affine->step, stride) && *stride > 0;
}

/* The number of accesses after which the source positions repeat. */
static unsigned find_period(const struct pf_plan *plan, const struct pf_interleaved *t)
{
    for (unsigned p = 1; p < t->n; p++) {
        bool same = t->n % p == 0;
        for (unsigned i = p; same && i < t->n; i++)
            same = pf_is_same_source_position(
                LLVMInstructionGetDebugLoc(plan->steps[t->steps[i]].inst),
                LLVMInstructionGetDebugLoc(plan->steps[t->steps[i - p]].inst));
        if (same)
            return p;
    }
    return t->n;
}

/* Finds the accesses of the block that, together with step k, cover all bytes of an iteration. Step
 * k must be at the lowest address. */
static bool find_group(struct pf_unit *u, const struct pf_plan *plan, size_t block, size_t k,
                       const struct pf_loop *loop, struct pf_interleaved *t)
{
    const struct pf_plan_step *first = &plan->steps[k];
    struct pf_affine affine, other;
    int64_t stride, size = (int64_t)first->size, same;
    if (!find_affine(u, first, loop, &affine, &stride) || stride % size ||
        stride > (size == 1 ? PF_INTERLEAVED_BYTES : size))
        return false;
    *t = (struct pf_interleaved){.n = (unsigned)(stride / size)};
    size_t from = k < NEAR_STEPS ? 0 : k - NEAR_STEPS, found = 0;
    if (from < plan->first_step[block])
        from = plan->first_step[block];
    for (size_t j = from; j < plan->first_step[block + 1] && j < k + NEAR_STEPS; j++) {
        const struct pf_plan_step *s = &plan->steps[j];
        if (s->write != first->write || s->size != first->size ||
            !find_affine(u, s, loop, &other, &same) ||
            !pf_affine_differ_by_constant(&affine, &other))
            continue;
        int64_t at = other.k - affine.k;
        if (at < 0 || at >= stride || at % size || t->found >> at / size & 1)
            continue;
        t->steps[at / size] = j;
        t->found |= 1u << at / size;
        found++;
    }
    t->period = found == t->n ? find_period(plan, t) : 0;
    return t->period && t->period <= PF_INTERLEAVED_SITES;
}

/* True if the checks of the group may be replaced, as far as their size is concerned. */
static bool has_suitable_size(const struct candidate_loop *l, const struct pf_interleaved *group)
{
    const struct pf_plan *plan = l->plan;
    size_t steps = 0;
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = plan->first_step[l->block[i]]; k < plan->first_step[l->block[i] + 1]; k++)
            steps += plan->steps[k].what != PF_DO_NOTHING;
    return plan->steps[group->steps[0]].size <= SIZE_MAX_NEXT_TO_OTHERS || steps == group->n;
}

static void replace_checks(struct pf_unit *u, struct candidate_loop *l)
{
    struct pf_plan *plan = l->plan;
    struct pf_range_after range = {.nblocks = l->n};
    for (size_t i = 0; i < l->n; i++)
        range.blocks[i] = plan->blocks[l->block[i]];
    range.latch = range.blocks[l->latch];
    struct pf_loop loop = {range.blocks[0], range.latch, range.blocks, range.nblocks};
    bool begun = false;
    for (size_t i = 0; i < l->n; i++) {
        if (!dominates(l, i, l->latch) || !note_exits(l, i, false, 0))
            continue;
        for (size_t k = plan->first_step[l->block[i]]; k < plan->first_step[l->block[i] + 1]; k++) {
            struct pf_interleaved group;
            if (range.n == PF_RANGE_AFTER_GROUPS ||
                !find_group(u, plan, l->block[i], k, &loop, &group) ||
                !has_suitable_size(l, &group))
                continue;
            if (!begun && !proceeds_in_epoch(l))
                return;
            if (!begun)
                PF_PUSH(plan->ranges_after, plan->nranges_after, plan->ranges_after_cap) = range;
            begun = true;
            for (unsigned j = 0; j < group.n; j++)
                plan->steps[group.steps[j]].what = PF_DO_NOTHING;
            note_exits(l, i, true, 1u << range.n);
            range.all[range.n++] = group;
        }
    }
    if (begun)
        plan->ranges_after[plan->nranges_after - 1] = range;
}

static bool has_small_access(const struct pf_plan *plan, size_t from, size_t to)
{
    for (size_t k = from; k < to; k++)
        if (plan->steps[k].what == PF_DO_ACCESS && plan->steps[k].size <= SIZE_MAX_AFTER)
            return true;
    return false;
}

/* Replaces checks in the loop that the edge closes, if it is a suitable loop with a single
 * entry. */
static void try_loop(struct pf_unit *u, struct pf_plan *plan, const struct pf_predecessors *g,
                     size_t from, size_t head)
{
    struct candidate_loop l = {.plan = plan};
    if (!LLVMIsAPHINode(LLVMGetFirstInstruction(plan->blocks[head])) ||
        g->first[head + 1] - g->first[head] != 2 || !find_blocks(&l, g, from, head))
        return;
    bool small = false;
    for (size_t i = 0; i < l.n; i++)
        small |=
            has_small_access(plan, plan->first_step[l.block[i]], plan->first_step[l.block[i] + 1]);
    if (small && find_paths(&l))
        replace_checks(u, &l);
}

void pf_plan_ranges_after_loops(struct pf_unit *u, struct pf_plan *plan)
{
    if (!plan->accesses || !has_small_access(plan, 0, plan->n))
        return;
    const struct pf_predecessors *g = pf_block_predecessors(plan);
    /* Tries every edge. One that does not close a loop is rejected: the blocks found have another
     * entry. */
    for (size_t b = 0; b < plan->nblocks; b++) {
        LLVMValueRef end = pf_block_end(plan, b);
        for (unsigned i = 0, n = LLVMIsABranchInst(end) ? LLVMGetNumSuccessors(end) : 0; i < n; i++)
            try_loop(u, plan, g, b, pf_block_successor(plan, end, i));
    }
}

static LLVMValueRef as_integer(struct pf_emit *e, LLVMValueRef v)
{
    return pf_emit_map_later(e, LLVMBuildPtrToInt(e->b, v, e->u->i64, ""));
}

/* Emits the check of `size` bytes from `from` on, which the accesses of t have accessed. */
static void emit_group(struct pf_emit *e, const struct pf_interleaved *t, LLVMValueRef from,
                       LLVMValueRef size)
{
    uint64_t site[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const struct pf_plan_step *s = NULL;
    for (unsigned i = 0; i < t->period; i++) {
        s = &e->plan->steps[t->steps[i]];
        e->flags = s->flags;
        site[i] = pf_emit_site(e, s->inst, s->write ? PF_SITE_WRITE : PF_SITE_READ, s->size,
                               pf_di_variable(e->u, s->ptr));
    }
    if (t->period == 1) {
        LLVMValueRef args[] = {from, size, pf_emit_number(e, (uint32_t)site[0])};
        pf_emit_call(e, s->write ? PF_E___pf_write_range : PF_E___pf_read_range, args);
    } else {
        LLVMValueRef args[] = {from, size, LLVMConstInt(e->u->i64, site[0] | site[1] << 32, 0),
                               LLVMConstInt(e->u->i64, site[2] | site[3] << 32, 0)};
        pf_emit_call(e, s->write ? PF_E___pf_write_turns : PF_E___pf_read_turns, args);
    }
}

/* If this iteration has not executed the access, the range may be empty, and then needs no
 * check. */
static void emit_range_after(struct pf_emit *e, const struct pf_range_after *t, size_t k,
                             bool executed)
{
    const struct pf_interleaved *group = &t->all[k];
    const struct pf_plan_step *s = &e->plan->steps[group->steps[0]];
    struct pf_loop loop = {t->blocks[0], t->latch, t->blocks, t->nblocks};
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(s->inst));
    LLVMValueRef from = pf_affine_value(e, s->ptr, &loop, PF_ITERATION_FIRST);
    LLVMValueRef to = pf_affine_value(e, s->ptr, &loop, PF_ITERATION_THIS);
    LLVMValueRef size =
        pf_emit_map_later(e, LLVMBuildSub(e->b, as_integer(e, to), as_integer(e, from), ""));
    if (executed) {
        LLVMValueRef one_iteration = LLVMConstInt(e->u->i64, group->n * s->size, 0);
        size = pf_emit_map_later(e, LLVMBuildAdd(e->b, size, one_iteration, ""));
    }
    LLVMBasicBlockRef some = executed ? NULL : pf_emit_block(e),
                      none = executed ? NULL : pf_emit_block(e);
    if (!executed) {
        LLVMValueRef zero = LLVMConstInt(e->u->i64, 0, 0);
        pf_emit_branch(e, LLVMBuildICmp(e->b, LLVMIntNE, size, zero, ""), some, none, false);
        LLVMPositionBuilderAtEnd(e->b, some);
    }
    emit_group(e, group, from, size);
    if (!executed) {
        LLVMBuildBr(e->b, none);
        LLVMPositionBuilderAtEnd(e->b, none);
    }
}

void pf_range_after_emit(struct pf_emit *e)
{
    for (size_t i = 0; i < e->plan->nexits; i++) {
        struct pf_loop_exit *x = &e->plan->exits[i];
        const struct pf_range_after *t = &e->plan->ranges_after[x->range];
        x->block = pf_emit_block(e);
        LLVMPositionBuilderAtEnd(e->b, x->block);
        for (size_t k = 0; k < t->n; k++)
            emit_range_after(e, t, k, x->executed >> k & 1);
        pf_emit_map_later(e, LLVMBuildBr(e->b, e->plan->blocks[x->to]));
        x->last = LLVMGetInsertBlock(e->b);
    }
}

void pf_range_after_connect(struct pf_emit *e)
{
    for (size_t i = 0; i < e->plan->nexits; i++) {
        const struct pf_loop_exit *x = &e->plan->exits[i];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(e->last[x->from]);
        LLVMBasicBlockRef to = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(x->last), 0);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            if (LLVMGetSuccessor(end, k) == to)
                LLVMSetSuccessor(end, k, x->block);
    }
}

LLVMBasicBlockRef pf_range_after_predecessor(const struct pf_emit *e, size_t from, size_t to)
{
    for (size_t i = 0; i < e->plan->nexits; i++)
        if (e->plan->exits[i].from == from && e->plan->exits[i].to == to)
            return e->plan->exits[i].last;
    return e->last[from];
}
