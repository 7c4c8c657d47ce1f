/*
 * source_record.c - describes accesses and calls, and records them before the optimizer runs; see
 * source_location.h and source_access.h.
 */
#include "address.h"
#include "debuginfo.h"
#include "source_access.h"
#include "source_location.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

static unsigned annotation(struct pf_unit *u)
{
    return LLVMGetMDKindIDInContext(u->context, "annotation", 10);
}

static LLVMValueRef metadata_of(LLVMValueRef inst, unsigned kind)
{
    return LLVMHasMetadata(inst) ? LLVMGetMetadata(inst, kind) : NULL;
}

LLVMValueRef pf_source_mark(struct pf_unit *u, LLVMValueRef inst)
{
    return metadata_of(inst, annotation(u));
}

void pf_source_remove_mark(struct pf_unit *u, LLVMValueRef inst)
{
    LLVMSetMetadata(inst, annotation(u), NULL);
}

static bool is_copy_or_fill(struct pf_unit *u, unsigned id)
{
    return id && (id == u->kinds.memcpy || id == u->kinds.memmove || id == u->kinds.memset ||
                  id == u->kinds.memcpy_inline || id == u->kinds.memset_inline);
}

/* The offset of the address from its base, as far as it is constant. */
static bool add_offset(void *arg, LLVMValueRef index, int64_t scale)
{
    int64_t *offset = arg;
    if (!index)
        *offset += scale;
    else if (LLVMIsAConstantInt(index))
        *offset += LLVMConstIntGetSExtValue(index) * scale;
    return true;
}

static void describe_pointer(struct pf_unit *u, LLVMValueRef ptr, struct pf_source_access *a)
{
    LLVMValueRef base = pf_gep_base(ptr), fn = LLVMIsACallInst(base) ? pf_callee(base) : NULL;
    const char *name = pf_di_variable(u, ptr);
    size_t n;
    for (; pf_is_gep(ptr); ptr = LLVMGetOperand(ptr, 0))
        pf_gep_each(u, ptr, add_offset, &a->offset);
    if (fn && LLVMGetIntrinsicID(fn) == u->kinds.tls_address)
        base = LLVMGetOperand(base, 0);
    a->variable = name ? name : "";
    a->global =
        LLVMIsAGlobalVariable(base) ? pf_source_global_name(u, LLVMGetValueName2(base, &n)) : "";
    /* Before the optimizer, a pointer is loaded from the variable that holds it. */
    if (LLVMIsALoadInst(base) && LLVMIsAAllocaInst(LLVMGetOperand(base, 0)))
        base = LLVMGetOperand(base, 0);
    a->base =
        LLVMIsAGlobalValue(base) || LLVMIsAConstantExpr(base) ? "" : LLVMGetValueName2(base, &n);
}

bool pf_source_describe(struct pf_unit *u, LLVMValueRef inst, struct pf_source_access *a)
{
    LLVMValueRef ptr, fn, tag;
    LLVMTypeRef type = NULL;
    *a = (struct pf_source_access){.variable = "", .global = "", .base = ""};
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        a->kind = PF_SOURCE_READS;
        type = LLVMTypeOf(inst);
        ptr = LLVMGetOperand(inst, 0);
        break;
    case LLVMStore:
        a->kind = PF_SOURCE_WRITES;
        type = LLVMTypeOf(LLVMGetOperand(inst, 0));
        ptr = LLVMGetOperand(inst, 1);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        a->kind = PF_SOURCE_READS | PF_SOURCE_WRITES;
        type = LLVMTypeOf(LLVMGetOperand(inst, 1));
        ptr = LLVMGetOperand(inst, 0);
        break;
    case LLVMCall:
    case LLVMInvoke:
        fn = pf_callee(inst);
        if (fn && LLVMGetIntrinsicID(fn) && !is_copy_or_fill(u, LLVMGetIntrinsicID(fn)))
            return false;
        if (fn && LLVMGetIntrinsicID(fn)) {
            a->kind = PF_SOURCE_WRITES;
            ptr = LLVMGetOperand(inst, 0);
            break;
        }
        a->kind = PF_SOURCE_CALLS;
        size_t n;
        a->variable = fn ? LLVMGetValueName2(fn, &n) : "";
        return true;
    default:
        return false;
    }
    if (type && LLVMTypeIsSized(type) && LLVMGetTypeKind(type) != LLVMScalableVectorTypeKind)
        a->size = LLVMStoreSizeOfType(u->layout, type);
    if ((tag = metadata_of(inst, u->kinds.md_tbaa)))
        a->tag = LLVMValueAsMetadata(tag);
    describe_pointer(u, ptr, a);
    return true;
}

/* True for a local variable that is only loaded and stored: the optimizer will remove it. */
static bool is_register(struct pf_ptrmap *known, LLVMValueRef ptr)
{
    if (!LLVMIsAAllocaInst(ptr))
        return false;
    uint64_t *answer = pf_ptrmap_at(known, ptr);
    if (*answer)
        return *answer == 2;
    *answer = 2;
    for (LLVMUseRef use = LLVMGetFirstUse(ptr); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), fn = LLVMIsACallInst(user) ? pf_callee(user) : NULL;
        bool store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != ptr;
        if (!LLVMIsALoadInst(user) && !store && !(fn && LLVMGetIntrinsicID(fn))) {
            *answer = 1;
            break;
        }
    }
    return *answer == 2;
}

static LLVMMetadataRef number(struct pf_unit *u, uint64_t n)
{
    return LLVMValueAsMetadata(LLVMConstInt(u->i64, n, 0));
}

static LLVMMetadataRef text(struct pf_unit *u, const char *s)
{
    return LLVMMDStringInContext2(u->context, s, strlen(s));
}

static void add_node(struct pf_unit *u, const char *name, LLVMMetadataRef *fields, size_t n)
{
    LLVMMetadataRef node = LLVMMDNodeInContext2(u->context, fields, n);
    LLVMAddNamedMetadataOperand(u->module, name, LLVMMetadataAsValue(u->context, node));
}

static void record(struct pf_unit *u, LLVMValueRef inst, LLVMMetadataRef loc,
                   const struct pf_source_access *a, size_t index)
{
    LLVMMetadataRef fields[PF_SOURCE_FIELDS] = {
        [PF_SOURCE_SCOPE] = LLVMDILocationGetScope(loc),
        [PF_SOURCE_LINE] = number(u, LLVMDILocationGetLine(loc)),
        [PF_SOURCE_COLUMN] = number(u, LLVMDILocationGetColumn(loc)),
        [PF_SOURCE_KIND] = number(u, a->kind),
        [PF_SOURCE_SIZE] = number(u, a->size),
        [PF_SOURCE_VARIABLE] = text(u, a->variable),
        [PF_SOURCE_GLOBAL] = text(u, a->global),
        [PF_SOURCE_BASE] = text(u, a->base),
        [PF_SOURCE_OFFSET] = number(u, (uint64_t)a->offset),
        [PF_SOURCE_TAG] = a->tag};
    add_node(u, PF_SOURCE_ACCESSES, fields, PF_SOURCE_FIELDS);
    unsigned kind = annotation(u);
    if (metadata_of(inst, kind))
        return;
    char mark[32];
    snprintf(mark, sizeof mark, PF_SOURCE_PREFIX "%zu", index);
    LLVMMetadataRef string = text(u, mark);
    LLVMSetMetadata(inst, kind,
                    LLVMMetadataAsValue(u->context, LLVMMDNodeInContext2(u->context, &string, 1)));
}

LLVMValueRef pf_source_pointer(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst)    ? LLVMGetOperand(inst, 0)
           : LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 1)
                                    : NULL;
}

void pf_source_record(struct pf_unit *u)
{
    struct pf_ptrmap registers = {0};
    size_t n = 0, length;
    for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g; g = LLVMGetNextGlobal(g)) {
        LLVMMetadataRef name = text(u, LLVMGetValueName2(g, &length));
        add_node(u, PF_SOURCE_GLOBALS, &name, 1);
    }
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
                struct pf_source_access a;
                LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(v);
                LLVMValueRef ptr = pf_source_pointer(v);
                if (!loc || !LLVMDILocationGetLine(loc) || (ptr && is_register(&registers, ptr)))
                    continue;
                if (pf_source_describe(u, v, &a))
                    record(u, v, loc, &a, n++);
            }
    pf_ptrmap_release(&registers);
}
