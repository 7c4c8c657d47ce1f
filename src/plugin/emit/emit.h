/*
 * emit.h - the making of a body: state that the emitters share.
 *
 * Model:   old blocks are copied, instruction by instruction, to the end of new blocks; checks are
 *          emitted on the way, on the OLD values, and every operand of every new instruction is
 *          mapped old -> new at the end. So no block is ever split and no order of definitions
 *          matters. `where` is the block being written. When the copy is complete, the old blocks
 *          get what the plain body needs `in_place`, from the same emitters.
 */
#ifndef PF_EMIT_H
#define PF_EMIT_H

#include "plugin.h"
#include "site_table.h"

struct pf_emit {
    struct pf_unit *u;
    LLVMValueRef fn;
    struct pf_plan *plan;
    LLVMBuilderRef b;
    struct pf_ptrmap map;           /* old value -> new value */
    LLVMBasicBlockRef *first, *last; /* new blocks of each old one */
    LLVMBasicBlockRef *before; /* range_before_loop.c: the block on the edge into a loop, or NULL */
    LLVMValueRef *unmapped; /* new instructions whose operands are to be mapped */
    size_t nunmapped, unmapped_cap;
    LLVMValueRef *tables; /* computed_goto.c: old tables that have a copy */
    size_t ntables, tables_cap;
    bool labels; /* addresses of labels are taken */
    struct pf_site_table *table;
    LLVMValueRef record; /* struct pf_func */
    LLVMValueRef frame, next; /* this body's frame, and one past it */
    bool *stale_frames; /* of each old block: frames may be budget_out over at its start */
    uint8_t flags; /* of the step that is being written, enum pf_site_flags */
    bool popped; /* a musttail call in this block has popped the frame */
    bool event; /* it is the event body */
    LLVMValueRef scratch; /* event body: room for a value that is wider than a register */
    bool in_place; /* emit_plain.c: the old instructions stay, nothing is copied */
    LLVMValueRef *budget_in,
        *budget_out; /* event body: of each block, the budget at its start and end */
    LLVMValueRef objects,
        variables_now; /* emit_bounds.c: tls.objects at the entry, and with its own */
    struct pf_ptrmap slots; /* its variables with a zone: their places */
    uint64_t nslots;
    bool large, huge; /* event body: calls instead of runs outside of loops; and in large ones */
    LLVMValueRef budget; /* event body: where it is known; NULL: it is in memory only */
};

/* A body's frame, and one past it; NULL: it has none. */
struct pf_frames {
    LLVMValueRef frame, next;
};

/* The site of an instruction, as a constant for the runtime. var may be NULL. */
uint32_t pf_emit_site(struct pf_emit *e, LLVMValueRef inst, enum pf_site_kind kind, uint64_t size,
                      const char *var);
LLVMValueRef pf_emit_number(struct pf_emit *e, uint32_t n);
/* Calls an entry point of the runtime. The operands are mapped later like all others. */
LLVMValueRef pf_emit_call(struct pf_emit *e, enum pf_entry entry, LLVMValueRef *args);
/* The instruction was built on old values: map its operands at the end. */
LLVMValueRef pf_emit_map_later(struct pf_emit *e, LLVMValueRef inst);
LLVMBasicBlockRef pf_emit_block(struct pf_emit *e);
/* A conditional branch; `likely` gets 2000 times the weight of the other way. */
void pf_emit_branch(struct pf_emit *e, LLVMValueRef cond, LLVMBasicBlockRef likely_if_true,
                    LLVMBasicBlockRef otherwise, bool weighted);
LLVMValueRef pf_emit_tls(struct pf_emit *e, size_t offset);
/* The copy of inst, or inst itself when `in_place`; what is emitted next comes after it. */
LLVMValueRef pf_emit_copy(struct pf_emit *e, LLVMValueRef inst);
void pf_emit_phi(struct pf_emit *e, LLVMValueRef phi); /* filled by _body_finish */
/* A body: its blocks, empty; then, when they are written, operands and PHIs; then nothing is budget_out of it. */
void pf_emit_body_begin(struct pf_emit *e);
void pf_emit_body_finish(struct pf_emit *e);
void pf_emit_body_release(struct pf_emit *e);

/* emit_event.c: the event body. `like` is the watch body's; the plan is the event body's own. */
void pf_event_begin(struct pf_emit *e, const struct pf_emit *like, struct pf_plan *plan);
void pf_event_emit(struct pf_emit *e, LLVMBasicBlockRef dispatch, LLVMBasicBlockRef excluded);
/* The event of a range; it counts itself. value: what a write will store, NULL: not known. */
void pf_event_range(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                    bool write, LLVMValueRef value);

/* emit_call_args.c */
#define PF_CALL_ARGS_MAX 64 /* passed on; a call with more reaches everything */
/* Of all parameters of fn, at most PF_CALL_ARGS_MAX. */
unsigned pf_call_args_max(LLVMValueRef fn);
/* If it can be a pointer: into the scratch room, as number *n. */
void pf_call_args_store(struct pf_emit *e, LLVMValueRef v, unsigned *n);
/* As the runtime is told. */
LLVMValueRef pf_call_args_count(struct pf_emit *e, unsigned n);

/* emit_check.c */
void pf_emit_access(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_vptr(struct pf_emit *e, const struct pf_plan_step *s);
/* Where the program prefetches memory: the shadow of that line too. */
void pf_emit_prefetch(struct pf_emit *e, LLVMValueRef inst);
/* The check of an access that was made a while ago, in the same epoch. */
void pf_emit_past_access(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_range(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                   bool write);
/* Both emit the intrinsic too, or what replaces it. */
void pf_emit_ranges(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_memory(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_masked(struct pf_emit *e, const struct pf_plan_step *s);

/* range_before_loop.c: the checks before loops; then, when operands are mapped, the loops' own edges. */
void pf_range_before_emit(struct pf_emit *e);
void pf_range_before_connect(struct pf_emit *e);
/* The same on a back edge of the plain body's loop, for the rounds that are budget_out; nothing for other blocks. */
void pf_range_before_remaining(struct pf_emit *e, size_t block);

/* range_after_loop.c: the checks behind loops; then, when operands are mapped, the edges that lead there. */
void pf_range_after_emit(struct pf_emit *e);
void pf_range_after_connect(struct pf_emit *e);
/* The block on the edge, or the end of `from`. */
LLVMBasicBlockRef pf_range_after_predecessor(const struct pf_emit *e, size_t from, size_t to);

/* emit_atomic.c: bracket and operation. */
void pf_emit_atomic(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_libatomic(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_fence(struct pf_emit *e, const struct pf_plan_step *s);

/* computed_goto.c: copies label tables once the new blocks are there; maps labels inside a constant. */
void pf_computed_goto_copy_tables(struct pf_emit *e);
void pf_computed_goto_map(struct pf_emit *e, LLVMValueRef inst, unsigned operand);

/* emit_frame.c */
void pf_frame_push(struct pf_emit *e);
/* Writes the function's name above the top frame: it runs, and calls nothing. */
void pf_frame_name(struct pf_emit *e);
void pf_frame_pop(struct pf_emit *e);
void pf_frame_restore(struct pf_emit *e);
/* The frame of the plain body, which may have none, becomes one of the watch body. */
void pf_frame_switch(struct pf_emit *e, LLVMValueRef *frame, LLVMValueRef *next);
/* Of argument i, passed by value in memory; 0: it is not. */
uint64_t pf_byval_size(struct pf_unit *u, LLVMValueRef call, unsigned i);
void pf_frame_call(struct pf_emit *e, LLVMValueRef call);

/* emit_plain.c: what the plain body needs, when the watch body is done. */
struct pf_frames pf_emit_plain(struct pf_emit *e);

/* body_switch.c: from the plain body to the watch body, when both are done. */
void pf_emit_body_switches(struct pf_emit *e, const struct pf_frames *watch,
                           const struct pf_frames *plain);

#endif
