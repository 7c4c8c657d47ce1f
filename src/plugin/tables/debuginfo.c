/*
 * debuginfo.c - reads debug information; see debuginfo.h.
 *
 * LLVM's C API has few functions for this, but a debug node is a metadata node, and its operands
 * can be read by position. Positions used: a lexical block has (file, scope), a subprogram has
 * (file, scope, name, linkage name, ...).
 *
 * Names of local variables and members come from the names of IR values, which pf cc makes clang
 * keep: line tables alone do not contain them.
 */
#include "debuginfo.h"
#include "llvm_shim.h"
#include "source_location.h"
#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* Defined in the C++ library that the compiler itself is linked with. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *size, int *status);

#define OPERANDS_MAX 16 /* of a debug node; a node with more is not read */

static unsigned operands_of(struct pf_unit *u, LLVMMetadataRef node, LLVMValueRef out[OPERANDS_MAX])
{
    LLVMValueRef v = LLVMMetadataAsValue(u->context, node);
    unsigned n = LLVMGetMDNodeNumOperands(v);
    if (n > OPERANDS_MAX)
        return 0;
    LLVMGetMDNodeOperands(v, out);
    return n;
}

static char *string_of(LLVMValueRef v)
{
    unsigned n = 0;
    const char *s = v ? LLVMGetMDString(v, &n) : NULL;
    return s && n ? strndup(s, n) : NULL;
}

const char *pf_di_readable(struct pf_unit *u, const char *symbol)
{
    int status = 1;
    if (!symbol || !pf_name_starts(symbol, "_Z"))
        return symbol;
    uint64_t *known = pf_ptrmap_at(&u->di_funcs, symbol);
    if (!*known) {
        char *text = __cxa_demangle(symbol, NULL, NULL, &status);
        *known = (uint64_t)(text && !status ? text : pf_copy_string(symbol));
    }
    return (const char *)*known;
}

LLVMMetadataRef pf_di_subprogram(struct pf_unit *u, LLVMMetadataRef scope)
{
    LLVMValueRef op[OPERANDS_MAX];
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
        LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
        if ((kind != LLVMDILexicalBlockMetadataKind &&
             kind != LLVMDILexicalBlockFileMetadataKind) ||
            operands_of(u, scope, op) < 2 || !op[1])
            return NULL;
        scope = LLVMValueAsMetadata(op[1]);
    }
    return scope;
}

const char *pf_di_symbol(struct pf_unit *u, LLVMMetadataRef subprogram)
{
    LLVMValueRef op[OPERANDS_MAX];
    unsigned n = operands_of(u, subprogram, op), length = 0;
    const char *name = n > 3 && op[3] ? LLVMGetMDString(op[3], &length) : NULL;
    if (!length)
        name = n > 2 && op[2] ? LLVMGetMDString(op[2], &length) : NULL;
    return length ? name : "";
}

const char *pf_di_function(struct pf_unit *u, LLVMMetadataRef scope, const char *fallback)
{
    LLVMMetadataRef sub = pf_di_subprogram(u, scope);
    if (!sub)
        return pf_di_readable(u, fallback);
    uint64_t *known = pf_ptrmap_find(&u->di_funcs, sub);
    if (known)
        return (const char *)*known;
    LLVMValueRef op[OPERANDS_MAX];
    unsigned n = operands_of(u, sub, op);
    char *name = n > 3 ? string_of(op[3]) : NULL;
    if (!name && fallback && pf_name_starts(fallback, "_Z"))
        name = pf_copy_string(fallback);
    if (!name && n > 2)
        name = string_of(op[2]);
    if (!name)
        name = pf_copy_string(fallback ? fallback : "");
    if (pf_name_starts(name, "_Z")) {
        int status = 1;
        char *text = __cxa_demangle(name, NULL, NULL, &status);
        if (text && !status) {
            free(name);
            name = text;
        }
    }
    *pf_ptrmap_at(&u->di_funcs, sub) = (uint64_t)name;
    return name;
}

static const char *file_of(struct pf_unit *u, LLVMMetadataRef file)
{
    if (!file)
        return NULL;
    uint64_t *known = pf_ptrmap_find(&u->di_texts, file);
    if (known)
        return (const char *)*known;
    unsigned nname = 0, ndir = 0;
    const char *name = LLVMDIFileGetFilename(file, &nname);
    const char *dir = LLVMDIFileGetDirectory(file, &ndir);
    char path[8192];
    /* clang splits a path at the prefix that it shares with the current directory; join the
     * parts. */
    bool here = !ndir || (strlen(u->cwd) == ndir && !memcmp(u->cwd, dir, ndir));
    if (here || (nname && name[0] == '/'))
        snprintf(path, sizeof path, "%.*s", (int)nname, name);
    else
        snprintf(path, sizeof path, "%.*s/%.*s", (int)ndir, dir, (int)nname, name);
    char *copy = pf_copy_string(path);
    *pf_ptrmap_at(&u->di_texts, file) = (uint64_t)copy;
    return copy;
}

unsigned pf_di_function_line(struct pf_unit *u, LLVMMetadataRef scope)
{
    LLVMMetadataRef sub = pf_di_subprogram(u, scope);
    return sub ? LLVMDISubprogramGetLine(sub) : 0;
}

const char *pf_di_file(struct pf_unit *u, LLVMMetadataRef scope)
{
    return scope ? file_of(u, LLVMDIScopeGetFile(scope)) : NULL;
}

bool pf_di_global(struct pf_unit *u, LLVMValueRef var, const char **name, const char **file,
                  unsigned *line)
{
    size_t n = 0;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(var, &n);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(all, i);
        if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind)
            continue;
        LLVMMetadataRef about = LLVMDIGlobalVariableExpressionGetVariable(node);
        *file = file_of(u, LLVMDIVariableGetFile(about));
        *line = LLVMDIVariableGetLine(about);
        found = true;
    }
    LLVMDisposeValueMetadataEntries(all);
    size_t length;
    *name = pf_di_readable(u, pf_source_global_name(u, LLVMGetValueName2(var, &length)));
    return found;
}

/* Names that clang and LLVM give to temporaries and computed addresses. LLVM may add a number
 * ("arrayidx12") and text after a dot ("arrayidx.i"). */
static const char *const invented_words[] = {
    "arrayidx", "arraydecay", "arrayinit",   "incdec", "scevgep", "uglygep", "splitgep", "gep",
    "vfn",      "vtable",     "saved_stack", "coerce", "retval",  "tmp",     "this",
};
/* The same for computed addresses only: a variable or a member may have this name. */
static const char *const computed_words[] = {"add", "sub", "call", "cond", "base"};
/* These contain a dot, which no name of the source does. */
static const char *const invented_prefixes[] = {
    "add.ptr",      "sub.ptr", "ref.tmp", "agg.tmp",       "cond.",    "exn.slot",    "ehselector.",
    "cleanup.dest", "memptr.", "lsr.iv",  "invariant.gep", "next.gep", "spec.select",
};

static bool is_member(struct pf_unit *u, const char *name, size_t n)
{
    if (!u->members)
        u->members = pf_llvm_members_new(u->module);
    return pf_llvm_members_has(u->members, name, n);
}

/* The length of the member's name without the number that LLVM appends if another value of the
 * function has the same name. Needs debug information with types (-g). */
static size_t member_length(struct pf_unit *u, const char *name, size_t n)
{
    if (!isdigit((unsigned char)name[n - 1]))
        return n;
    for (size_t k = n; k; k--)
        if (is_member(u, name, k))
            return k;
        else if (!isdigit((unsigned char)name[k - 1]))
            break;
    return n;
}

static bool is_one_of(const char *const *words, size_t n, const char *name, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(words[i]) == length && !memcmp(words[i], name, length))
            return true;
    return false;
}

/* True if the name of the address is not one of the program's source. Names reserved for the
 * implementation count as such: the members of the C++ library's classes. */
static bool is_invented(struct pf_unit *u, LLVMValueRef ptr, const char *name)
{
    for (size_t i = 0; i < sizeof invented_prefixes / sizeof *invented_prefixes; i++)
        if (pf_name_starts(name, invented_prefixes[i]))
            return true;
    if (name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1])))
        return true;
    size_t whole = strcspn(name, ".-"), n = whole;
    if (name[whole] == '-') /* "byval-temp" */
        return true;
    while (n && isdigit((unsigned char)name[n - 1]))
        n--;
    if (is_one_of(invented_words, sizeof invented_words / sizeof *invented_words, name, n))
        return true;
    return !LLVMIsAAllocaInst(ptr) &&
           is_one_of(computed_words, sizeof computed_words / sizeof *computed_words, name, n) &&
           !is_member(u, name, member_length(u, name, whole));
}

static const char *variable_of(struct pf_unit *u, LLVMValueRef ptr)
{
    size_t n = 0;
    LLVMValueRef tls = LLVMIsACallInst(ptr) ? pf_callee(ptr) : NULL;
    if (tls && LLVMGetIntrinsicID(tls) == u->kinds.tls_address)
        ptr = LLVMGetOperand(ptr, 0);
    while (LLVMIsAConstantExpr(ptr) && LLVMGetNumOperands(ptr))
        ptr = LLVMGetOperand(ptr, 0);
    if (LLVMIsAGlobalValue(ptr))
        return pf_di_readable(u, pf_source_global_name(u, LLVMGetValueName2(ptr, &n)));
    if (!LLVMIsAAllocaInst(ptr) && !LLVMIsAGetElementPtrInst(ptr))
        return NULL;
    const char *name = LLVMGetValueName2(ptr, &n);
    if (n && is_invented(u, ptr, name))
        n = 0;
    if (!n && LLVMIsAGetElementPtrInst(ptr))
        return variable_of(u, LLVMGetOperand(ptr, 0));
    /* LLVM adds suffixes after a dot. */
    char text[256];
    size_t m = strcspn(name, ".");
    if (!n || !m || m >= sizeof text)
        return NULL;
    if (LLVMIsAGetElementPtrInst(ptr))
        m = member_length(u, name, m);
    /* A new value may have the same address as a freed one (a variable that was replaced by one
     * with a red zone), so the cached name is compared with its name. */
    uint64_t *known = pf_ptrmap_at(&u->di_texts, ptr);
    const char *last = (const char *)*known;
    if (!last || strncmp(last, name, m) != 0 || last[m])
        *known = (uint64_t)strndup(name, m);
    return (const char *)*known;
}

const char *pf_di_variable(struct pf_unit *u, LLVMValueRef ptr)
{
    const char *name = variable_of(u, ptr);
    return name ? name : pf_source_variable(u, ptr);
}

LLVMMetadataRef pf_di_entry(struct pf_unit *u, LLVMValueRef fn)
{
    LLVMMetadataRef sub = LLVMGetSubprogram(fn);
    return sub ? LLVMDIBuilderCreateDebugLocation(u->context, LLVMDISubprogramGetLine(sub), 0, sub,
                                                  NULL)
               : NULL;
}

void pf_di_release(struct pf_unit *u)
{
    struct pf_ptrmap *maps[] = {&u->di_funcs, &u->di_texts};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < maps[k]->size; i++)
            if (maps[k]->keys[i])
                free((void *)maps[k]->values[i]);
        pf_ptrmap_release(maps[k]);
    }
    if (u->members)
        pf_llvm_members_free(u->members);
}
