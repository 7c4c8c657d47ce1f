/*
 * module_tables.c - the tables that describe a module: function records, variables, the constructor
 * that passes the tables of the linked object to the runtime, and the ELF note.
 *
 * Every module contains the same constructor and destructor, in a comdat group. The linker keeps
 * one of each per executable or shared library, and __start_/__stop_ of our sections are those of
 * that object.
 */
#include "debuginfo.h"
#include "plugin.h"
#include "site_table.h"
#include "variable_bounds.h"
#include <string.h>

/* target + offset - address of field `index` of `holder`, as `type`. */
static LLVMValueRef distance(struct pf_unit *u, LLVMValueRef target, uint64_t offset,
                             LLVMValueRef holder, LLVMTypeRef holder_type, unsigned index,
                             LLVMTypeRef type)
{
    LLVMValueRef at[] = {LLVMConstInt(u->i32, 0, 0), LLVMConstInt(u->i32, index, 0)};
    LLVMValueRef off = LLVMConstInt(u->i64, offset, 0);
    LLVMValueRef field = LLVMConstInBoundsGEP2(holder_type, holder, at, 2);
    LLVMValueRef to = LLVMConstPtrToInt(LLVMConstInBoundsGEP2(u->i8, target, &off, 1), u->i64);
    LLVMValueRef d = LLVMConstSub(to, LLVMConstPtrToInt(field, u->i64));
    return type == u->i64 ? d : LLVMConstTrunc(d, type);
}

static LLVMValueRef string_distance(struct pf_unit *u, struct pf_site_table *b, uint32_t string,
                                    LLVMValueRef holder, LLVMTypeRef holder_type, unsigned index)
{
    return string ? distance(u, b->global, pf_site_table_offset(b, string), holder, holder_type,
                             index, u->i32)
                  : LLVMConstInt(u->i32, 0, 0);
}

/* An alias that another object cannot preempt. In a shared library the distance to an exported
 * variable or function is not a constant, but the distance to this module's own definition is. */
static LLVMValueRef own_name(struct pf_unit *u, LLVMValueRef g)
{
    LLVMLinkage linkage = LLVMGetLinkage(g);
    if (linkage == LLVMInternalLinkage || LLVMGetVisibility(g) == LLVMHiddenVisibility)
        return g;
    LLVMValueRef alias = LLVMAddAlias2(u->module, LLVMGlobalGetValueType(g), 0, g, "__pf_alias");
    LLVMSetLinkage(alias, LLVMPrivateLinkage);
    return alias;
}

LLVMValueRef pf_tables_record(struct pf_unit *u, LLVMValueRef fn)
{
    LLVMValueRef record = LLVMAddGlobal(u->module, u->func_type, "__pf_func");
    LLVMSetLinkage(record, LLVMPrivateLinkage);
    LLVMSetSection(record, "pf_func");
    LLVMSetAlignment(record, 8);
    if (LLVMGetComdat(fn) && !u->detached)
        LLVMSetComdat(record, LLVMGetComdat(fn));
    return record;
}

void pf_tables_add_empty(struct pf_unit *u, LLVMValueRef fn)
{
    LLVMValueRef record = pf_tables_record(u, fn);
    PF_PUSH(u->empty, u->nempty, u->empty_cap) = record;
    PF_PUSH(u->pending, u->npending, u->pending_cap) =
        (struct pf_pending_func){.record = record, .fn = fn};
}

static void write_record(struct pf_unit *u, const struct pf_pending_func *d)
{
    uint64_t sites = d->first_site * sizeof(struct pf_site);
    LLVMValueRef fields[] = {
        string_distance(u, d->names, d->name, d->record, u->func_type, 0),
        string_distance(u, d->names, d->file, d->record, u->func_type, 1),
        d->nsites ? distance(u, d->sites->global, sites, d->record, u->func_type, 2, u->i32)
                  : LLVMConstInt(u->i32, 0, 0),
        LLVMConstInt(u->i32, d->nsites, 0),
        LLVMConstInt(u->i32, d->line, 0),
        LLVMConstInt(u->i32, 0, 0),
        LLVMConstInt(u->i64, d->hash, 0),
        distance(u, own_name(u, d->fn), 0, d->record, u->func_type, 7, u->i32),
        LLVMConstInt(u->i32, d->flags, 0),
        d->address ? LLVMConstPtrToInt(d->address, u->i64) : LLVMConstInt(u->i64, 0, 0),
    };
    LLVMSetInitializer(d->record, LLVMConstNamedStruct(u->func_type, fields, 10));
}

struct variable {
    LLVMValueRef record, target;
    struct pf_site_table *table;
    uint32_t name, file, line;
    uint64_t size;
    bool red_zoned;
};

static bool is_named_variable(LLVMValueRef g)
{
    size_t n;
    LLVMLinkage linkage = LLVMGetLinkage(g);
    return !LLVMIsDeclaration(g) && !LLVMIsGlobalConstant(g) && !LLVMIsThreadLocal(g) &&
           linkage != LLVMPrivateLinkage && linkage != LLVMAvailableExternallyLinkage &&
           linkage != LLVMAppendingLinkage && linkage != LLVMCommonLinkage &&
           !pf_name_starts(LLVMGetValueName2(g, &n), "llvm.") &&
           !pf_name_starts(LLVMGetValueName2(g, &n), "__pf_") &&
           (!LLVMGetSection(g) || strcmp(LLVMGetSection(g), "llvm.metadata"));
}

static struct variable note_variable(struct pf_unit *u, LLVMValueRef g)
{
    const char *name, *file = NULL;
    unsigned line = 0;
    struct variable v = {.table = pf_site_table_get(u, LLVMGetComdat(g))};
    size_t n;
    if (!pf_di_global(u, g, &name, &file, &line))
        file = LLVMGetSourceFileName(u->module, &n);
    v.name = pf_site_table_string(v.table, name);
    v.file = pf_site_table_string(v.table, file);
    v.line = line;
    v.size = pf_bounds_size(u, g, LLVMGlobalGetValueType(g));
    v.red_zoned = pf_ptrmap_find(&u->red_zoned, g) != NULL;
    v.record = LLVMAddGlobal(u->module, u->var_type, "__pf_var");
    v.target = own_name(u, g);
    LLVMSetLinkage(v.record, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(v.record, 1);
    LLVMSetSection(v.record, "pf_var");
    LLVMSetAlignment(v.record, 8);
    if (LLVMGetComdat(g))
        LLVMSetComdat(v.record, LLVMGetComdat(g));
    return v;
}

static void write_variable(struct pf_unit *u, const struct variable *v)
{
    LLVMValueRef fields[] = {
        distance(u, v->target, 0, v->record, u->var_type, 0, u->i64),
        LLVMConstInt(u->i64, v->size, 0),
        string_distance(u, v->table, v->name, v->record, u->var_type, 2),
        string_distance(u, v->table, v->file, v->record, u->var_type, 3),
        LLVMConstInt(u->i32, v->line, 0),
        LLVMConstInt(u->i32, v->red_zoned, 0),
    };
    LLVMSetInitializer(v->record, LLVMConstNamedStruct(u->var_type, fields, 6));
}

void pf_tables_append(struct pf_unit *u, const char *name, LLVMTypeRef type, LLVMValueRef *add,
                      size_t n, const char *section)
{
    LLVMValueRef old = LLVMGetNamedGlobal(u->module, name), *all;
    LLVMValueRef before = old ? LLVMGetInitializer(old) : NULL;
    size_t had = before ? LLVMGetArrayLength2(LLVMTypeOf(before)) : 0;
    all = pf_grow(NULL, (had + n) * sizeof *all);
    for (size_t i = 0; i < had; i++)
        all[i] = LLVMGetAggregateElement(before, i);
    memcpy(all + had, add, n * sizeof *add);
    LLVMValueRef content = LLVMConstArray2(type, all, had + n);
    free(all);
    if (old)
        LLVMSetValueName2(old, "", 0);
    LLVMValueRef now = LLVMAddGlobal(u->module, LLVMTypeOf(content), name);
    LLVMSetInitializer(now, content);
    LLVMSetLinkage(now, LLVMAppendingLinkage);
    if (section)
        LLVMSetSection(now, section);
    if (old)
        LLVMDeleteGlobal(old);
}

/* The start or the end of a section, under the linker's name. NULL at run time if the linked object
 * has no such section. */
static LLVMValueRef bound(struct pf_unit *u, const char *name)
{
    LLVMValueRef g = LLVMAddGlobal(u->module, u->i8, name);
    LLVMSetLinkage(g, LLVMExternalWeakLinkage);
    LLVMSetVisibility(g, LLVMHiddenVisibility);
    return g;
}

static void add_hook(struct pf_unit *u, const char *list, const char *name, enum pf_entry entry,
                     LLVMValueRef bounds[4])
{
    LLVMValueRef fn = LLVMAddFunction(u->module, name, LLVMFunctionType(u->nothing, NULL, 0, 0));
    LLVMComdatRef comdat = LLVMGetOrInsertComdat(u->module, name);
    LLVMSetComdat(fn, comdat);
    LLVMSetLinkage(fn, LLVMLinkOnceODRLinkage);
    LLVMSetVisibility(fn, LLVMHiddenVisibility);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(u->context, fn, ""));
    LLVMBuildCall2(b, u->entries[entry].type, u->entries[entry].fn, bounds, 4, "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    LLVMValueRef fields[] = {LLVMConstInt(u->i32, 0, 0), fn, fn};
    LLVMTypeRef types[] = {u->i32, u->ptr, u->ptr};
    LLVMTypeRef type = LLVMStructTypeInContext(u->context, types, 3, 0);
    LLVMValueRef element = LLVMConstNamedStruct(type, fields, 3);
    pf_tables_append(u, list, type, &element, 1, NULL);
}

static LLVMValueRef add_note(struct pf_unit *u, uint32_t type, uint32_t word)
{
    struct {
        uint32_t owner_size, size, type;
        char owner[12];
        uint32_t word;
    } note = {sizeof PF_NOTE_OWNER, 4, type, PF_NOTE_OWNER, word};
    _Static_assert(sizeof PF_NOTE_OWNER == sizeof note.owner, "a note's owner is padded to 4");
    LLVMValueRef content = LLVMConstStringInContext2(u->context, (char *)&note, sizeof note, 1);
    LLVMValueRef g = LLVMAddGlobal(u->module, LLVMTypeOf(content), "__pf_note");
    LLVMSetInitializer(g, content);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetSection(g, PF_NOTE_SECTION);
    LLVMSetAlignment(g, 4);
    return g;
}

/* --- functions without a record --- */

static bool is_function_of_module(LLVMValueRef fn)
{
    size_t n;
    const char *name = LLVMGetValueName2(fn, &n);
    return !LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) != LLVMAvailableExternallyLinkage &&
           !pf_name_starts(name, "__pf_") && (n < 3 || strcmp(name + n - 3, ".pf"));
}

/* Refers to a function that this compiler has seen and that needs no record, or that the user has
 * left out. Other functions without a record are not ours (findings/unchecked_code.c). */
static LLVMValueRef add_no_record(struct pf_unit *u, LLVMValueRef fn)
{
    LLVMTypeRef type = LLVMStructTypeInContext(u->context, &u->i32, 1, 0);
    LLVMValueRef g = LLVMAddGlobal(u->module, type, "__pf_no_record");
    LLVMValueRef field = distance(u, own_name(u, fn), 0, g, type, 0, u->i32);
    LLVMSetInitializer(g, LLVMConstNamedStruct(type, &field, 1));
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetSection(g, PF_NO_RECORD_SECTION);
    LLVMSetAlignment(g, 4);
    if (LLVMGetComdat(fn))
        LLVMSetComdat(g, LLVMGetComdat(fn));
    return g;
}

void pf_tables_write_records(struct pf_unit *u)
{
    for (size_t i = 0; i < u->nsite_tables; i++)
        pf_site_table_write(u, u->site_tables[i]);
    for (size_t i = 0; i < u->npending; i++)
        write_record(u, &u->pending[i]);
}

void pf_tables_write(struct pf_unit *u)
{
    struct variable *vars = NULL;
    LLVMValueRef *keep = NULL; /* globals that only the linker's section bounds refer to */
    size_t nvars = 0, vars_cap = 0, nkeep = 0, keep_cap = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(u->module); g; g = LLVMGetNextGlobal(g))
        if (is_named_variable(g))
            PF_PUSH(vars, nvars, vars_cap) = note_variable(u, g);
    pf_tables_write_records(u);
    for (size_t i = 0; i < u->nempty; i++)
        PF_PUSH(keep, nkeep, keep_cap) = u->empty[i];
    for (size_t i = 0; i < nvars; i++) {
        write_variable(u, &vars[i]);
        PF_PUSH(keep, nkeep, keep_cap) = vars[i].record;
    }
    struct pf_ptrmap recorded = {0};
    for (size_t i = 0; i < u->npending; i++)
        *pf_ptrmap_at(&recorded, u->pending[i].fn) = 1;
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); fn; fn = LLVMGetNextFunction(fn))
        if (is_function_of_module(fn) && !pf_ptrmap_find(&recorded, fn))
            PF_PUSH(keep, nkeep, keep_cap) = add_no_record(u, fn);
    pf_ptrmap_release(&recorded);
    PF_PUSH(keep, nkeep, keep_cap) = add_note(u, PF_NOTE_ABI, PF_ABI_VERSION);
    if (u->symbolic)
        PF_PUSH(keep, nkeep, keep_cap) = add_note(u, PF_NOTE_SYMBOLIC, 1);
    if (u->on_demand)
        PF_PUSH(keep, nkeep, keep_cap) = add_note(u, PF_NOTE_ON_DEMAND, 1);
    pf_tables_append(u, "llvm.used", u->ptr, keep, nkeep, "llvm.metadata");
    if (u->npending || nvars) {
        LLVMValueRef bounds[] = {bound(u, "__start_pf_func"), bound(u, "__stop_pf_func"),
                                 bound(u, "__start_pf_var"), bound(u, "__stop_pf_var")};
        add_hook(u, "llvm.global_ctors", "__pf_module_ctor", PF_E___pf_module_loaded, bounds);
        add_hook(u, "llvm.global_dtors", "__pf_module_dtor", PF_E___pf_module_unloaded, bounds);
    }
    free(keep);
    free(vars);
}
