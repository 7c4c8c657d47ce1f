/*
 * plugin.h - what the parts of the compiler plugin share.
 *
 * Model:   a module is worked on function by function. `select` makes a plan (what to do at which
 *          instruction), `redundancy` strikes checks from it that others make needless, `emit` appends a
 *          second copy of the body, the watch body, following the plan, a third, the event body,
 *          following the plan before anything was struck, adds frames and brackets of atomics to the
 *          first, and puts a dispatch block before all; `bare` moves all that to a function of its own and leaves the one as it was in
 *          front. Sites go into site_tables (site_table.h), written out at the end of the module.
 * Memory:  everything is owned by the unit and freed at the end of the module.
 * Threads: one module, one thread; no mutable globals.
 * Errors:  what cannot be instrumented stays as it is: the plugin never fails a compilation but for
 *          an unreadable ignore list.
 */
#ifndef PF_PLUGIN_H
#define PF_PLUGIN_H

#include "pf_abi.h"
#include "ptrmap.h"
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

struct pf_site_table;
struct pf_ignore;

enum pf_entry {
#define PF_ENTRY(name, convention, result, parameters) PF_E_##name,
#include "pf_abi.def"
#undef PF_ENTRY
    PF_ENTRIES
};

enum pf_inline { PF_INLINE_LOOPS, PF_INLINE_ALL, PF_INLINE_NONE };

/* Attribute and metadata kinds, intrinsics: numbers looked up once. */
struct pf_kinds {
    unsigned byval, nocapture, nosync, memory, returns_twice, sanitize_thread, disable_sanitizer,
        naked, presplitcoroutine, nonlazybind, align, elementtype;
    unsigned md_tbaa, md_prof, md_nosanitize, md_invariant_load;
    unsigned memcpy, memcpy_inline, memmove, memset, memset_inline, tls_address;
    unsigned lifetime_start, lifetime_end, prefetch;
};

/* A function whose record is to be written. */
struct pf_pending_func {
    LLVMValueRef record, fn;
    struct pf_site_table *table;
    uint32_t name, file, first_site, nsites, line, flags;
    uint64_t hash;
};

/* bare_entry.c: a function and the one with its bodies. */
struct pf_bare_entry {
    LLVMValueRef fn, bodies;
};

struct pf_unit {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTargetDataRef layout;
    LLVMTypeRef i1, i8, i16, i32, i64, ptr, nothing;
    LLVMTypeRef tls_type, frame_type, func_type, var_type;
    LLVMValueRef tls, bare;
    struct {
        LLVMValueRef fn;
        LLVMTypeRef type;
        unsigned convention;
    } entries[PF_ENTRIES];
    struct pf_kinds kinds;
    enum pf_inline inlining;
    bool shared_object; /* the code may end up in a shared library */
    struct pf_ignore *ignore;
    struct pf_site_table **site_tables;
    size_t nsite_tables, site_tables_cap;
    struct pf_ptrmap di_funcs, di_files; /* debuginfo.c */
    char *interposed_text;               /* interposed.c */
    const char **interposed;
    size_t ninterposed;
    struct pf_ptrmap private_roots;      /* capture.c: 1 + answer */
    struct pf_ptrmap private_args;      /* private_args.c: 1 if it is one */
    struct pf_ptrmap zoned; /* variable_bounds.c: variables with a zone: their size without it */
    struct pf_ptrmap watched; /* functions that get a watch body, if they need one: 1 + labels */
    struct pf_pending_func *pending;
    size_t npending, pending_cap;
    struct pf_bare_entry *bare_entries;
    size_t nbare_entries, bare_entries_cap;
    LLVMValueRef *empty; /* records that no code refers to */
    size_t nempty, empty_cap;
    char cwd[4096];
};

/* What to do at one instruction. */
enum pf_plan_action {
    PF_DO_NOTHING,
    PF_DO_ASM, /* event body: assembly that touches memory nobody knows of */
    PF_DO_ACCESS, /* load or store */
    PF_DO_VPTR, /* store of a vtable pointer */
    PF_DO_RANGES, /* memory intrinsic: check, then the intrinsic itself */
    PF_DO_MEMORY, /* memory intrinsic: the runtime does check and effect */
    PF_DO_ATOMIC, /* atomic instruction */
    PF_DO_LIBATOMIC, /* call of __atomic_* */
    PF_DO_FENCE,
    PF_DO_CALL,
    PF_DO_LANDING_PAD, /* landing pad: the frame is ours again */
    PF_DO_MASKED, /* vector access under a mask */
    PF_DO_LIFETIME, /* event body: a variable with a zone begins (write) or ends to live */
};

struct pf_plan_step {
    LLVMValueRef inst;
    LLVMValueRef ptr; /* ACCESS, VPTR, ATOMIC */
    uint64_t size;
    uint32_t align;
    uint8_t what;
    bool write;
    bool loop; /* in a loop that is worth inline checks */
    bool read_side, write_side; /* RANGES: which side to check */
    uint8_t flags; /* enum pf_site_flags */
    uint32_t span_align;
    uint32_t span; /* merge_adjacent.c: 0, or check so many bytes instead, */
    int32_t span_at; /* from so far behind ptr on */
    int64_t offset; /* merge_adjacent.c's own */
    bool may_synchronise; /* a synchronisation may stand here: earlier checks count no more */
};

/* How often a loop goes round: a counter starts, steps, and ends it when equal to the limit. */
struct pf_trip_count {
    LLVMValueRef start, limit;
    LLVMValueRef next; /* what the counter is when the next round begins */
    int64_t step;
    bool compared_before_step; /* it is compared before it steps */
};

/* An edge that closes a loop. */
struct pf_back_edge {
    size_t from, head; /* blocks */
};

/* A check, executed before the block on every way to it, that others from there on rely on. */
struct pf_switch_check {
    size_t block, step;
};

/* A range check before a loop. */
struct pf_range_before {
    size_t block; /* the loop */
    size_t step;  /* the access at the lowest address, which has no check of its own any more */
    uint64_t stride;
    uint64_t bytes; /* not 0: only so many from there on, another check covers the others */
    struct pf_trip_count trip_count;
};

/* range_after_loop.c: a loop whose checks stand behind it. */
#define PF_RANGE_AFTER_BLOCKS 16
#define PF_RANGE_AFTER_GROUPS 8
#define PF_INTERLEAVED_BYTES 8 /* bytes */
#define PF_INTERLEAVED_SITES 4
/* Accesses of one size that take period along the bytes, in the order of their addresses. Mostly it is one. */
struct pf_interleaved {
    size_t steps[PF_INTERLEAVED_BYTES]; /* they have no checks of their own any more */
    unsigned n;
    unsigned
        period; /* so many of them are of source positions of their own, the others of the same in this order */
    uint32_t found; /* bit i: steps[i] is found */
};
struct pf_range_after {
    LLVMBasicBlockRef blocks[PF_RANGE_AFTER_BLOCKS], latch; /* the head first */
    size_t nblocks;
    struct pf_interleaved all[PF_RANGE_AFTER_GROUPS];
    size_t n;
};

/* An edge out of such a loop. */
struct pf_loop_exit {
    size_t from, to; /* blocks */
    size_t range;
    uint32_t
        executed; /* bit i: who leaves here has executed the accesses of all[i] in this round */
    LLVMBasicBlockRef block, last; /* of the watch body: what stands on the edge */
};

struct pf_plan {
    struct pf_plan_step *steps; /* in the order of blocks and instructions */
    size_t n, cap;
    LLVMBasicBlockRef *blocks;
    size_t nblocks;
    size_t *first_step; /* of each block; nblocks + 1 entries */
    bool *loops; /* is the block in a loop that is worth inline checks? */
    bool *cycles; /* is it in any? */
    struct pf_ptrmap block_index;
    struct pf_range_before *ranges_before; /* in the order of blocks */
    size_t nranges_before, ranges_before_cap;
    struct pf_range_after *ranges_after;
    size_t nranges_after, ranges_after_cap;
    struct pf_loop_exit *exits;
    size_t nexits, exits_cap;
    struct pf_back_edge *back_edges; /* body_switch.c */
    size_t nback_edges, back_edges_cap;
    struct pf_switch_check *switch_checks; /* redundant.c: for the heads of `back_edges` */
    size_t nswitch_checks, switch_checks_cap;
    bool cyclic; /* it has loops that may be long */
    bool accesses; /* plain accesses are checked, not only atomics and frames */
    bool events; /* it is for the event body */
};

/* select.c: false when there is nothing to watch in fn. */
bool pf_plan_make(struct pf_unit *u, LLVMValueRef fn, bool accesses, bool events,
                  struct pf_plan *plan);
void pf_plan_release(struct pf_plan *plan);
/* read_dependence.c: flags of the steps; before _cover. */
void pf_plan_read_dependence(struct pf_unit *u, struct pf_plan *plan);
/* check_then_act.c: loads that decide about a store of the same place, and those stores. */
void pf_plan_check_then_act(struct pf_plan *plan);
/* body_switch.c: loops in which a thread can change from the plain body to the watch body; before _cover. */
void pf_plan_body_switches(struct pf_plan *plan, bool labels);
/* range_before_loop.c: is it found to go round fewer than so many times? */
bool pf_loop_is_short(LLVMBasicBlockRef loop, uint64_t trip_count);
/* redundant.c */
void pf_plan_remove_redundant(struct pf_unit *u, struct pf_plan *plan);
/* capture.c: can another thread, or code elsewhere, not know this memory? */
bool pf_memory_is_private(struct pf_unit *u, LLVMValueRef ptr);
/* The same, for the watch body: arguments and addresses that move in loops are looked through. */
bool pf_memory_is_private_with_args(struct pf_unit *u, LLVMValueRef ptr);
/* private_args.c: which arguments point to such memory; before anything is emitted. */
void pf_private_args_find(struct pf_unit *u);
/* Does the address of this stack slot go anywhere else than to accesses in the function itself? */
bool pf_alloca_address_escapes(struct pf_unit *u, LLVMValueRef slot);
/* merge_adjacent.c: are the two one source position? */
bool pf_is_same_source_position(LLVMMetadataRef x, LLVMMetadataRef y);
/* Checks of neighbours that one replaces; after _cover and _hoist. */
void pf_plan_merge_adjacent(struct pf_unit *u, struct pf_plan *plan);
/* range_before_loop.c: checks that one before the loop replaces; after _cover. */
void pf_plan_ranges_before_loops(struct pf_unit *u, struct pf_plan *plan);
/* range_after_loop.c: checks that one behind the loop replaces; after _hoist. */
void pf_plan_ranges_after_loops(struct pf_unit *u, struct pf_plan *plan);
/* hot_loops.c: marks the steps, and the blocks, that stand in loops; after _cover and _hoist. */
void pf_plan_hot_loops(struct pf_plan *plan);
/* inline_asm.c: what a statement of inline assembly is, if it is one atomic instruction. */
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
/* cloneable.c: why fn cannot have a second body, or NULL. *labels: it has labels whose address is taken. */
const char *pf_clone_obstacle(struct pf_unit *u, LLVMValueRef fn, bool *labels);
/* emit_watch.c: both bodies. The plan of the events is the whole one, nothing struck from it. */
void pf_emit(struct pf_unit *u, LLVMValueRef fn, struct pf_plan *plan, struct pf_plan *events,
             bool labels);
/* The static slots of the block go to where the builder is. */
void pf_allocas_move(LLVMBuilderRef b, LLVMBasicBlockRef entry);
/* bare_entry.c: the function that the bodies of fn will be in, a copy of fn as it is now; NULL: it cannot have one. Then, when fn has
 * all bodies, the two change places; when all functions are done, bodies call bodies. */
LLVMValueRef pf_bare_entry_begin(struct pf_unit *u, LLVMValueRef fn);
void pf_bare_entry_finish(struct pf_unit *u, LLVMValueRef fn, LLVMValueRef bodies);
void pf_bare_entry_direct_calls(struct pf_unit *u);
/* body_hash.c */
uint64_t pf_body_hash(LLVMValueRef fn);
/* emit_frame.c: does the call lead out of the code we know? What returns from there may have left
 * frames of its callbacks on the shadow stack (it caught an exception, or called longjmp). */
bool pf_call_may_be_external(struct pf_unit *u, LLVMValueRef call);
/* interposed.c: is it one of the functions that the runtime stands in front of? */
bool pf_is_interposed(struct pf_unit *u, LLVMValueRef fn);
void pf_interposed_release(struct pf_unit *u);
/* module_tables.c */
/* The record of a function, yet to be filled. */
LLVMValueRef pf_tables_record(struct pf_unit *u, LLVMValueRef fn);
/* A function that needs no second body, because it does nothing that counts: its record says just that it is
 * there, or a call of it would pass for one of code that is not built with pf cc. */
void pf_tables_add_empty(struct pf_unit *u, LLVMValueRef fn);
void pf_tables_write(struct pf_unit *u);

/* select.c: may an access of ptr go unchecked (private, constant, executed by the compiler)? */
bool pf_memory_is_unchecked(struct pf_unit *u, LLVMValueRef ptr);

/* The attribute `kind` on the call or on the function it names. */
bool pf_call_has(LLVMValueRef call, unsigned kind);
/* memory(none) on the call or its callee. */
bool pf_call_is_pure(struct pf_unit *u, LLVMValueRef call);
/* The function called by name, or NULL. */
LLVMValueRef pf_callee(LLVMValueRef call);
bool pf_name_starts(const char *name, const char *prefix);

#endif
