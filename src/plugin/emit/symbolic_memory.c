/*
 * symbolic_memory.c - the slow side of labels in memory and on the path: loads, stores, atomic
 * updates, copies, branches and switches.
 */
#include "symbolic_body.h"
#include <string.h>

static LLVMValueRef byte_at(struct pf_labels *l, LLVMValueRef ptr, uint64_t offset)
{
    LLVMValueRef at = LLVMConstInt(l->u->i64, offset, 0);
    return offset ? LLVMBuildGEP2(l->b, l->u->i8, ptr, &at, 1, "") : ptr;
}

/* Where field k of a value in memory begins. */
static uint64_t field_offset(struct pf_labels *l, LLVMTypeRef type, unsigned k)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return LLVMOffsetOfElement(l->u->layout, type, k);
    return k * LLVMStoreSizeOfType(l->u->layout, pf_label_field_type(type, k));
}

/* True if every field of the type in memory is whole bytes of its own: not a vector of bits. */
static bool has_byte_fields(struct pf_labels *l, LLVMTypeRef type)
{
    unsigned n = pf_label_fields(l->u, type);
    return n && (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
                 pf_label_bits(l->u, LLVMGetElementType(type)) % 8 == 0);
}

static uint32_t site_of(struct pf_labels *l, LLVMValueRef inst)
{
    l->e->flags = 0;
    return pf_emit_site(l->e, inst, PF_SITE_BRANCH, 0, NULL);
}

static uint32_t access_code(struct pf_labels *l, LLVMValueRef inst, uint64_t size, bool write)
{
    const uint64_t *old = pf_ptrmap_find(&l->e->originals, inst), *event = NULL;
    if (old)
        event = pf_ptrmap_find(&l->is_event, (void *)*old);
    return (uint32_t)(size < 0xffff ? size : 0xffff) | (uint32_t)write << 16 |
           (uint32_t)(event && *event) << 17;
}

/* An access through an address with a label. */
static void note_address(struct pf_labels *l, LLVMValueRef inst, LLVMValueRef ptr, uint64_t size,
                         bool write)
{
    LLVMValueRef label = pf_label_get(l, ptr, 0);
    if (label == l->none)
        return;
    LLVMValueRef args[] = {label, ptr, pf_label_number(l, access_code(l, inst, size, write))};
    pf_label_call(l, PF_E___pf_symbolic_address, args);
}

static LLVMValueRef load_field(struct pf_labels *l, LLVMValueRef ptr, LLVMTypeRef type)
{
    uint64_t size = LLVMStoreSizeOfType(l->u->layout, type);
    LLVMValueRef args[] = {ptr, pf_label_number(l, (uint32_t)size)};
    LLVMValueRef label = pf_label_call(l, PF_E___pf_symbolic_load, args);
    unsigned bits = pf_label_bits(l->u, type);
    if (bits == size * 8)
        return label;
    /* an integer such as i1, in whole bytes: its high bits are 0 */
    LLVMTypeRef whole = LLVMIntTypeInContext(l->u->context, (unsigned)size * 8);
    struct pf_labelled in_memory = {LLVMBuildLoad2(l->b, whole, ptr, ""), label};
    return pf_label_resized(l, in_memory, bits, false);
}

static void emit_load(struct pf_labels *l, LLVMValueRef inst, LLVMValueRef ptr, LLVMTypeRef type,
                      LLVMValueRef *out)
{
    uint64_t size = LLVMStoreSizeOfType(l->u->layout, type);
    if (pf_label_get(l, ptr, 0) != l->none && pf_label_bits(l->u, type) == size * 8) {
        LLVMValueRef args[] = {ptr, pf_label_number(l, access_code(l, inst, size, false)),
                               pf_label_get(l, ptr, 0)};
        out[0] = pf_label_call(l, PF_E___pf_symbolic_load_at, args);
        return;
    }
    note_address(l, inst, ptr, size, false);
    if (!has_byte_fields(l, type)) {
        bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
        for (uint64_t k = 0; k < size; k += 8) {
            LLVMValueRef part = pf_label_number(l, (uint32_t)(size - k < 8 ? size - k : 8));
            LLVMValueRef args[] = {byte_at(l, ptr, k), part};
            pf_label_lost(l, vector ? PF_LOSS_VECTOR : PF_LOSS_WIDE,
                          pf_label_call(l, PF_E___pf_symbolic_load, args), l->none);
        }
        return;
    }
    for (unsigned k = 0, n = pf_label_fields(l->u, type); k < n; k++)
        out[k] =
            load_field(l, byte_at(l, ptr, field_offset(l, type, k)), pf_label_field_type(type, k));
}

static void store_field(struct pf_labels *l, LLVMValueRef ptr, struct pf_labelled v)
{
    LLVMTypeRef type = LLVMTypeOf(v.value);
    uint64_t size = LLVMStoreSizeOfType(l->u->layout, type);
    LLVMValueRef label = pf_label_resized(l, v, (unsigned)size * 8, false);
    LLVMValueRef args[] = {ptr, pf_label_number(l, (uint32_t)size), label,
                           pf_label_word(l, v.value)};
    pf_label_call(l, PF_E___pf_symbolic_store, args);
}

static void clear(struct pf_labels *l, LLVMValueRef ptr, LLVMValueRef size)
{
    LLVMValueRef args[] = {ptr, l->none, size};
    pf_label_call(l, PF_E___pf_symbolic_fill, args);
}

static void emit_store(struct pf_labels *l, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0), ptr = LLVMGetOperand(inst, 1);
    LLVMTypeRef type = LLVMTypeOf(v);
    uint64_t size = LLVMStoreSizeOfType(l->u->layout, type);
    note_address(l, inst, ptr, size, true);
    if (!has_byte_fields(l, type)) {
        clear(l, ptr, LLVMConstInt(l->u->i64, size, 0));
        return;
    }
    for (unsigned k = 0, n = pf_label_fields(l->u, type); k < n; k++)
        store_field(l, byte_at(l, ptr, field_offset(l, type, k)), pf_labelled_field(l, v, k));
}

static const uint8_t update_ops[] = {
    [LLVMAtomicRMWBinOpAdd] = PF_EXPR_ADD, [LLVMAtomicRMWBinOpSub] = PF_EXPR_SUB,
    [LLVMAtomicRMWBinOpAnd] = PF_EXPR_AND, [LLVMAtomicRMWBinOpOr] = PF_EXPR_OR,
    [LLVMAtomicRMWBinOpXor] = PF_EXPR_XOR,
};

/* After an atomic update: memory has the new value. */
static void emit_update(struct pf_labels *l, LLVMValueRef inst)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0);
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMAtomicRMWBinOp code = LLVMGetAtomicRMWBinOp(inst);
    struct pf_labelled old = {inst, pf_label_get(l, inst, 0)},
                       by = pf_labelled_field(l, LLVMGetOperand(inst, 1), 0);
    unsigned bits = pf_label_bits(l->u, type);
    struct pf_labelled now = {LLVMBuildLoad2(l->b, type, ptr, ""), l->none};
    if (code == LLVMAtomicRMWBinOpXchg)
        now.label = by.label;
    else if (bits && (size_t)code < sizeof update_ops && update_ops[code])
        now.label = pf_label_node(l, update_ops[code], bits, 0, 0, old, by);
    else
        pf_label_lost(l, PF_LOSS_OPERATION, old.label, by.label);
    if (bits)
        store_field(l, ptr, now);
    else
        clear(l, ptr, LLVMConstInt(l->u->i64, LLVMStoreSizeOfType(l->u->layout, type), 0));
}

static void note_condition(struct pf_labels *l, LLVMValueRef inst, struct pf_labelled c)
{
    if (c.label == l->none)
        return;
    LLVMValueRef args[] = {c.label, LLVMBuildZExt(l->b, c.value, l->u->i32, ""),
                           pf_label_number(l, site_of(l, inst))};
    pf_label_call(l, PF_E___pf_symbolic_branch, args);
}

/* After a compare-and-exchange: whether it stored is a condition of the path. */
static void emit_exchange(struct pf_labels *l, LLVMValueRef inst, LLVMValueRef *out)
{
    LLVMValueRef ptr = LLVMGetOperand(inst, 0), wanted = LLVMGetOperand(inst, 1),
                 value = LLVMGetOperand(inst, 2);
    unsigned bits = pf_label_bits(l->u, LLVMTypeOf(wanted));
    if (!bits)
        return;
    struct pf_labelled old = {LLVMBuildExtractValue(l->b, inst, 0, ""), out[0]};
    LLVMValueRef done = LLVMBuildExtractValue(l->b, inst, 1, "");
    /* a weak exchange may fail although the values are equal: then nothing is known */
    if (!LLVMGetWeak(inst)) {
        out[1] = pf_label_node(l, PF_EXPR_EQ, 1, bits, 0, old, pf_labelled_field(l, wanted, 0));
        note_condition(l, inst, (struct pf_labelled){done, out[1]});
    }
    LLVMValueRef label = LLVMBuildSelect(l->b, done, pf_label_get(l, value, 0), old.label, "");
    store_field(l, ptr,
                (struct pf_labelled){LLVMBuildSelect(l->b, done, value, old.value, ""), label});
}

/* A copy or fill: the intrinsic, or the runtime's function in its place. */
static void emit_copy_labels(struct pf_labels *l, LLVMValueRef inst)
{
    struct pf_unit *u = l->u;
    LLVMValueRef fn = pf_callee(inst), to = LLVMGetOperand(inst, 0), from = LLVMGetOperand(inst, 1);
    unsigned id = LLVMGetIntrinsicID(fn);
    LLVMValueRef size = LLVMBuildIntCast2(l->b, LLVMGetOperand(inst, 2), u->i64, 0, "");
    bool fill = id ? id == u->kinds.memset || id == u->kinds.memset_inline
                   : fn == u->entries[PF_E___pf_memset].fn;
    note_address(l, inst, to, 0, true);
    if (fill) {
        LLVMValueRef label = pf_label_get(l, from, 0);
        if (LLVMTypeOf(from) != u->i8) { /* the runtime's function gets an int */
            LLVMValueRef byte = LLVMIsAZExtInst(from) ? LLVMGetOperand(from, 0) : from;
            label = pf_label_get(l, byte, 0);
        }
        LLVMValueRef args[] = {to, label, size};
        pf_label_call(l, PF_E___pf_symbolic_fill, args);
        return;
    }
    note_address(l, inst, from, 0, false);
    LLVMValueRef args[] = {to, from, size};
    pf_label_call(l, PF_E___pf_symbolic_copy, args);
}

/* The cases of a switch, as a table of 64-bit words. */
static LLVMValueRef case_table(struct pf_labels *l, LLVMValueRef inst, unsigned *n)
{
    unsigned cases = LLVMGetNumSuccessors(inst) - 1;
    LLVMValueRef *all = pf_grow(NULL, (cases + 1) * sizeof *all);
    for (unsigned i = 0; i < cases; i++) /* operands: value, default, then case and block pairs */
        all[i] =
            LLVMConstInt(l->u->i64, LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2 + 2 * i)), 0);
    LLVMValueRef table =
        LLVMAddGlobal(l->u->module, LLVMArrayType2(l->u->i64, cases), "__pf_cases");
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetInitializer(table, LLVMConstArray2(l->u->i64, all, cases));
    free(all);
    *n = cases;
    return table;
}

static void emit_switch(struct pf_labels *l, LLVMValueRef inst)
{
    LLVMValueRef v = LLVMGetOperand(inst, 0);
    unsigned bits = pf_label_bits(l->u, LLVMTypeOf(v)), n;
    if (!bits || LLVMGetNumSuccessors(inst) < 2)
        return;
    LLVMValueRef table = case_table(l, inst, &n);
    LLVMValueRef args[] = {pf_label_get(l, v, 0),    pf_label_word(l, v),
                           pf_label_number(l, bits), table,
                           pf_label_number(l, n),    pf_label_number(l, site_of(l, inst))};
    pf_label_call(l, PF_E___pf_symbolic_switch, args);
}

static void emit_path(struct pf_labels *l, LLVMValueRef inst)
{
    if (LLVMIsASwitchInst(inst)) {
        emit_switch(l, inst);
    } else if (LLVMIsABranchInst(inst)) {
        LLVMValueRef c = LLVMGetCondition(inst);
        note_condition(l, inst, (struct pf_labelled){c, pf_label_get(l, c, 0)});
    } else {
        pf_label_lost(l, PF_LOSS_POINTER, pf_label_get(l, LLVMGetOperand(inst, 0), 0), l->none);
    }
}

void pf_label_emit_effect(struct pf_labels *l, const struct pf_label_member *m, LLVMValueRef *out)
{
    LLVMValueRef inst = m->inst;
    uint64_t size;
    bool write;
    if (m->phase == PF_LABEL_PATH)
        emit_path(l, inst);
    else if (m->phase == PF_LABEL_OLD)
        emit_load(l, inst, pf_label_address(l->u, inst, &size, &write),
                  LLVMTypeOf(LLVMGetOperand(inst, 1)), out);
    else if (LLVMIsALoadInst(inst))
        emit_load(l, inst, LLVMGetOperand(inst, 0), LLVMTypeOf(inst), out);
    else if (LLVMIsAStoreInst(inst))
        emit_store(l, inst);
    else if (LLVMIsAAtomicRMWInst(inst))
        emit_update(l, inst);
    else if (LLVMIsAAtomicCmpXchgInst(inst))
        emit_exchange(l, inst, out);
    else
        emit_copy_labels(l, inst);
}
