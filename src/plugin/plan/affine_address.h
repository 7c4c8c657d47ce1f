/*
 * affine_address.h - addresses that grow by the same in every iteration of a loop.
 *
 * Model:   base + sum(value * scale) + coefficient * induction + k        (mod 2^64)
 *          with base and values from outside of the loop, and an induction that grows by `step` a iteration.
 * Overflow: 64-bit arithmetic is linear as it is. A narrower induction must carry the flag (nuw for
 *          zext, nsw for sext) that makes it poison when it wraps; a poisoned address or branch is
 *          undefined behaviour, so it does not wrap.
 */
#ifndef PF_AFFINE_ADDRESS_H
#define PF_AFFINE_ADDRESS_H

#include "emit.h"

/* A loop with one way back to its head. */
struct pf_loop {
    LLVMBasicBlockRef head, latch;
    const LLVMBasicBlockRef *blocks; /* the head first */
    size_t n;
};
#define PF_SINGLE_BLOCK_LOOP(block) (&(struct pf_loop){(block), (block), &(block), 1})

/* A phi of the loop that grows by a constant. */
struct pf_induction {
    LLVMValueRef phi, start, next;
    int64_t step;
    bool nuw, nsw;
};

/* The address of an access. */
#define PF_AFFINE_TERMS 4
struct pf_affine {
    LLVMValueRef base, phi;
    LLVMOpcode widened; /* LLVMZExt or LLVMSExt of phi, or 0 */
    struct {
        LLVMValueRef value;
        int64_t scale;
    } terms[PF_AFFINE_TERMS];
    unsigned nterms;
    int64_t coefficient, k, step;
};

bool pf_is_in_loop(LLVMValueRef v, const struct pf_loop *loop);
/* The value of a constant, if it is not huge. */
bool pf_constant_value(LLVMValueRef v, int64_t *n);
bool pf_induction_find(LLVMValueRef phi, const struct pf_loop *loop, struct pf_induction *i);
/* False: the address is of another kind. Of one that does not move the coefficient is 0. */
bool pf_affine_find(struct pf_unit *u, struct pf_affine *f, LLVMValueRef ptr,
                    const struct pf_loop *loop);
/* Can the instruction neither synchronise nor keep the loop from going on? */
bool pf_proceeds_in_epoch(LLVMValueRef inst);

enum pf_iteration { PF_ITERATION_FIRST, PF_ITERATION_NEXT, PF_ITERATION_THIS };
/* The value that v, an address of such a affine or a part of one, has in that iteration; of this one also where v itself
 * was not computed. */
LLVMValueRef pf_affine_value(struct pf_emit *e, LLVMValueRef v, const struct pf_loop *loop,
                             enum pf_iteration iteration);

#endif
