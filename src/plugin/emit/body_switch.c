/*
 * body_switch.c - switches from the plain body into the watch body in the middle of a call.
 *
 * If a sampling policy starts to watch a thread while it is in a plain body, the thread does not
 * finish the call there: at the next loop back edge it switches to the same position in the watch
 * body.
 *
 *      plain body                                      watch body
 *
 *      latch --> check: body_switch? --no--> head      head' <-- latch'
 *                              |                         ^
 *                              +------> switch block ----+
 *
 * The copies of the head's PHIs take the values of the back edge. Every other value of the plain
 * body that the watch body uses after the head is merged there with its copy (pf_llvm_merge). Why
 * such a value is always available: let def dominate a use, and let a path lead from the head to
 * the use without passing def. Any path from the entry to the head, followed by that path, must
 * pass def, so it passes def before the head.
 *
 * The switch block establishes what the watch body relies on: the frame; checks that made others
 * redundant and precede the head (plan->switch_checks; their accesses happened in this epoch); and
 * the range check for the remaining iterations of an affine loop.
 *
 * There is no switch in the other direction: a call that is watched is watched to its end, as in
 * LiteRace and AtexRace, and the watch body has no such checks to execute.
 */
#include "control_flow.h"
#include "emit.h"
#include "llvm_shim.h"
#include <llvm-c/DebugInfo.h>

#define FEW_ITERATIONS 256 /* a loop with a smaller constant trip count is not worth a check */

/* A depth-first search for back edges: edges to a block on the current path. Every cycle has
 * one. */
struct back_edge_search {
    struct pf_plan *plan;
    uint8_t *state; /* 0: not visited, 1: on the current path, 2: done */
    struct {
        size_t block;
        unsigned next;
    } *path;
};

static bool has_steps(const struct pf_plan *plan, size_t block)
{
    return plan->first_step[block] < plan->first_step[block + 1];
}

/* True if a block on a path from `head` to `from` has a step. */
static bool has_steps_inside(struct back_edge_search *s, const struct pf_back_edge *edge)
{
    const struct pf_plan *plan = s->plan;
    if (has_steps(plan, edge->from) || has_steps(plan, edge->head))
        return true;
    if (edge->from == edge->head)
        return false;
    /* Breadth-first from the head. If there are more blocks than fit the queue, assume that one
     * has. */
    size_t queue[64], n = 0, at = 0;
    queue[n++] = edge->head;
    for (; at < n; at++) {
        LLVMValueRef end = pf_block_end(plan, queue[at]);
        if (has_steps(plan, queue[at]))
            return true;
        for (unsigned i = 0, k = LLVMGetNumSuccessors(end); queue[at] != edge->from && i < k; i++) {
            size_t to = pf_block_successor(plan, end, i), known = 0;
            while (known < n && queue[known] != to)
                known++;
            if (known < n)
                continue;
            if (n == sizeof queue / sizeof *queue)
                return true;
            queue[n++] = to;
        }
    }
    return false;
}

/* True if v is loaded from memory, perhaps on only one of several paths inside the loop. */
static bool comes_from_memory(LLVMValueRef v, LLVMValueRef phi, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || v == phi || !depth)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        return true;
    case LLVMSelect:
        return comes_from_memory(LLVMGetOperand(v, 1), phi, depth - 1) ||
               comes_from_memory(LLVMGetOperand(v, 2), phi, depth - 1);
    case LLVMPHI:
        for (unsigned i = 0, n = LLVMCountIncoming(v); i < n; i++)
            if (comes_from_memory(LLVMGetIncomingValue(v, i), phi, depth - 1))
                return true;
        return false;
    case LLVMGetElementPtr:
        return comes_from_memory(LLVMGetOperand(v, 0), phi, depth - 1);
    default:
        return false;
    }
}

/* True for a loop that follows pointers: each iteration starts at a pointer that the previous one
 * loaded. Such loops end soon, do little other work, and would pay most for a test. */
static bool is_pointer_chase(LLVMBasicBlockRef head, LLVMBasicBlockRef from)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(head); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
            if (LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind &&
                LLVMGetIncomingBlock(phi, i) == from &&
                comes_from_memory(LLVMGetIncomingValue(phi, i), phi, 4))
                return true;
    return false;
}

static void add_back_edge(struct back_edge_search *s, size_t from, size_t head)
{
    struct pf_plan *plan = s->plan;
    struct pf_back_edge edge = {from, head};
    LLVMValueRef end = pf_block_end(plan, from);
    if (pf_loop_is_short(plan->blocks[head], FEW_ITERATIONS))
        return;
    if (is_pointer_chase(plan->blocks[head], plan->blocks[from]))
        return;
    plan->cyclic = true;
    if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end))
        return; /* an edge out of an invoke or a computed goto cannot be split */
    for (size_t i = 0; i < plan->nback_edges; i++)
        if (plan->back_edges[i].from == from && plan->back_edges[i].head == head)
            return;
    if (has_steps_inside(s, &edge))
        PF_PUSH(plan->back_edges, plan->nback_edges, plan->back_edges_cap) = edge;
}

/* Marks the blocks on paths from the head to its back edges: its loop, without the head. */
static void mark_loop(const struct pf_plan *plan, size_t head, const struct pf_predecessors *p,
                      uint8_t *inner, size_t *seen, size_t *stack)
{
    size_t n = 0;
    seen[head] = head + 1;
    for (size_t i = 0; i < plan->nback_edges; i++)
        if (plan->back_edges[i].head == head && seen[plan->back_edges[i].from] != head + 1) {
            seen[plan->back_edges[i].from] = head + 1;
            stack[n++] = plan->back_edges[i].from;
        }
    while (n) {
        size_t b = stack[--n];
        inner[b] = 1;
        for (size_t i = p->first[b]; i < p->first[b + 1]; i++)
            if (seen[p->before[i]] != head + 1) {
                seen[p->before[i]] = head + 1;
                stack[n++] = p->before[i];
            }
    }
}

/* Keeps only the back edges of outermost loops, because tests in inner loops cost most. */
static void keep_outermost(struct pf_plan *plan)
{
    const struct pf_predecessors *p = pf_block_predecessors(plan);
    size_t n = plan->nblocks, kept = 0;
    size_t *seen = pf_zeroed(n, sizeof *seen), *stack = pf_grow(NULL, n * sizeof *stack);
    uint8_t *inner = pf_zeroed(n, 1);
    for (size_t i = 0; i < plan->nback_edges; i++)
        if (seen[plan->back_edges[i].head] != plan->back_edges[i].head + 1)
            mark_loop(plan, plan->back_edges[i].head, p, inner, seen, stack);
    for (size_t i = 0; i < plan->nback_edges; i++)
        if (!inner[plan->back_edges[i].head])
            plan->back_edges[kept++] = plan->back_edges[i];
    plan->nback_edges = kept;
    free(seen);
    free(stack);
    free(inner);
}

void pf_plan_body_switches(struct pf_plan *plan, bool labels)
{
    struct back_edge_search s = {.plan = plan, .state = pf_zeroed(plan->nblocks, 1)};
    size_t n = 0;
    s.path = pf_grow(NULL, (plan->nblocks + 1) * sizeof *s.path);
    s.path[n].block = s.path[n].next = 0;
    n++;
    s.state[0] = 1;
    while (n) {
        size_t b = s.path[n - 1].block;
        LLVMValueRef end = pf_block_end(plan, b);
        if (s.path[n - 1].next == LLVMGetNumSuccessors(end)) {
            s.state[b] = 2;
            n--;
            continue;
        }
        size_t to = pf_block_successor(plan, end, s.path[n - 1].next++);
        if (s.state[to] == 1)
            add_back_edge(&s, b, to);
        if (s.state[to])
            continue;
        s.state[to] = 1;
        s.path[n].block = to;
        s.path[n++].next = 0;
    }
    keep_outermost(plan);
    /* the plain body's variables may hold labels, which are invalid in the watch body */
    if (labels)
        plan->nback_edges = 0;
    free(s.state);
    free(s.path);
}

struct body_switch {
    size_t head;
    LLVMBasicBlockRef check, block;
    LLVMValueRef frame, next;
};

static void emit_check(struct pf_emit *e, struct body_switch *c)
{
    struct pf_unit *u = e->u;
    LLVMValueRef old = LLVMGetBasicBlockTerminator(c->check);
    LLVMPositionBuilderBefore(e->b, old);
    LLVMValueRef word =
        LLVMBuildLoad2(e->b, u->i32, pf_emit_tls(e, offsetof(struct pf_tls, body_switch)), "");
    /* so that LLVM does not move the load out of the loop */
    LLVMSetOrdering(word, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(word, 4);
    LLVMValueRef stay = LLVMBuildICmp(e->b, LLVMIntEQ, word, pf_emit_number(e, 0), "");
    pf_emit_branch(e, stay, e->plan->blocks[c->head], c->block, true);
    LLVMInstructionEraseFromParent(old);
}

/* Emits the switch block. Called before the edge is split, while the loop is still unchanged. */
static void emit_switch_block(struct pf_emit *e, struct body_switch *c,
                              const struct pf_frames *plain)
{
    c->block = pf_emit_block(e);
    c->frame = plain->frame;
    c->next = plain->next;
    LLVMPositionBuilderAtEnd(e->b, c->block);
    pf_frame_switch(e, &c->frame, &c->next);
    pf_emit_call(e, PF_E___pf_crossed, &e->record);
    for (size_t i = 0; i < e->plan->nswitch_checks; i++)
        if (e->plan->switch_checks[i].block == c->head)
            pf_emit_past_access(e, &e->plan->steps[e->plan->switch_checks[i].step]);
    pf_range_before_remaining(e, c->head);
    LLVMBuildBr(e->b, e->first[c->head]);
}

/* Makes all back edges of the head pass through one check block. */
static void split_back_edges(struct pf_emit *e, struct body_switch *c)
{
    struct pf_plan *plan = e->plan;
    LLVMBasicBlockRef *latches = pf_grow(NULL, plan->nback_edges * sizeof *latches);
    unsigned n = 0;
    for (size_t i = 0; i < plan->nback_edges; i++)
        if (plan->back_edges[i].head == c->head)
            latches[n++] = plan->blocks[plan->back_edges[i].from];
    c->check = pf_llvm_split_edges(plan->blocks[c->head], latches, n);
    free(latches);
}

static void enter_head(struct pf_emit *e, struct body_switch *c)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(e->plan->blocks[c->head]); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        unsigned i = 0;
        while (LLVMGetIncomingBlock(phi, i) != c->check)
            i++;
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMAddIncoming((LLVMValueRef)*pf_ptrmap_find(&e->map, phi), &value, &c->block, 1);
    }
}

static void merge_values(struct pf_emit *e, const struct body_switch *all, size_t n,
                         const struct pf_frames *watch)
{
    LLVMBasicBlockRef *blocks = pf_grow(NULL, n * sizeof *blocks);
    LLVMValueRef *values = pf_grow(NULL, n * sizeof *values);
    struct pf_llvm_merges *merges = pf_llvm_merges_new();
    for (size_t i = 0; i < n; i++)
        blocks[i] = all[i].block;
    for (size_t b = 0; b < e->plan->nblocks; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(e->plan->blocks[b]); v;
             v = LLVMGetNextInstruction(v)) {
            const uint64_t *to = pf_ptrmap_find(&e->map, v);
            if (!to || !LLVMIsAInstruction((LLVMValueRef)*to))
                continue;
            for (size_t i = 0; i < n; i++)
                values[i] = v;
            pf_llvm_merge(merges, (LLVMValueRef)*to, values, blocks, n);
        }
    for (size_t i = 0; i < n; i++)
        values[i] = all[i].frame;
    pf_llvm_merge(merges, watch->frame, values, blocks, n);
    for (size_t i = 0; i < n; i++)
        values[i] = all[i].next;
    pf_llvm_merge(merges, watch->next, values, blocks, n);
    pf_llvm_merges_finish(merges, e->fn);
    free(blocks);
    free(values);
}

void pf_emit_body_switches(struct pf_emit *e, const struct pf_frames *watch,
                           const struct pf_frames *plain)
{
    struct pf_plan *plan = e->plan;
    struct body_switch *all = pf_grow(NULL, (plan->nback_edges + 1) * sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < plan->nback_edges; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= plan->back_edges[k].head == plan->back_edges[i].head;
        if (again)
            continue;
        LLVMValueRef end = pf_block_end(plan, plan->back_edges[i].from);
        LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(end));
        all[n] = (struct body_switch){.head = plan->back_edges[i].head};
        emit_switch_block(e, &all[n], plain);
        split_back_edges(e, &all[n]);
        emit_check(e, &all[n]);
        enter_head(e, &all[n]);
        n++;
    }
    if (n)
        merge_values(e, all, n, watch);
    free(all);
}
