/*
 * event_module.c - see event_module.h. Called by pf-bodies (src/bodies).
 */
#include "event_module.h"
#include "kept_ir.h"
#include "llvm_shim.h"
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <string.h>

/* An event body that was made. */
struct body {
    LLVMValueRef fn;
    struct pf_wanted_body *of;
};

struct bodies {
    struct body *all;
    size_t n, cap;
};

size_t pf_event_module_globals(LLVMModuleRef module)
{
    struct pf_kept_list l;
    pf_kept_list_make(&l, module);
    free(l.all);
    return l.n;
}

static void at_name(char name[64], uint64_t address)
{
    snprintf(name, 64, PF_AT "%llx", (unsigned long long)address);
}

/* True if another object may replace the definition at run time. */
static bool is_replaceable(struct pf_unit *u, LLVMValueRef g)
{
    LLVMLinkage linkage = LLVMGetLinkage(g);
    return u->shared_object && linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage &&
           LLVMGetVisibility(g) == LLVMDefaultVisibility;
}

static LLVMValueRef declare_variable(struct pf_unit *u, uint64_t address)
{
    char name[64];
    at_name(name, address);
    LLVMValueRef g = LLVMGetNamedGlobal(u->module, name);
    if (!g) {
        g = LLVMAddGlobal(u->module, u->i8, name);
        LLVMSetLinkage(g, LLVMExternalWeakLinkage);
    }
    return g;
}

/* Makes the uses of a thread-local variable call the linked object's function that returns its
 * address. */
static bool replace_thread_local(struct pf_unit *u, LLVMValueRef g, uint64_t address)
{
    char name[64];
    if (!address)
        return false;
    at_name(name, address);
    LLVMValueRef fn = LLVMAddFunction(u->module, name, LLVMFunctionType(u->ptr, NULL, 0, 0));
    LLVMSetLinkage(fn, LLVMExternalWeakLinkage);
    pf_llvm_replace_thread_local(g, fn);
    return true;
}

static void drop_definitions(struct pf_unit *u, const struct pf_kept_list *l,
                             const struct pf_ptrmap *made)
{
    static const char *const arrays[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                                         "llvm.global_dtors"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        LLVMValueRef g = LLVMGetNamedGlobal(u->module, arrays[i]);
        if (g)
            LLVMDeleteGlobal(g);
    }
    LLVMSetModuleInlineAsm2(u->module, "", 0);
    for (size_t i = 0; i < l->n; i++)
        if (!pf_ptrmap_find(made, l->all[i]))
            pf_llvm_drop_definition(l->all[i]);
}

/* Makes everything that the bodies use foreign. */
static const char *make_foreign(struct pf_unit *u, const struct pf_kept_list *l,
                                const struct pf_ptrmap *made, const struct pf_event_module *m,
                                const bool *replaceable)
{
    for (size_t i = 0; i < l->n; i++) {
        LLVMValueRef g = l->all[i];
        size_t n;
        char name[64 + 4096];
        const char *old = LLVMGetValueName2(g, &n);
        if (!LLVMGetFirstUse(g) || pf_name_starts(old, "__pf_") ||
            (LLVMIsAFunction(g) && LLVMGetIntrinsicID(g)))
            continue;
        if (LLVMIsAGlobalVariable(g) && LLVMIsThreadLocal(g)) {
            if (!replace_thread_local(u, g, m->address[i]))
                return "a thread-local variable has no address";
            continue;
        }
        uint64_t address = m->address[i] ? m->address[i] : m->find(m->context, old);
        at_name(name, address);
        if (replaceable[i])
            snprintf(name + strlen(name), 4096, PF_AT_NAMED "%s", old);
        pf_llvm_make_foreign(g, address ? name : NULL, pf_ptrmap_find(made, g));
    }
    return NULL;
}

/* Adds the entry of section pf_bodies. */
static LLVMValueRef add_entry(struct pf_unit *u, const struct body *b)
{
    LLVMTypeRef types[] = {u->i64, u->ptr};
    LLVMValueRef fields[] = {LLVMConstInt(u->i64, b->of->record, 0), b->fn};
    LLVMTypeRef type = LLVMStructTypeInContext(u->context, types, 2, 0);
    LLVMValueRef g = LLVMAddGlobal(u->module, type, "__pf_body");
    LLVMSetInitializer(g, LLVMConstNamedStruct(type, fields, 2));
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetSection(g, PF_BODIES_SECTION);
    LLVMSetAlignment(g, 8);
    return g;
}

static void make_bodies(struct pf_unit *u, const struct pf_kept_list *l,
                        const struct pf_event_module *m, struct bodies *made)
{
    for (size_t i = 0; i < l->n; i++) {
        const uint64_t *watched = pf_ptrmap_find(&u->watched, l->all[i]);
        struct pf_wanted_body *w =
            watched && m->address[i] ? m->wanted(m->context, m->address[i]) : NULL;
        if (!w || *watched > 1 || !pf_can_jump(u, l->all[i]))
            continue;
        u->event_record = declare_variable(u, w->record);
        size_t before = u->npending;
        pf_plugin_instrument(u, l->all[i], false);
        const struct pf_pending_func *f = &u->pending[before];
        if (u->npending != before + 1 || f->hash != w->hash || f->nsites != w->nsites)
            continue; /* the linker has kept the function of another module */
        w->done = true;
        PF_PUSH(made->all, made->n, made->cap) = (struct body){l->all[i], w};
    }
}

const char *pf_event_module_make(LLVMModuleRef module, const struct pf_event_module *m)
{
    struct pf_unit u;
    struct pf_kept_list l;
    struct bodies made = {0};
    struct pf_ptrmap is_made = {0};
    LLVMSetIsNewDbgInfoFormat(module, true);
    pf_kept_restore_settings(module);
    pf_plugin_open(&u, module, true);
    pf_kept_list_make(&l, module); /* the red zones are there: variables have been replaced */
    pf_kept_list_cut(&l, u.kept_counts);
    make_bodies(&u, &l, m, &made);
    for (size_t i = 0; i < made.n; i++)
        *pf_ptrmap_at(&is_made, made.all[i].fn) = 1;
    bool *replaceable = pf_zeroed(l.n + 1, sizeof *replaceable);
    for (size_t i = 0; i < l.n; i++)
        replaceable[i] = is_replaceable(&u, l.all[i]);
    drop_definitions(&u, &l, &is_made);
    const char *wrong = make_foreign(&u, &l, &is_made, m, replaceable);
    free(replaceable);
    for (size_t i = 0; i < made.n; i++)
        pf_llvm_keep_global(add_entry(&u, &made.all[i]));
    pf_llvm_drop_unused(module);
    char *text = NULL;
    if (!wrong && getenv("PF_BODIES_VERIFY") &&
        LLVMVerifyModule(module, LLVMPrintMessageAction, &text))
        wrong = "the module is invalid";
    LLVMDisposeMessage(text);
    pf_ptrmap_release(&is_made);
    free(made.all);
    free(l.all);
    pf_plugin_close(&u);
    return wrong;
}
