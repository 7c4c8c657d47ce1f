/*
 * capture.c - memory whose address no other thread can know.
 *
 * Model:   the address of a stack slot (or of a by-value argument, or of a file-local thread-local
 *          variable) is followed along its uses. If every use is a direct access, a lifetime, va_*
 *          or memory intrinsic, a comparison, or an argument that the callee promises not to
 *          capture, the memory is private. Address arithmetic, casts between pointer types, PHIs
 *          and selects are followed; any other use is an escape. The analysis is flow-insensitive:
 *          one escape anywhere counts. errno is private, too. Heap memory is never recognised as
 *          private.
 */
#include "address.h"
#include "plugin.h"
#include <string.h>

#define FLOW_MAX 512 /* uses followed before giving up */

struct address_flow {
    struct pf_unit *u;
    LLVMValueRef *work;
    size_t n, cap;
    struct pf_ptrmap seen;
    unsigned budget;
    bool strict; /* every argument is an escape, captured or not */
};

static void follow(struct address_flow *f, LLVMValueRef v)
{
    uint64_t *seen = pf_ptrmap_at(&f->seen, v);
    if (!*seen)
        PF_PUSH(f->work, f->n, f->cap) = v;
    *seen = 1;
}

static bool argument_keeps(struct pf_unit *u, LLVMValueRef call, LLVMValueRef v)
{
    LLVMValueRef fn = pf_callee(call);
    unsigned n = LLVMGetNumArgOperands(call);
    if (LLVMGetCalledValue(call) == v || LLVMGetNumOperandBundles(call))
        return true;
    for (unsigned i = 0; i < n; i++) {
        if (LLVMGetOperand(call, i) != v)
            continue;
        bool not_kept = LLVMGetCallSiteEnumAttribute(call, i + 1, u->kinds.nocapture) ||
                        LLVMGetCallSiteEnumAttribute(call, i + 1, u->kinds.byval);
        if (!not_kept && fn && i < LLVMCountParams(fn))
            not_kept = LLVMGetEnumAttributeAtIndex(fn, i + 1, u->kinds.nocapture);
        if (!not_kept)
            return true;
    }
    return false;
}

static bool is_va_intrinsic(LLVMValueRef fn)
{
    size_t n;
    return pf_name_starts(LLVMGetValueName2(fn, &n), "llvm.va_");
}

/* True if this use lets the address escape. Uses that only derive another address are followed. */
static bool use_escapes(struct address_flow *f, LLVMValueRef user, LLVMValueRef v)
{
    if (LLVMIsAConstantExpr(user)) {
        follow(f, user);
        return false;
    }
    if (!LLVMIsAInstruction(user))
        return true;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
        return false;
    case LLVMStore:
        return LLVMGetOperand(user, 0) == v;
    case LLVMAtomicRMW:
        return LLVMGetOperand(user, 1) == v;
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 1) == v || LLVMGetOperand(user, 2) == v;
    case LLVMGetElementPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
        follow(f, user);
        return false;
    case LLVMCall:
    case LLVMInvoke: {
        LLVMValueRef fn = pf_callee(user);
        unsigned id = fn ? LLVMGetIntrinsicID(fn) : 0;
        if (id && id == f->u->kinds.tls_address) {
            follow(f, user);
            return false;
        }
        if (id && (id == f->u->kinds.lifetime_start || id == f->u->kinds.lifetime_end ||
                   id == f->u->kinds.memset || id == f->u->kinds.memcpy ||
                   id == f->u->kinds.memmove || id == f->u->kinds.memcpy_inline ||
                   id == f->u->kinds.memset_inline || is_va_intrinsic(fn)))
            return false;
        return f->strict || argument_keeps(f->u, user, v);
    }
    default:
        return true;
    }
}

static bool stays_private(struct pf_unit *u, LLVMValueRef root, bool strict)
{
    struct address_flow f = {.u = u, .budget = FLOW_MAX, .strict = strict};
    bool escaped = false;
    follow(&f, root);
    while (f.n && !escaped) {
        LLVMValueRef v = f.work[--f.n];
        for (LLVMUseRef use = LLVMGetFirstUse(v); use && !escaped; use = LLVMGetNextUse(use))
            escaped = !f.budget-- || use_escapes(&f, LLVMGetUser(use), v);
    }
    free(f.work);
    pf_ptrmap_release(&f.seen);
    return !escaped;
}

static bool root_is_private(struct pf_unit *u, LLVMValueRef root)
{
    if (LLVMIsAArgument(root)) {
        LLVMValueRef fn = LLVMGetParamParent(root);
        unsigned i = 0;
        while (LLVMGetParam(fn, i) != root)
            i++;
        if (!LLVMGetEnumAttributeAtIndex(fn, i + 1, u->kinds.byval))
            return false;
    } else if (LLVMIsAGlobalVariable(root)) {
        LLVMLinkage linkage = LLVMGetLinkage(root);
        if (!LLVMIsThreadLocal(root) ||
            (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage))
            return false;
    } else if (!LLVMIsAAllocaInst(root)) {
        return false;
    }
    uint64_t *known = pf_ptrmap_at(&u->private_roots, root);
    if (!*known)
        *known = 1 + stays_private(u, root, false);
    return *known == 2;
}

#define INCOMING_MAX 8 /* a PHI with more operands counts as not private */
#define PHIS_MAX 8

/* The backward search from an address to its roots. */
struct origin {
    struct pf_unit *u;
    unsigned depth; /* PHIs and selects that may still be followed */
    /* accept private arguments (private_args.c) and addresses that cycle through a loop */
    bool with_args;
    unsigned nphis;
    LLVMValueRef phis[PHIS_MAX]; /* PHIs already visited: a cycle adds no further root */
};

static bool is_private(struct origin *o, LLVMValueRef ptr);

static bool phi_is_private(struct origin *o, LLVMValueRef phi)
{
    unsigned n = LLVMCountIncoming(phi);
    for (unsigned i = 0; i < o->nphis; i++)
        if (o->phis[i] == phi)
            return true;
    if (!o->depth)
        return false;
    if (o->with_args && o->nphis < PHIS_MAX)
        o->phis[o->nphis++] = phi;
    o->depth--;
    bool all = n > 0 && n <= INCOMING_MAX;
    for (unsigned i = 0; all && i < n; i++)
        all = is_private(o, LLVMGetIncomingValue(phi, i));
    o->depth++;
    return all;
}

static bool is_private(struct origin *o, LLVMValueRef ptr)
{
    struct pf_unit *u = o->u;
    for (;;) {
        ptr = pf_gep_base(ptr);
        if (LLVMIsAConstantExpr(ptr))
            return false;
        if (LLVMIsACallInst(ptr)) {
            LLVMValueRef fn = pf_callee(ptr);
            size_t n;
            if (!fn)
                return false;
            /* errno belongs to the current thread, even if its address has escaped. */
            if (!strcmp(LLVMGetValueName2(fn, &n), "__errno_location"))
                return true;
            if (LLVMGetIntrinsicID(fn) != u->kinds.tls_address)
                return false;
            ptr = LLVMGetOperand(ptr, 0);
        } else {
            break;
        }
    }
    if (o->depth && LLVMIsASelectInst(ptr)) {
        o->depth--;
        bool both = is_private(o, LLVMGetOperand(ptr, 1)) && is_private(o, LLVMGetOperand(ptr, 2));
        o->depth++;
        return both;
    }
    if (LLVMIsAPHINode(ptr))
        return phi_is_private(o, ptr);
    if (o->with_args && LLVMIsAArgument(ptr)) {
        const uint64_t *private_arg = pf_ptrmap_find(&u->private_args, ptr);
        if (private_arg && *private_arg)
            return true;
    }
    return root_is_private(u, ptr);
}

bool pf_memory_is_private(struct pf_unit *u, LLVMValueRef ptr)
{
    return is_private(&(struct origin){.u = u, .depth = 3}, ptr);
}

bool pf_memory_is_private_with_args(struct pf_unit *u, LLVMValueRef ptr)
{
    return is_private(&(struct origin){.u = u, .depth = 3, .with_args = true}, ptr);
}

bool pf_alloca_address_escapes(struct pf_unit *u, LLVMValueRef slot)
{
    return !stays_private(u, slot, true);
}
