/*
 * module_pass.c - the plugin's pass over one module: declares the runtime's entry points, decides
 * which functions are instrumented, and runs the planning and emitting steps on each.
 */
#include "debuginfo.h"
#include "ignore.h"
#include "kept_ir.h"
#include "llvm_shim.h"
#include "plugin.h"
#include "site_table.h"
#include "source_location.h"
#include "variable_bounds.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void pf_plugin_begin(LLVMModuleRef module, bool optimizes);
void pf_plugin_run(LLVMModuleRef module);

static unsigned attribute(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}
static unsigned intrinsic(const char *name) { return LLVMLookupIntrinsicID(name, strlen(name)); }

static void find_kinds(struct pf_unit *u)
{
    struct pf_kinds *k = &u->kinds;
    k->byval = attribute("byval");
    k->nocapture = attribute("nocapture");
    k->nosync = attribute("nosync");
    k->memory = attribute("memory");
    k->returns_twice = attribute("returns_twice");
    k->nobuiltin = attribute("nobuiltin");
    k->sanitize_thread = attribute("sanitize_thread");
    k->disable_sanitizer = attribute("disable_sanitizer_instrumentation");
    k->naked = attribute("naked");
    k->presplitcoroutine = attribute("presplitcoroutine");
    k->nonlazybind = attribute("nonlazybind");
    k->align = attribute("align");
    k->elementtype = attribute("elementtype");
    k->md_tbaa = LLVMGetMDKindIDInContext(u->context, "tbaa", 4);
    k->md_prof = LLVMGetMDKindIDInContext(u->context, "prof", 4);
    k->md_nosanitize = LLVMGetMDKindIDInContext(u->context, "nosanitize", 10);
    k->md_invariant_load = LLVMGetMDKindIDInContext(u->context, "invariant.load", 14);
    k->memcpy = intrinsic("llvm.memcpy");
    k->memcpy_inline = intrinsic("llvm.memcpy.inline");
    k->memmove = intrinsic("llvm.memmove");
    k->memset = intrinsic("llvm.memset");
    k->memset_inline = intrinsic("llvm.memset.inline");
    k->tls_address = intrinsic("llvm.threadlocal.address");
    k->lifetime_start = intrinsic("llvm.lifetime.start");
    k->lifetime_end = intrinsic("llvm.lifetime.end");
    k->prefetch = intrinsic("llvm.prefetch");
}

static LLVMAttributeRef make_attribute(struct pf_unit *u, unsigned kind)
{
    return LLVMCreateEnumAttribute(u->context, kind, 0);
}

/* LLVM's numbers for preserve_allcc, preserve_mostcc and the C calling convention. */
enum { PF_ALL = 15, PF_MOST = 14, PF_C = 0 };

/* The LLVM type for a type letter of pf_abi.def. */
static LLVMTypeRef type_of(struct pf_unit *u, char letter)
{
    return letter == 'P' ? u->ptr : letter == 'I' ? u->i32 : letter == 'L' ? u->i64 : u->nothing;
}

static void declare_entry(struct pf_unit *u, enum pf_entry entry, const char *name,
                          unsigned convention, char result, const char *parameters)
{
    LLVMTypeRef types[8];
    unsigned n = 0;
    for (; *parameters; parameters++)
        if (strchr("PIL", *parameters))
            types[n++] = type_of(u, *parameters);
    LLVMTypeRef type = LLVMFunctionType(type_of(u, result), types, n, 0);
    LLVMValueRef fn = LLVMGetNamedFunction(u->module, name);
    if (!fn)
        fn = LLVMAddFunction(u->module, name, type);
    LLVMSetFunctionCallConv(fn, convention);
    /* A lazily bound call goes through the dynamic linker, which does not preserve all registers
     * that these calling conventions promise to preserve. */
    if (u->shared_object || u->detached)
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                make_attribute(u, u->kinds.nonlazybind));
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            make_attribute(u, attribute("nounwind")));
    u->entries[entry].fn = fn;
    u->entries[entry].type = type;
    u->entries[entry].convention = convention;
}

static void declare_runtime(struct pf_unit *u)
{
#define PF_ENTRY(name, convention, result, parameters)                                             \
    declare_entry(u, PF_E_##name, #name, convention, #result[0], #parameters);
#include "pf_abi.def"
#undef PF_ENTRY
    u->tls = LLVMGetNamedGlobal(u->module, "__pf_tls");
    if (!u->tls)
        u->tls = LLVMAddGlobal(u->module, LLVMArrayType2(u->i8, sizeof(struct pf_tls)), "__pf_tls");
    /* The runtime is part of the executable, so code that is only linked into executables can use
     * the local-exec model. */
    LLVMSetThreadLocalMode(u->tls, u->shared_object || u->detached ? LLVMInitialExecTLSModel
                                                                   : LLVMLocalExecTLSModel);
    LLVMSetAlignment(u->tls, 8);
    u->bare = LLVMGetNamedGlobal(u->module, "__pf_bare");
    if (!u->bare)
        u->bare = LLVMAddGlobal(u->module, u->i32, "__pf_bare");
    if (!u->shared_object && !u->detached)
        pf_llvm_set_dso_local(u->bare);
}

static bool has_flag(struct pf_unit *u, const char *name)
{
    return LLVMGetModuleFlag(u->module, name, strlen(name));
}

static void unit_init(struct pf_unit *u, LLVMModuleRef module, bool detached)
{
    *u = (struct pf_unit){.module = module, .context = LLVMGetModuleContext(module)};
    u->layout = LLVMGetModuleDataLayout(module);
    u->i1 = LLVMInt1TypeInContext(u->context);
    u->i8 = LLVMInt8TypeInContext(u->context);
    u->i32 = LLVMInt32TypeInContext(u->context);
    u->i64 = LLVMInt64TypeInContext(u->context);
    u->ptr = LLVMPointerTypeInContext(u->context, 0);
    u->nothing = LLVMVoidTypeInContext(u->context);
    LLVMTypeRef func[] = {u->i32, u->i32, u->i32, u->i32, u->i32,
                          u->i32, u->i64, u->i32, u->i32, u->i64};
    LLVMTypeRef var[] = {u->i64, u->i64, u->i32, u->i32, u->i32, u->i32};
    u->func_type = LLVMStructCreateNamed(u->context, "pf_func");
    LLVMStructSetBody(u->func_type, func, 10, 0);
    u->var_type = LLVMStructCreateNamed(u->context, "pf_var");
    LLVMStructSetBody(u->var_type, var, 6, 0);
    u->shared_object = has_flag(u, "PIC Level") && !has_flag(u, "PIE Level");
    const char *how = getenv("PF_PLUGIN_INLINE");
    u->inlining = !how || !strcmp(how, "loops") ? PF_INLINE_LOOPS
                  : !strcmp(how, "all")         ? PF_INLINE_ALL
                                                : PF_INLINE_NONE;
    const char *accesses = getenv("PF_PLUGIN_ACCESSES");
    u->no_accesses = accesses && !strcmp(accesses, "none");
    u->symbolic = getenv("PF_PLUGIN_SYMBOLIC");
    u->scopes = getenv("PF_PLUGIN_SCOPES");
    u->detached = detached;
    /* Link-time optimisation joins modules, and with them their assembler code and its labels. */
    u->loads_sites = detached || getenv("PF_PLUGIN_LTO");
    u->on_demand = getenv("PF_PLUGIN_ON_DEMAND") && !u->symbolic && !detached;
    if (!getcwd(u->cwd, sizeof u->cwd))
        u->cwd[0] = 0;
    find_kinds(u);
    u->ignore = pf_ignore_load();
}

void pf_plugin_close(struct pf_unit *u)
{
    pf_source_release(u);
    pf_site_tables_release(u);
    pf_di_release(u);
    pf_interposed_release(u);
    pf_ptrmap_release(&u->private_roots);
    pf_ptrmap_release(&u->private_args);
    pf_ptrmap_release(&u->watched);
    pf_ptrmap_release(&u->red_zoned);
    pf_ignore_free(u->ignore);
    free(u->pending);
    free(u->bare_entries);
    free(u->empty);
    free(u->kept);
}

static bool has(LLVMValueRef fn, unsigned kind)
{
    return LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, kind);
}

#define IGNORED "pf-ignored" /* attribute of a function that the user has excluded */

static bool is_ignored(struct pf_unit *u, LLVMValueRef fn)
{
    size_t n;
    const char *symbol = LLVMGetValueName2(fn, &n);
    LLVMMetadataRef sub = LLVMGetSubprogram(fn);
    if (LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, IGNORED, strlen(IGNORED)))
        return true;
    return u->ignore && (pf_ignore_function(u->ignore, symbol) ||
                         pf_ignore_function(u->ignore, pf_di_function(u, sub, symbol)) ||
                         pf_ignore_source(u->ignore, sub ? pf_di_file(u, sub)
                                                         : LLVMGetSourceFileName(u->module, &n)));
}

static bool is_ours(struct pf_unit *u, LLVMValueRef fn)
{
    size_t n;
    return !LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) != LLVMAvailableExternallyLinkage &&
           !has(fn, u->kinds.naked) && !has(fn, u->kinds.disable_sanitizer) &&
           !has(fn, u->kinds.presplitcoroutine) &&
           !pf_name_starts(LLVMGetValueName2(fn, &n), "__pf_");
}

/* Attributes that are true of the original function but not of its watch body. */
static const char *const stale_attributes[] = {
    "memory", "nosync", "nofree", "norecurse", "willreturn", "speculatable", "nocallback"};

static void drop_attributes(LLVMValueRef fn)
{
    for (size_t i = 0; i < sizeof stale_attributes / sizeof *stale_attributes; i++)
        LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                       attribute(stale_attributes[i]));
}

/* Reports a function that gets no checks: the user must not take it for a function without
 * races. */
static void warn(struct pf_unit *u, LLVMValueRef fn, const char *why)
{
    size_t n;
    const char *name = pf_di_readable(u, LLVMGetValueName2(fn, &n));
    fprintf(stderr, "%s: warning: pf cc does not check %s: %s\n",
            LLVMGetSourceFileName(u->module, &n), name, why);
}

/* True if v is a call that may access memory. __errno_location, for one, does not. */
static bool calls(struct pf_unit *u, LLVMValueRef v)
{
    bool call = LLVMIsACallInst(v) || LLVMIsAInvokeInst(v) || LLVMIsACallBrInst(v);
    if (call && LLVMIsAInlineAsm(LLVMGetCalledValue(v)))
        return true; /* its operands may be addresses that it reads */
    return call && !(pf_callee(v) && LLVMGetIntrinsicID(pf_callee(v))) && !pf_call_is_pure(u, v);
}

/* For a function without visible operations: true if it calls nothing that may access memory, and
 * it can be called from elsewhere or through a pointer. It then needs a record, or a call to it
 * would look like one of code that was not built with pf cc. */
static bool needs_empty_record(struct pf_unit *u, LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            if (calls(u, v))
                return false;
    return LLVMGetLinkage(fn) != LLVMInternalLinkage || LLVMGetFirstUse(fn);
}

/* Copies the site flags from the event plan, so that all bodies share their sites. */
static void take_flags(struct pf_plan *plan, const struct pf_plan *events)
{
    struct pf_ptrmap flags = {0};
    for (size_t i = 0; i < events->n; i++)
        *pf_ptrmap_at(&flags, events->steps[i].inst) = events->steps[i].flags;
    for (size_t i = 0; i < plan->n; i++) {
        const uint64_t *of = pf_ptrmap_find(&flags, plan->steps[i].inst);
        plan->steps[i].flags = of ? (uint8_t)*of : 0;
    }
    pf_ptrmap_release(&flags);
}

static bool has_checks(struct pf_unit *u, LLVMValueRef fn)
{
    return has(fn, u->kinds.sanitize_thread) && !u->no_accesses;
}

bool pf_plugin_has_operations(struct pf_unit *u, LLVMValueRef fn)
{
    struct pf_plan plan, events;
    bool has_some = pf_plan_make(u, fn, has_checks(u, fn), false, &plan);
    has_some |= pf_plan_make(u, fn, has_checks(u, fn), true, &events);
    pf_plan_release(&plan);
    pf_plan_release(&events);
    return has_some;
}

void pf_plugin_instrument(struct pf_unit *u, LLVMValueRef fn, bool labels)
{
    bool accesses = has_checks(u, fn);
    struct pf_plan plan, events;
    bool watched = pf_plan_make(u, fn, accesses, false, &plan);
    /* A symbolic body computes labels even if the function has no visible operation. */
    if (pf_plan_make(u, fn, accesses, true, &events) || watched || u->symbolic) {
        bool jumps = u->on_demand && !labels && pf_can_jump(u, fn);
        if (!jumps) {
            pf_plan_hot_loops(&events);
            pf_plan_read_dependence(u, &events);
            pf_plan_check_then_act(&events);
            take_flags(&plan, &events);
        }
        pf_plan_switch_edges(&plan, labels);
        pf_plan_remove_redundant(&plan);
        pf_plan_ranges_before_loops(u, &plan);
        pf_plan_ranges_after_loops(u, &plan);
        pf_plan_merge_adjacent(u, &plan);
        pf_plan_switch_edges_leave(&plan);
        pf_plan_hot_loops(&plan);
        LLVMValueRef bodies = labels || u->detached ? NULL : pf_bare_entry_begin(u, fn);
        pf_emit(u, fn, &plan, &events, labels, jumps);
        drop_attributes(fn);
        if (bodies) {
            drop_attributes(bodies);
            pf_bare_entry_finish(u, fn, bodies);
        }
    } else if (accesses && needs_empty_record(u, fn)) {
        pf_tables_add_empty(u, fn);
    }
    pf_plan_release(&plan);
    pf_plan_release(&events);
}

/* Removes the sanitize_thread attribute from ignored functions before inlining, as clang does for
 * no_sanitize("thread"). LLVM does not inline functions into each other if they differ in this
 * attribute, so the ignore list means the same at every optimization level. */
static void exclude_ignored(struct pf_unit *u)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); u->ignore && fn;
         fn = LLVMGetNextFunction(fn))
        if (is_ours(u, fn) && is_ignored(u, fn))
            LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                           u->kinds.sanitize_thread);
}

void pf_plugin_begin(LLVMModuleRef module, bool optimizes)
{
    struct pf_unit u;
    unit_init(&u, module, false);
    exclude_ignored(&u);
    if (optimizes)
        pf_source_record(&u);
    pf_plugin_close(&u);
}

/* Keeps the IR if some function would otherwise get an event body. */
static void keep_ir(struct pf_unit *u)
{
    bool any = false;
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!is_ours(u, fn))
            continue;
        any = true;
        if (is_ignored(u, fn)) /* the kept IR must not depend on the list of the user */
            LLVMAddTargetDependentFunctionAttr(fn, IGNORED, "1");
    }
    u->on_demand &= any;
    if (u->on_demand)
        pf_kept_save(u);
}

void pf_plugin_open(struct pf_unit *u, LLVMModuleRef module, bool detached)
{
    struct pf_kept_list l;
    unit_init(u, module, detached);
    pf_kept_list_make(&l, module);
    memcpy(u->kept_counts, l.count, sizeof l.count);
    free(l.all);
    if (u->on_demand)
        keep_ir(u);
    pf_source_restore(u);
    declare_runtime(u);
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn)) {
        bool labels;
        if (!is_ours(u, fn) || is_ignored(u, fn))
            continue;
        const char *obstacle = pf_clone_obstacle(u, fn, &labels);
        if (!obstacle)
            *pf_ptrmap_at(&u->watched, fn) = 1 + labels;
        else if (!detached)
            warn(u, fn, obstacle);
    }
    pf_bounds_add_red_zones(u);
    pf_private_args_find(u);
}

void pf_plugin_run(LLVMModuleRef module)
{
    struct pf_unit u;
    pf_plugin_open(&u, module, false);
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn)) {
        const uint64_t *watched = pf_ptrmap_find(&u.watched, fn);
        if (watched)
            pf_plugin_instrument(&u, fn, *watched > 1);
    }
    pf_bare_entry_direct_calls(&u);
    pf_tables_write(&u);
    if (u.on_demand)
        pf_kept_write(&u);
    /* Leave nothing for the ThreadSanitizer pass to do. */
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn)) {
        LLVMRemoveEnumAttributeAtIndex(fn, LLVMAttributeFunctionIndex, u.kinds.sanitize_thread);
        if (!LLVMIsDeclaration(fn))
            LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                                    make_attribute(&u, u.kinds.disable_sanitizer));
        /* a symbolic run replaces small functions by a jump (PF_JUMP_BYTES) */
        if (u.on_demand && !LLVMIsDeclaration(fn) && LLVMGetAlignment(fn) < 16)
            LLVMSetAlignment(fn, 16);
    }
    pf_plugin_close(&u);
}
