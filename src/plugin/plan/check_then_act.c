/*
 * check_then_act.c - finds check-then-act: loads that decide whether a later store to the same
 * variable happens, or which value it stores.
 *
 * Model:   a load R decides about a store W if
 *          - a conditional branch or switch B depends on R's value, through arithmetic,
 *            comparisons, PHIs and local variables;
 *          - W is reachable from one successor of B and not from another, on paths that pass
 *            neither B nor R again; successors from which the program cannot go on (abort, a
 *            failed assertion, exit) are ignored, because a branch to them is not a decision
 *            between two ways to go on;
 *          - W is not in a loop that R is outside of: a repeated store is not what the check was
 *            for.
 *          R also decides about W if R's value flows into the value that W stores and, if both are
 *          in one block, at least two calls are made in between. (With fewer, there is no unlock
 *          and lock between R and W, so both are in one critical section.)
 *
 *          A pair is a load and a store of one function, after inlining, that access the same
 *          address (the same SSA value, or two equal computations from one value), if the load
 *          decides about the store. The load gets PF_SITEF_CHECK, the store PF_SITEF_ACT. Loads of
 *          other variables that decide by a branch whether the store of a pair happens get
 *          PF_SITEF_CHECK, too: comparing a version number is a check. Whether load and store are
 *          in different critical sections of one lock is decided on the trace
 *          (predict/pecan/check_act.c), not here.
 *
 *          Limits bound the work for large functions; pairs beyond them are not found.
 */
#include "llvm_shim.h"
#include "plugin.h"
#include <string.h>

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
    bool *seen, *dies; /* per block; dies: the program ends on every path from here */
    size_t *work;
    struct pf_llvm_loops *loops;
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

/* True if the block ends in a call that leaves the function without a return, but goes on
 * elsewhere: an exception, a longjmp, the end of the thread. */
static bool goes_on_elsewhere(LLVMBasicBlockRef b)
{
    static const char *const leaving[] = {"__cxa_throw",  "__cxa_rethrow", "longjmp",
                                          "siglongjmp",   "_longjmp",      "__longjmp_chk",
                                          "pthread_exit", "thrd_exit",     "_Unwind_Resume"};
    for (LLVMValueRef i = LLVMGetLastInstruction(b); i; i = LLVMGetPreviousInstruction(i)) {
        LLVMValueRef f = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
        size_t len = 0;
        const char *name = f ? LLVMGetValueName2(f, &len) : NULL;
        for (size_t k = 0; name && k < sizeof leaving / sizeof *leaving; k++)
            if (!strcmp(name, leaving[k]))
                return true;
        if (f && !LLVMGetIntrinsicID(f))
            return false;
    }
    return false;
}

/* Sets `dies` for the blocks at whose end the program ends, and for blocks all of whose successors
 * are such blocks. A block of an endless loop is not one of them. */
static void find_dying_blocks(struct path_search *w)
{
    for (size_t i = 0; i < w->plan->nblocks; i++)
        w->dies[i] = LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(w->plan->blocks[i])) &&
                     !goes_on_elsewhere(w->plan->blocks[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = w->plan->nblocks; i-- > 0;) {
            LLVMValueRef term = LLVMGetBasicBlockTerminator(w->plan->blocks[i]);
            unsigned n = LLVMGetNumSuccessors(term), dying = 0;
            for (unsigned k = 0; k < n; k++)
                dying += w->dies[index_of(w, LLVMGetSuccessor(term, k))];
            if (!w->dies[i] && n && dying == n)
                w->dies[i] = changed = true;
        }
    }
}

/* True if the branch at the end of block b decides whether block `to` is reached. */
static bool decides(struct path_search *w, LLVMValueRef branch, size_t b, size_t to, size_t load)
{
    bool some = false, all = true;
    for (unsigned i = 0, n = LLVMGetNumSuccessors(branch); i < n; i++) {
        size_t next = index_of(w, LLVMGetSuccessor(branch, i));
        if (w->dies[next])
            continue;
        bool leads_there = is_reachable(w, next, to, b, load);
        some |= leads_there;
        all &= leads_there;
    }
    return some && !all;
}

/* True if the store is in a loop that the load is outside of. A loop may leave out the load: the
 * optimiser turns `while (!n) wait();` into a load before the waiting loop and one inside it. */
static bool is_repeated_without(struct path_search *w, size_t store, size_t load)
{
    if (pf_llvm_loops_has(w->loops, w->plan->blocks[store], w->plan->blocks[load]))
        return false;
    LLVMValueRef term = LLVMGetBasicBlockTerminator(w->plan->blocks[store]);
    for (unsigned i = 0, n = LLVMGetNumSuccessors(term); i < n; i++)
        if (is_reachable(w, index_of(w, LLVMGetSuccessor(term, i)), store, load, load))
            return true;
    return false;
}

/* True if calls that may unlock and lock are made between the two instructions of one block. */
static bool calls_between(LLVMValueRef first, LLVMValueRef last)
{
    unsigned calls = 0;
    LLVMValueRef i = LLVMGetNextInstruction(first);
    for (; i && i != last; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef f = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
        calls += LLVMIsACallInst(i) && !(f && LLVMGetIntrinsicID(f));
    }
    return i && calls >= 2;
}

/* True if a branch on the value of the load decides about the store; with `flows`, also if the
 * value of the load flows into the stored value. */
static bool is_decided(struct path_search *w, LLVMValueRef load, LLVMValueRef store, bool flows)
{
    struct derived d = {.at = {load}, .n = 1};
    size_t load_at = index_of(w, LLVMGetInstructionParent(load));
    size_t store_at = index_of(w, LLVMGetInstructionParent(store));
    bool one_block = load_at == store_at;
    if (one_block ? !flows || !calls_between(load, store)
                  : is_repeated_without(w, store_at, load_at))
        return false;
    for (size_t i = 0; i < d.n; i++) {
        LLVMValueRef v = d.at[i];
        if (flows && LLVMIsAStoreInst(store) && LLVMGetOperand(store, 0) == v)
            return true;
        if (!LLVMIsABranchInst(v) && !LLVMIsASwitchInst(v))
            derive_users(&d, v);
        else if (one_block)
            continue;
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

/* Marks the loads of other variables that decide whether the store of a pair happens. */
static void mark_other_checks(struct path_search *w, struct pf_plan *plan, unsigned pairs)
{
    for (size_t k = 0; k < plan->n && pairs < PAIRS; k++)
        for (size_t r = 0; plan->steps[k].flags & PF_SITEF_ACT && r < plan->n && pairs < PAIRS;
             r++) {
            struct pf_plan_step *store = &plan->steps[k], *load = &plan->steps[r];
            if (!is_plain(load, false) || load->flags & PF_SITEF_CHECK)
                continue;
            pairs++;
            if (is_decided(w, load->inst, store->inst, false))
                load->flags |= PF_SITEF_CHECK;
        }
}

void pf_plan_check_then_act(struct pf_plan *plan)
{
    unsigned calls = 0, pairs = 0;
    for (size_t k = 0; k < plan->n; k++)
        calls += plan->steps[k].what == PF_DO_CALL;
    if (calls < 3) /* at least unlock, lock, unlock */
        return;
    struct path_search w = {plan, pf_zeroed(plan->nblocks, sizeof(bool)),
                            pf_zeroed(plan->nblocks, sizeof(bool)),
                            pf_zeroed(plan->nblocks, sizeof(size_t)),
                            pf_llvm_loops_new(LLVMGetBasicBlockParent(plan->blocks[0]))};
    find_dying_blocks(&w);
    for (size_t k = 0; k < plan->n && pairs < PAIRS; k++)
        for (size_t r = 0; is_plain(&plan->steps[k], true) && r < plan->n && pairs < PAIRS; r++) {
            struct pf_plan_step *store = &plan->steps[k], *load = &plan->steps[r];
            if (!is_plain(load, false) || load->size != store->size ||
                !is_same_address(load->ptr, store->ptr, DEPTH))
                continue;
            pairs++;
            if (is_decided(&w, load->inst, store->inst, true)) {
                load->flags |= PF_SITEF_CHECK;
                store->flags |= PF_SITEF_ACT;
            }
        }
    mark_other_checks(&w, plan, pairs);
    free(w.seen);
    free(w.dies);
    free(w.work);
    pf_llvm_loops_free(w.loops);
}
