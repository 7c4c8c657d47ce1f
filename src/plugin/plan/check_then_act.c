/*
 * check_then_act.c - finds check-then-act: loads that decide whether a later store to the same
 * variable happens.
 *
 * Model:   a load R decides about a store W if
 *          - a conditional branch or switch B depends on R's value, through arithmetic,
 *            comparisons, PHIs and local variables;
 *          - W is reachable from one successor of B and not from another, on paths that pass
 *            neither B nor R again;
 *          - W is not in a loop that R is outside of: a repeated store is not what the check was
 *            for.
 *          Both are in one function, after inlining, and access the same address: the same value,
 *          or the same address computation from it.
 *
 *          R gets PF_SITEF_CHECK, W gets PF_SITEF_ACT. Whether the two are in different critical
 *          sections of one lock is decided on the trace (predict/pecan/check_act.c), not here.
 *
 *          Limits bound the work for large functions; pairs beyond them are not found.
 */
#include "plugin.h"

#define PAIRS 4096  /* pairs of a load and a store of one address, per function */
#define DERIVED 128 /* values derived from one load */
#define DEPTH 6     /* of an address computation */

/* True if the local variable is stored to once, so that all loads of it give the same value. */
static bool is_set_once(LLVMValueRef alloca)
{
    unsigned stores = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user))
            stores += LLVMGetOperand(user, 1) == alloca ? 1 : 2;
        else if (!LLVMIsALoadInst(user))
            return false;
    }
    return stores == 1;
}

static bool is_same_address(LLVMValueRef p, LLVMValueRef q, unsigned depth)
{
    if (p == q)
        return true;
    if (!depth || !LLVMIsAInstruction(p) || !LLVMIsAInstruction(q) ||
        LLVMGetInstructionOpcode(p) != LLVMGetInstructionOpcode(q))
        return false;
    if (LLVMIsALoadInst(p)) {
        LLVMValueRef from = LLVMGetOperand(p, 0);
        return from == LLVMGetOperand(q, 0) && LLVMIsAAllocaInst(from) && is_set_once(from);
    }
    if (!LLVMIsAGetElementPtrInst(p) && !LLVMIsACastInst(p))
        return false;
    int n = LLVMGetNumOperands(p);
    if (n != LLVMGetNumOperands(q) || LLVMTypeOf(p) != LLVMTypeOf(q) ||
        (LLVMIsAGetElementPtrInst(p) &&
         LLVMGetGEPSourceElementType(p) != LLVMGetGEPSourceElementType(q)))
        return false;
    for (int i = 0; i < n; i++)
        if (!is_same_address(LLVMGetOperand(p, (unsigned)i), LLVMGetOperand(q, (unsigned)i),
                             depth - 1))
            return false;
    return true;
}

/* --- values derived from a load --- */

struct derived {
    LLVMValueRef at[DERIVED];
    size_t n;
};

static void derive(struct derived *d, LLVMValueRef v)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->at[i] == v)
            return;
    if (d->n < DERIVED)
        d->at[d->n++] = v;
}

/* A value that is stored in a local variable flows to every load of the variable. */
static void derive_loads(struct derived *d, LLVMValueRef alloca)
{
    for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use))
        if (LLVMIsALoadInst(LLVMGetUser(use)))
            derive(d, LLVMGetUser(use));
}

static void derive_users(struct derived *d, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user)) {
            if (LLVMGetOperand(user, 0) == v && LLVMIsAAllocaInst(LLVMGetOperand(user, 1)))
                derive_loads(d, LLVMGetOperand(user, 1));
        } else if (LLVMIsAICmpInst(user) || LLVMIsAFCmpInst(user) || LLVMIsACastInst(user) ||
                   LLVMIsABinaryOperator(user) || LLVMIsAPHINode(user) || LLVMIsASelectInst(user) ||
                   LLVMIsAFreezeInst(user) || LLVMIsABranchInst(user) || LLVMIsASwitchInst(user)) {
            derive(d, user);
        }
    }
}

/* --- paths --- */

struct path_search {
    const struct pf_plan *plan;
    bool *seen;
    size_t *work;
};

static size_t index_of(const struct path_search *w, LLVMBasicBlockRef b)
{
    return *pf_ptrmap_find(&w->plan->block_index, b);
}

/* True if a path leads from block `from` to block `to` that enters neither of the other two. */
static bool is_reachable(struct path_search *w, size_t from, size_t to, size_t not_a, size_t not_b)
{
    size_t n = 0;
    for (size_t i = 0; i < w->plan->nblocks; i++)
        w->seen[i] = i == not_a || i == not_b;
    if (w->seen[from])
        return false;
    w->seen[from] = true;
    w->work[n++] = from;
    while (n) {
        size_t b = w->work[--n];
        if (b == to)
            return true;
        LLVMValueRef term = LLVMGetBasicBlockTerminator(w->plan->blocks[b]);
        for (unsigned i = 0, m = LLVMGetNumSuccessors(term); i < m; i++) {
            size_t next = index_of(w, LLVMGetSuccessor(term, i));
            if (!w->seen[next]) {
                w->seen[next] = true;
                w->work[n++] = next;
            }
        }
    }
    return false;
}

/* True if the branch at the end of block b decides whether block `to` is reached. */
static bool decides(struct path_search *w, LLVMValueRef branch, size_t b, size_t to, size_t load)
{
    bool some = false, all = true;
    for (unsigned i = 0, n = LLVMGetNumSuccessors(branch); i < n; i++) {
        bool leads_there = is_reachable(w, index_of(w, LLVMGetSuccessor(branch, i)), to, b, load);
        some |= leads_there;
        all &= leads_there;
    }
    return some && !all;
}

static bool is_repeated_without(struct path_search *w, size_t store, size_t load)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(w->plan->blocks[store]);
    for (unsigned i = 0, n = LLVMGetNumSuccessors(term); i < n; i++)
        if (is_reachable(w, index_of(w, LLVMGetSuccessor(term, i)), store, load, load))
            return true;
    return false;
}

static bool is_decided(struct path_search *w, LLVMValueRef load, size_t load_at, size_t store_at)
{
    struct derived d = {.at = {load}, .n = 1};
    if (is_repeated_without(w, store_at, load_at))
        return false;
    for (size_t i = 0; i < d.n; i++) {
        LLVMValueRef v = d.at[i];
        if (!LLVMIsABranchInst(v) && !LLVMIsASwitchInst(v))
            derive_users(&d, v);
        else if (LLVMGetNumSuccessors(v) > 1 &&
                 decides(w, v, index_of(w, LLVMGetInstructionParent(v)), store_at, load_at))
            return true;
    }
    return false;
}

static bool is_plain(const struct pf_plan_step *s, bool write)
{
    return s->what == PF_DO_ACCESS && s->write == write && s->ptr;
}

void pf_plan_check_then_act(struct pf_plan *plan)
{
    unsigned calls = 0, pairs = 0;
    for (size_t k = 0; k < plan->n; k++)
        calls += plan->steps[k].what == PF_DO_CALL;
    if (calls < 3 || plan->nblocks < 2) /* at least unlock, lock, unlock */
        return;
    struct path_search w = {plan, pf_zeroed(plan->nblocks, sizeof(bool)),
                            pf_zeroed(plan->nblocks, sizeof(size_t))};
    for (size_t k = 0; k < plan->n && pairs < PAIRS; k++)
        for (size_t r = 0; is_plain(&plan->steps[k], true) && r < plan->n && pairs < PAIRS; r++) {
            struct pf_plan_step *store = &plan->steps[k], *load = &plan->steps[r];
            if (!is_plain(load, false) || load->size != store->size ||
                !is_same_address(load->ptr, store->ptr, DEPTH))
                continue;
            pairs++;
            size_t from = index_of(&w, LLVMGetInstructionParent(load->inst));
            size_t to = index_of(&w, LLVMGetInstructionParent(store->inst));
            if (from != to && is_decided(&w, load->inst, from, to)) {
                load->flags |= PF_SITEF_CHECK;
                store->flags |= PF_SITEF_ACT;
            }
        }
    free(w.seen);
    free(w.work);
}
