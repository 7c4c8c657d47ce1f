/* control_flow.c - see control_flow.h. */
#include "control_flow.h"

const struct pf_predecessors *pf_block_predecessors(struct pf_plan *plan)
{
    struct pf_predecessors *p = &plan->predecessors;
    size_t n = plan->nblocks, edges = 0;
    if (p->first)
        return p;
    p->first = pf_zeroed(n + 2, sizeof *p->first);
    for (size_t b = 0; b < n; b++) { /* count them, then list them */
        LLVMValueRef end = pf_block_end(plan, b);
        for (unsigned i = 0, k = LLVMGetNumSuccessors(end); i < k; i++, edges++)
            p->first[pf_block_successor(plan, end, i) + 2]++;
    }
    p->before = pf_grow(NULL, (edges + 1) * sizeof *p->before);
    for (size_t b = 2; b < n + 2; b++)
        p->first[b] += p->first[b - 1];
    for (size_t b = 0; b < n; b++) {
        LLVMValueRef end = pf_block_end(plan, b);
        for (unsigned i = 0, k = LLVMGetNumSuccessors(end); i < k; i++)
            p->before[p->first[pf_block_successor(plan, end, i) + 1]++] = b;
    }
    return p;
}

/* Intrinsics that access no memory and always return. */
static const char *const safe_intrinsics[] = {
    "llvm.dbg.",   "llvm.fmuladd.",
    "llvm.fma.",   "llvm.smin.",
    "llvm.smax.",  "llvm.umin.",
    "llvm.umax.",  "llvm.abs.",
    "llvm.fabs.",  "llvm.minnum.",
    "llvm.sqrt.",  "llvm.maxnum.",
    "llvm.ctpop.", "llvm.ctlz.",
    "llvm.cttz.",  "llvm.fshl.",
    "llvm.fshr.",  "llvm.bswap.",
    "llvm.floor.", "llvm.ceil.",
    "llvm.assume", "llvm.experimental.noalias.scope.decl",
};

bool pf_proceeds_in_epoch(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMStore:
        return !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
    case LLVMCall: {
        LLVMValueRef fn = pf_callee(inst);
        size_t n;
        for (size_t i = 0; fn && i < sizeof safe_intrinsics / sizeof *safe_intrinsics; i++)
            if (LLVMGetIntrinsicID(fn) &&
                pf_name_starts(LLVMGetValueName2(fn, &n), safe_intrinsics[i]))
                return true;
        return false;
    }
    case LLVMPHI:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMFNeg:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMBr:
        return true;
    default:
        return LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst);
    }
}
