/*
 * bodies_main.c - the program pf-bodies: compiles the event bodies or the symbolic bodies of a
 * program or shared library into a shared object, from the IR that it keeps
 * (docs/decision/size.md).
 *
 *      pf-bodies OBJECT FOLDER COPY            writes FOLDER/libpf_bodies.BUILD-ID.COPY.so
 *      pf-bodies OBJECT FOLDER COPY symbolic   writes FOLDER/libpf_labels.BUILD-ID.COPY.so
 *
 * Both do nothing if the file exists. COPY is 0, except for a process that has several objects with
 * the same contents: each needs a shared object of its own.
 *
 * It is a program of its own, because it contains a compiler. pf and the runtime start it.
 * The result is renamed into place, so several of them may work on one object.
 */
#define _GNU_SOURCE
#include "allocation.h"
#include "child.h"
#include "file.h"
#include "kept_ir.h"
#include "kept_reader.h"
#include "llvm_shim.h"
#include "pf_abi.h"
#include "program.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bodies_job {
    struct pf_kept_file file;
    LLVMContextRef context;
    LLVMModuleRef *modules;
    char folder[PATH_MAX]; /* temporary files */
};

static pf_status read_ir(struct bodies_job *j, struct pf_error *e)
{
    struct pf_kept_file *f = &j->file;
    j->modules = pf_mem_zero(f->modules.len + 1, sizeof *j->modules);
    for (size_t i = 0; i < f->modules.len; i++) {
        struct pf_kept_module *m = &f->modules.at[i];
        char *bitcode = pf_mem_resize(NULL, m->size + 1, 1);
        if (!pf_llvm_unpack(m->packed, m->packed_size, (unsigned char *)bitcode, m->size))
            return pf_fail(e, PF_BAD, "%s: the IR for event bodies is damaged", f->path);
        LLVMMemoryBufferRef b = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode, m->size, "kept");
        free(bitcode);
        LLVMBool failed = LLVMParseBitcodeInContext2(j->context, b, &j->modules[i]);
        LLVMDisposeMemoryBuffer(b);
        if (failed || pf_event_module_globals(j->modules[i]) != m->naddresses)
            return pf_fail(e, PF_BAD, "%s: the IR for event bodies cannot be read", f->path);
    }
    return PF_OK;
}

/* The global symbols that the modules define: the object's own symbol table may be stripped. */
static void add_symbols(struct bodies_job *j)
{
    for (size_t i = 0; i < j->file.modules.len; i++) {
        struct pf_kept_list l;
        pf_kept_list_make(&l, j->modules[i]);
        for (size_t k = 0; k < l.n; k++) {
            size_t n;
            LLVMLinkage linkage = LLVMGetLinkage(l.all[k]);
            uint64_t address = j->file.modules.at[i].address[k];
            bool thread_local = LLVMIsAGlobalVariable(l.all[k]) && LLVMIsThreadLocal(l.all[k]);
            if (address && !thread_local && linkage != LLVMInternalLinkage &&
                linkage != LLVMPrivateLinkage && !LLVMIsDeclaration(l.all[k]))
                pf_kept_add_symbol(&j->file, LLVMGetValueName2(l.all[k], &n), address);
        }
        free(l.all);
    }
    pf_kept_sort_symbols(&j->file);
}

static struct pf_wanted_body *wanted(void *context, uint64_t entry)
{
    return pf_kept_find_wanted(context, entry);
}

static bool replace(void *context, uint64_t entry) { return pf_kept_replace(context, entry); }

static uint64_t find(void *context, const char *name) { return pf_kept_find_symbol(context, name); }

static char *object_path(const struct bodies_job *j, size_t i)
{
    return pf_mem_format("%s/%zu.o", j->folder, i);
}

static pf_status emit_object(struct bodies_job *j, LLVMModuleRef module, size_t i,
                             struct pf_error *e)
{
    char *text = NULL, *path = object_path(j, i);
    const char *triple = LLVMGetTarget(module);
    LLVMTargetRef target;
    pf_status s = PF_OK;
    if (LLVMGetTargetFromTriple(triple, &target, &text)) {
        s = pf_fail(e, PF_BAD, "%s: %s", j->file.path, text);
    } else {
        LLVMTargetMachineRef machine =
            LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelDefault,
                                    LLVMRelocPIC, LLVMCodeModelDefault);
        if (LLVMTargetMachineEmitToFile(machine, module, path, LLVMObjectFile, &text))
            s = pf_fail(e, PF_BAD, "%s: %s", j->file.path, text);
        LLVMDisposeTargetMachine(machine);
    }
    LLVMDisposeMessage(text);
    free(path);
    return s;
}

/* A module that exports the bounds of the sections pf_bodies and pf_func. */
static LLVMModuleRef bounds_module(struct bodies_job *j, const char *triple)
{
    LLVMModuleRef m = LLVMModuleCreateWithNameInContext("bounds", j->context);
    LLVMTypeRef byte = LLVMInt8TypeInContext(j->context);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(j->context, 0);
    LLVMSetTarget(m, triple);
    static const char *const names[] = {"__start_" PF_BODIES_SECTION, "__stop_" PF_BODIES_SECTION,
                                        "__start_pf_func", "__stop_pf_func"};
    LLVMValueRef all[4];
    for (int i = 0; i < 4; i++) {
        all[i] = LLVMAddGlobal(m, byte, names[i]);
        LLVMSetLinkage(all[i], LLVMExternalWeakLinkage); /* there may be no body */
        LLVMSetVisibility(all[i], LLVMHiddenVisibility);
    }
    LLVMValueRef g = LLVMAddGlobal(m, LLVMArrayType2(ptr, 4), PF_BODIES_BOUNDS);
    LLVMSetInitializer(g, LLVMConstArray2(ptr, all, 4));
    return m;
}

static pf_status link_objects(struct bodies_job *j, const char *out, struct pf_error *e)
{
    size_t n = j->file.modules.len + 1, k = 0;
    const char *first[] = {"clang-19",
                           "-shared",
                           "-nostdlib",
                           "-Wl,-z,norelro,-z,now,-z,undefs",
                           "-Wl,--build-id=none",
                           "-o",
                           out};
    char **argv = pf_mem_zero(n + 16, sizeof *argv);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        argv[k++] = (char *)first[i];
    for (size_t i = 0; i < n; i++)
        argv[k++] = object_path(j, i);
    argv[k++] = (char *)"-lgcc";
    struct pf_child_end end = {0};
    char *clang;
    pf_status status = pf_program_find(argv[0], &clang, e);
    if (status == PF_OK) {
        struct pf_command command = {.path = clang, .argv = argv};
        status = pf_child_run(&command, false, &end, e);
        free(clang);
    }
    free(argv);
    return status == PF_OK && end.wait
               ? pf_fail(e, PF_BAD, "%s: cannot link its event bodies", j->file.path)
               : status;
}

/* Extends the last segment, so that the object takes a multiple of SPAN bytes of address space:
 * what the target maps later has the same addresses with event bodies and with symbolic bodies. */
#define SPAN (64u << 20)
static pf_status extend(const char *path, struct pf_error *e)
{
    Elf64_Ehdr h;
    Elf64_Phdr p, last = {0};
    off_t at = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    bool done = fd >= 0 && pread(fd, &h, sizeof h, 0) == sizeof h;
    for (unsigned i = 0; done && i < h.e_phnum; i++) {
        off_t here = (off_t)(h.e_phoff + i * sizeof p);
        done = pread(fd, &p, sizeof p, here) == sizeof p;
        if (done && p.p_type == PT_LOAD) { /* they are in the order of their addresses */
            last = p;
            at = here;
        }
    }
    if (done && at && last.p_flags & PF_W) {
        last.p_memsz = (last.p_vaddr + last.p_memsz + SPAN - 1) / SPAN * SPAN - last.p_vaddr;
        done = pwrite(fd, &last, sizeof last, at) == sizeof last;
    }
    if (fd >= 0)
        close(fd);
    return done ? PF_OK : pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
}

static pf_status compile(struct bodies_job *j, const char *out, struct pf_error *e)
{
    pf_status s = read_ir(j, e);
    if (s != PF_OK)
        return s;
    add_symbols(j);
    char *triple = pf_mem_copy(j->file.modules.len ? LLVMGetTarget(j->modules[0]) : "");
    for (size_t i = 0; s == PF_OK && i < j->file.modules.len; i++) {
        struct pf_kept_module *m = &j->file.modules.at[i];
        struct pf_event_module how = {m->address, m->naddresses, wanted, replace, find, &j->file};
        const char *wrong = pf_event_module_make(j->modules[i], &how);
        if (wrong)
            s = pf_fail(e, PF_BAD, "%s: %s", j->file.path, wrong);
        else
            s = emit_object(j, j->modules[i], i, e);
        LLVMDisposeModule(j->modules[i]);
    }
    for (size_t i = 0; s == PF_OK && i < j->file.wanted.len; i++)
        if (j->file.wanted.at[i].on_demand && !j->file.wanted.at[i].done)
            s = pf_fail(e, PF_BAD,
                        "%s: no IR for the function at %#llx; was a part of it built by another "
                        "version of pf cc?",
                        j->file.path, (unsigned long long)j->file.wanted.at[i].entry);
    if (s == PF_OK)
        s = emit_object(j, bounds_module(j, triple), j->file.modules.len, e);
    free(triple);
    return s == PF_OK ? link_objects(j, out, e) : s;
}

/* FOLDER/libpf_bodies.BUILD-ID.COPY.so, or libpf_labels */
static char *output_path(const struct pf_kept_file *f, const char *folder, const char *copy)
{
    const char *name = getenv("PF_PLUGIN_SYMBOLIC") ? PF_SYMBOLIC_FILE : PF_BODIES_FILE;
    const unsigned char *id;
    size_t n = pf_kept_build_id(f, &id);
    char hex[2 * 64 + 1] = "";
    for (size_t i = 0; i < n && i < 64; i++)
        snprintf(hex + 2 * i, 3, "%02x", id[i]);
    return n ? pf_mem_format("%s/%s%s.%s.so", folder, name, hex, copy) : NULL;
}

static pf_status run(const char *object, const char *folder, const char *copy, struct pf_error *e)
{
    struct bodies_job j = {0};
    pf_status s = pf_kept_open(&j.file, object, e);
    if (s != PF_OK)
        return s;
    char *out = output_path(&j.file, folder, copy);
    if (!out)
        return pf_fail(e, PF_BAD, "%s: has no build id; link it with -Wl,--build-id", object);
    if (!access(out, R_OK)) {
        utimensat(AT_FDCWD, out, NULL, 0); /* it is used now: process/cache_limit.c keeps it */
        return PF_OK;
    }
    s = pf_kept_read(&j.file, e);
    if (s == PF_OK)
        s = pf_folder_make(folder, e);
    if (s != PF_OK)
        return s;
    snprintf(j.folder, sizeof j.folder, "%s/new.XXXXXX", folder);
    if (!mkdtemp(j.folder))
        return pf_fail(e, PF_IO, "%s: %s", j.folder, strerror(errno));
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    j.context = LLVMContextCreate();
    LLVMContextSetDiscardValueNames(j.context, 0);
    char *made = pf_mem_format("%s/bodies.so", j.folder);
    s = compile(&j, made, e);
    if (s == PF_OK)
        s = extend(made, e);
    if (s == PF_OK && rename(made, out))
        s = pf_fail(e, PF_IO, "%s: %s", out, strerror(errno));
    if (!getenv("PF_BODIES_KEEP"))
        pf_folder_remove(j.folder);
    pf_kept_close(&j.file);
    free(made);
    free(out);
    return s;
}

int main(int argc, char **argv)
{
    struct pf_error e;
    bool symbolic = argc == 5 && !strcmp(argv[4], "symbolic");
    if (argc != 4 && !symbolic) {
        fprintf(stderr, "usage: pf-bodies OBJECT FOLDER COPY [symbolic]\n");
        return 2;
    }
    char exports[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exports, sizeof exports - 32);
    char *slash = n > 0 ? (exports[n] = 0, strrchr(exports, '/')) : NULL;
    if (slash) {
        strcpy(slash, "/pf_rt.list");
        setenv("PF_PLUGIN_EXPORTS", exports, 1);
    }
    /* A target that starts this program may have no usable PATH. */
    const char *path = getenv("PATH");
    pf_mem_setenv("PATH", "%s%s/usr/local/bin:/usr/bin:/bin", path ? path : "", path ? ":" : "");
    unsetenv("PF_PLUGIN_IGNORE");
    unsetenv("PF_PLUGIN_SYMBOLIC");
    if (symbolic)
        setenv("PF_PLUGIN_SYMBOLIC", "1", 1);
    if (run(argv[1], argv[2], argv[3], &e) == PF_OK)
        return 0;
    fprintf(stderr, "pf-bodies: %s\n", e.text);
    return 2;
}
