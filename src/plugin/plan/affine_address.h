/*
 * affine_address.h - addresses that grow by the same in every round of a loop.
 *
 * Model:   base + sum(value * scale) + coefficient * induction + k        (mod 2^64)
 *          with base and values from outside of the loop, and an induction that grows by `step` a round.
 * Overflow: 64-bit arithmetic is linear as it is. A narrower induction must carry the flag (nuw for
 *          zext, nsw for sext) that makes it poison when it wraps; a poisoned address or branch is
 *          undefined behaviour, so it does not wrap.
 */
#ifndef PF_FORM_H
#define PF_FORM_H

#include "emit.h"

/* A loop with one way back to its head. */
struct pf_loop {
    LLVMBasicBlockRef head, latch;
    const LLVMBasicBlockRef *blocks; /* the head first */
    size_t n;
};
#define PF_LOOP_OF_ONE(block) (&(struct pf_loop){(block), (block), &(block), 1})

/* A phi of the loop that grows by a constant. */
struct pf_induction {
    LLVMValueRef phi, start, next;
    int64_t step;
    bool nuw, nsw;
};

/* The address of an access. */
#define PF_FORM_TERMS 4
struct pf_form {
    LLVMValueRef base, phi;
    LLVMOpcode widened; /* LLVMZExt or LLVMSExt of phi, or 0 */
    struct {
        LLVMValueRef value;
        int64_t scale;
    } terms[PF_FORM_TERMS];
    unsigned nterms;
    int64_t coefficient, k, step;
};

bool pf_is_in(LLVMValueRef v, const struct pf_loop *loop);
/* The value of a constant, if it is not huge. */
bool pf_constant(LLVMValueRef v, int64_t *n);
bool pf_induction_find(LLVMValueRef phi, const struct pf_loop *loop, struct pf_induction *i);
/* False: the address is of another kind. Of one that does not move the coefficient is 0. */
bool pf_form_find(struct pf_unit *u, struct pf_form *f, LLVMValueRef ptr,
                  const struct pf_loop *loop);
/* Can the instruction neither synchronise nor keep the loop from going on? */
bool pf_is_harmless(LLVMValueRef inst);

enum pf_round { PF_ROUND_FIRST, PF_ROUND_NEXT, PF_ROUND_THIS };
/* The value that v, an address of such a form or a part of one, has in that round; of this one also where v itself
 * was not computed. */
LLVMValueRef pf_form_value(struct pf_emit *e, LLVMValueRef v, const struct pf_loop *loop,
                           enum pf_round round);

#endif
