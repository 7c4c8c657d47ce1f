/*
 * emit_watch.c - appends the watch body of a function and puts the dispatch before all bodies.
 *
 *      dispatch: static allocas of all bodies
 *                which body? --+--> plain body (the old blocks: emit_plain.c)
 *                              +--> watch body (new blocks)
 *                              +--> event body (new blocks, emit_event.c)
 *                              +--> symbolic body (new blocks, only with --symbolic:
 *                              |    symbolic_body.c)
 *                              +--> excluded from a trace: tells the runtime, then the plain body
 *                                   (emit_excluded in emit_event.c)
 *
 * All bodies are in one function: they share arguments, by-value memory, frame and debug scopes,
 * and nothing that depends on the identity of the function (returns_twice, va_start, return
 * address, musttail) can see a difference.
 */
#include "debuginfo.h"
#include "emit.h"
#include "llvm_shim.h"
#include "source_location.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

#define LIKELY 2000 /* weight of a likely branch; that of the other is 1 */
/* Fields of func_type, as module_pass.c defines it. */
enum { PF_FUNC_FIELD_NUMBER = 5, PF_FUNC_FIELD_EVENT = 9 };

LLVMValueRef pf_emit_number(struct pf_emit *e, uint32_t n) { return LLVMConstInt(e->u->i32, n, 0); }

LLVMValueRef pf_emit_map_later(struct pf_emit *e, LLVMValueRef inst)
{
    if (LLVMIsAInstruction(inst))
        PF_PUSH(e->unmapped, e->nunmapped, e->unmapped_cap) = inst;
    return inst;
}

LLVMValueRef pf_emit_call(struct pf_emit *e, enum pf_entry entry, LLVMValueRef *args)
{
    LLVMTypeRef type = e->u->entries[entry].type;
    LLVMValueRef call =
        LLVMBuildCall2(e->b, type, e->u->entries[entry].fn, args, LLVMCountParamTypes(type), "");
    LLVMSetInstructionCallConv(call, e->u->entries[entry].convention);
    return pf_emit_map_later(e, call);
}

LLVMBasicBlockRef pf_emit_block(struct pf_emit *e)
{
    return LLVMAppendBasicBlockInContext(e->u->context, e->fn, "");
}

static void set_weights(struct pf_unit *u, LLVMValueRef branch, uint32_t yes, uint32_t no)
{
    LLVMMetadataRef md[] = {
        LLVMMDStringInContext2(u->context, "branch_weights", 14),
        LLVMValueAsMetadata(LLVMConstInt(u->i32, yes, 0)),
        LLVMValueAsMetadata(LLVMConstInt(u->i32, no, 0)),
    };
    LLVMSetMetadata(branch, u->kinds.md_prof,
                    LLVMMetadataAsValue(u->context, LLVMMDNodeInContext2(u->context, md, 3)));
}

void pf_emit_branch(struct pf_emit *e, LLVMValueRef cond, LLVMBasicBlockRef yes,
                    LLVMBasicBlockRef no, bool weighted)
{
    LLVMValueRef branch = LLVMBuildCondBr(e->b, cond, yes, no);
    if (weighted)
        set_weights(e->u, branch, LIKELY, 1);
}

LLVMValueRef pf_emit_tls(struct pf_emit *e, size_t offset)
{
    LLVMValueRef at = LLVMConstInt(e->u->i64, offset, 0);
    return LLVMConstInBoundsGEP2(e->u->i8, e->u->tls, &at, 1);
}

/* Adds the site. For inlined code, the calls that it was inlined at become sites, too. */
static uint32_t site_at(struct pf_emit *e, LLVMMetadataRef loc, struct pf_site site,
                        const char *merged_lines, unsigned depth)
{
    struct pf_unit *u = e->u;
    struct pf_scope in = {.merged_lines = (pf_rel)pf_site_table_string(e->table, merged_lines)};
    size_t n;
    if (loc) {
        LLVMMetadataRef scope = LLVMDILocationGetScope(loc), at = LLVMDILocationGetInlinedAt(loc);
        unsigned column = LLVMDILocationGetColumn(loc);
        const char *name = pf_di_function(u, scope, at ? NULL : LLVMGetValueName2(e->fn, &n));
        in.func = pf_site_table_string(e->table, name);
        in.file = pf_site_table_string(e->table, pf_di_file(u, scope));
        in.begins = pf_di_function_line(u, scope);
        site.line = LLVMDILocationGetLine(loc);
        site.column = column > UINT16_MAX ? 0 : column;
        if (at && depth) {
            struct pf_site call = {.kind = PF_SITE_CALL, .var = in.func};
            in.inlined = 1 + site_at(e, at, call, NULL, depth - 1);
        }
    } else {
        LLVMMetadataRef sub = LLVMGetSubprogram(e->fn);
        in.func =
            pf_site_table_string(e->table, pf_di_function(u, sub, LLVMGetValueName2(e->fn, &n)));
        in.file = pf_site_table_string(e->table, pf_di_file(u, sub));
        site.line = in.begins = pf_di_function_line(u, sub);
    }
    site.scope = pf_site_table_scope(e->table, &in);
    return pf_site_table_site(e->table, &site);
}

uint32_t pf_emit_site(struct pf_emit *e, LLVMValueRef inst, enum pf_site_kind kind, uint64_t size,
                      const char *var)
{
    struct pf_site site = {.kind = kind, .size = size > 255 ? 0 : size, .flags = e->flags};
    site.var = pf_site_table_string(e->table, var);
    return site_at(e, LLVMInstructionGetDebugLoc(inst), site, pf_source_merged_lines(e->u, inst),
                   64);
}

/* Emits an instruction that has a step, with the code before and after it. */
static void emit_step(struct pf_emit *e, const struct pf_plan_step *s)
{
    e->flags = s->flags;
    switch ((enum pf_plan_action)s->what) {
    case PF_DO_NOTHING:
    case PF_DO_ASM:
        pf_emit_copy(e, s->inst);
        break;
    case PF_DO_LIFETIME:
        pf_scope_lifetime(e, s);
        break;
    case PF_DO_ACCESS:
        pf_emit_access(e, s);
        pf_emit_copy(e, s->inst);
        break;
    case PF_DO_VPTR:
        pf_emit_vptr(e, s);
        pf_emit_copy(e, s->inst);
        break;
    case PF_DO_RANGES:
        pf_emit_ranges(e, s);
        break;
    case PF_DO_MEMORY:
        pf_emit_memory(e, s);
        break;
    case PF_DO_MASKED:
        pf_emit_masked(e, s);
        break;
    case PF_DO_CALL:
        pf_frame_call(e, s->inst);
        break;
    case PF_DO_ATOMIC:
    case PF_DO_LIBATOMIC:
    case PF_DO_FENCE:
    case PF_DO_LANDING_PAD:
        pf_emit_common_step(e, s);
        break;
    }
}

void pf_allocas_move(LLVMBuilderRef b, LLVMBasicBlockRef entry)
{
    for (LLVMValueRef v = LLVMGetFirstInstruction(entry), next; v; v = next) {
        next = LLVMGetNextInstruction(v);
        if (!LLVMIsAAllocaInst(v) || !LLVMIsAConstantInt(LLVMGetOperand(v, 0)))
            continue;
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(v));
        size_t n;
        char *name =
            pf_copy_string(LLVMGetValueName2(v, &n)); /* sites use the name of the variable */
        LLVMInstructionRemoveFromParent(v);
        LLVMInsertIntoBuilderWithName(b, v, name);
        free(name);
    }
}

static size_t emit_planned(struct pf_emit *e, size_t block, size_t k)
{
    (void)block;
    emit_step(e, &e->plan->steps[k]);
    return 1;
}

static void emit_other(struct pf_emit *e, LLVMValueRef inst)
{
    pf_emit_copy(e, inst);
    if (LLVMGetInstructionOpcode(inst) == LLVMCall)
        pf_emit_prefetch(e, inst);
}

static const struct pf_body_walk watch_walk = {
    .enter = pf_frame_push, .steps = emit_planned, .other = emit_other};

/* If --counts[number] >= 0, run the plain body; else ask the runtime. */
static void emit_countdown(struct pf_emit *e, LLVMBasicBlockRef plain, LLVMBasicBlockRef asking)
{
    struct pf_unit *u = e->u;
    LLVMValueRef number = LLVMBuildLoad2(
        e->b, u->i32, LLVMBuildStructGEP2(e->b, u->func_type, e->record, PF_FUNC_FIELD_NUMBER, ""),
        "");
    LLVMValueRef counts =
        LLVMBuildLoad2(e->b, u->ptr, pf_emit_tls(e, offsetof(struct pf_tls, counts)), "");
    LLVMValueRef at = LLVMBuildZExt(e->b, number, u->i64, "");
    LLVMValueRef count = LLVMBuildInBoundsGEP2(e->b, u->i32, counts, &at, 1, "");
    LLVMValueRef left =
        LLVMBuildSub(e->b, LLVMBuildLoad2(e->b, u->i32, count, ""), pf_emit_number(e, 1), "");
    LLVMBuildStore(e->b, left, count);
    pf_emit_branch(e, LLVMBuildICmp(e->b, LLVMIntSGE, left, pf_emit_number(e, 0), ""), plain,
                   asking, true);
}

static LLVMValueRef dispatch_is(struct pf_emit *e, LLVMValueRef how, enum pf_dispatch to)
{
    return LLVMBuildICmp(e->b, LLVMIntEQ, how, pf_emit_number(e, to), "");
}

/* Emits the dispatch, which is drawn at the top of the file, and returns its first block. It tests
 * the thread's dispatch word (enum pf_dispatch), the most frequent values first; __pf_ask decides
 * the rest. */
static LLVMBasicBlockRef emit_dispatch(struct pf_emit *e, LLVMBasicBlockRef plain,
                                       LLVMBasicBlockRef watch, LLVMBasicBlockRef event,
                                       LLVMBasicBlockRef excluded, LLVMBasicBlockRef symbolic)
{
    struct pf_unit *u = e->u;
    LLVMBasicBlockRef start = LLVMInsertBasicBlockInContext(u->context, plain, "");
    LLVMBasicBlockRef other = pf_emit_block(e), count = pf_emit_block(e), rare = pf_emit_block(e),
                      rarer = pf_emit_block(e), asking = pf_emit_block(e), asked = pf_emit_block(e),
                      excluded_or_watch = pf_emit_block(e);
    LLVMPositionBuilderAtEnd(e->b, start);
    pf_allocas_move(e->b, plain);
    LLVMSetCurrentDebugLocation2(e->b, pf_di_entry(u, e->fn));
    LLVMValueRef how =
        LLVMBuildLoad2(e->b, u->i32, pf_emit_tls(e, offsetof(struct pf_tls, dispatch)), "");
    pf_emit_branch(e, dispatch_is(e, how, PF_DISPATCH_WATCH), watch, other, false);
    LLVMPositionBuilderAtEnd(e->b, other);
    pf_emit_branch(e, dispatch_is(e, how, PF_DISPATCH_COUNT), count, rare, false);
    LLVMPositionBuilderAtEnd(e->b, count);
    emit_countdown(e, plain, asking);
    LLVMPositionBuilderAtEnd(e->b, rare);
    pf_emit_branch(e, dispatch_is(e, how, PF_DISPATCH_PLAIN), plain, rarer, false);
    LLVMPositionBuilderAtEnd(e->b, rarer);
    if (symbolic) {
        LLVMBasicBlockRef not_event = pf_emit_block(e);
        pf_emit_branch(e, dispatch_is(e, how, PF_DISPATCH_EVENT), event, not_event, false);
        LLVMPositionBuilderAtEnd(e->b, not_event);
        pf_emit_branch(e, dispatch_is(e, how, PF_DISPATCH_SYMBOLIC), symbolic, asking, false);
    } else {
        pf_emit_branch(e, dispatch_is(e, how, PF_DISPATCH_EVENT), event, asking, false);
    }
    LLVMPositionBuilderAtEnd(e->b, asking);
    LLVMValueRef body = pf_emit_call(e, PF_E___pf_ask, &e->record);
    pf_emit_branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, body, pf_emit_number(e, PF_BODY_PLAIN), ""),
                   plain, asked, false);
    LLVMPositionBuilderAtEnd(e->b, asked);
    pf_emit_branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, body, pf_emit_number(e, PF_BODY_EVENT), ""),
                   event, excluded_or_watch, false);
    LLVMPositionBuilderAtEnd(e->b, excluded_or_watch);
    if (symbolic) {
        LLVMBasicBlockRef not_symbolic = pf_emit_block(e);
        pf_emit_branch(
            e, LLVMBuildICmp(e->b, LLVMIntEQ, body, pf_emit_number(e, PF_BODY_SYMBOLIC), ""),
            symbolic, not_symbolic, false);
        LLVMPositionBuilderAtEnd(e->b, not_symbolic);
    }
    pf_emit_branch(e, LLVMBuildICmp(e->b, LLVMIntEQ, body, pf_emit_number(e, PF_BODY_EXCLUDED), ""),
                   excluded, watch, false);
    return start;
}

static void add_pending_func(struct pf_emit *e, uint64_t hash, bool on_demand)
{
    struct pf_unit *u = e->u;
    size_t n;
    LLVMMetadataRef sub = LLVMGetSubprogram(e->fn);
    struct pf_site_table *names = pf_site_table_get(u, u->detached ? NULL : LLVMGetComdat(e->fn));
    PF_PUSH(u->pending, u->npending, u->pending_cap) = (struct pf_pending_func){
        .record = e->record,
        .fn = e->fn,
        .names = names,
        .sites = e->table,
        .name = pf_site_table_string(names, pf_di_function(u, sub, LLVMGetValueName2(e->fn, &n))),
        .file = pf_site_table_string(names, pf_di_file(u, sub)),
        .line = sub ? LLVMDISubprogramGetLine(sub) : 0,
        .first_site = e->table->sites.first,
        .nsites = e->table->sites.n - e->table->sites.first,
        .hash = hash,
        .flags = (e->plan->cyclic ? PF_FUNCF_LOOPS : 0) | (u->symbolic ? PF_FUNCF_SYMBOLIC : 0) |
                 (on_demand ? PF_FUNCF_ON_DEMAND : 0) | (u->detached ? PF_FUNCF_DETACHED : 0) |
                 (e->table->in_file ? PF_FUNCF_SITES_IN_FILE : 0),
    };
}

/* --- the event body on demand --- */

/* Emits the jump to the event body that the runtime has loaded. */
static LLVMBasicBlockRef emit_loaded_event(struct pf_emit *e)
{
    struct pf_unit *u = e->u;
    LLVMBasicBlockRef jump = pf_emit_block(e);
    LLVMPositionBuilderAtEnd(e->b, jump);
    LLVMSetCurrentDebugLocation2(e->b, pf_di_entry(u, e->fn));
    LLVMValueRef at = LLVMBuildStructGEP2(e->b, u->func_type, e->record, PF_FUNC_FIELD_EVENT, "");
    pf_emit_jump(e->b, e->fn, LLVMBuildLoad2(e->b, u->ptr, at, ""));
    return jump;
}

void pf_emit(struct pf_unit *u, LLVMValueRef fn, struct pf_plan *plan, struct pf_plan *events,
             bool labels, bool on_demand)
{
    struct pf_emit e = {.u = u, .fn = fn, .plan = plan, .labels = labels};
    struct pf_emit event = {0}, symbolic = {0};
    e.table = pf_site_table_of_sites(u, u->detached ? NULL : LLVMGetComdat(fn));
    e.b = LLVMCreateBuilderInContext(u->context);
    e.record = pf_tables_record(u, fn);
    pf_site_table_begin(e.table);
    uint64_t hash = pf_body_hash(fn);
    pf_emit_body_begin(&e);
    pf_event_begin(&event, &e, events, !on_demand);
    if (u->symbolic) {
        pf_event_begin(&symbolic, &e, events, true);
        symbolic.symbolic = true;
    }
    LLVMBasicBlockRef excluded = pf_emit_block(&e);
    LLVMBasicBlockRef to_symbolic = u->symbolic ? symbolic.first[0] : NULL;
    LLVMBasicBlockRef to_event = on_demand                    ? emit_loaded_event(&e)
                                 : u->detached && u->symbolic ? to_symbolic
                                                              : event.first[0];
    LLVMBasicBlockRef dispatch =
        emit_dispatch(&e, plan->blocks[0], e.first[0], to_event, excluded, to_symbolic);
    pf_emit_walk(&e, &watch_walk);
    pf_range_before_emit(&e);
    pf_range_after_emit(&e);
    pf_emit_body_finish(&e);
    if (on_demand)
        pf_event_emit_excluded(&event, dispatch, excluded);
    else
        pf_event_emit(&event, dispatch, excluded);
    if (u->symbolic) {
        pf_event_emit(&symbolic, dispatch, NULL);
        pf_symbolic_add_labels(&symbolic, dispatch);
    }
    struct pf_frames watch = {e.frame, e.next}, plain = pf_emit_plain(&e);
    pf_emit_body_switches(&e, &watch, &plain);
    if (u->detached)
        pf_llvm_keep_reachable(dispatch, u->whole ? NULL : to_event);
    add_pending_func(&e, hash, on_demand);
    LLVMDisposeBuilder(e.b);
    pf_emit_body_release(&e);
    pf_emit_body_release(&event);
    pf_emit_body_release(&symbolic);
}
