/*
 * computed_goto.c - gives a copied body its own tables of labels. Constants that contain the
 * address of a label of the plain body are rebuilt with the labels of the copy, and so are the
 * private tables that hold such constants. (cloneable.c has made sure that there are no other
 * uses.)
 */
#include "emit.h"

static LLVMValueRef rebuild_expression(LLVMValueRef v, LLVMValueRef *op, unsigned n)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    switch (LLVMGetConstOpcode(v)) {
    case LLVMPtrToInt:
        return LLVMConstPtrToInt(op[0], type);
    case LLVMIntToPtr:
        return LLVMConstIntToPtr(op[0], type);
    case LLVMTrunc:
        return LLVMConstTrunc(op[0], type);
    case LLVMAdd:
        return LLVMConstAdd(op[0], op[1]);
    case LLVMSub:
        return LLVMConstSub(op[0], op[1]);
    case LLVMGetElementPtr:
        return LLVMConstGEP2(LLVMGetGEPSourceElementType(v), op[0], op + 1, n - 1);
    default:
        return v; /* LLVM has no other constant expression on addresses of labels */
    }
}

/* Rebuilds the constant with all parts that have a mapping replaced; returns v if nothing
 * changes. */
static LLVMValueRef rebuild(struct pf_emit *e, LLVMValueRef v)
{
    uint64_t *to = pf_ptrmap_find(&e->map, v);
    if (to)
        return (LLVMValueRef)*to;
    unsigned n = LLVMIsAGlobalValue(v) || LLVMIsABlockAddress(v) ? 0 : LLVMGetNumOperands(v);
    if (!n || !LLVMIsAConstant(v))
        return v;
    LLVMValueRef *op = pf_grow(NULL, n * sizeof *op), made = v;
    bool changed = false;
    for (unsigned i = 0; i < n; i++) {
        op[i] = rebuild(e, LLVMGetOperand(v, i));
        changed |= op[i] != LLVMGetOperand(v, i);
    }
    LLVMTypeRef type = LLVMTypeOf(v);
    if (changed && LLVMIsAConstantExpr(v))
        made = rebuild_expression(v, op, n);
    else if (changed && LLVMIsAConstantArray(v))
        made = LLVMConstArray2(LLVMGetElementType(type), op, n);
    else if (changed && LLVMIsAConstantStruct(v) && LLVMGetStructName(type))
        made = LLVMConstNamedStruct(type, op, n);
    else if (changed && LLVMIsAConstantStruct(v))
        made = LLVMConstStructInContext(e->u->context, op, n, LLVMIsPackedStruct(type));
    else if (changed && LLVMIsAConstantVector(v))
        made = LLVMConstVector(op, n);
    free(op);
    return made;
}

static void copy_tables(struct pf_emit *e, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) || pf_ptrmap_find(&e->map, user))
            continue;
        if (!LLVMIsAGlobalVariable(user)) {
            copy_tables(e, user);
            continue;
        }
        LLVMValueRef copy =
            LLVMAddGlobal(e->u->module, LLVMGlobalGetValueType(user), "__pf_labels");
        LLVMSetLinkage(copy, LLVMPrivateLinkage);
        LLVMSetGlobalConstant(copy, 1);
        LLVMSetAlignment(copy, LLVMGetAlignment(user));
        LLVMSetUnnamedAddress(copy, LLVMGetUnnamedAddress(user));
        if (LLVMGetComdat(e->fn))
            LLVMSetComdat(copy, LLVMGetComdat(e->fn));
        *pf_ptrmap_at(&e->map, user) = (uint64_t)copy;
        PF_PUSH(e->tables, e->ntables, e->tables_cap) = user;
        copy_tables(e, user); /* a table of tables */
    }
}

void pf_computed_goto_copy_tables(struct pf_emit *e)
{
    LLVMValueRef *old = pf_grow(NULL, e->plan->nblocks * sizeof *old);
    size_t n = 0;
    for (size_t i = 0; i < e->plan->nblocks; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(e->plan->blocks[i])); use;
             use = LLVMGetNextUse(use)) {
            LLVMValueRef label = LLVMGetUser(use);
            if (!LLVMIsABlockAddress(label))
                continue;
            *pf_ptrmap_at(&e->map, label) = (uint64_t)LLVMBlockAddress(e->fn, e->first[i]);
            old[n++] = label;
            break; /* one constant per label */
        }
    for (size_t i = 0; i < n; i++)
        copy_tables(e, old[i]);
    for (size_t i = 0; i < e->ntables; i++)
        LLVMSetInitializer((LLVMValueRef)*pf_ptrmap_find(&e->map, e->tables[i]),
                           rebuild(e, LLVMGetInitializer(e->tables[i])));
    free(old);
}

void pf_computed_goto_map(struct pf_emit *e, LLVMValueRef inst, unsigned operand)
{
    LLVMValueRef v = LLVMGetOperand(inst, operand);
    if (LLVMIsAConstant(v) && !LLVMIsAGlobalValue(v)) {
        LLVMValueRef made = rebuild(e, v);
        if (made != v)
            LLVMSetOperand(inst, operand, made);
    }
}
