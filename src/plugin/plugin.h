/*
 * plugin.h - data types and functions shared by the parts of the compiler plugin.
 *
 * Model:   the pass (module_pass.c) instruments one function at a time.
 *           1. plan/select.c makes a plan: which instruction gets which check.
 *           2. The other files of plan/ remove redundant checks and replace groups of checks.
 *           3. emit/ appends the watch body, which follows the reduced plan, and the event body,
 *              which follows a complete plan; with pf cc --symbolic also the symbolic body, a copy
 *              of the event body with labels. It adds shadow-stack frames and the calls around
 *              atomic operations to the original blocks, which become the plain body. A dispatch
 *              block at the entry chooses the body.
 *           4. emit/bare_entry.c moves all bodies into a second function, NAME.pf. The original
 *              function keeps its original code behind one test.
 *           Sites are collected in site tables (site_table.h) and written at the end of the module.
 * Memory:  struct pf_unit owns everything; it is released at the end of the module.
 * Threads: one thread per module; no mutable globals.
 * Errors:  a function that cannot be instrumented stays as it is, with a warning. Only an
 *          unreadable ignore list ends the compiler.
 */
#ifndef PF_PLUGIN_H
#define PF_PLUGIN_H

#include "pf_abi.h"
#include "ptrmap.h"
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

struct pf_site_table;
struct pf_ignore;
struct pf_source_table;

/* The runtime's entry points. */
enum pf_entry {
#define PF_ENTRY(name, convention, result, parameters) PF_E_##name,
#include "pf_abi.def"
#undef PF_ENTRY
    PF_ENTRIES
};

/* Which checks are inline: those in hot loops, all, or none (-fpf-inline). */
enum pf_inline { PF_INLINE_LOOPS, PF_INLINE_ALL, PF_INLINE_NONE };

/* Numbers of attribute kinds, metadata kinds and intrinsics, looked up once. */
struct pf_kinds {
    unsigned byval, nocapture, nosync, memory, returns_twice, nobuiltin, sanitize_thread,
        disable_sanitizer, naked, presplitcoroutine, nonlazybind, align, elementtype;
    unsigned md_tbaa, md_prof, md_nosanitize, md_invariant_load;
    unsigned memcpy, memcpy_inline, memmove, memset, memset_inline, tls_address;
    unsigned lifetime_start, lifetime_end, prefetch;
};

/* A function whose record is written at the end of the module. */
struct pf_pending_func {
    LLVMValueRef record, fn;
    struct pf_site_table *names, *sites;
    uint32_t name, file, first_site, nsites, line, flags;
    uint64_t hash;
    LLVMValueRef address; /* PF_FUNCF_DETACHED: the function in the linked object */
};

/* bare_entry.c: an original function, and the function that holds its bodies. */
struct pf_bare_entry {
    LLVMValueRef fn, bodies;
};

#define PF_KEPT_KINDS 4 /* kinds of global values (kept_ir.h) */

/* The state of the pass over one module. */
struct pf_unit {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMTypeRef i1, i8, i32, i64, ptr, nothing;
    LLVMTypeRef func_type, var_type;
    LLVMValueRef tls, bare;
    struct {
        LLVMValueRef fn;
        LLVMTypeRef type;
        unsigned convention;
    } entries[PF_ENTRIES];
    struct pf_kinds kinds;
    enum pf_inline inlining;
    bool no_accesses;   /* check no plain accesses (-fno-sanitize-thread-memory-access) */
    bool shared_object; /* the code may be linked into a shared library */
    bool scopes; /* ends of variables are reported to the runtime (pf cc -fpf-use-after-scope) */
    bool symbolic; /* functions get a symbolic body, too (pf cc --symbolic) */
    bool on_demand; /* keep the IR instead of the event bodies (kept_ir.c) */
    /* make a module of event bodies, or of symbolic bodies if `symbolic` is set (event_module.c) */
    bool detached;
    bool whole; /* in such a module: the current function keeps its other bodies, too */
    struct pf_ignore *ignore;
    struct pf_source_table *source; /* source_location.c; NULL: there is no table */
    bool loads_sites; /* sites are in loaded sections */
    struct pf_site_table *sites_in_file; /* NULL: there are none */
    struct pf_site_table **site_tables;
    size_t nsite_tables, site_tables_cap;
    /* caches of debuginfo.c; di_texts: names of files and of variables */
    struct pf_ptrmap di_funcs, di_texts;
    struct pf_llvm_members *members; /* NULL: not collected yet */
    char *interposed_text; /* the names of interposed.c */
    const char **interposed;
    size_t ninterposed;
    /* capture.c: 1 + whether the root is private; 0: not computed yet */
    struct pf_ptrmap private_roots;
    struct pf_ptrmap private_args; /* private_args.c: 1 if the argument is private */
    /* variable_bounds.c: variables with a red zone -> size without the red zone */
    struct pf_ptrmap red_zoned;
    /* functions that can be instrumented -> 1, or 2 if they use computed gotos */
    struct pf_ptrmap watched;
    struct pf_pending_func *pending;
    size_t npending, pending_cap;
    struct pf_bare_entry *bare_entries;
    size_t nbare_entries, bare_entries_cap;
    /* records of functions without visible operations; no code refers to them */
    LLVMValueRef *empty;
    size_t nempty, empty_cap;
    /* kept_ir.c: the compressed IR, its sizes, and the number of global values of each kind */
    unsigned char *kept;
    size_t kept_size, kept_packed, kept_counts[PF_KEPT_KINDS];
    char cwd[4096];
};

/* What the emitters do at one instruction. */
enum pf_plan_action {
    PF_DO_NOTHING,
    PF_DO_ASM, /* event body only: inline assembly that accesses unknown memory */
    PF_DO_ACCESS, /* load or store */
    PF_DO_VPTR, /* store of a vtable pointer */
    PF_DO_RANGES, /* memory intrinsic: emit range checks, then the intrinsic */
    PF_DO_MEMORY, /* memory intrinsic: replace it by a runtime function that checks and copies */
    PF_DO_ATOMIC, /* atomic instruction */
    PF_DO_LIBATOMIC, /* call of an __atomic_* function of libatomic */
    PF_DO_FENCE,
    PF_DO_CALL,
    PF_DO_LANDING_PAD, /* landing pad: restore this function's shadow-stack frame */
    PF_DO_MASKED, /* vector load or store with a mask */
    /* the lifetime of a variable starts (`write` is set) or ends. Event body: of variables with a
     * red zone; watch body: with -fpf-use-after-scope */
    PF_DO_LIFETIME,
};

/* An instruction that is not just copied. */
struct pf_plan_step {
    LLVMValueRef inst;
    LLVMValueRef ptr; /* for ACCESS, VPTR, ATOMIC, LIFETIME */
    uint64_t size;
    uint32_t align;
    uint8_t what;
    bool write;
    bool loop; /* inside a hot loop (hot_loops.c): emit the check inline */
    bool read_side, write_side; /* for RANGES: which sides to check */
    uint8_t flags; /* enum pf_site_flags */
    uint32_t span_align;
    uint32_t span; /* merge_adjacent.c: if not 0, check this many bytes instead of `size`, */
    int32_t span_at; /* starting at ptr + span_at */
    int64_t offset; /* private to merge_adjacent.c */
    /* may synchronise with other threads: earlier checks no longer count after it */
    bool may_synchronise;
};

/* The trip count of a loop. A counter begins at `start`, changes by `step` each iteration, and the
 * loop ends when the counter equals `limit` or, with `while_below`, is not below it. */
struct pf_trip_count {
    LLVMValueRef start, limit;
    LLVMValueRef next; /* the counter's value at the beginning of the next iteration */
    int64_t step;
    bool compared_before_step; /* the comparison uses the counter's value before the step */
    bool while_below, is_signed;
};

/* An edge where a thread can switch between the plain body and the watch body. */
enum pf_switch_edge_kind {
    PF_SWITCH_OUTER, /* back edge of an outermost loop: switches in both directions */
    PF_SWITCH_INNER, /* back edge of an inner loop: switches from the watch body only */
    PF_SWITCH_EXIT, /* leaves an outermost loop: switches from the plain body only */
    /* to a block that some iterations of an outermost loop skip: from the plain body only */
    PF_SWITCH_RARE_BLOCK,
};
struct pf_switch_edge {
    size_t from, to; /* block numbers */
    enum pf_switch_edge_kind kind;
    bool first; /* it is the first of the edges with this target */
    size_t head; /* of PF_SWITCH_RARE_BLOCK: the head of the loop; otherwise 0 */
    /* of a back edge, and of an edge in its loop: a thread can switch from the watch body to the
     * plain body at the back edge */
    bool leaves;
    bool quick; /* of a back edge: the loop contains no other loop and no call */
};

/* A check that precedes `block`, the target of a switch edge, on every path, and that makes later
 * checks redundant. A switch to the watch body must repeat it. */
struct pf_switch_check {
    size_t block, step;
};

/* range_before_loop.c: a range check before a loop that replaces checks in the loop. */
struct pf_range_before {
    size_t block; /* the loop, a single block */
    size_t step; /* the access at the lowest address; its own check is removed */
    uint64_t stride;
    /* if not 0, check at most this many bytes: another range check covers the rest */
    uint64_t bytes;
    struct pf_trip_count trip_count;
};

/* range_after_loop.c: a loop whose checks are replaced by range checks on its exits. */
#define PF_RANGE_AFTER_BLOCKS 16
#define PF_RANGE_AFTER_GROUPS 8
#define PF_INTERLEAVED_BYTES 8 /* bytes per iteration */
#define PF_INTERLEAVED_SITES 4
/* Accesses of one size that together cover all bytes of each iteration, in the order of their
 * addresses. Usually there is only one. */
struct pf_interleaved {
    size_t steps[PF_INTERLEAVED_BYTES]; /* their own checks are removed */
    unsigned n;
    /* The first `period` accesses have distinct source positions; then the positions repeat in
     * the same order. */
    unsigned period;
    uint32_t found; /* bit i: steps[i] has been found */
};
struct pf_range_after {
    LLVMBasicBlockRef blocks[PF_RANGE_AFTER_BLOCKS], latch; /* the loop head is blocks[0] */
    size_t nblocks;
    struct pf_interleaved all[PF_RANGE_AFTER_GROUPS];
    size_t n;
};

/* An edge that leaves such a loop. */
struct pf_loop_exit {
    size_t from, to; /* block numbers */
    size_t range;
    /* bit i: when this edge is taken, the current iteration has executed the accesses of all[i] */
    uint32_t executed;
    LLVMBasicBlockRef block, last; /* watch body: the first and last block inserted on the edge */
};

/* control_flow.h: before[first[b] .. first[b + 1]) are the predecessors of block b. */
struct pf_predecessors {
    size_t *first, *before;
};

/* What to do at each instruction of a function. */
struct pf_plan {
    struct pf_plan_step *steps; /* in the order of blocks and instructions */
    size_t n, cap;
    LLVMBasicBlockRef *blocks;
    size_t nblocks;
    size_t *first_step; /* indexed by block; nblocks + 1 entries */
    bool *hot; /* indexed by block: is in a hot loop, whose checks are inline */
    bool *in_loop; /* indexed by block: is in any loop */
    struct pf_ptrmap block_index;
    struct pf_predecessors predecessors; /* use pf_block_predecessors */
    struct pf_range_before *ranges_before; /* in the order of blocks */
    size_t nranges_before, ranges_before_cap;
    struct pf_range_after *ranges_after;
    size_t nranges_after, ranges_after_cap;
    struct pf_loop_exit *exits;
    size_t nexits, exits_cap;
    struct pf_switch_edge *switch_edges; /* found by switch_edges.c */
    size_t nswitch_edges, switch_edges_cap;
    struct pf_switch_check *switch_checks; /* found by redundant.c, for targets of `switch_edges` */
    size_t nswitch_checks, switch_checks_cap;
    bool cyclic; /* it has loops that may run long */
    bool accesses; /* check plain accesses, not only atomics and frames */
    bool events; /* this is the plan of the event body */
};

/* module_pass.c: _open does everything that precedes the first body, _close releases the unit.
 * _instrument makes the bodies of one function of `watched`. labels: as in pf_clone_obstacle. */
void pf_plugin_open(struct pf_unit *u, LLVMModuleRef module, bool detached);
void pf_plugin_instrument(struct pf_unit *u, LLVMValueRef fn, bool labels);
/* True if fn has operations that other threads can see, and therefore bodies. */
bool pf_plugin_has_operations(struct pf_unit *u, LLVMValueRef fn);
void pf_plugin_close(struct pf_unit *u);

/* select.c: makes the plan of fn. Returns false if fn needs no instrumentation. Release the plan in
 * both cases. */
bool pf_plan_make(struct pf_unit *u, LLVMValueRef fn, bool accesses, bool events,
                  struct pf_plan *plan);
void pf_plan_release(struct pf_plan *plan);
/* read_dependence.c: sets PF_SITEF_BRANCH and PF_SITEF_ADDRESS in the steps. Call it before
 * _remove_redundant. */
void pf_plan_read_dependence(struct pf_unit *u, struct pf_plan *plan);
/* check_then_act.c: sets PF_SITEF_CHECK in loads that decide whether a store to the same variable
 * happens, and PF_SITEF_ACT in these stores. */
void pf_plan_check_then_act(struct pf_plan *plan);
/* switch_edges.c: finds the edges where a thread can switch between the plain body and the watch
 * body. Call it before _remove_redundant. _leave decides at which of these edges a thread can leave
 * the watch body; call it when the checks in loops are final. */
void pf_plan_switch_edges(struct pf_plan *plan, bool label_addresses);
void pf_plan_switch_edges_leave(struct pf_plan *plan);
/* range_before_loop.c: true if the loop's trip count is a known constant below `limit`. */
bool pf_loop_is_short(LLVMBasicBlockRef loop, uint64_t limit);
/* redundant.c: removes checks that other checks make redundant. */
void pf_plan_remove_redundant(struct pf_plan *plan);
/* capture.c: true if no other thread and no code elsewhere can know the address of this memory. */
bool pf_memory_is_private(struct pf_unit *u, LLVMValueRef ptr);
/* The same for the watch body, which also uses private arguments (private_args.c) and follows
 * addresses around loops. */
bool pf_memory_is_private_with_args(struct pf_unit *u, LLVMValueRef ptr);
/* private_args.c: finds the arguments that only ever point to private memory. Call it before
 * anything is emitted. */
void pf_private_args_find(struct pf_unit *u);
/* capture.c: true if the address of this stack slot is used for anything but accesses in its own
 * function. */
bool pf_alloca_address_escapes(struct pf_unit *u, LLVMValueRef slot);
/* merge_adjacent.c: true if two debug locations are the same source position. */
bool pf_is_same_source_position(LLVMMetadataRef x, LLVMMetadataRef y);
/* Replaces checks of adjacent bytes by one check. Call it after _remove_redundant and both
 * _ranges_* functions. */
void pf_plan_merge_adjacent(struct pf_unit *u, struct pf_plan *plan);
/* range_before_loop.c: replaces checks in loops by range checks before them. Call it after
 * _remove_redundant. */
void pf_plan_ranges_before_loops(struct pf_unit *u, struct pf_plan *plan);
/* range_after_loop.c: replaces checks in loops by range checks after them. Call it after
 * _ranges_before_loops. */
void pf_plan_ranges_after_loops(struct pf_unit *u, struct pf_plan *plan);
/* hot_loops.c: marks the steps and blocks in loops. Call it last, when the number of checks is
 * final. */
void pf_plan_hot_loops(struct pf_plan *plan);
/* inline_asm.c: the meaning of an inline assembly statement that is one atomic instruction. */
enum pf_inline_asm_kind {
    PF_ASM_OTHER,
    PF_ASM_FENCE,
    PF_ASM_LOAD,
    PF_ASM_STORE,
    PF_ASM_UPDATE,
    PF_ASM_CMPXCHG, /* an update that may fail */
};
struct pf_inline_asm {
    enum pf_inline_asm_kind what;
    LLVMValueRef ptr;
    uint64_t size;
};
struct pf_inline_asm pf_inline_asm_classify(struct pf_unit *u, LLVMValueRef call);
/* cloneable.c: returns NULL if fn can have a second body, else the reason why not. *labels: fn
 * takes the address of a label, for a computed goto. */
const char *pf_clone_obstacle(struct pf_unit *u, LLVMValueRef fn, bool *labels);
/* emit_watch.c: emits all bodies of fn. `plan` is the reduced plan for the watch body, `events` the
 * complete plan for the event body. on_demand: a jump to pf_func.event instead of the event
 * body. */
void pf_emit(struct pf_unit *u, LLVMValueRef fn, struct pf_plan *plan, struct pf_plan *events,
             bool labels, bool on_demand);
/* Moves the allocas of constant size from the block to the builder's position. */
void pf_allocas_move(LLVMBuilderRef b, LLVMBasicBlockRef entry);
/* bare_entry.c: _begin clones fn before it is instrumented and returns the clone, or NULL if fn
 * cannot have a bare entry. _finish, called when fn has all its bodies, exchanges the code of the
 * two. _direct_calls, called when all functions are done, lets bodies call bodies directly. */
LLVMValueRef pf_bare_entry_begin(struct pf_unit *u, LLVMValueRef fn);
/* Emits a tail call of `to`, a function of the type of fn, with the arguments of fn. */
void pf_emit_jump(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef to);
/* True if such a tail call is possible. */
bool pf_can_jump(struct pf_unit *u, LLVMValueRef fn);
void pf_bare_entry_finish(struct pf_unit *u, LLVMValueRef fn, LLVMValueRef bodies);
void pf_bare_entry_direct_calls(struct pf_unit *u);
/* body_hash.c: a hash of the function's code. */
uint64_t pf_body_hash(LLVMValueRef fn);
/* emit_frame.c: true if the callee may be outside of the instrumented code of this module. Such a
 * callee may leave frames of its callbacks on the shadow stack, if it catches an exception or calls
 * longjmp. */
bool pf_call_may_be_external(struct pf_unit *u, LLVMValueRef call);
/* interposed.c: true if fn is interposed by the runtime. fn may be NULL. */
bool pf_is_interposed(struct pf_unit *u, LLVMValueRef fn);
void pf_interposed_release(struct pf_unit *u);
/* module_tables.c: adds the record of fn, without contents. */
LLVMValueRef pf_tables_record(struct pf_unit *u, LLVMValueRef fn);
/* Adds the record of a function that gets no bodies because it has no visible operation. Without
 * the record, a call to it would look like a call to code that was not built with pf cc. */
void pf_tables_add_empty(struct pf_unit *u, LLVMValueRef fn);
/* Appends elements to one of LLVM's special arrays (llvm.global_ctors, llvm.used ...). */
void pf_tables_append(struct pf_unit *u, const char *name, LLVMTypeRef type, LLVMValueRef *add,
                      size_t n, const char *section);
/* Writes the records of functions, with their sites. */
void pf_tables_write_records(struct pf_unit *u);
/* Writes all tables of the module. Call it last. */
void pf_tables_write(struct pf_unit *u);

/* select.c: true if accesses to ptr need no check: private memory, constants, the compiler's own
 * data. */
bool pf_memory_is_unchecked(struct pf_unit *u, LLVMValueRef ptr);
/* True if the instruction reads or writes the vtable pointer of an object. */
bool pf_is_vtable_access(struct pf_unit *u, LLVMValueRef inst);

/* True if the call, or the function it names, has the attribute `kind`. */
bool pf_call_has(LLVMValueRef call, unsigned kind);
/* True if the call or its callee has the attribute memory(none). */
bool pf_call_is_pure(struct pf_unit *u, LLVMValueRef call);
/* The function that is called by name, or NULL. */
LLVMValueRef pf_callee(LLVMValueRef call);
/* True if the name starts with the prefix. */
bool pf_name_starts(const char *name, const char *prefix);
/* True for a global variable that the compiler has added, not the program. */
bool pf_is_compilers_own(LLVMValueRef variable);

#endif
