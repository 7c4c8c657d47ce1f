/*
 * emit_atomic.c - atomic operations. The native instruction is placed between calls of
 * __pf_atomic_begin and __pf_atomic_end, so that the runtime can order the effects on vector clocks
 * in the same way as memory orders the values. Calls of libatomic's functions, which clang emits
 * for sizes that have no instruction, are treated the same.
 */
#include "debuginfo.h"
#include "emit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

static unsigned order_of(LLVMAtomicOrdering o)
{
    switch (o) {
    case LLVMAtomicOrderingAcquire:
        return PF_ACQUIRE;
    case LLVMAtomicOrderingRelease:
        return PF_RELEASE;
    case LLVMAtomicOrderingAcquireRelease:
        return PF_ACQ_REL;
    case LLVMAtomicOrderingSequentiallyConsistent:
        return PF_SEQ_CST;
    default:
        return PF_RELAXED;
    }
}

#define SIZE_MAX_CODED 255 /* of an atomic operation, in its 8 bits of the packed word */

static uint32_t code(uint64_t size, enum pf_atomic_op op, unsigned order, unsigned failure)
{
    return (size > SIZE_MAX_CODED ? SIZE_MAX_CODED : size) | op << 8 | order << 16 | failure << 24;
}

static LLVMValueRef begin(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef what,
                          bool write, uint64_t size)
{
    uint32_t site = pf_emit_site(e, inst, write ? PF_SITE_ATOMIC_WRITE : PF_SITE_ATOMIC_READ, size,
                                 pf_di_variable(e->u, ptr));
    LLVMValueRef args[] = {ptr, what, pf_emit_number(e, site)};
    return pf_emit_call(e, PF_E___pf_atomic_begin, args);
}

static void end(struct pf_emit *e, LLVMValueRef handle, LLVMValueRef stored)
{
    LLVMValueRef args[] = {handle, stored};
    pf_emit_call(e, PF_E___pf_atomic_end, args);
}

static LLVMValueRef value_at(struct pf_emit *e, const struct pf_plan_step *s)
{
    LLVMTypeRef type = LLVMIntTypeInContext(e->u->context, (unsigned)s->size * 8);
    LLVMValueRef v = LLVMBuildLoad2(e->b, type, s->ptr, "");
    LLVMSetVolatile(v, true);
    return pf_emit_map_later(e, v);
}

/* To find out whether a compare-and-exchange in assembly stored something, the code compares the
 * value before and after it: no other thread changes it between __pf_atomic_begin and
 * __pf_atomic_end. */
static void emit_assembly(struct pf_emit *e, const struct pf_plan_step *s)
{
    static const struct {
        enum pf_atomic_op op;
        unsigned order;
    } means[] = {
        [PF_ASM_LOAD] = {PF_ATOMIC_LOAD, PF_ACQUIRE},
        [PF_ASM_STORE] = {PF_ATOMIC_STORE, PF_RELEASE},
        [PF_ASM_UPDATE] = {PF_ATOMIC_RMW, PF_SEQ_CST},
        [PF_ASM_CMPXCHG] = {PF_ATOMIC_CAS, PF_SEQ_CST},
    };
    enum pf_inline_asm_kind kind = pf_inline_asm_classify(e->u, s->inst).what;
    LLVMValueRef what =
        pf_emit_number(e, code(s->size, means[kind].op, means[kind].order, PF_SEQ_CST));
    LLVMValueRef handle = begin(e, s->inst, s->ptr, what, s->write, s->size);
    LLVMValueRef before = kind == PF_ASM_CMPXCHG ? value_at(e, s) : NULL;
    pf_emit_copy(e, s->inst);
    LLVMValueRef stored = pf_emit_number(e, s->write);
    if (before)
        stored = LLVMBuildZExt(e->b, LLVMBuildICmp(e->b, LLVMIntNE, before, value_at(e, s), ""),
                               e->u->i32, "");
    end(e, handle, stored);
}

/* True for the release of the lock bit inside std::atomic<std::shared_ptr>. libstdc++ releases this
 * lock with a relaxed operation if it has only read the pointer. By the rules of C++ the next
 * writer then races with that read, in every program that uses the class. The lock is therefore
 * treated as what it is meant to be. */
static bool drops_pointer_lock(struct pf_emit *e, LLVMValueRef inst)
{
    LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);
    for (; at; at = LLVMDILocationGetInlinedAt(at)) {
        const char *fn = pf_di_function(e->u, LLVMDILocationGetScope(at), NULL);
        if (strstr(fn, "std::_Sp_atomic<"))
            return true;
        if (!strstr(fn, "std::"))
            return false; /* the program's own operation, called by libstdc++ */
    }
    return false;
}

void pf_emit_atomic(struct pf_emit *e, const struct pf_plan_step *s)
{
    if (LLVMIsACallInst(s->inst)) {
        emit_assembly(e, s);
        return;
    }
    enum pf_atomic_op op;
    unsigned order, failure = PF_RELAXED;
    switch (LLVMGetInstructionOpcode(s->inst)) {
    case LLVMLoad:
        op = PF_ATOMIC_LOAD;
        order = order_of(LLVMGetOrdering(s->inst));
        break;
    case LLVMStore:
        op = PF_ATOMIC_STORE;
        order = order_of(LLVMGetOrdering(s->inst));
        break;
    case LLVMAtomicRMW:
        op = PF_ATOMIC_RMW;
        order = order_of(LLVMGetOrdering(s->inst));
        if (order == PF_RELAXED && drops_pointer_lock(e, s->inst))
            order = PF_RELEASE;
        break;
    default:
        op = PF_ATOMIC_CAS;
        order = order_of(LLVMGetCmpXchgSuccessOrdering(s->inst));
        failure = order_of(LLVMGetCmpXchgFailureOrdering(s->inst));
        break;
    }
    LLVMValueRef what = pf_emit_number(e, code(s->size, op, order, failure));
    LLVMValueRef handle = begin(e, s->inst, s->ptr, what, s->write, s->size);
    LLVMValueRef copy = pf_emit_copy(e, s->inst);
    LLVMValueRef stored = pf_emit_number(e, op != PF_ATOMIC_LOAD);
    if (op == PF_ATOMIC_CAS)
        stored = LLVMBuildZExt(e->b, LLVMBuildExtractValue(e->b, copy, 1, ""), e->u->i32, "");
    end(e, handle, stored);
}

void pf_emit_fence(struct pf_emit *e, const struct pf_plan_step *s)
{
    uint32_t site = pf_emit_site(e, s->inst, PF_SITE_FENCE, 0, NULL);
    unsigned order = LLVMIsACallInst(s->inst) ? PF_SEQ_CST : order_of(LLVMGetOrdering(s->inst));
    LLVMValueRef args[] = {pf_emit_number(e, order), pf_emit_number(e, site)};
    pf_emit_call(e, PF_E___pf_fence, args);
    pf_emit_copy(e, s->inst);
}

/*
 * Functions of libatomic. The numbers are argument positions, or -1: of the address, the memory
 * order, the failure order, a plain buffer that is read, and a plain buffer that is written. The
 * generic functions have the size as first argument; the names of the sized ones end in _1 to _16.
 */
struct library {
    const char *name;
    enum pf_atomic_op op;
    int ptr, order, failure, reads, writes;
};
static const struct library generic[] = {
    {"__atomic_load", PF_ATOMIC_LOAD, 1, 3, -1, -1, 2},
    {"__atomic_store", PF_ATOMIC_STORE, 1, 3, -1, 2, -1},
    {"__atomic_exchange", PF_ATOMIC_RMW, 1, 4, -1, 2, 3},
    {"__atomic_compare_exchange", PF_ATOMIC_CAS, 1, 4, 5, 3, 2},
};
static const struct library sized[] = {
    {"__atomic_load_", PF_ATOMIC_LOAD, 0, 1, -1, -1, -1},
    {"__atomic_store_", PF_ATOMIC_STORE, 0, 2, -1, -1, -1},
    {"__atomic_exchange_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
    {"__atomic_compare_exchange_", PF_ATOMIC_CAS, 0, 3, 4, -1, 1},
    {"__atomic_fetch_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
    {"__atomic_add_fetch_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
    {"__atomic_sub_fetch_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
    {"__atomic_and_fetch_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
    {"__atomic_or_fetch_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
    {"__atomic_xor_fetch_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
    {"__atomic_nand_fetch_", PF_ATOMIC_RMW, 0, 2, -1, -1, -1},
};

/* The description of the called function, or NULL, and its size; 0: the size is the first
 * argument. */
static const struct library *library_of(LLVMValueRef call, uint64_t *size)
{
    size_t n;
    const char *name = LLVMGetValueName2(pf_callee(call), &n), *digits = strrchr(name, '_') + 1;
    const struct library *l = NULL;
    *size = strtoul(digits, NULL, 10);
    for (size_t i = 0; !*size && i < sizeof generic / sizeof *generic; i++)
        if (!strcmp(name, generic[i].name))
            l = &generic[i];
    for (size_t i = 0; *size && i < sizeof sized / sizeof *sized; i++)
        if (!strncmp(name, sized[i].name, strlen(sized[i].name)) &&
            (*digits >= '1' && *digits <= '9'))
            l = &sized[i];
    unsigned args = LLVMGetNumArgOperands(call);
    int last = l ? (l->failure > l->order ? l->failure : l->order) : 0;
    return l && (unsigned)last < args ? l : NULL;
}

static LLVMValueRef shifted(struct pf_emit *e, LLVMValueRef call, int at, unsigned shift)
{
    if (at < 0)
        return pf_emit_number(e, 0);
    LLVMValueRef v =
        pf_emit_map_later(e, LLVMBuildIntCast2(e->b, LLVMGetOperand(call, at), e->u->i32, 0, ""));
    /* The cast of an i32 is the old value itself, so map the operands of the shift. */
    return pf_emit_map_later(e, LLVMBuildShl(e->b, v, pf_emit_number(e, shift), ""));
}

void pf_emit_libatomic(struct pf_emit *e, const struct pf_plan_step *s)
{
    struct pf_unit *u = e->u;
    uint64_t size;
    const struct library *l = library_of(s->inst, &size);
    if (!l) {
        pf_frame_call(e, s->inst);
        return;
    }
    LLVMValueRef bytes = LLVMConstInt(u->i64, size, 0), ptr = LLVMGetOperand(s->inst, l->ptr);
    if (!size) {
        bytes = LLVMGetOperand(s->inst, 0);
        size = LLVMIsAConstantInt(bytes) ? LLVMConstIntGetZExtValue(bytes) : 0;
    }
    bool accesses = e->plan->accesses && !e->in_place;
    if (accesses && l->reads >= 0 && !pf_memory_is_unchecked(u, LLVMGetOperand(s->inst, l->reads)))
        pf_emit_range(e, s->inst, LLVMGetOperand(s->inst, l->reads), bytes, false);
    if (accesses && l->writes >= 0 &&
        !pf_memory_is_unchecked(u, LLVMGetOperand(s->inst, l->writes)))
        pf_emit_range(e, s->inst, LLVMGetOperand(s->inst, l->writes), bytes, true);
    LLVMValueRef what = pf_emit_number(e, code(size, l->op, 0, 0));
    what = LLVMBuildOr(e->b, what, shifted(e, s->inst, l->order, 16), "");
    what = LLVMBuildOr(e->b, what, shifted(e, s->inst, l->failure, 24), "");
    LLVMValueRef handle = begin(e, s->inst, ptr, what, l->op != PF_ATOMIC_LOAD, size);
    LLVMValueRef copy = pf_emit_copy(e, s->inst);
    LLVMValueRef stored = pf_emit_number(e, l->op != PF_ATOMIC_LOAD);
    if (l->op == PF_ATOMIC_CAS)
        stored = LLVMBuildZExt(e->b, LLVMBuildTrunc(e->b, copy, u->i1, ""), u->i32, "");
    end(e, handle, stored);
}
