/*
 * emit.h - state and functions that the emitters of bodies share.
 *
 * Model:   the blocks of the original function ("old" blocks) are copied, instruction by
 *          instruction, into new blocks. Checks are emitted during the copy; their operands are OLD
 *          values. At the end every operand of every new instruction is mapped from old to new
 *          value. So no block has to be split, and the order of definitions does not matter.
 *          When the copies are complete, the same emitters work `in_place`: they add to the old
 *          blocks what the plain body needs.
 * Memory:  struct pf_emit belongs to one body; pf_emit_body_release frees its arrays.
 */
#ifndef PF_PLUGIN_EMIT_H
#define PF_PLUGIN_EMIT_H

#include "plugin.h"
#include "site_table.h"

struct pf_emit {
    struct pf_unit *u;
    LLVMValueRef fn;
    struct pf_plan *plan;
    LLVMBuilderRef b;
    struct pf_ptrmap map;           /* old value -> new value */
    LLVMBasicBlockRef *first, *last; /* the first and last new block of each old block */
    LLVMBasicBlockRef
        *before; /* range_before_loop.c: the last block on the edge into a loop, or NULL */
    LLVMValueRef *unmapped; /* new instructions whose operands are still to be mapped */
    size_t nunmapped, unmapped_cap;
    LLVMValueRef *joined; /* event body: PHIs for the values of runs */
    size_t njoined, joined_cap;
    LLVMValueRef *tables; /* computed_goto.c: old tables that have a copy */
    size_t ntables, tables_cap;
    bool labels; /* the function takes addresses of labels, for computed gotos */
    struct pf_site_table *table;
    LLVMValueRef record; /* the function's struct pf_func */
    LLVMValueRef frame, next; /* this body's frame, and the address after it */
    /* for each old block: stale frames may be on the shadow stack at its start */
    bool *stale_frames;
    uint8_t flags; /* enum pf_site_flags of the current step */
    bool popped; /* a musttail call in this block has popped the frame */
    bool event; /* this is the event body, or the symbolic body */
    bool symbolic; /* this is the symbolic body */
    /* symbolic body: the branches before and after code that counts one event. A group of label
     * computations continues across them (symbolic_body.c) */
    struct pf_ptrmap counting;
    /* symbolic body: for each old block, the value of PF_LABEL_CHANGES for which its runs have no
     * labels; NULL: none (symbolic_range.c) */
    LLVMValueRef *clean;
    bool unlabelled; /* the instructions that are copied now have no labels */
    struct pf_ptrmap originals; /* symbolic body: copied instruction -> old instruction */
    LLVMValueRef scratch; /* event body: a stack slot for values that are wider than a register */
    bool in_place; /* emit_plain.c: keep the old instructions, copy nothing */
    /* event body: for each block, the budget at its start and end; NULL: not in a register */
    LLVMValueRef *budget_in, *budget_out;
    /* emit_bounds.c: tls.stack_variables at the entry, and including the variables of this body */
    LLVMValueRef variables_at_entry, variables_now;
    struct pf_ptrmap slots; /* emit_bounds.c: red-zoned variables -> their index in this body */
    uint64_t nslots;
    /* event body: `large` functions use calls instead of runs outside of loops, `huge` ones also in
     * loops that are not hot */
    bool large, huge;
    LLVMValueRef budget; /* event body: the current budget; NULL: it is only in memory */
};

/* A body's frame, and the address after it. Both are NULL if the body has no frame. */
struct pf_frames {
    LLVMValueRef frame, next;
};

/* Adds the site of an instruction to the site table and returns its index in the function. var may
 * be NULL. */
uint32_t pf_emit_site(struct pf_emit *e, LLVMValueRef inst, enum pf_site_kind kind, uint64_t size,
                      const char *var);
/* An i32 constant. */
LLVMValueRef pf_emit_number(struct pf_emit *e, uint32_t n);
/* Emits a call of an entry point of the runtime. Its operands will be mapped. */
LLVMValueRef pf_emit_call(struct pf_emit *e, enum pf_entry entry, LLVMValueRef *args);
/* Registers an instruction that was built on old values: its operands will be mapped. Returns inst,
 * which may also be a constant. */
LLVMValueRef pf_emit_map_later(struct pf_emit *e, LLVMValueRef inst);
/* Appends an empty block to the function. */
LLVMBasicBlockRef pf_emit_block(struct pf_emit *e);
/* Emits a conditional branch. `weighted` makes the first target 2000 times as likely as the
 * other. */
void pf_emit_branch(struct pf_emit *e, LLVMValueRef cond, LLVMBasicBlockRef likely_if_true,
                    LLVMBasicBlockRef otherwise, bool weighted);
/* The address of a field of __pf_tls. */
LLVMValueRef pf_emit_tls(struct pf_emit *e, size_t offset);
/* What a body does during the walk over the old blocks (emit_walk.c). NULL: nothing. */
struct pf_body_walk {
    void (*enter)(struct pf_emit *e); /* at the start of the first block */
    void (*begin_block)(struct pf_emit *e, size_t block);
    void (*end_block)(struct pf_emit *e, size_t block); /* before the terminator */
    /* Emits step k of the block, and perhaps the instructions and steps after it. Returns the
     * number of steps. */
    size_t (*steps)(struct pf_emit *e, size_t block, size_t k);
    void (*other)(struct pf_emit *e, LLVMValueRef inst); /* an instruction without a step */
};
/* Walks over all blocks and instructions. The builder is at the position for new code, with the
 * debug location of the instruction. Restores and removes frames where the function needs it. */
void pf_emit_walk(struct pf_emit *e, const struct pf_body_walk *w);
/* Emits a step that plain and watch bodies have in common: an atomic operation, a fence, a landing
 * pad. Returns false, with nothing done, for any other step. */
bool pf_emit_common_step(struct pf_emit *e, const struct pf_plan_step *s);
/* Copies inst and returns the copy; returns inst itself when `in_place`. The builder is then after
 * it. */
LLVMValueRef pf_emit_copy(struct pf_emit *e, LLVMValueRef inst);
void pf_emit_phi(struct pf_emit *e, LLVMValueRef phi); /* _body_finish adds its incoming values */
/* _begin creates the empty blocks of a body. _finish, called when the blocks are written, maps the
 * operands and fills the PHIs. _release frees the arrays of e. */
void pf_emit_body_begin(struct pf_emit *e);
void pf_emit_body_finish(struct pf_emit *e);
void pf_emit_body_release(struct pf_emit *e);

/* emit_event.c: the event body. _begin initialises e from `like`, the state of the watch body, with
 * the event body's own plan; with `blocks` it also creates the empty blocks of the body. _emit
 * writes the body, and the block `excluded`, which leads to the plain body, if it is not NULL.
 * _emit_excluded writes only that block. */
void pf_event_begin(struct pf_emit *e, const struct pf_emit *like, struct pf_plan *plan,
                    bool blocks);
void pf_event_emit(struct pf_emit *e, LLVMBasicBlockRef dispatch, LLVMBasicBlockRef excluded);
void pf_event_emit_excluded(struct pf_emit *e, LLVMBasicBlockRef dispatch,
                            LLVMBasicBlockRef excluded);
/* Emits a range event, which counts itself. value: the value that a write will store; NULL:
 * unknown. */
void pf_event_range(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                    bool write, LLVMValueRef value);

/* event_budget.c: the thread's budget of events. _choose selects the blocks where it is in a
 * register; _begin_block and _end_block keep it there; _finish fills the PHIs. */
void pf_budget_choose(struct pf_emit *e);
void pf_budget_begin_block(struct pf_emit *e, size_t block);
void pf_budget_end_block(struct pf_emit *e, size_t block);
void pf_budget_finish(struct pf_emit *e);
/* Counts n events. Leaves the builder on the slow side; returns the budget left on the fast side,
 * which also needs the condition `also`, if it is not NULL. */
LLVMValueRef pf_budget_count(struct pf_emit *e, unsigned n, LLVMValueRef also,
                             LLVMBasicBlockRef fast);
/* Branches from the slow side to the join. If the budget is kept in a register, it is in a
 * register again afterwards. */
void pf_budget_join(struct pf_emit *e, LLVMBasicBlockRef join, LLVMBasicBlockRef fast,
                    LLVMValueRef left);

/* emit_call_args.c: the pointers that a call passes. */
#define PF_CALL_ARGS_MAX 64 /* words; a call that passes more is assumed to reach everything */
/* The number of words that the parameters of fn can use, at most PF_CALL_ARGS_MAX. */
unsigned pf_call_args_max(LLVMValueRef fn);
/* If v can be a pointer, stores it as word *n of the scratch slot and increments *n. */
void pf_call_args_store(struct pf_emit *e, LLVMValueRef v, unsigned *n);
/* The number of words as the runtime expects it: all ones if there are too many. */
LLVMValueRef pf_call_args_count(struct pf_emit *e, unsigned n);

/* emit_check.c: checks of plain accesses. */
void pf_emit_access(struct pf_emit *e, const struct pf_plan_step *s);
/* The name of the memory that the step accesses; NULL: unknown. */
const char *pf_emit_variable(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_vptr(struct pf_emit *e, const struct pf_plan_step *s);
/* If inst prefetches memory, prefetches the shadow of that cache line, too. */
void pf_emit_prefetch(struct pf_emit *e, LLVMValueRef inst);
/* The check of an access that happened earlier in the current epoch. */
void pf_emit_past_access(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_range(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                   bool write);
/* These three emit the intrinsic, too, or its replacement. */
void pf_emit_ranges(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_memory(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_masked(struct pf_emit *e, const struct pf_plan_step *s);

/* range_before_loop.c: _emit writes the checks before loops. _connect, called after operands are
 * mapped, makes the back edges skip them. */
void pf_range_before_emit(struct pf_emit *e);
void pf_range_before_connect(struct pf_emit *e);
/* The trip count of a loop that is a single block without synchronisation; false: it is not such a
 * loop, or the trip count is unknown. _emit: as an i64, computed before the loop. */
bool pf_trip_count_find(LLVMBasicBlockRef loop, struct pf_trip_count *r);
LLVMValueRef pf_trip_count_emit(struct pf_emit *e, const struct pf_trip_count *r);
/* The same checks on a back edge of the plain body's loop, for the remaining iterations. Emits
 * nothing for other blocks. */
void pf_range_before_remaining(struct pf_emit *e, size_t block);

/* range_after_loop.c: _emit writes the checks after loops. _connect, called after operands are
 * mapped, redirects the exit edges to them. */
void pf_range_after_emit(struct pf_emit *e);
void pf_range_after_connect(struct pf_emit *e);
/* The last block of the edge from -> to: the one with the check, or else the last one of `from`. */
LLVMBasicBlockRef pf_range_after_predecessor(const struct pf_emit *e, size_t from, size_t to);

/* emit_atomic.c: the calls around an atomic operation, and the operation. */
void pf_emit_atomic(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_libatomic(struct pf_emit *e, const struct pf_plan_step *s);
void pf_emit_fence(struct pf_emit *e, const struct pf_plan_step *s);

/* symbolic_range.c: emits the tests before loops of the symbolic body. _is_clean: a condition that
 * is true only if a run of the loop has no labels. */
void pf_label_ranges_emit(struct pf_emit *e);
LLVMValueRef pf_label_is_clean(struct pf_emit *e, LLVMValueRef clean);
/* symbolic_body.c: turns a copy of the event body into the symbolic body, by adding labels.
 * `dispatch` is the block for stack slots. */
void pf_symbolic_add_labels(struct pf_emit *e, LLVMBasicBlockRef dispatch);

/* computed_goto.c: _copy_tables copies the tables of code labels once the new blocks exist. _map
 * replaces code labels inside a constant operand. */
void pf_computed_goto_copy_tables(struct pf_emit *e);
void pf_computed_goto_map(struct pf_emit *e, LLVMValueRef inst, unsigned operand);

/* emit_frame.c: frames of the shadow stack. _push creates this body's frame, _pop removes it, and
 * _restore removes stale frames above it. */
void pf_frame_push(struct pf_emit *e);
void pf_frame_pop(struct pf_emit *e);
void pf_frame_restore(struct pf_emit *e);
/* Writes the function's record above the top frame, to show that it is running. For bodies that
 * call nothing. */
void pf_frame_name(struct pf_emit *e);
/* Turns the frame of the plain body into one of the watch body; creates it if *frame is NULL. */
void pf_frame_switch(struct pf_emit *e, LLVMValueRef *frame, LLVMValueRef *next);
/* Turns the frame of the watch body into one of the plain body, or removes it if that has none. */
void pf_frame_leave_watch(struct pf_emit *e, const struct pf_frames *watch,
                          const struct pf_frames *plain);
/* The frame of the plain body; the first free one if that body has none. */
LLVMValueRef pf_frame_of_plain(struct pf_emit *e, const struct pf_frames *plain);
/* The size of argument i if it is passed by value in memory, else 0. */
uint64_t pf_byval_size(struct pf_unit *u, LLVMValueRef call, unsigned i);
/* Emits the call, and keeps the frame up to date around it. */
void pf_frame_call(struct pf_emit *e, LLVMValueRef call);

/* emit_plain.c: completes the plain body, after the watch body is done. */
struct pf_frames pf_emit_plain(struct pf_emit *e);

/* body_switch.c: emits the switches between plain body and watch body, after both are done. */
void pf_emit_body_switches(struct pf_emit *e, const struct pf_frames *watch,
                           const struct pf_frames *plain);

/* emit_scope.c, for the watch body with -fpf-use-after-scope: the lifetime of a variable starts or
 * ends; the function is left. */
void pf_scope_lifetime(struct pf_emit *e, const struct pf_plan_step *s);
void pf_scope_leave(struct pf_emit *e);

#endif
