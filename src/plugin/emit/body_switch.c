/*
 * body_switch.c - switches between the plain body and the watch body in the middle of a call.
 *
 * If a sampling policy starts to watch a thread while it is in a plain body, the thread does not
 * finish the call there: at the next loop back edge it switches to the same position in the watch
 * body. When the burst of a call in its watch body is over, the call switches to the plain body at
 * a back edge, and back to the watch body where it leaves the outermost loop. A call in its plain
 * body also switches where it enters a block that is rarely executed, for the rest of the
 * iteration. switch_edges.c chooses these edges.
 *
 *      plain body                                      watch body
 *
 *      latch --> check: body_switch? --no--> head      head' <------- check: count == 0? <-- latch'
 *                              |               ^         ^                    |
 *                              |               |         +--stays-- __pf_burst_left
 *                              |               +-- leave block <-- 0 ----+
 *                              +------> switch block ----> head'
 *
 * For the edge that comes from the other body, a head's PHIs take the values that they have on that
 * body's own back edge. Every other value and its copy in the watch body are two definitions of one
 * variable: its uses are merged where both can arrive (pf_llvm_merge_pair). Why such a value is
 * always available: let def dominate a use, and let a path lead from the head to the use without
 * passing def. Any path from the entry to the head, followed by that path, must pass def, so it
 * passes def before the head.
 *
 * The switch block establishes what the watch body relies on: the frame; checks that made others
 * redundant and precede the target (plan->switch_checks; their accesses happened in this epoch);
 * and the range check for the remaining iterations of an affine loop. The plain body relies on
 * nothing but the frame.
 */
#include "emit.h"
#include "llvm_shim.h"
#include <llvm-c/DebugInfo.h>

/* Iterations in the watch body before it first calls __pf_burst_left: for loops that contain
 * neither calls nor other loops, and for the rest. */
#define FIRST_ITERATIONS_QUICK 1024
#define FIRST_ITERATIONS 8

/* A target of switch edges, and the blocks on the way from the plain to the watch body. */
struct body_switch {
    size_t to, head;
    enum pf_switch_edge_kind kind;
    LLVMBasicBlockRef check, block;
    LLVMValueRef frame, next;
};

/* In a watch body: the iterations of a loop until it asks whether the burst is over. */
struct loop_count {
    size_t head;
    LLVMValueRef left;
};

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
    unsigned i = 0;
    while (LLVMGetIncomingBlock(phi, i) != block)
        i++;
    return LLVMGetIncomingValue(phi, i);
}

/* Each PHI, starting with `first`, gets for the edge from `block` the value that it has for the
 * edge from `known`. */
static void repeat_incoming(LLVMValueRef first, LLVMBasicBlockRef known, LLVMBasicBlockRef block)
{
    for (LLVMValueRef phi = first; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = incoming_from(phi, known);
        LLVMAddIncoming(phi, &value, &block, 1);
    }
}

/* A new struct pf_rare_block. */
static LLVMValueRef new_counter(struct pf_unit *u)
{
    LLVMValueRef fields[] = {LLVMConstInt(u->i32, PF_RARE_BLOCK_ENTRIES, 0),
                             LLVMConstInt(u->i32, 0, 0)};
    LLVMValueRef content = LLVMConstStructInContext(u->context, fields, 2, false);
    LLVMValueRef g = LLVMAddGlobal(u->module, LLVMTypeOf(content), "__pf_rare_block_counter");
    LLVMSetInitializer(g, content);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetAlignment(g, 8);
    return g;
}

/* Replaces the branch at the end of `check` by a branch to `to` if `stay` holds, else to a new
 * block, where the builder is afterwards. Returns that block. */
static LLVMBasicBlockRef branch_to_question(struct pf_emit *e, LLVMBasicBlockRef check,
                                            LLVMValueRef stay, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef ask = pf_emit_block(e);
    LLVMValueRef old = LLVMGetBasicBlockTerminator(check);
    pf_emit_branch(e, stay, to, ask, true);
    LLVMInstructionEraseFromParent(old);
    LLVMPositionBuilderAtEnd(e->b, ask);
    return ask;
}

/* The plain body asks the runtime as long as the block's counter is not 0. */
static void emit_check_rare_block(struct pf_emit *e, struct body_switch *c)
{
    struct pf_unit *u = e->u;
    LLVMBasicBlockRef to = e->plan->blocks[c->to];
    LLVMValueRef counter = new_counter(u);
    LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(c->check));
    LLVMValueRef left = LLVMBuildLoad2(e->b, u->i32, counter, "");
    LLVMSetOrdering(left, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(left, 4);
    LLVMValueRef stay = LLVMBuildICmp(e->b, LLVMIntEQ, left, pf_emit_number(e, 0), "");
    LLVMBasicBlockRef ask = branch_to_question(e, c->check, stay, to);
    LLVMValueRef args[] = {e->record, counter};
    LLVMValueRef go = pf_emit_call(e, PF_E___pf_rare_block, args);
    stay = LLVMBuildICmp(e->b, LLVMIntEQ, go, pf_emit_number(e, 0), "");
    pf_emit_branch(e, stay, to, c->block, true);
    repeat_incoming(LLVMGetFirstInstruction(to), c->check, ask);
}

static void emit_check(struct pf_emit *e, struct body_switch *c, const struct pf_frames *plain)
{
    if (c->kind == PF_SWITCH_RARE_BLOCK) {
        emit_check_rare_block(e, c);
        return;
    }
    struct pf_unit *u = e->u;
    LLVMValueRef old = LLVMGetBasicBlockTerminator(c->check);
    LLVMPositionBuilderBefore(e->b, old);
    LLVMValueRef stay;
    if (c->kind == PF_SWITCH_EXIT) {
        LLVMValueRef left =
            LLVMBuildLoad2(e->b, u->ptr, pf_emit_tls(e, offsetof(struct pf_tls, left_watch)), "");
        stay = LLVMBuildICmp(e->b, LLVMIntNE, left, pf_frame_of_plain(e, plain), "");
    } else {
        LLVMValueRef word =
            LLVMBuildLoad2(e->b, u->i32, pf_emit_tls(e, offsetof(struct pf_tls, body_switch)), "");
        /* so that LLVM does not move the load out of the loop */
        LLVMSetOrdering(word, LLVMAtomicOrderingMonotonic);
        LLVMSetAlignment(word, 4);
        stay = LLVMBuildICmp(e->b, LLVMIntEQ, word, pf_emit_number(e, 0), "");
    }
    pf_emit_branch(e, stay, e->plan->blocks[c->to], c->block, true);
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
    pf_emit_call(e, PF_E___pf_body_switched, &e->record);
    for (size_t i = 0; i < e->plan->nswitch_checks; i++)
        if (e->plan->switch_checks[i].block == c->to)
            pf_emit_past_access(e, &e->plan->steps[e->plan->switch_checks[i].step]);
    if (c->kind == PF_SWITCH_OUTER)
        pf_range_before_remaining(e, c->to);
    LLVMBuildBr(e->b, e->first[c->to]);
}

/* The sources of the switch edges to one target: in the plain body or, with `watch` (heads only),
 * in the watch body. */
static unsigned edges_to(const struct pf_emit *e, size_t to, bool watch, LLVMBasicBlockRef *from)
{
    const struct pf_plan *plan = e->plan;
    unsigned n = 0;
    for (size_t i = 0; i < plan->nswitch_edges; i++)
        if (plan->switch_edges[i].to == to)
            from[n++] = watch ? pf_range_after_predecessor(e, plan->switch_edges[i].from, to)
                              : plan->blocks[plan->switch_edges[i].from];
    return n;
}

/* Makes all these edges pass through one new block. */
static LLVMBasicBlockRef split_edges(struct pf_emit *e, size_t to, bool watch)
{
    LLVMBasicBlockRef *from = pf_grow(NULL, e->plan->nswitch_edges * sizeof *from);
    unsigned n = edges_to(e, to, watch, from);
    LLVMBasicBlockRef split =
        pf_llvm_split_edges(watch ? e->first[to] : e->plan->blocks[to], from, n);
    free(from);
    return split;
}

/* `block` branches to the target in the other body, which is the watch body if `watch` is set. Its
 * PHIs get for this edge the values that `check` passes to the target in its own body. */
static void enter_target(struct pf_emit *e, size_t to, bool watch, LLVMBasicBlockRef check,
                         LLVMBasicBlockRef block)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(e->plan->blocks[to]); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef copy = (LLVMValueRef)*pf_ptrmap_find(&e->map, phi);
        LLVMValueRef value = incoming_from(watch ? phi : copy, check);
        LLVMAddIncoming(watch ? copy : phi, &value, &block, 1);
    }
}

/* Emits the end of the loop in the watch body: counts its iterations, and asks the runtime from
 * time to time whether to switch to the plain body. Returns the number of iterations that are
 * left, at the head. */
static LLVMValueRef emit_leave(struct pf_emit *e, size_t head, bool quick,
                               const struct pf_frames *watch, const struct pf_frames *plain)
{
    struct pf_unit *u = e->u;
    LLVMBasicBlockRef start = e->first[head], check = split_edges(e, head, true),
                      leave = pf_emit_block(e);
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(start));
    LLVMValueRef left = LLVMBuildPhi(e->b, u->i32, "");
    LLVMValueRef first = pf_emit_number(e, quick ? FIRST_ITERATIONS_QUICK : FIRST_ITERATIONS);
    LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(check));
    LLVMValueRef next = LLVMBuildSub(e->b, left, pf_emit_number(e, 1), "");
    LLVMValueRef go_on = LLVMBuildICmp(e->b, LLVMIntNE, next, pf_emit_number(e, 0), "");
    LLVMBasicBlockRef ask = branch_to_question(e, check, go_on, start);
    LLVMValueRef args[] = {e->record, first};
    LLVMValueRef more = pf_emit_call(e, PF_E___pf_burst_left, args);
    LLVMValueRef stay = LLVMBuildICmp(e->b, LLVMIntNE, more, pf_emit_number(e, 0), "");
    pf_emit_branch(e, stay, start, leave, true);
    repeat_incoming(LLVMGetNextInstruction(left), check, ask);
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(start)); use;
         use = LLVMGetNextUse(use)) {
        LLVMBasicBlockRef from = LLVMGetInstructionParent(LLVMGetUser(use));
        LLVMValueRef value = from == check ? next : from == ask ? more : first;
        LLVMAddIncoming(left, &value, &from, 1);
    }
    LLVMPositionBuilderAtEnd(e->b, leave);
    pf_frame_leave_watch(e, watch, plain);
    LLVMBuildBr(e->b, e->plan->blocks[head]);
    enter_target(e, head, false, check, leave);
    return left;
}

/* A thread that switched in the middle of a loop asks at the loop's next back edge. */
static void merge_counts(struct pf_emit *e, struct pf_llvm_merges *merges,
                         const struct body_switch *all, size_t n, const struct loop_count *loops,
                         size_t nloops)
{
    LLVMBasicBlockRef *blocks = pf_grow(NULL, (n + 1) * sizeof *blocks);
    LLVMValueRef *ones = pf_grow(NULL, (n + 1) * sizeof *ones);
    for (size_t i = 0; i < nloops; i++) {
        unsigned here = 0;
        for (size_t k = 0; k < n; k++)
            if (all[k].kind == PF_SWITCH_RARE_BLOCK && all[k].head == loops[i].head) {
                ones[here] = pf_emit_number(e, 1);
                blocks[here++] = all[k].block;
            }
        if (here)
            pf_llvm_merge(merges, loops[i].left, ones, blocks, here);
    }
    free(blocks);
    free(ones);
}

static void merge_values(struct pf_emit *e, const struct body_switch *all, size_t n,
                         const struct loop_count *loops, size_t nloops,
                         const struct pf_frames *watch, const struct pf_frames *plain)
{
    LLVMBasicBlockRef *blocks = pf_grow(NULL, (n + 1) * sizeof *blocks);
    LLVMValueRef *frames = pf_grow(NULL, (n + 1) * sizeof *frames);
    LLVMValueRef *nexts = pf_grow(NULL, (n + 1) * sizeof *nexts);
    struct pf_llvm_merges *merges = pf_llvm_merges_new();
    for (size_t b = 0; b < e->plan->nblocks; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(e->plan->blocks[b]); v;
             v = LLVMGetNextInstruction(v)) {
            const uint64_t *to = pf_ptrmap_find(&e->map, v);
            if (to && LLVMIsAInstruction((LLVMValueRef)*to))
                pf_llvm_merge_pair(merges, v, (LLVMValueRef)*to);
        }
    for (size_t i = 0; i < n; i++) {
        blocks[i] = all[i].block;
        frames[i] = all[i].frame;
        nexts[i] = all[i].next;
    }
    if (plain->frame) {
        pf_llvm_merge_pair(merges, plain->frame, watch->frame);
        pf_llvm_merge_pair(merges, plain->next, watch->next);
    } else {
        pf_llvm_merge(merges, watch->frame, frames, blocks, (unsigned)n);
        pf_llvm_merge(merges, watch->next, nexts, blocks, (unsigned)n);
    }
    merge_counts(e, merges, all, n, loops, nloops);
    pf_llvm_merges_finish(merges, e->fn);
    free(blocks);
    free(frames);
    free(nexts);
}

void pf_emit_body_switches(struct pf_emit *e, const struct pf_frames *watch,
                           const struct pf_frames *plain)
{
    struct pf_plan *plan = e->plan;
    struct body_switch *all = pf_grow(NULL, (plan->nswitch_edges + 1) * sizeof *all);
    struct loop_count *loops = pf_grow(NULL, (plan->nswitch_edges + 1) * sizeof *loops);
    size_t n = 0, nloops = 0;
    for (size_t i = 0; i < plan->nswitch_edges; i++) {
        const struct pf_switch_edge *edge = &plan->switch_edges[i];
        if (edge->kind == PF_SWITCH_INNER || !edge->first ||
            (edge->kind == PF_SWITCH_RARE_BLOCK && !edge->leaves))
            continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(plan->blocks[edge->from]);
        LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(end));
        struct body_switch *c = &all[n++];
        *c = (struct body_switch){.to = edge->to, .head = edge->head, .kind = edge->kind};
        emit_switch_block(e, c, plain);
        c->check = split_edges(e, c->to, false);
        emit_check(e, c, plain);
        enter_target(e, c->to, true, c->check, c->block);
    }
    for (size_t i = 0; i < plan->nswitch_edges; i++)
        if (plan->switch_edges[i].leaves && plan->switch_edges[i].first &&
            plan->switch_edges[i].kind < PF_SWITCH_EXIT) {
            size_t head = plan->switch_edges[i].to;
            loops[nloops++] = (struct loop_count){
                head, emit_leave(e, head, plan->switch_edges[i].quick, watch, plain)};
        }
    if (n || nloops)
        merge_values(e, all, n, loops, nloops, watch, plain);
    free(all);
    free(loops);
}
