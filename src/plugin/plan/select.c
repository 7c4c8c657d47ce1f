/*
 * select.c - makes the plan of a function: which instructions get a check, the calls around an
 * atomic operation, or a frame update. Instructions without a step are copied unchanged.
 */
#include "address.h"
#include "plugin.h"
#include <string.h>

#define SMALL_COPY 64 /* bytes; smaller memory intrinsics stay native, with range checks */

static const char *name_of(LLVMValueRef v)
{
    size_t n;
    return LLVMGetValueName2(v, &n);
}

bool pf_name_starts(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

LLVMValueRef pf_callee(LLVMValueRef call) { return LLVMIsAFunction(LLVMGetCalledValue(call)); }

bool pf_call_has(LLVMValueRef call, unsigned kind)
{
    LLVMValueRef fn = pf_callee(call);
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
           (fn && LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind));
}

bool pf_call_is_pure(struct pf_unit *u, LLVMValueRef call)
{
    LLVMValueRef fn = pf_callee(call);
    LLVMAttributeRef a =
        LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, u->kinds.memory);
    if (!a && fn)
        a = LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, u->kinds.memory);
    return a && LLVMGetEnumAttributeValue(a) == 0; /* 0: accesses no memory */
}

/* Such accesses have clang's TBAA tag for vtable pointers. */
bool pf_is_vtable_access(struct pf_unit *u, LLVMValueRef inst)
{
    LLVMValueRef tag = LLVMGetMetadata(inst, u->kinds.md_tbaa);
    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2 || LLVMGetMDNodeNumOperands(tag) > 8)
        return false;
    LLVMValueRef op[8], type[8];
    LLVMGetMDNodeOperands(tag, op);
    unsigned n = op[1] ? LLVMGetMDNodeNumOperands(op[1]) : 0, length = 0;
    if (!n || n > 8)
        return false;
    LLVMGetMDNodeOperands(op[1], type);
    const char *name = type[0] ? LLVMGetMDString(type[0], &length) : NULL;
    return name && length == sizeof PF_VTABLE_POINTER - 1 &&
           !memcmp(name, PF_VTABLE_POINTER, length);
}

bool pf_is_compilers_own(LLVMValueRef variable)
{
    static const char *const prefixes[] = {
        "llvm.", "__llvm_", "__prof", "__pf_", "__sancov", "__gcov", "__ubsan",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (pf_name_starts(name_of(variable), prefixes[i]))
            return true;
    return false;
}

bool pf_memory_is_unchecked(struct pf_unit *u, LLVMValueRef ptr)
{
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(ptr)))
        return true;
    LLVMValueRef base = pf_gep_base(ptr);
    if (LLVMIsAGlobalVariable(base) && (LLVMIsGlobalConstant(base) || pf_is_compilers_own(base)))
        return true;
    if (LLVMIsALoadInst(base) && pf_is_vtable_access(u, base)) /* the vtable itself is constant */
        return true;
    return pf_memory_is_private(u, ptr);
}

/* The same for the body that the plan is for. */
static bool is_unchecked(struct pf_unit *u, const struct pf_plan *plan, LLVMValueRef ptr)
{
    return pf_memory_is_unchecked(u, ptr) ||
           (!plan->events && pf_memory_is_private_with_args(u, ptr));
}

static bool is_asm(LLVMValueRef call) { return LLVMIsAInlineAsm(LLVMGetCalledValue(call)); }

static struct pf_plan_step *add(struct pf_plan *plan, LLVMValueRef inst, enum pf_plan_action what)
{
    struct pf_plan_step *s = &PF_PUSH(plan->steps, plan->n, plan->cap);
    *s = (struct pf_plan_step){.inst = inst, .what = what};
    return s;
}

static void select_access(struct pf_unit *u, struct pf_plan *plan, LLVMValueRef inst)
{
    bool write = LLVMGetInstructionOpcode(inst) == LLVMStore;
    LLVMValueRef ptr = LLVMGetOperand(inst, write);
    LLVMTypeRef type = write ? LLVMTypeOf(LLVMGetOperand(inst, 0)) : LLVMTypeOf(inst);
    if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic) {
        if (LLVMIsAtomicSingleThread(inst) || pf_memory_is_private(u, ptr))
            return;
        struct pf_plan_step *s = add(plan, inst, PF_DO_ATOMIC);
        s->ptr = ptr;
        s->size = LLVMStoreSizeOfType(u->layout, type);
        s->write = write;
        s->may_synchronise = true;
        return;
    }
    if (!plan->accesses || LLVMGetMetadata(inst, u->kinds.md_nosanitize) ||
        (!write && LLVMGetMetadata(inst, u->kinds.md_invariant_load)) || is_unchecked(u, plan, ptr))
        return;
    bool vtable = pf_is_vtable_access(u, inst);
    uint64_t size = LLVMStoreSizeOfType(u->layout, type);
    if (!size)
        return;
    struct pf_plan_step *s =
        add(plan, inst, vtable && write && size == 8 ? PF_DO_VPTR : PF_DO_ACCESS);
    s->ptr = ptr;
    s->size = size;
    s->align = LLVMGetAlignment(inst);
    s->write = write;
}

static void select_update(struct pf_unit *u, struct pf_plan *plan, LLVMValueRef inst)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0);
    if (LLVMIsAtomicSingleThread(inst) || LLVMGetPointerAddressSpace(LLVMTypeOf(ptr)) ||
        pf_memory_is_private(u, ptr))
        return;
    struct pf_plan_step *s = add(plan, inst, PF_DO_ATOMIC);
    s->ptr = ptr;
    s->size = LLVMStoreSizeOfType(u->layout, LLVMTypeOf(LLVMGetOperand(inst, 1)));
    s->write = true;
    s->may_synchronise = true;
}

/* Returns true if the instruction is a memory intrinsic, which then has a step if it needs one. */
static bool select_memory(struct pf_unit *u, struct pf_plan *plan, LLVMValueRef inst, unsigned id)
{
    bool set = id == u->kinds.memset || id == u->kinds.memset_inline;
    bool copy = id == u->kinds.memcpy || id == u->kinds.memmove || id == u->kinds.memcpy_inline;
    if (!set && !copy)
        return false;
    LLVMValueRef size = LLVMGetOperand(inst, 2);
    bool reads = copy && !is_unchecked(u, plan, LLVMGetOperand(inst, 1));
    bool writes = !is_unchecked(u, plan, LLVMGetOperand(inst, 0));
    bool spaces = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) ||
                  (copy && LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 1))));
    if (!plan->accesses || (!reads && !writes) || LLVMGetMetadata(inst, u->kinds.md_nosanitize))
        return true;
    bool small = LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) <= SMALL_COPY;
    if (small && LLVMConstIntGetZExtValue(size) == 0)
        return true;
    bool native = small || spaces || (copy && reads != writes) || id == u->kinds.memset_inline ||
                  id == u->kinds.memcpy_inline;
    struct pf_plan_step *s = add(plan, inst, native ? PF_DO_RANGES : PF_DO_MEMORY);
    s->size = small ? LLVMConstIntGetZExtValue(size) : 0;
    s->read_side = reads;
    s->write_side = writes;
    return true;
}

static bool is_masked(LLVMValueRef fn)
{
    const char *name = name_of(fn);
    return pf_name_starts(name, "llvm.masked.load.") ||
           pf_name_starts(name, "llvm.masked.store.") ||
           pf_name_starts(name, "llvm.masked.gather.") ||
           pf_name_starts(name, "llvm.masked.scatter.");
}

/* True if the assembly may access memory. A compiler barrier, without any text, does not. */
static bool asm_accesses_memory(LLVMValueRef inst)
{
    LLVMValueRef code = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    size_t length = 0, n = 0;
    if (!code || (LLVMGetInlineAsmAsmString(code, &length), !length))
        return false;
    const char *operands = LLVMGetInlineAsmConstraintString(code, &n);
    for (size_t i = 0; i < n; i++)
        if (operands[i] == '*' || (n - i >= 9 && !memcmp(operands + i, "~{memory}", 9)))
            return true;
    return false;
}

static void select_assembly(struct pf_unit *u, struct pf_plan *plan, LLVMValueRef inst)
{
    struct pf_inline_asm a = pf_inline_asm_classify(u, inst);
    bool atomic = a.ptr && !pf_memory_is_private(u, a.ptr);
    bool event = plan->events && plan->accesses && asm_accesses_memory(inst);
    enum pf_plan_action what = a.what == PF_ASM_FENCE ? PF_DO_FENCE
                               : atomic               ? PF_DO_ATOMIC
                               : event                ? PF_DO_ASM
                                                      : PF_DO_NOTHING;
    struct pf_plan_step *s = add(plan, inst, what);
    s->may_synchronise = true;
    if (what == PF_DO_ATOMIC) {
        s->ptr = a.ptr;
        s->size = a.size;
        s->write = a.what != PF_ASM_LOAD;
    }
}

/* True if the watch body tells the runtime when the lifetime of this variable starts and ends. A
 * variable that is not checked counts too: it may share its memory with one that is. */
static bool has_checked_scope(struct pf_unit *u, const struct pf_plan *plan, LLVMValueRef variable)
{
    return u->scopes && !plan->events && plan->accesses && LLVMIsAAllocaInst(variable) &&
           LLVMIsAConstantInt(LLVMGetOperand(variable, 0));
}

static void select_call(struct pf_unit *u, struct pf_plan *plan, LLVMValueRef inst)
{
    LLVMValueRef fn = pf_callee(inst);
    unsigned id = fn ? LLVMGetIntrinsicID(fn) : 0;
    bool begins = id && id == u->kinds.lifetime_start, ends = id && id == u->kinds.lifetime_end;
    LLVMValueRef variable = begins || ends ? LLVMGetOperand(inst, 1) : NULL;
    if (variable && (plan->events ? pf_ptrmap_find(&u->red_zoned, variable) != NULL
                                  : has_checked_scope(u, plan, variable))) {
        struct pf_plan_step *s = add(plan, inst, PF_DO_LIFETIME);
        s->ptr = variable;
        s->write = begins;
        s->may_synchronise = !plan->events; /* a check before it does not replace one after it */
        return;
    }
    if (id) {
        if (!select_memory(u, plan, inst, id) && plan->accesses && is_masked(fn))
            add(plan, inst, PF_DO_MASKED);
        return;
    }
    if (is_asm(inst)) {
        select_assembly(u, plan, inst);
        return;
    }
    if (pf_call_is_pure(u, inst) && !pf_call_has(inst, u->kinds.returns_twice))
        return;
    bool library = fn && pf_name_starts(name_of(fn), "__atomic_") && LLVMIsACallInst(inst);
    struct pf_plan_step *s = add(plan, inst, library ? PF_DO_LIBATOMIC : PF_DO_CALL);
    s->may_synchronise = !pf_call_has(inst, u->kinds.nosync);
}

static void select_instruction(struct pf_unit *u, struct pf_plan *plan, LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMStore:
        select_access(u, plan, inst);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        select_update(u, plan, inst);
        break;
    case LLVMFence:
        if (!LLVMIsAtomicSingleThread(inst))
            add(plan, inst, PF_DO_FENCE)->may_synchronise = true;
        break;
    case LLVMCall:
    case LLVMInvoke:
    case LLVMCallBr:
        select_call(u, plan, inst);
        break;
    case LLVMLandingPad:
        add(plan, inst, PF_DO_LANDING_PAD);
        break;
    default:
        break;
    }
}

/* True for steps that do not require bodies: a function with only such steps gets no bodies. Inline
 * assembly is one of them: if a function has nothing else to check, calls of it are treated as
 * calls of code without events. */
static bool needs_no_body(enum pf_plan_action what)
{
    return what == PF_DO_NOTHING || what == PF_DO_LANDING_PAD || what == PF_DO_ASM ||
           what == PF_DO_LIFETIME;
}

bool pf_plan_make(struct pf_unit *u, LLVMValueRef fn, bool accesses, bool events,
                  struct pf_plan *plan)
{
    *plan = (struct pf_plan){
        .accesses = accesses, .events = events, .nblocks = LLVMCountBasicBlocks(fn)};
    plan->blocks = pf_grow(NULL, plan->nblocks * sizeof *plan->blocks);
    plan->first_step = pf_grow(NULL, (plan->nblocks + 1) * sizeof *plan->first_step);
    plan->hot = pf_zeroed(plan->nblocks + 1, sizeof *plan->hot);
    plan->in_loop = pf_zeroed(plan->nblocks + 1, sizeof *plan->in_loop);
    LLVMGetBasicBlocks(fn, plan->blocks);
    for (size_t i = 0; i < plan->nblocks; i++)
        *pf_ptrmap_at(&plan->block_index, plan->blocks[i]) = i;
    bool useful = false;
    for (size_t i = 0; i < plan->nblocks; i++) {
        plan->first_step[i] = plan->n;
        for (LLVMValueRef v = LLVMGetFirstInstruction(plan->blocks[i]); v;
             v = LLVMGetNextInstruction(v))
            select_instruction(u, plan, v);
        for (size_t k = plan->first_step[i]; k < plan->n; k++)
            useful |= !needs_no_body((enum pf_plan_action)plan->steps[k].what);
    }
    plan->first_step[plan->nblocks] = plan->n;
    return useful;
}

void pf_plan_release(struct pf_plan *plan)
{
    free(plan->steps);
    free(plan->blocks);
    free(plan->first_step);
    free(plan->predecessors.first);
    free(plan->predecessors.before);
    free(plan->hot);
    free(plan->in_loop);
    free(plan->ranges_before);
    free(plan->ranges_after);
    free(plan->exits);
    free(plan->switch_edges);
    free(plan->switch_checks);
    pf_ptrmap_release(&plan->block_index);
}
