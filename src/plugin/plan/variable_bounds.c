/*
 * variable_bounds.c - finds the variable that an address is derived from, and adds red zones behind
 * globals and behind stack variables whose address escapes.
 *
 * Model:   an address that is derived from a variable by address arithmetic alone must be inside
 *          the variable when memory is accessed; emit_bounds.c compares such accesses with the
 *          bounds. Where the address escapes, the variable is no longer known. Therefore variables
 *          that contain an array, and small integers whose address escapes, get PF_RED_ZONE more
 *          bytes, in all bodies. These are a red zone: they belong to no variable, and the runtime
 *          marks them in directed runs.
 *
 *          No red zones for variables that another object file may also define or lay out (common,
 *          weak, in named sections, exported from a shared library), nor for thread-local ones.
 */
#include "variable_bounds.h"
#include "address.h"
#include "llvm_shim.h"
#include <string.h>

#define RED_ZONED_MAX (1u << 20) /* bytes; larger stack variables get no red zone */
#define INCOMING_MAX 8

static bool has_array(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMArrayTypeKind:
        return true;
    case LLVMStructTypeKind:
        for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
            if (has_array(LLVMStructGetTypeAtIndex(type, i)))
                return true;
        return false;
    default:
        return false;
    }
}

/* True for an integer of less than 8 bytes. If its address escapes, a function of a library may
 * store more than it holds: pthread_join stores a pointer, read stores as many bytes as its
 * argument says. */
static bool is_small_integer(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 64;
}

/* True if the variable is used in another way than by loads, stores and atomic operations at its
 * address. */
static bool address_is_used(LLVMValueRef g)
{
    for (LLVMUseRef use = LLVMGetFirstUse(g); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool accessed = LLVMIsALoadInst(user) || LLVMIsAAtomicRMWInst(user) ||
                        LLVMIsAAtomicCmpXchgInst(user) ||
                        (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != g);
        if (!accessed)
            return true;
    }
    return false;
}

static bool is_defined_only_here(LLVMValueRef g)
{
    LLVMLinkage linkage = LLVMGetLinkage(g);
    return !LLVMIsDeclaration(g) && !LLVMGetSection(g) &&
           !LLVMGetPointerAddressSpace(LLVMTypeOf(g)) &&
           (linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage ||
            linkage == LLVMPrivateLinkage) &&
           !pf_is_compilers_own(g) && LLVMTypeIsSized(LLVMGlobalGetValueType(g));
}

static bool needs_red_zone(struct pf_unit *u, LLVMValueRef g)
{
    bool exported =
        LLVMGetLinkage(g) == LLVMExternalLinkage && LLVMGetVisibility(g) == LLVMDefaultVisibility;
    return is_defined_only_here(g) && !LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g) &&
           !LLVMGetComdat(g) && !(exported && u->shared_object) &&
           (has_array(LLVMGlobalGetValueType(g)) ||
            (is_small_integer(LLVMGlobalGetValueType(g)) && address_is_used(g)));
}

static void widen_globals(struct pf_unit *u)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(u->module), next; g; g = next) {
        next = LLVMGetNextGlobal(g);
        if (!needs_red_zone(u, g))
            continue;
        uint64_t size = LLVMABISizeOfType(u->layout, LLVMGlobalGetValueType(g));
        if (size)
            *pf_ptrmap_at(&u->red_zoned, pf_llvm_widen_global(g, PF_RED_ZONE(size))) = size;
    }
}

static void widen_allocas(struct pf_unit *u, LLVMValueRef fn)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (!LLVMIsAAllocaInst(v) || !LLVMIsAConstantInt(LLVMGetOperand(v, 0)) ||
            LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)) != 1)
            continue;
        LLVMTypeRef type = LLVMGetAllocatedType(v);
        if (!LLVMTypeIsSized(type) || LLVMGetPointerAddressSpace(LLVMTypeOf(v)) ||
            (!has_array(type) && !is_small_integer(type)))
            continue;
        uint64_t size = LLVMABISizeOfType(u->layout, type);
        LLVMValueRef wider = size && size <= RED_ZONED_MAX && pf_alloca_address_escapes(u, v)
                                 ? pf_llvm_widen_alloca(v, PF_RED_ZONE(size))
                                 : NULL;
        if (wider)
            *pf_ptrmap_at(&u->red_zoned, wider) = size;
    }
}

void pf_bounds_add_red_zones(struct pf_unit *u)
{
    widen_globals(u);
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); fn; fn = LLVMGetNextFunction(fn))
        if (pf_ptrmap_find(&u->watched, fn))
            widen_allocas(u, fn);
}

uint64_t pf_bounds_size(struct pf_unit *u, LLVMValueRef object, LLVMTypeRef type)
{
    const uint64_t *red_zoned = pf_ptrmap_find(&u->red_zoned, object);
    return red_zoned ? *red_zoned : LLVMABISizeOfType(u->layout, type);
}

static uint64_t byval_size(struct pf_unit *u, LLVMValueRef argument)
{
    LLVMValueRef fn = LLVMGetParamParent(argument);
    unsigned i = 0;
    while (LLVMGetParam(fn, i) != argument)
        i++;
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, i + 1, u->kinds.byval);
    return a ? LLVMABISizeOfType(u->layout, LLVMGetTypeAttributeValue(a)) : 0;
}

/* Returns the one variable that all values of v are derived from, or v itself if there are several.
 * `path` holds the PHIs and selects on the path to v. NULL: v is on a cycle. */
static LLVMValueRef root_of(struct pf_unit *u, LLVMValueRef v, LLVMValueRef *path, unsigned depth)
{
    for (;;) {
        LLVMValueRef fn = LLVMIsACallInst(v) ? pf_callee(v) : NULL;
        if (pf_is_gep(v) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind)
            v = LLVMGetOperand(v, 0);
        else if (fn && LLVMGetIntrinsicID(fn) == u->kinds.tls_address)
            v = LLVMGetOperand(v, 0);
        else
            break;
    }
    bool phi = LLVMIsAPHINode(v);
    if (!phi && !LLVMIsASelectInst(v))
        return v;
    for (unsigned i = 0; i < depth; i++)
        if (path[i] == v)
            return NULL; /* a cycle: the other operands decide */
    unsigned n = phi ? LLVMCountIncoming(v) : 2;
    if (depth == INCOMING_MAX || n > INCOMING_MAX)
        return v;
    LLVMValueRef found = NULL;
    path[depth] = v;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef incoming = phi ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, 1 + i);
        LLVMValueRef r = root_of(u, incoming, path, depth + 1);
        if (r && found && r != found)
            return v;
        found = r ? r : found;
    }
    return found ? found : v;
}

bool pf_bounds_find(struct pf_unit *u, LLVMValueRef ptr, struct pf_variable_bounds *out)
{
    LLVMValueRef path[INCOMING_MAX], r = root_of(u, ptr, path, 0);
    *out = (struct pf_variable_bounds){.base = r};
    if (!r || LLVMGetPointerAddressSpace(LLVMTypeOf(ptr)))
        return false;
    if (LLVMIsAGlobalVariable(r)) {
        if (is_defined_only_here(r) && !LLVMIsThreadLocal(r))
            out->size = pf_bounds_size(u, r, LLVMGlobalGetValueType(r));
    } else if (LLVMIsAAllocaInst(r)) {
        LLVMTypeRef type = LLVMGetAllocatedType(r);
        LLVMValueRef count = LLVMGetOperand(r, 0);
        if (LLVMTypeIsSized(type) && LLVMGetTypeKind(type) != LLVMScalableVectorTypeKind)
            out->size = pf_bounds_size(u, r, type);
        if (!LLVMIsAConstantInt(count))
            out->count = count;
        else
            out->size *= LLVMConstIntGetZExtValue(count);
    } else if (LLVMIsAArgument(r)) {
        out->size = byval_size(u, r);
    }
    return out->size != 0;
}

/* The largest value v can have; UINT64_MAX if unknown. */
static uint64_t largest_value(LLVMValueRef v)
{
    if (LLVMIsAConstantInt(v)) {
        int64_t n = LLVMConstIntGetSExtValue(v);
        return n < 0 ? UINT64_MAX : (uint64_t)n;
    }
    if (LLVMIsAZExtInst(v)) {
        unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0)));
        uint64_t inner = largest_value(LLVMGetOperand(v, 0)),
                 all = bits > 32 ? UINT64_MAX : (1ull << bits) - 1;
        return inner < all ? inner : all;
    }
    if (!LLVMIsAInstruction(v))
        return UINT64_MAX;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if ((op == LLVMAnd || op == LLVMURem) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
        LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1)) > 0)
        return LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) - (op == LLVMURem);
    return UINT64_MAX;
}

struct offset_bounds {
    int64_t low, high;
};

/* Adds the smallest and largest value of a part of an offset; false if unknown. */
static bool add_part(void *arg, LLVMValueRef index, int64_t scale)
{
    struct offset_bounds *o = arg;
    int64_t n = index && LLVMIsAConstantInt(index) ? LLVMConstIntGetSExtValue(index) : 1;
    uint64_t largest = index ? largest_value(index) : 1;
    if (!index || LLVMIsAConstantInt(index)) {
        if (n > INT32_MAX || n < INT32_MIN)
            return false;
        o->low += n * scale;
        o->high += n * scale;
        return true;
    }
    if (largest > INT32_MAX)
        return false;
    o->high += (int64_t)largest * scale;
    return true;
}

bool pf_bounds_contain(struct pf_unit *u, const struct pf_variable_bounds *o, LLVMValueRef ptr,
                       uint64_t size)
{
    struct offset_bounds at = {0};
    if (o->count)
        return false;
    for (; ptr != o->base; ptr = LLVMGetOperand(ptr, 0))
        if (!pf_is_gep(ptr) || !pf_gep_each(u, ptr, add_part, &at))
            return false;
    return at.low >= 0 && (uint64_t)at.high + size <= o->size;
}
