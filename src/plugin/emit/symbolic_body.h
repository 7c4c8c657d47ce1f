/*
 * symbolic_body.h - state and functions that the parts of the symbolic body share.
 *
 * Model:   labels are added to a finished copy of the event body. A value has as many labels as it
 *          has fields: 1 for a scalar, one for each lane of a vector or element of a small struct.
 *          Labels that are known to be 0 need no code. The others are computed in groups:
 *
 *              guard = labels that the group takes from outside, and taint of its memory
 *              guard != 0 ? ---> slow: call the runtime for each member of the group
 *                |                |
 *                +---> after <----+      PHIs: 0, or the label from the slow side
 *
 *          A group ends after an instruction with an effect on memory or on the path.
 * Memory:  struct pf_labels belongs to one body.
 */
#ifndef PF_PLUGIN_SYMBOLIC_BODY_H
#define PF_PLUGIN_SYMBOLIC_BODY_H

#include "emit.h"
#include "pf_symbolic.h"

/* What is computed for an instruction of a group. */
enum pf_label_phase {
    PF_LABEL_VALUE, /* the label of its value; for a load, after it */
    PF_LABEL_OLD,   /* of an atomic update: the label of the old value, before it */
    PF_LABEL_STORE, /* the effect on memory, after it */
    PF_LABEL_PATH,  /* the condition of a branch or switch, before it */
};

struct pf_label_member {
    LLVMValueRef inst;
    enum pf_label_phase phase;
};

/* LOSE: an operand, or the memory that is loaded, may have a label, but the value never has one,
 * because of its type or because it is only used as a floating-point number. */
enum pf_may_label { PF_MAY_HAVE_LABEL = 1, PF_MAY_LOSE_LABEL };

struct pf_labels {
    struct pf_emit *e;
    struct pf_unit *u;
    LLVMBuilderRef b;
    struct pf_ptrmap may; /* value -> enum pf_may_label; absent: it never has a label */
    struct pf_ptrmap first; /* value -> 1 + index in `label` of the label of its first field */
    LLVMValueRef *label;
    size_t nlabel, label_cap;
    struct pf_label_member *group;
    size_t ngroup, group_cap;
    LLVMValueRef *phis; /* PHIs of labels; unused ones are removed at the end */
    size_t nphis, phis_cap;
    struct pf_ptrmap is_event; /* old instructions that are events */
    LLVMValueRef call_frame; /* stack slot: struct pf_symbolic_call */
    LLVMValueRef none; /* label 0 */
    struct pf_ptrmap loop; /* symbolic_range.c: blocks of loops -> 1 + number of the old block */
};

/* The number of labels of a value of this type; 0: it has no labels. */
unsigned pf_label_fields(struct pf_unit *u, LLVMTypeRef type);
/* The type of one field. */
LLVMTypeRef pf_label_field_type(LLVMTypeRef type, unsigned field);
/* The width of a scalar in bits; 0: the type is not scalar, or too wide. */
unsigned pf_label_bits(struct pf_unit *u, LLVMTypeRef type);
/* The label of a field; 0 (l->none) if it is known to be concrete. */
LLVMValueRef pf_label_get(const struct pf_labels *l, LLVMValueRef v, unsigned field);
/* Reserves the labels of v, all 0. Returns the index of the first one. */
size_t pf_label_reserve(struct pf_labels *l, LLVMValueRef v);
/* A field of v. _word: a scalar, extended by zeros to 64 bits. */
LLVMValueRef pf_label_field(struct pf_labels *l, LLVMValueRef v, unsigned field);
LLVMValueRef pf_label_word(struct pf_labels *l, LLVMValueRef scalar);
/* Calls the runtime. Unlike pf_emit_call, the arguments are values of the new body. */
LLVMValueRef pf_label_call(struct pf_labels *l, enum pf_entry entry, LLVMValueRef *args);
LLVMValueRef pf_label_number(const struct pf_labels *l, uint32_t n);
/* True if the value may have a label. */
bool pf_label_may_have(const struct pf_labels *l, LLVMValueRef v);
/* symbolic_group.c: adds to the current group; ends it, with its code before `next`. */
void pf_label_add_member(struct pf_labels *l, LLVMValueRef inst, enum pf_label_phase phase);
void pf_label_flush(struct pf_labels *l, LLVMValueRef next);

/* A scalar value with its label. */
struct pf_labelled {
    LLVMValueRef value, label;
};
struct pf_labelled pf_labelled_field(struct pf_labels *l, LLVMValueRef v, unsigned field);
/* In place of an operand that the operation does not have. */
static inline struct pf_labelled pf_labelled_none(const struct pf_labels *l)
{
    return (struct pf_labelled){NULL, l->none};
}
static inline unsigned pf_labelled_bits(const struct pf_labels *l, struct pf_labelled a)
{
    return pf_label_bits(l->u, LLVMTypeOf(a.value));
}
/* symbolic_node.c: calls the runtime for one node. op, bits and c are as in struct
 * pf_symbolic_record; low: the lowest bit of an extract (b there). b.value may be NULL. */
LLVMValueRef pf_label_node(struct pf_labels *l, unsigned op, unsigned bits, unsigned c,
                           unsigned low, struct pf_labelled a, struct pf_labelled b);
/* The same for c ? a : b. */
LLVMValueRef pf_label_select(struct pf_labels *l, struct pf_labelled c, struct pf_labelled a,
                             struct pf_labelled b);
/* The label of a scalar converted to another width. */
LLVMValueRef pf_label_resized(struct pf_labels *l, struct pf_labelled a, unsigned bits, bool sign);
/* Counts the labels as lost, if they are not 0. */
void pf_label_lost(struct pf_labels *l, enum pf_symbolic_loss why, LLVMValueRef a, LLVMValueRef b);
/* Emits the slow side of one member; out: the labels of its fields. */
void pf_label_emit(struct pf_labels *l, const struct pf_label_member *m, LLVMValueRef *out);
/* symbolic_intrinsic.c: the same for a call that pf_label_is_intrinsic recognises, whose result has
 * n fields. False, with nothing done: it has no labels. */
bool pf_label_emit_intrinsic(struct pf_labels *l, LLVMValueRef call, unsigned n, LLVMValueRef *out);
bool pf_label_is_intrinsic(LLVMValueRef call);
/* symbolic_memory.c: the same for members with an effect, and for loads. */
void pf_label_emit_effect(struct pf_labels *l, const struct pf_label_member *m, LLVMValueRef *out);
/* True for operations on floating-point numbers: their results never have labels. */
bool pf_label_is_float_operation(struct pf_unit *u, LLVMValueRef inst);
/* True if the instruction only computes a value from its operands. */
bool pf_label_is_computation(struct pf_unit *u, LLVMValueRef inst);
/* The address that a load, store or atomic operation accesses, the size, and whether it writes.
 * NULL: none. */
LLVMValueRef pf_label_address(struct pf_unit *u, LLVMValueRef inst, uint64_t *size, bool *write);

/* symbolic_range.c: finds the blocks of the loops that pf_label_ranges_emit has chosen. _enter: the
 * block is visited next. */
void pf_label_loops_find(struct pf_labels *l);
void pf_label_loop_enter(struct pf_labels *l, LLVMBasicBlockRef block);

/* symbolic_call.c: the labels of arguments at the entry; of a call; of the returned value. */
void pf_label_enter(struct pf_labels *l, LLVMValueRef before);
void pf_label_make_call(struct pf_labels *l, LLVMValueRef call);
/* The part after the call, for an invoke; its code is placed before `next`. */
void pf_label_after_call(struct pf_labels *l, LLVMValueRef call, LLVMValueRef next);
void pf_label_return(struct pf_labels *l, LLVMValueRef ret);

#endif
