/*
 * event_budget.c - the event body's budget: counting events, and keeping the budget in a register
 * in hot loops.
 */
#include "control_flow.h"
#include "emit.h"

static LLVMValueRef load_budget(struct pf_emit *e)
{
    return LLVMBuildLoad2(e->b, e->u->i64, pf_emit_tls(e, offsetof(struct pf_tls, budget)), "");
}

/* Emits budget += n and returns the new value. budget NULL: load it. */
static LLVMValueRef add_to_budget(struct pf_emit *e, LLVMValueRef budget, int64_t n)
{
    if (!budget)
        budget = load_budget(e);
    LLVMValueRef left = LLVMBuildAdd(e->b, budget, LLVMConstInt(e->u->i64, (uint64_t)n, 1), "");
    LLVMBuildStore(e->b, left, pf_emit_tls(e, offsetof(struct pf_tls, budget)));
    return left;
}

LLVMValueRef pf_budget_count(struct pf_emit *e, unsigned n, LLVMValueRef also,
                             LLVMBasicBlockRef fast)
{
    LLVMBasicBlockRef slow = pf_emit_block(e);
    LLVMValueRef left = add_to_budget(e, e->budget, -(int64_t)n);
    LLVMValueRef enough = LLVMBuildICmp(e->b, LLVMIntSGE, left, LLVMConstInt(e->u->i64, 0, 0), "");
    if (also)
        enough = LLVMBuildAnd(e->b, enough, also, "");
    pf_emit_branch(e, enough, fast, slow, true);
    LLVMPositionBuilderAtEnd(e->b, slow);
    add_to_budget(e, NULL, n);
    return left;
}

void pf_budget_join(struct pf_emit *e, LLVMBasicBlockRef join, LLVMBasicBlockRef fast,
                    LLVMValueRef left)
{
    LLVMBasicBlockRef predecessors[] = {fast, LLVMGetInsertBlock(e->b)};
    LLVMValueRef budgets[] = {left, e->budget ? load_budget(e) : NULL};
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, join);
    if (!e->budget)
        return;
    e->budget = LLVMBuildPhi(e->b, e->u->i64, "");
    LLVMAddIncoming(e->budget, budgets, predecessors, 2);
}

/* True if the terminator is itself a call (invoke, callbr). It may change the budget, so the
 * budget cannot be loaded before the edge. */
static bool is_call(LLVMValueRef terminator)
{
    return LLVMIsAInvokeInst(terminator) || LLVMIsACallBrInst(terminator);
}

/* True if a loop that contains this instruction could wait for another thread without an event. */
static bool may_spin(LLVMValueRef inst)
{
    if (!LLVMIsACallInst(inst))
        return false;
    LLVMValueRef fn = pf_callee(inst);
    size_t n;
    return fn ? pf_name_starts(LLVMGetValueName2(fn, &n), "llvm.x86.sse2.pause")
              : LLVMIsAInlineAsm(LLVMGetCalledValue(inst)) != NULL;
}

static bool spins(const struct pf_plan *plan)
{
    for (size_t b = 0; b < plan->nblocks; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(plan->blocks[b]); v;
             v = LLVMGetNextInstruction(v))
            if (may_spin(v))
                return true;
    return false;
}

/* Chooses the blocks of hot loops where the budget is in a register: each gets a PHI, filled at the
 * end. None if the function may spin without events: other threads then run in the middle of the
 * loop (spin_yield.h) and change the budget. */
void pf_budget_choose(struct pf_emit *e)
{
    size_t n = e->plan->nblocks;
    bool *not = pf_grow(NULL, n * sizeof *not);
    bool none = spins(e->plan);
    for (size_t b = 0; b < n; b++)
        not[b] = none || !e->plan->hot[b] || b == 0;
    for (size_t b = 0; b < n; b++) {
        LLVMValueRef term = pf_block_end(e->plan, b);
        for (unsigned i = 0, k = LLVMGetNumSuccessors(term); is_call(term) && i < k; i++)
            not[pf_block_successor(e->plan, term, i)] = true;
    }
    e->budget_in = pf_grow(NULL, n * sizeof *e->budget_in);
    e->budget_out = pf_grow(NULL, n * sizeof *e->budget_out);
    for (size_t b = 0; b < n; b++) {
        LLVMPositionBuilderAtEnd(e->b, e->first[b]);
        e->budget_in[b] = not[b] ? NULL : LLVMBuildPhi(e->b, e->u->i64, "");
        e->budget_out[b] = NULL;
    }
    free(not);
}

void pf_budget_begin_block(struct pf_emit *e, size_t block) { e->budget = e->budget_in[block]; }

/* Loads the budget if a successor expects it in a register. */
void pf_budget_end_block(struct pf_emit *e, size_t block)
{
    LLVMValueRef term = pf_block_end(e->plan, block);
    for (unsigned i = 0, n = LLVMGetNumSuccessors(term); !e->budget && i < n; i++)
        if (e->budget_in[pf_block_successor(e->plan, term, i)])
            e->budget = load_budget(e);
    e->budget_out[block] = e->budget;
}

void pf_budget_finish(struct pf_emit *e)
{
    for (size_t b = 0; b < e->plan->nblocks; b++) {
        LLVMValueRef term = pf_block_end(e->plan, b);
        for (unsigned i = 0, n = LLVMGetNumSuccessors(term); i < n; i++) {
            size_t to = pf_block_successor(e->plan, term, i);
            LLVMBasicBlockRef *from = to != b && e->before[to] ? &e->before[to] : &e->last[b];
            if (e->budget_in[to])
                LLVMAddIncoming(e->budget_in[to], &e->budget_out[b], from, 1);
        }
    }
    free(e->budget_in);
    free(e->budget_out);
}
