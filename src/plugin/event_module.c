/*
 * event_module.c - see event_module.h. Called by pf-bodies (src/bodies).
 */
#include "event_module.h"
#include "kept_ir.h"
#include "llvm_shim.h"
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <string.h>

/* A body that was made. */
struct body {
    LLVMValueRef fn;
    uint64_t entry, record; /* as in struct pf_body_entry */
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

/* Makes every use of a global value refer to a symbol that is resolved when the module is loaded
 * (pf_llvm_make_foreign). */
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

/* Adds the body's entry to section pf_bodies. */
static LLVMValueRef add_entry(struct pf_unit *u, const struct body *b)
{
    LLVMTypeRef types[] = {u->i64, u->i64, u->ptr};
    LLVMValueRef fields[] = {LLVMConstInt(u->i64, b->record, 0), LLVMConstInt(u->i64, b->entry, 0),
                             b->fn};
    LLVMTypeRef type = LLVMStructTypeInContext(u->context, types, 3, 0);
    LLVMValueRef g = LLVMAddGlobal(u->module, type, "__pf_body");
    LLVMSetInitializer(g, LLVMConstNamedStruct(type, fields, 3));
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetSection(g, PF_BODIES_SECTION);
    LLVMSetAlignment(g, 8);
    return g;
}

/* Makes the body of fn. labels: fn takes addresses of labels, for computed gotos. w: its record in
 * the linked object, or NULL. Returns false if the linker has kept the function of another module,
 * or if the function neither has a jump to its event body nor can become a jump (that is done only
 * in symbolic modules). */
static bool make_body(struct pf_unit *u, LLVMValueRef fn, bool labels, uint64_t entry,
                      const struct pf_event_module *m, const struct pf_wanted_body *w)
{
    bool has_bodies = w && w->hash, jumps = has_bodies && w->on_demand;
    if (has_bodies ? pf_body_hash(fn) != w->hash : pf_plugin_has_operations(u, fn))
        return false;
    if (jumps ? labels || !pf_can_jump(u, fn) : !u->symbolic || !m->replace(m->context, entry))
        return false;
    /* the tables of computed gotos in the object hold addresses in its own plain body */
    u->whole = !jumps && !labels;
    pf_plugin_instrument(u, fn, labels);
    return true;
}

static void make_bodies(struct pf_unit *u, const struct pf_kept_list *l,
                        const struct pf_event_module *m, struct bodies *made)
{
    for (size_t i = 0; i < l->n; i++) {
        LLVMValueRef fn = l->all[i];
        uint64_t entry = m->address[i];
        const uint64_t *watched = entry ? pf_ptrmap_find(&u->watched, fn) : NULL;
        struct pf_wanted_body *w = watched ? m->wanted(m->context, entry) : NULL;
        if (!watched || (w && w->done) || !make_body(u, fn, *watched > 1, entry, m, w))
            continue;
        if (w)
            w->done = true;
        PF_PUSH(made->all, made->n, made->cap) =
            (struct body){fn, entry, w && w->on_demand ? w->record : 0};
    }
}

/* Writes the records of the bodies. */
static void write_records(struct pf_unit *u, const struct bodies *made)
{
    struct pf_ptrmap entries = {0};
    LLVMValueRef *keep = pf_grow(NULL, (u->npending + 1) * sizeof *keep);
    for (size_t i = 0; i < made->n; i++)
        *pf_ptrmap_at(&entries, made->all[i].fn) = made->all[i].entry;
    for (size_t i = 0; i < u->npending; i++) {
        struct pf_pending_func *f = &u->pending[i];
        char name[64];
        at_name(name, *pf_ptrmap_find(&entries, f->fn));
        LLVMValueRef fn = LLVMGetNamedFunction(u->module, name);
        f->address = fn ? fn : declare_variable(u, *pf_ptrmap_find(&entries, f->fn));
        keep[i] = f->record;
    }
    pf_tables_write_records(u);
    if (u->npending)
        pf_tables_append(u, "llvm.compiler.used", u->ptr, keep, u->npending, "llvm.metadata");
    pf_ptrmap_release(&entries);
    free(keep);
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
    /* made only now, because pf_plugin_open has replaced variables by ones with red zones */
    pf_kept_list_make(&l, module);
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
    write_records(&u, &made);
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
