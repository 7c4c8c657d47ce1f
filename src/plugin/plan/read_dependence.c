/*
 * read_dependence.c - marks events whose control flow or address may depend on values that were
 * read; used for prediction.
 *
 * Model:   PF_SITEF_BRANCH on an event means that it may be reached by a decision that was taken
 *          since the thread's previous event; PF_SITEF_ADDRESS means that its address may come from
 *          a read. So a trace needs no branch events: one is implied before an event with either
 *          flag.
 *
 *          Decisions are conditional branches, switches, computed gotos, the two exits of an
 *          invoke, and whatever a called function did after its last event. They are propagated
 *          forward through the control flow; at joins the result is the union. An access, an
 *          atomic operation or another step of known size ends them; a call never does. A function
 *          starts with a decision, because its caller may have decided to call it. A division is a
 *          decision, because it may trap. Calls of the runtime's locks and heap functions decide
 *          nothing (is_transparent).
 *
 *          An address is fixed if it is made of constants, addresses of variables, and PHIs of
 *          these: a branch decides which value a PHI takes, and that branch is already counted.
 *
 *          A superfluous flag keeps predictions sound; a missing one would not.
 */
#include "plugin.h"
#include <string.h>

#define DEPTH 6 /* nested operations of an address; a deeper one may depend on a read */
#define VALUES_MAX 64 /* values examined for one address */

static bool is_made_of_fixed(LLVMValueRef v, unsigned depth, unsigned *budget)
{
    if (LLVMIsAConstant(v) || LLVMIsAAllocaInst(v))
        return true;
    if (!depth || !*budget || !LLVMIsAInstruction(v))
        return false;
    --*budget;
    if (LLVMIsAPHINode(v)) {
        for (unsigned i = 0, n = LLVMCountIncoming(v); i < n; i++) {
            LLVMValueRef from = LLVMGetIncomingValue(v, i);
            if (from != v && !is_made_of_fixed(from, depth - 1, budget))
                return false;
        }
        return true;
    }
    if (!LLVMIsAGetElementPtrInst(v) && !LLVMIsACastInst(v) && !LLVMIsABinaryOperator(v))
        return false;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        if (!is_made_of_fixed(LLVMGetOperand(v, i), depth - 1, budget))
            return false;
    return true;
}

static bool is_fixed(LLVMValueRef v)
{
    unsigned budget = VALUES_MAX;
    return is_made_of_fixed(v, DEPTH, &budget);
}

static bool depends_on_read(const struct pf_plan_step *s)
{
    if (s->ptr)
        return !is_fixed(s->ptr);
    if (LLVMGetInstructionOpcode(s->inst) == LLVMFence)
        return false;
    for (int i = 0, n = LLVMGetNumOperands(s->inst); i < n; i++) { /* the arguments of a call */
        LLVMValueRef v = LLVMGetOperand(s->inst, i);
        if (v && !LLVMValueIsBasicBlock(v) && !is_fixed(v))
            return true;
    }
    return false;
}

static bool is_event(const struct pf_plan_step *s)
{
    return s->what != PF_DO_NOTHING && s->what != PF_DO_LANDING_PAD && s->what != PF_DO_LIFETIME;
}

/* True for a call that always returns and accesses no memory of the program but its own object,
 * whose state is in the trace as events. Its result matters only where the program decides by
 * it. */
static bool is_transparent(struct pf_unit *u, const struct pf_plan_step *s)
{
    static const char *const names[] = {
#define PF_TRANSPARENT(name) name,
#include "pf_transparent.def"
#undef PF_TRANSPARENT
    };
    LLVMValueRef fn = s->what == PF_DO_CALL ? pf_callee(s->inst) : NULL;
    size_t len;
    if (!fn || !LLVMIsDeclaration(fn) || !pf_is_interposed(u, fn) || LLVMIsAInvokeInst(s->inst))
        return false;
    const char *name = LLVMGetValueName2(fn, &len);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static bool may_trap(LLVMValueRef v)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return !LLVMIsAConstant(LLVMGetOperand(v, 1));
    default:
        return false;
    }
}

/* Propagates `decided` through the block, sets flags, and returns the value at the block's end. */
static bool scan_block(struct pf_unit *u, struct pf_plan *plan, size_t b, bool decided)
{
    size_t k = plan->first_step[b], end = plan->first_step[b + 1];
    for (LLVMValueRef v = LLVMGetFirstInstruction(plan->blocks[b]); v;
         v = LLVMGetNextInstruction(v)) {
        if (k == end || plan->steps[k].inst != v) {
            decided |= may_trap(v);
            continue;
        }
        struct pf_plan_step *s = &plan->steps[k++];
        if (!is_event(s))
            continue;
        s->flags |= decided ? PF_SITEF_BRANCH : 0;
        if (s->what == PF_DO_CALL || s->what == PF_DO_LIBATOMIC)
            decided |= !is_transparent(u, s);
        else if (s->what == PF_DO_ACCESS || s->what == PF_DO_ATOMIC || s->size)
            decided = false; /* not after other steps: they may leave no event in the trace */
    }
    return decided || LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(plan->blocks[b])) > 1;
}

void pf_plan_read_dependence(struct pf_unit *u, struct pf_plan *plan)
{
    enum { UNSEEN, NOT_DECIDED, DECIDED };
    uint8_t *in = pf_zeroed(plan->nblocks + 1, 1);
    size_t *work = NULL, n = 0, cap = 0;
    in[0] = DECIDED;
    PF_PUSH(work, n, cap) = 0;
    while (n) {
        size_t b = work[--n];
        LLVMValueRef term = LLVMGetBasicBlockTerminator(plan->blocks[b]);
        uint8_t out = scan_block(u, plan, b, in[b] == DECIDED) ? DECIDED : NOT_DECIDED;
        for (unsigned i = 0, m = LLVMGetNumSuccessors(term); i < m; i++) {
            size_t to = *pf_ptrmap_find(&plan->block_index, LLVMGetSuccessor(term, i));
            if (out > in[to]) { /* at most twice per block */
                in[to] = out;
                PF_PUSH(work, n, cap) = to;
            }
        }
    }
    for (size_t k = 0; k < plan->n; k++)
        if (is_event(&plan->steps[k]) && depends_on_read(&plan->steps[k]))
            plan->steps[k].flags |= PF_SITEF_ADDRESS;
    free(in);
    free(work);
}
