/*
 * source_location.c - gives positions to the accesses and calls that the optimizer has moved or
 * merged; see source_location.h.
 *
 * Rejected: positions in the instructions' metadata alone. LLVM drops unknown metadata in every
 * transformation. It keeps `annotation` when it hoists an instruction, but not when it merges
 * instructions.
 */
#include "source_location.h"
#include "debuginfo.h"
#include "llvm_shim.h"
#include "source_access.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* A function of the source, and its entries: all[first .. first + n). */
struct source_function {
    LLVMMetadataRef function;
    const char *symbol;
    size_t first, n;
};

/* Where a function of the source is inlined in the function that is being restored. */
struct inlined_function {
    const struct source_function *of;
    LLVMMetadataRef at; /* NULL: it is the function itself */
    bool assumed; /* no instruction shows it; the table has a call of the function */
};

struct pf_source_table {
    struct pf_source_access *all;
    size_t n;
    struct source_function *functions; /* sorted by symbol */
    size_t nfunctions, functions_cap;
    struct pf_ptrmap by_function; /* subprogram -> 1 + index in `functions` */
    const char **globals; /* sorted */
    size_t nglobals;
    struct pf_ptrmap lines; /* keys: functions and lines with an access, see line_key */
    struct pf_ptrmap names; /* addresses of accesses -> names of variables; NULL: several */
    struct pf_ptrmap merged; /* instructions -> further lines, as text */
    struct inlined_function *inlined; /* of the current function */
    size_t ninlined, inlined_cap;
};

static const char *string_of(LLVMValueRef v)
{
    unsigned n = 0;
    const char *s = v ? LLVMGetMDString(v, &n) : NULL;
    return s && n ? s : ""; /* LLVM's strings end with a zero */
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Different lines have different keys, except for rare collisions. A collision has no other effect
 * than that an instruction keeps a position that it should lose. */
static const void *line_key(LLVMMetadataRef function, unsigned line)
{
    return (const void *)((uintptr_t)function * 31 + line);
}

static int compare_symbols(const void *a, const void *b)
{
    const struct source_function *f = a, *g = b;
    int order = strcmp(f->symbol, g->symbol);
    return order ? order : f->first < g->first ? -1 : f->first > g->first;
}

/* The entries of a function are consecutive. */
static void find_functions(struct pf_unit *u, struct pf_source_table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        LLVMMetadataRef function = t->all[i].function;
        struct source_function f = {function, function ? pf_di_symbol(u, function) : "", i, 0};
        if (!i || t->all[i - 1].function != function)
            PF_PUSH(t->functions, t->nfunctions, t->functions_cap) = f;
        t->functions[t->nfunctions - 1].n++;
    }
    if (t->nfunctions)
        qsort(t->functions, t->nfunctions, sizeof *t->functions, compare_symbols);
    for (size_t i = 0; i < t->nfunctions; i++)
        if (t->functions[i].function)
            *pf_ptrmap_at(&t->by_function, t->functions[i].function) = 1 + i;
}

static const struct source_function *function_of(const struct pf_source_table *t,
                                                 LLVMMetadataRef function)
{
    const uint64_t *i = pf_ptrmap_find(&t->by_function, function);
    return i ? &t->functions[*i - 1] : NULL;
}

static int compare_symbol(const void *symbol, const void *with)
{
    return strcmp(symbol, ((const struct source_function *)with)->symbol);
}

static void read_table(struct pf_unit *u)
{
    struct pf_source_table *t = u->source = pf_zeroed(1, sizeof *t);
    unsigned n = LLVMGetNamedMetadataNumOperands(u->module, PF_SOURCE_ACCESSES);
    unsigned globals = LLVMGetNamedMetadataNumOperands(u->module, PF_SOURCE_GLOBALS);
    LLVMValueRef *nodes = pf_grow(NULL, (n + globals + 1) * sizeof *nodes), f[PF_SOURCE_FIELDS];
    t->all = pf_grow(NULL, (n + 1) * sizeof *t->all);
    t->globals = pf_grow(NULL, (globals + 1) * sizeof *t->globals);
    LLVMGetNamedMetadataOperands(u->module, PF_SOURCE_ACCESSES, nodes);
    for (unsigned i = 0; i < n; i++) {
        LLVMGetMDNodeOperands(nodes[i], f);
        LLVMMetadataRef scope = LLVMValueAsMetadata(f[PF_SOURCE_SCOPE]);
        t->all[t->n++] = (struct pf_source_access){
            .scope = scope,
            .function = pf_di_subprogram(u, scope),
            .line = (unsigned)LLVMConstIntGetZExtValue(f[PF_SOURCE_LINE]),
            .column = (unsigned)LLVMConstIntGetZExtValue(f[PF_SOURCE_COLUMN]),
            .kind = (unsigned)LLVMConstIntGetZExtValue(f[PF_SOURCE_KIND]),
            .size = LLVMConstIntGetZExtValue(f[PF_SOURCE_SIZE]),
            .variable = string_of(f[PF_SOURCE_VARIABLE]),
            .global = string_of(f[PF_SOURCE_GLOBAL]),
            .base = string_of(f[PF_SOURCE_BASE]),
            .offset = LLVMConstIntGetSExtValue(f[PF_SOURCE_OFFSET]),
            .tag = f[PF_SOURCE_TAG] ? LLVMValueAsMetadata(f[PF_SOURCE_TAG]) : NULL,
        };
        const struct pf_source_access *a = &t->all[i];
        if (a->kind != PF_SOURCE_CALLS)
            *pf_ptrmap_at(&t->lines, line_key(a->function, a->line)) = 1;
    }
    LLVMGetNamedMetadataOperands(u->module, PF_SOURCE_GLOBALS, nodes);
    for (unsigned i = 0; i < globals; i++) {
        LLVMGetMDNodeOperands(nodes[i], f);
        t->globals[t->nglobals++] = string_of(f[0]);
    }
    find_functions(u, t);
    qsort(t->globals, t->nglobals, sizeof *t->globals, compare_names);
    free(nodes);
}

static const char *find_global(const struct pf_source_table *t, const char *name)
{
    const char **found = bsearch(&name, t->globals, t->nglobals, sizeof *t->globals, compare_names);
    return found ? *found : NULL;
}

const char *pf_source_global_name(struct pf_unit *u, const char *symbol)
{
    const struct pf_source_table *t = u->source;
    char name[512];
    size_t n = strlen(symbol);
    if (!t || n >= sizeof name || find_global(t, symbol))
        return symbol;
    memcpy(name, symbol, n + 1);
    for (char *dot; (dot = strrchr(name, '.')) && dot != name;) {
        *dot = 0;
        const char *found = find_global(t, name);
        if (found)
            return found;
    }
    return symbol;
}

static LLVMMetadataRef location_in(struct pf_unit *u, const struct pf_source_access *a,
                                   LLVMMetadataRef at)
{
    return LLVMDIBuilderCreateDebugLocation(u->context, a->line, a->column, a->scope, at);
}

static const struct inlined_function *inlined_of(const struct pf_source_table *t,
                                                 LLVMMetadataRef function)
{
    for (size_t i = 0; i < t->ninlined; i++)
        if (t->inlined[i].of->function == function)
            return &t->inlined[i];
    return NULL;
}

static void add_inlined(struct pf_source_table *t, const struct source_function *of,
                        LLVMMetadataRef at, bool assumed)
{
    if (of && !inlined_of(t, of->function))
        PF_PUSH(t->inlined, t->ninlined, t->inlined_cap) =
            (struct inlined_function){of, at, assumed};
}

/* Finds which functions of the source have code in fn, and where they are inlined. */
static void find_inlined(struct pf_unit *u, LLVMValueRef fn)
{
    struct pf_source_table *t = u->source;
    struct pf_ptrmap seen = {0};
    t->ninlined = 0;
    add_inlined(t, function_of(t, LLVMGetSubprogram(fn)), NULL, false);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            for (LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(v), at; loc; loc = at) {
                at = LLVMDILocationGetInlinedAt(loc);
                if (!at || (*pf_ptrmap_at(&seen, at))++)
                    break;
                add_inlined(t, function_of(t, pf_di_subprogram(u, LLVMDILocationGetScope(loc))), at,
                            false);
            }
    pf_ptrmap_release(&seen);
}

#define ASSUMED_MAX 64 /* functions that may be inlined in one function */

/* Adds the functions that the found ones call, because all code of a small inlined function may
 * have lost its position. */
static void assume_inlined(struct pf_unit *u)
{
    struct pf_source_table *t = u->source;
    for (size_t k = 0; k < t->ninlined && t->ninlined < ASSUMED_MAX; k++) {
        const struct inlined_function in = t->inlined[k];
        for (size_t i = 0; i < in.of->n && t->ninlined < ASSUMED_MAX; i++) {
            const struct pf_source_access *call = &t->all[in.of->first + i];
            if (call->kind == PF_SOURCE_CALLS && *call->variable)
                add_inlined(t,
                            bsearch(call->variable, t->functions, t->nfunctions,
                                    sizeof *t->functions, compare_symbol),
                            location_in(u, call, in.at), true);
        }
    }
}

/* True if two names are equal up to a suffix that clang (`.addr`) or LLVM (`.0`) has added. */
static bool is_same_base(const char *a, const char *b)
{
    size_t n = strcspn(a, ".");
    return n && n == strcspn(b, ".") && !memcmp(a, b, n);
}

#define POSSIBLE_MAX 8 /* globals that one access may refer to */

/* The globals that an access may refer to, if the optimizer has merged several addresses into one
 * (a phi or a select). */
struct possible_globals {
    const char *name[POSSIBLE_MAX];
    unsigned n;
    bool others; /* it may refer to something else as well */
};

static void find_possible(struct pf_unit *u, LLVMValueRef ptr, struct possible_globals *out,
                          unsigned depth)
{
    LLVMValueRef phi = LLVMIsAPHINode(ptr);
    if (depth < POSSIBLE_MAX && (phi || LLVMIsASelectInst(ptr))) {
        unsigned n = phi ? LLVMCountIncoming(ptr) : 2;
        for (unsigned i = 0; i < n; i++)
            find_possible(u, phi ? LLVMGetIncomingValue(ptr, i) : LLVMGetOperand(ptr, i + 1), out,
                          depth + 1);
    } else if (depth && LLVMIsAGlobalVariable(ptr) && out->n < POSSIBLE_MAX) {
        size_t n;
        out->name[out->n++] = pf_source_global_name(u, LLVMGetValueName2(ptr, &n));
    } else {
        out->others = true;
    }
}

static bool is_possible(const struct possible_globals *p, const struct pf_source_access *entry)
{
    bool found = p->others || !p->n;
    for (unsigned i = 0; i < p->n && !found; i++)
        found = !strcmp(p->name[i], entry->global);
    return found;
}

/* How well the entry fits an access without a position; 0: not at all. */
static unsigned similarity(const struct pf_source_access *a, const struct possible_globals *p,
                           const struct pf_source_access *entry)
{
    if (!is_possible(p, entry))
        return 0;
    bool calls = a->kind == PF_SOURCE_CALLS;
    if (calls != (entry->kind == PF_SOURCE_CALLS))
        return 0;
    if (calls)
        return !strcmp(a->variable, entry->variable) ? 1 : 0;
    bool same_global = *a->global && !strcmp(a->global, entry->global);
    if (*a->global && *entry->global && !same_global)
        return 0;
    bool same_name = *a->variable && !strcmp(a->variable, entry->variable);
    bool same_tag = a->tag && a->tag == entry->tag;
    bool same_place = a->offset == entry->offset && a->size == entry->size;
    bool same_base = a->offset == entry->offset && is_same_base(a->base, entry->base);
    if (!same_global && !same_name && !same_tag && !same_place)
        return 0;
    return 1 + 32u * same_global + 16u * same_name + 8u * (same_tag || same_base) +
           4u * ((a->kind & entry->kind) != 0) + 2u * same_place + (a->size == entry->size);
}

static const struct pf_source_access *most_similar(const struct pf_source_table *t,
                                                   const struct pf_source_access *a,
                                                   const struct possible_globals *p)
{
    const struct pf_source_access *found = NULL;
    unsigned best = 0;
    for (size_t k = 0; k < t->ninlined; k++) {
        const struct inlined_function *in = &t->inlined[k];
        for (size_t i = 0; i < in->of->n; i++) {
            const struct pf_source_access *entry = &t->all[in->of->first + i];
            unsigned fit = 2 * similarity(a, p, entry);
            fit += fit && !in->assumed;
            if (fit > best) {
                best = fit;
                found = entry;
            }
        }
    }
    return found;
}

#define MERGED_MAX 4 /* further lines that are noted for a merged access */

/* Notes the other lines of the function where an entry fits as well. */
static void note_merged_lines(struct pf_source_table *t, LLVMValueRef inst,
                              const struct pf_source_access *a, const struct possible_globals *p,
                              const struct pf_source_access *chosen)
{
    const struct source_function *of = function_of(t, chosen->function);
    unsigned fit = similarity(a, p, chosen), lines[MERGED_MAX], n = 0;
    char text[MERGED_MAX * 12 + 1];
    size_t length = 0;
    for (size_t i = 0; of && i < of->n && n < MERGED_MAX; i++) {
        const struct pf_source_access *entry = &t->all[of->first + i];
        bool known = entry->line == chosen->line;
        for (unsigned k = 0; k < n; k++)
            known |= lines[k] == entry->line;
        if (known || similarity(a, p, entry) != fit)
            continue;
        lines[n] = entry->line;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%u", n ? ", " : "",
                                   entry->line);
        n++;
    }
    if (n)
        *pf_ptrmap_at(&t->merged, inst) = (uint64_t)pf_copy_string(text);
}

const char *pf_source_merged_lines(struct pf_unit *u, LLVMValueRef inst)
{
    const uint64_t *lines = u->source ? pf_ptrmap_find(&u->source->merged, inst) : NULL;
    return lines ? (const char *)*lines : NULL;
}

/* The entry that the instruction itself refers to, or NULL. */
static const struct pf_source_access *marked_entry(struct pf_unit *u, LLVMValueRef inst)
{
    LLVMValueRef mark = pf_source_mark(u, inst), op;
    if (!mark || LLVMGetMDNodeNumOperands(mark) != 1)
        return NULL;
    LLVMGetMDNodeOperands(mark, &op);
    const char *s = op ? string_of(op) : "";
    if (!pf_name_starts(s, PF_SOURCE_PREFIX))
        return NULL;
    size_t i = strtoul(s + strlen(PF_SOURCE_PREFIX), NULL, 10);
    return i < u->source->n ? &u->source->all[i] : NULL;
}

static LLVMMetadataRef usable_position(LLVMValueRef inst)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);
    return loc && LLVMDILocationGetLine(loc) ? loc : NULL;
}

/* The position of the nearest instruction of the block that has one, or NULL. */
static LLVMMetadataRef nearest_position(LLVMValueRef inst)
{
    LLVMMetadataRef loc = NULL;
    for (LLVMValueRef v = LLVMGetNextInstruction(inst); v && !loc; v = LLVMGetNextInstruction(v))
        loc = usable_position(v);
    for (LLVMValueRef v = LLVMGetPreviousInstruction(inst); v && !loc;
         v = LLVMGetPreviousInstruction(v))
        loc = usable_position(v);
    return loc;
}

/* Remembers the variable's name if the address does not show it: the address of a first member is
 * that of the whole object. */
static void restore_name(struct pf_unit *u, LLVMValueRef inst, const struct pf_source_access *entry)
{
    LLVMValueRef ptr = pf_source_pointer(inst);
    if (!ptr || !entry || !*entry->variable || pf_di_variable(u, ptr))
        return;
    bool known = pf_ptrmap_find(&u->source->names, ptr);
    uint64_t *name = pf_ptrmap_at(&u->source->names, ptr);
    if (!known)
        *name = (uint64_t)entry->variable;
    else if (*name && strcmp((const char *)*name, entry->variable) != 0)
        *name = 0;
}

const char *pf_source_variable(struct pf_unit *u, LLVMValueRef ptr)
{
    const uint64_t *name = u->source ? pf_ptrmap_find(&u->source->names, ptr) : NULL;
    return name ? (const char *)*name : NULL;
}

/* The position of the entry in fn, for inst. NULL: fn has no positions. A position in another
 * function must say where that function is inlined; if that is unknown, it is taken to be at the
 * nearest position. */
static LLVMMetadataRef location(struct pf_unit *u, LLVMValueRef fn, LLVMValueRef inst,
                                const struct pf_source_access *a)
{
    const struct inlined_function *in = inlined_of(u->source, a->function);
    LLVMMetadataRef own = LLVMGetSubprogram(fn);
    if (!own || in || a->function == own)
        return own ? location_in(u, a, in ? in->at : NULL) : NULL;
    LLVMMetadataRef at = nearest_position(inst);
    return location_in(u, a,
                       at ? at : LLVMDIBuilderCreateDebugLocation(u->context, 0, 0, own, NULL));
}

/* True if the source has an access at the position. A load that the optimizer has moved from a
 * function to its caller has the position of the call. */
static bool is_at_access(struct pf_unit *u, LLVMMetadataRef loc)
{
    LLVMMetadataRef function = pf_di_subprogram(u, LLVMDILocationGetScope(loc));
    return pf_ptrmap_find(&u->source->lines, line_key(function, LLVMDILocationGetLine(loc)));
}

/* Finds the entry of an instruction, and gives it a position if it has none. `ready`: the inlined
 * functions of fn are known. */
static const struct pf_source_access *restore(struct pf_unit *u, LLVMValueRef fn, LLVMValueRef inst,
                                              const struct pf_source_access *a, bool *ready)
{
    const struct pf_source_access *entry = marked_entry(u, inst);
    LLVMMetadataRef loc = usable_position(inst);
    if (loc && (a->kind == PF_SOURCE_CALLS || is_at_access(u, loc)))
        return entry;
    if (!*ready) {
        find_inlined(u, fn);
        assume_inlined(u);
    }
    *ready = true;
    struct possible_globals possible = {0};
    if (pf_source_pointer(inst))
        find_possible(u, pf_source_pointer(inst), &possible, 0);
    if (!entry && (entry = most_similar(u->source, a, &possible)))
        note_merged_lines(u->source, inst, a, &possible, entry);
    if (!loc || entry)
        loc = entry ? location(u, fn, inst, entry) : nearest_position(inst);
    if (loc)
        LLVMInstructionSetDebugLoc(inst, loc);
    return entry;
}

static void restore_function(struct pf_unit *u, LLVMValueRef fn)
{
    struct pf_source_access a;
    struct pf_ptrmap entries = {0};
    bool ready = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            if (pf_source_describe(u, v, &a))
                *pf_ptrmap_at(&entries, v) = (uint64_t)restore(u, fn, v, &a, &ready);
    /* names last: they would change the descriptions */
    for (size_t i = 0; i < entries.size; i++)
        if (entries.keys[i])
            restore_name(u, (LLVMValueRef)entries.keys[i],
                         (const struct pf_source_access *)entries.values[i]);
    pf_ptrmap_release(&entries);
}

static void remove_marks(struct pf_unit *u)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); fn; fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
                if (marked_entry(u, v))
                    pf_source_remove_mark(u, v);
    pf_llvm_remove_named_metadata(u->module, PF_SOURCE_ACCESSES);
    pf_llvm_remove_named_metadata(u->module, PF_SOURCE_GLOBALS);
}

void pf_source_restore(struct pf_unit *u)
{
    if (!LLVMGetNamedMetadataNumOperands(u->module, PF_SOURCE_GLOBALS) &&
        !LLVMGetNamedMetadataNumOperands(u->module, PF_SOURCE_ACCESSES))
        return;
    read_table(u);
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); fn; fn = LLVMGetNextFunction(fn))
        if (LLVMGetSubprogram(fn))
            restore_function(u, fn);
    remove_marks(u);
}

void pf_source_release(struct pf_unit *u)
{
    if (!u->source)
        return;
    free(u->source->all);
    free(u->source->globals);
    for (size_t i = 0; i < u->source->merged.size; i++)
        if (u->source->merged.keys[i])
            free((void *)u->source->merged.values[i]);
    pf_ptrmap_release(&u->source->merged);
    free(u->source->inlined);
    free(u->source->functions);
    pf_ptrmap_release(&u->source->by_function);
    pf_ptrmap_release(&u->source->lines);
    pf_ptrmap_release(&u->source->names);
    free(u->source);
    u->source = NULL;
}
