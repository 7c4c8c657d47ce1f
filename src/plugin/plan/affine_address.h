/*
 * affine_address.h - addresses that change by a constant in every iteration of a loop.
 *
 * Model:   base + sum(value * scale) + coefficient * induction + k        (mod 2^64)
 *          where base and values are loop-invariant, and the induction variable grows by `step` in
 *          each iteration.
 * Overflow: 64-bit arithmetic is linear mod 2^64. A narrower induction variable must have the flag
 *          (nuw for zext, nsw for sext) that makes it poison when it wraps. Using a poisoned
 *          address or branch is undefined behaviour, so it does not wrap. The exception is an index
 *          of the form zext(induction + value + constant), a sum of unsigned numbers, which may
 *          wrap (`narrow`): only range_before_loop.c uses such addresses.
 */
#ifndef PF_AFFINE_ADDRESS_H
#define PF_AFFINE_ADDRESS_H

#include "emit.h"

/* A loop with one back edge. */
struct pf_loop {
    LLVMBasicBlockRef head, latch;
    const LLVMBasicBlockRef *blocks; /* the head is blocks[0] */
    size_t n;
};
#define PF_SINGLE_BLOCK_LOOP(block) (&(struct pf_loop){(block), (block), &(block), 1})

/* A PHI of the loop head that grows by a constant in each iteration. */
struct pf_induction {
    LLVMValueRef phi, start, next;
    int64_t step;
    bool nuw, nsw;
};

/* The address of an access. */
#define PF_AFFINE_TERMS 4
#define PF_NARROW_BITS 32 /* the width of sums that may wrap */
struct pf_affine {
    LLVMValueRef base, phi;
    LLVMOpcode widened; /* LLVMZExt or LLVMSExt if phi is extended, else 0 */
    struct {
        LLVMValueRef value;
        int64_t scale;
    } terms[PF_AFFINE_TERMS];
    unsigned nterms;
    int64_t coefficient, k, step;
    /* the narrow sum that may wrap, and its loop-invariant part; NULL: none */
    LLVMValueRef narrow, narrow_value;
};

/* True if v is an instruction of the loop. */
bool pf_is_in_loop(LLVMValueRef v, const struct pf_loop *loop);
/* The value of a constant integer; false if it is not one, or its magnitude is 2^40 or more. */
bool pf_constant_value(LLVMValueRef v, int64_t *n);
/* Describes phi as an induction variable; false if it is not one. */
bool pf_induction_find(LLVMValueRef phi, const struct pf_loop *loop, struct pf_induction *i);
/* False: the address is not of this form. If it is loop-invariant, the coefficient is 0. */
bool pf_affine_find(struct pf_unit *u, struct pf_affine *f, LLVMValueRef ptr,
                    const struct pf_loop *loop);
/* True if the two addresses differ only by a constant. */
bool pf_affine_differ_by_constant(const struct pf_affine *a, const struct pf_affine *b);

enum pf_iteration { PF_ITERATION_FIRST, PF_ITERATION_NEXT, PF_ITERATION_THIS };
/* Emits v, an address of this form or a part of one, as it is in the given iteration. For THIS
 * iteration v need not have been computed. */
LLVMValueRef pf_affine_value(struct pf_emit *e, LLVMValueRef v, const struct pf_loop *loop,
                             enum pf_iteration iteration);

#endif
