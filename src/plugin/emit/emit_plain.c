/*
 * emit_plain.c - the plain body: the original function with what happens-before and stacks need.
 *
 * A call that is not sampled must still take part in happens-before, or the accesses of sampled
 * calls would look unordered. It may also call functions that are sampled, whose stacks must be
 * complete. So the old blocks get, in place, the calls around atomics and fences, and the
 * shadow-stack frame, from the same emitters as the watch body. Plain accesses get no check. A
 * function that calls nothing, or only mathematical functions, needs no frame; it only stores its
 * record, to show that it is running.
 *
 * Rejected: unwinding the real stack when a sampled function is entered. It needs tables from
 * return addresses to calls, including inlined ones, and is expensive where one call in ten is
 * sampled.
 */
#include "emit.h"
#include "llvm_shim.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

/* Sorted. Each name also exists with the suffix f or l. */
static const char *const math[] = {
    "acos",   "acosh",     "asin",      "asinh", "atan",      "atan2",  "atanh", "cbrt",
    "ceil",   "cos",       "cosh",      "erf",   "erfc",      "exp",    "exp10", "exp2",
    "expm1",  "fabs",      "fdim",      "floor", "fma",       "fmax",   "fmin",  "fmod",
    "hypot",  "ldexp",     "log",       "log10", "log1p",     "log2",   "logb",  "lrint",
    "lround", "nearbyint", "nextafter", "pow",   "remainder", "rint",   "round", "scalbn",
    "sin",    "sinh",      "sqrt",      "tan",   "tanh",      "tgamma", "trunc",
};

static int compare(const void *name, const void *with)
{
    return strcmp(name, *(const char *const *)with);
}

static bool is_named_math(const char *name)
{
    return bsearch(name, math, sizeof math / sizeof *math, sizeof *math, compare);
}

/* True for a function of the C library that computes a number from numbers. It calls no code of the
 * program. */
static bool is_math(LLVMValueRef fn)
{
    char name[16];
    size_t n;
    const char *whole = LLVMGetValueName2(fn, &n);
    if (!LLVMIsDeclaration(fn) || n < 3 || n >= sizeof name || LLVMCountParams(fn) > 3)
        return false;
    for (unsigned i = 0; i < LLVMCountParams(fn); i++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(fn, i))) == LLVMPointerTypeKind)
            return false;
    memcpy(name, whole, n + 1);
    if (is_named_math(name))
        return true;
    bool suffix = name[n - 1] == 'f' || name[n - 1] == 'l';
    name[n - 1] = 0;
    return suffix && is_named_math(name);
}

static bool is_bare_call(struct pf_unit *u, LLVMValueRef v)
{
    LLVMValueRef fn = pf_callee(v);
    unsigned id = fn ? LLVMGetIntrinsicID(fn) : 0;
    if (!id)
        return fn && is_math(fn);
    return id != u->kinds.memcpy && id != u->kinds.memmove && id != u->kinds.memset;
}

static bool calls_nothing(struct pf_emit *e)
{
    for (size_t i = 0; i < e->plan->nblocks; i++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(e->plan->blocks[i]); v;
             v = LLVMGetNextInstruction(v)) {
            LLVMOpcode op = LLVMGetInstructionOpcode(v);
            bool call = op == LLVMCall || op == LLVMInvoke || op == LLVMCallBr;
            if (call && !is_bare_call(e->u, v))
                return false;
        }
    for (size_t k = 0; k < e->plan->n; k++) {
        unsigned what = e->plan->steps[k].what;
        if (what == PF_DO_ATOMIC || what == PF_DO_FENCE)
            return false; /* their events have sites, which need a frame */
    }
    return true;
}

static size_t emit_planned(struct pf_emit *e, size_t block, size_t k)
{
    const struct pf_plan_step *s = &e->plan->steps[k];
    (void)block;
    e->flags = s->flags;
    if (!pf_emit_common_step(e, s) && s->what == PF_DO_CALL && !is_bare_call(e->u, s->inst))
        pf_frame_call(e, s->inst);
    return 1;
}

static LLVMValueRef first_real(LLVMBasicBlockRef block)
{
    LLVMValueRef v = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(v))
        v = LLVMGetNextInstruction(v);
    return v;
}

static const struct pf_body_walk plain_walk = {.steps = emit_planned};

struct pf_frames pf_emit_plain(struct pf_emit *e)
{
    e->in_place = true;
    pf_llvm_drop_debug_values(e->fn);
    LLVMValueRef start = first_real(e->plan->blocks[0]);
    LLVMPositionBuilderBefore(e->b, start);
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(start));
    if (calls_nothing(e)) {
        pf_frame_name(e);
        return (struct pf_frames){NULL, NULL};
    }
    pf_frame_push(e);
    pf_emit_walk(e, &plain_walk);
    return (struct pf_frames){e->frame, e->next};
}
