/*
 * kept_ir.c - keeps the module's IR in the object file, so that its event bodies can be compiled
 * when a directed verb needs them (docs/decision/size.md). The reader is bodies/kept_reader.c.
 *
 * The IR and a table of addresses are in a section named like debug information, which is not
 * loaded, needs no dynamic relocation, and may refer to what the linker discards:
 *
 *      "PFKEPTIR"  abi  naddresses  size  packed_size    (8 bytes each)
 *      naddresses * 8 bytes: the address of each global value of the module, in the order of
 *          pf_kept_list_make; 0: it is a declaration; of a thread-local variable: the address of a
 *          function that returns the variable's address
 *      the bitcode, compressed by zstd; it was written before anything was instrumented
 *
 * Settings that come from the environment of the compiler are kept as named metadata.
 */
#include "kept_ir.h"
#include "asm_text.h"
#include "llvm_shim.h"
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <string.h>

#define SETTINGS "pf.settings"

static const char *const settings[] = {"PF_PLUGIN_INLINE", "PF_PLUGIN_ACCESSES",
                                       "PF_PLUGIN_SCOPES"};
#define NSETTINGS (sizeof settings / sizeof *settings)

static void keep_setting(struct pf_unit *u, const char *text)
{
    LLVMMetadataRef word = LLVMMDStringInContext2(u->context, text, strlen(text));
    LLVMMetadataRef node = LLVMMDNodeInContext2(u->context, &word, 1);
    LLVMAddNamedMetadataOperand(u->module, SETTINGS, LLVMMetadataAsValue(u->context, node));
}

void pf_kept_save(struct pf_unit *u)
{
    for (size_t i = 0; i < NSETTINGS; i++)
        if (getenv(settings[i])) {
            char text[256];
            snprintf(text, sizeof text, "%s=%s", settings[i], getenv(settings[i]));
            keep_setting(u, text);
        }
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(u->module);
    u->kept_size = LLVMGetBufferSize(bitcode);
    u->kept = pf_llvm_pack(LLVMGetBufferStart(bitcode), u->kept_size, &u->kept_packed);
    LLVMDisposeMemoryBuffer(bitcode);
    pf_llvm_remove_named_metadata(u->module, SETTINGS);
}

void pf_kept_restore_settings(LLVMModuleRef module)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(module, SETTINGS), length;
    LLVMValueRef *all = pf_grow(NULL, (n + 1) * sizeof *all), word;
    LLVMGetNamedMetadataOperands(module, SETTINGS, all);
    for (size_t i = 0; i < NSETTINGS; i++)
        unsetenv(settings[i]);
    for (unsigned i = 0; i < n; i++) {
        LLVMGetMDNodeOperands(all[i], &word);
        const char *text = LLVMGetMDString(word, &length), *equals = memchr(text, '=', length);
        char name[64], value[256];
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        snprintf(value, sizeof value, "%.*s", (int)(text + length - equals - 1), equals + 1);
        setenv(name, value, 1);
    }
    free(all);
    pf_llvm_remove_named_metadata(module, SETTINGS);
}

/* --- the table of addresses --- */

static LLVMValueRef first_of(LLVMModuleRef m, unsigned kind)
{
    return kind == 0   ? LLVMGetFirstFunction(m)
           : kind == 1 ? LLVMGetFirstGlobal(m)
           : kind == 2 ? LLVMGetFirstGlobalAlias(m)
                       : LLVMGetFirstGlobalIFunc(m);
}

static LLVMValueRef next_of(LLVMValueRef g, unsigned kind)
{
    return kind == 0   ? LLVMGetNextFunction(g)
           : kind == 1 ? LLVMGetNextGlobal(g)
           : kind == 2 ? LLVMGetNextGlobalAlias(g)
                       : LLVMGetNextGlobalIFunc(g);
}

/* LLVM's own arrays are replaced while the module is instrumented. */
static bool is_counted(LLVMValueRef g)
{
    size_t n;
    return !pf_name_starts(LLVMGetValueName2(g, &n), "llvm.");
}

void pf_kept_list_make(struct pf_kept_list *l, LLVMModuleRef module)
{
    size_t cap = 0;
    *l = (struct pf_kept_list){0};
    for (unsigned kind = 0; kind < PF_KEPT_KINDS; kind++) {
        size_t before = l->n;
        for (LLVMValueRef g = first_of(module, kind); g; g = next_of(g, kind))
            if (is_counted(g))
                PF_PUSH(l->all, l->n, cap) = g;
        l->count[kind] = l->n - before;
    }
}

void pf_kept_list_cut(struct pf_kept_list *l, const size_t counts[PF_KEPT_KINDS])
{
    size_t from = 0, to = 0;
    for (size_t kind = 0; kind < PF_KEPT_KINDS; kind++) {
        memmove(l->all + to, l->all + from, counts[kind] * sizeof *l->all);
        from += l->count[kind];
        to += l->count[kind] = counts[kind];
    }
    l->n = to;
}

static bool is_thread_local(LLVMValueRef g)
{
    return LLVMIsAGlobalVariable(g) && LLVMIsThreadLocal(g);
}

/* True if the assembler can name the address: the definition is in the linked object. */
static bool has_address(LLVMValueRef g)
{
    LLVMLinkage linkage = LLVMGetLinkage(g);
    if (LLVMIsAFunction(g) && !LLVMIsDeclaration(g) && linkage != LLVMAvailableExternallyLinkage)
        return true;
    if (linkage == LLVMAvailableExternallyLinkage || linkage == LLVMExternalWeakLinkage)
        return false;
    if (is_thread_local(g))
        return LLVMGetFirstUse(g);
    return LLVMGetFirstUse(g) &&
           (!LLVMIsDeclaration(g) || LLVMGetVisibility(g) == LLVMHiddenVisibility);
}

/* A function that returns the address of a thread-local variable. */
static LLVMValueRef add_accessor(struct pf_unit *u, LLVMValueRef variable)
{
    LLVMTypeRef type = LLVMFunctionType(u->ptr, NULL, 0, 0);
    LLVMValueRef fn = LLVMAddFunction(u->module, "__pf_tls_address", type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(u->context, fn, ""));
    LLVMValueRef of = LLVMGetIntrinsicDeclaration(u->module, u->kinds.tls_address, &u->ptr, 1);
    LLVMBuildRet(b, LLVMBuildCall2(b, LLVMGlobalGetValueType(of), of, &variable, 1, ""));
    LLVMDisposeBuilder(b);
    /* the linker must not discard it: nothing else refers to it */
    pf_tables_append(u, "llvm.used", u->ptr, &fn, 1, "llvm.metadata");
    return fn;
}

/* Returns the value that the entry refers to; NULL: none. */
static LLVMValueRef put_address(struct pf_unit *u, struct pf_asm_text *t, LLVMValueRef g)
{
    size_t n;
    if (!has_address(g)) {
        pf_asm_put_number(t, 0);
        return NULL;
    }
    if (is_thread_local(g))
        g = add_accessor(u, g);
    const char *name = LLVMGetValueName2(g, &n);
    if (!n) {
        LLVMSetValueName2(g, "__pf_nameless", 13);
        name = LLVMGetValueName2(g, &n);
    }
    pf_asm_put_string(t, LLVMGetLinkage(g) == LLVMPrivateLinkage && *name != 1 ? ".quad \".L"
                                                                               : ".quad \"");
    for (size_t i = *name == 1; i < n; i++) { /* a first byte 1: the name is not decorated */
        if (name[i] == '"' || name[i] == '\\')
            pf_asm_put_string(t, "\\");
        pf_asm_put(t, name + i, 1);
    }
    pf_asm_put_string(t, "\"\n");
    return LLVMIsDeclaration(g) ? NULL : g;
}

void pf_kept_write(struct pf_unit *u)
{
    struct pf_asm_text t = {0};
    struct pf_kept_list l;
    pf_kept_list_make(&l, u->module);
    pf_kept_list_cut(&l, u->kept_counts);
    pf_asm_put_string(&t, ".pushsection " PF_KEPT_SECTION ",\"\",@progbits\n.p2align 3\n"
                          ".ascii \"" PF_KEPT_MAGIC "\"\n");
    pf_asm_put_number(&t, PF_ABI_VERSION);
    pf_asm_put_number(&t, l.n);
    pf_asm_put_number(&t, u->kept_size);
    pf_asm_put_number(&t, u->kept_packed);
    LLVMValueRef *used = NULL; /* the passes after this one see no use in assembler code */
    size_t nused = 0, used_cap = 0;
    for (size_t i = 0; i < l.n; i++) {
        LLVMValueRef g = put_address(u, &t, l.all[i]);
        if (g)
            PF_PUSH(used, nused, used_cap) = g;
    }
    if (nused)
        pf_tables_append(u, "llvm.compiler.used", u->ptr, used, nused, "llvm.metadata");
    free(used);
    pf_asm_put_bytes(&t, u->kept, u->kept_packed);
    pf_asm_put_string(&t, ".p2align 3\n.popsection\n");
    LLVMAppendModuleInlineAsm(u->module, t.at, t.n);
    pf_asm_release(&t);
    free(l.all);
}
