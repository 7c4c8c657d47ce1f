/*
 * unchecked_code.c - finds code without checks in the objects of a process.
 *
 * Model:   every function that pf cc has compiled has a record in the section pf_func, which refers
 *          to its entry. If it needs no checks, or the user has left it out (no_sanitize), it has a
 *          reference in the section pf_no_record instead. Any other function of the symbol table is
 *          code of another compiler, or written in assembly language. Code that no user writes
 *          does not count: the start-up code, the runtime, functions with reserved names, and parts
 *          that the compiler has split from a function.
 *
 * The ELF file is read directly, with every offset checked.
 */
#define _GNU_SOURCE
#include "allocation.h"
#include "file.h"
#include "finding_json.h"
#include "findings.h"
#include "pf_abi.h"
#include "text_format.h"
#include "vector.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* --- which objects and functions count --- */

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

bool pf_object_is_system(const char *path)
{
    static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/",
                                          "/usr/libexec/"};
    static const char *const support[] = {
        "libc.so",   "libm.so",       "libstdc++.so", "libgcc_s.so",  "libomp.so",  "libgomp.so",
        "libc++.so", "libc++abi.so",  "libdl.so",     "libpthread.",  "librt.so",   "libatomic.so",
        "libpf_rt.", "libpf_bodies.", "ld-linux",     "libunwind.so", "libtsan.so", "libclang_rt."};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (starts(path, folders[i]))
            return true;
    for (size_t i = 0; i < sizeof support / sizeof *support; i++)
        if (starts(name, support[i]))
            return true;
    return false;
}

/* False: no user has written the function. */
static bool is_user_code(const char *name)
{
    static const char *const others[] = {"_start",
                                         "_init",
                                         "_fini",
                                         "_dl_relocate_static_pie",
                                         "deregister_tm_clones",
                                         "atexit",
                                         "frame_dummy",
                                         "register_tm_clones",
                                         "at_quick_exit",
                                         "stat",
                                         "fstat",
                                         "lstat",
                                         "pthread_atfork",
                                         "mknod",
                                         "fstatat"};
    /* reserved names, the runtime, static initialisers, thunks, wrappers of thread_local */
    static const char *const prefixes[] = {"__",   "pf_",  "_GLOBAL__", "_ZTh", "_ZTv",
                                           "_ZTc", "_ZTW", "_ZTH",      "."};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i]))
            return false;
    if (strstr(name, ".module_ctor"))
        return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (starts(name, prefixes[i]))
            return false;
    return *name != 0;
}

/* --- the file --- */

struct elf_file {
    const unsigned char *bytes;
    size_t n;
    Elf64_Ehdr head;
    Elf64_Shdr names;
};

static bool get(const struct elf_file *f, uint64_t at, void *to, size_t n)
{
    if (at > f->n || n > f->n - at)
        return false;
    memcpy(to, f->bytes + at, n);
    return true;
}

static bool section(const struct elf_file *f, unsigned i, Elf64_Shdr *s)
{
    return i < f->head.e_shnum && f->head.e_shentsize == sizeof *s &&
           get(f, f->head.e_shoff + (uint64_t)i * sizeof *s, s, sizeof *s) &&
           (s->sh_type == SHT_NOBITS ||
            (s->sh_offset <= f->n && s->sh_size <= f->n - s->sh_offset));
}

/* A string of a string table; "" if it is not one. */
static const char *string(const struct elf_file *f, const Elf64_Shdr *table, uint32_t at)
{
    if (table->sh_type != SHT_STRTAB || at >= table->sh_size)
        return "";
    const char *s = (const char *)f->bytes + table->sh_offset + at;
    return memchr(s, 0, table->sh_size - at) ? s : "";
}

static bool find(const struct elf_file *f, const char *name, Elf64_Shdr *s)
{
    for (unsigned i = 0; i < f->head.e_shnum; i++)
        if (section(f, i, s) && !strcmp(string(f, &f->names, s->sh_name), name))
            return true;
    return false;
}

static bool open_file(struct elf_file *f, const char *bytes, size_t n)
{
    *f = (struct elf_file){.bytes = (const unsigned char *)bytes, .n = n};
    return get(f, 0, &f->head, sizeof f->head) && !memcmp(f->head.e_ident, ELFMAG, SELFMAG) &&
           f->head.e_ident[EI_CLASS] == ELFCLASS64 && f->head.e_machine == EM_X86_64 &&
           section(f, f->head.e_shstrndx, &f->names);
}

/* --- functions --- */

struct code_function {
    uint64_t address, size;
    const char *name;
    bool checked;
};

static int by_address(const void *a, const void *b)
{
    const struct code_function *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static int by_size(const void *a, const void *b)
{
    const struct code_function *x = a, *y = b;
    return (x->size < y->size) - (x->size > y->size);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Adds the addresses that a section refers to: records of `size` bytes with a pf_rel at `field`. */
static void add_entries(const struct elf_file *f, const char *name, size_t size, size_t field,
                        pf_vec_u64 *out)
{
    Elf64_Shdr s;
    if (!find(f, name, &s) || s.sh_type == SHT_NOBITS)
        return;
    for (uint64_t offset = 0; s.sh_size - offset >= size; offset += size) {
        pf_rel distance;
        if (get(f, s.sh_offset + offset + field, &distance, sizeof distance) && distance)
            pf_vec_push(out, s.sh_addr + offset + field + (uint64_t)(int64_t)distance);
    }
}

/* The addresses of the functions that pf cc has compiled, sorted. */
static pf_vec_u64 read_entries(const struct elf_file *f)
{
    pf_vec_u64 all = {0};
    add_entries(f, "pf_func", sizeof(struct pf_func), offsetof(struct pf_func, entry), &all);
    add_entries(f, PF_NO_RECORD_SECTION, sizeof(pf_rel), 0, &all);
    if (all.len)
        qsort(all.at, all.len, sizeof *all.at, by_number);
    return all;
}

/* The functions in the sections .text*, sorted by address. Several names may have one address: the
 * constructors of a C++ class usually do. */
static struct code_function *read_functions(const struct elf_file *f, size_t *n, bool *has_symbols)
{
    Elf64_Shdr symbols, strings, in;
    *n = 0;
    *has_symbols = find(f, ".symtab", &symbols) && symbols.sh_type == SHT_SYMTAB &&
                   section(f, symbols.sh_link, &strings);
    if (!*has_symbols)
        return NULL;
    size_t most = symbols.sh_size / sizeof(Elf64_Sym);
    struct code_function *all = pf_mem_zero(most + 1, sizeof *all);
    for (size_t i = 0; i < most; i++) {
        Elf64_Sym s;
        if (!get(f, symbols.sh_offset + i * sizeof s, &s, sizeof s) ||
            ELF64_ST_TYPE(s.st_info) != STT_FUNC || !s.st_size || !section(f, s.st_shndx, &in) ||
            !starts(string(f, &f->names, in.sh_name), ".text"))
            continue;
        all[(*n)++] = (struct code_function){
            .address = s.st_value, .size = s.st_size, .name = string(f, &strings, s.st_name)};
    }
    qsort(all, *n, sizeof *all, by_address);
    return all;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the functions with checks, sorted. */
static const char **checked_names(const struct code_function *all, size_t n, size_t *many)
{
    const char **names = pf_mem_zero(n + 1, sizeof *names);
    *many = 0;
    for (size_t i = 0; i < n; i++)
        if (all[i].checked)
            names[(*many)++] = all[i].name;
    qsort(names, *many, sizeof *names, by_text);
    return names;
}

/* Is it a part that the compiler has split from a function with checks, such as "f.cold" or
 * "f.pf"? */
static bool is_part(const char *name, const char **names, size_t many)
{
    char *stem = pf_mem_copy_n(name, strcspn(name, "."));
    bool part = name[strlen(stem)] && bsearch(&stem, names, many, sizeof *names, by_text);
    free(stem);
    return part;
}

static void count(struct pf_findings *f, struct pf_object *o, struct code_function *all, size_t n)
{
    size_t unchecked = 0, many;
    uint64_t before = 0;
    const char **names = checked_names(all, n, &many);
    for (size_t i = 0; i < n; i++) {
        bool counted = all[i].address == before;
        before = all[i].address;
        if (counted)
            continue;
        if (!all[i].checked && (!is_user_code(all[i].name) || is_part(all[i].name, names, many)))
            continue;
        o->functions++;
        o->bytes += all[i].size;
        if (!all[i].checked) {
            o->unchecked_bytes += all[i].size;
            all[unchecked++] = all[i];
        }
    }
    free(names);
    o->unchecked = unchecked;
    if (unchecked)
        qsort(all, unchecked, sizeof *all, by_size);
    for (size_t i = 0; i < unchecked && i < sizeof o->names / sizeof *o->names; i++)
        o->names[i] = pf_pool_text(&f->pool, all[i].name, strlen(all[i].name));
}

static void examine(struct pf_findings *f, struct pf_object *o)
{
    struct elf_file file;
    struct pf_error ignored;
    char *bytes;
    size_t n;
    if (pf_file_read(o->path, &bytes, &n, &ignored) != PF_OK)
        return; /* a plugin that was removed, for example */
    /* compiled for ThreadSanitizer: there is no list of the functions with checks */
    static const char entry[] = "__tsan_func_entry";
    bool tsan = memmem(bytes, n, entry, sizeof entry);
    if (open_file(&file, bytes, n)) {
        pf_vec_u64 entries = read_entries(&file);
        if (tsan && !entries.len) {
            pf_vec_release(&entries);
            free(bytes);
            return;
        }
        struct code_function *all = read_functions(&file, &n, &o->has_symbols);
        for (size_t i = 0; i < n; i++)
            all[i].checked = entries.len && bsearch(&all[i].address, entries.at, entries.len,
                                                    sizeof *entries.at, by_number);
        o->examined = true;
        o->instrumented = entries.len != 0;
        count(f, o, all, n);
        pf_vec_release(&entries);
        free(all);
    }
    free(bytes);
}

void pf_findings_examine_objects(struct pf_findings *f)
{
    for (struct pf_object *o = f->objects; o; o = o->next)
        if (!o->examined)
            examine(f, o);
}

/* --- the result --- */

static bool is_full(const struct pf_object *o)
{
    return !o->examined || (o->instrumented && o->has_symbols && !o->unchecked);
}

static void add_object(struct pf_text *t, const struct pf_object *o)
{
    pf_text_name(t, o->path);
    if (!o->instrumented) {
        pf_text_add(t, " (all)");
        return;
    }
    if (!o->has_symbols) {
        pf_text_add(t, " (unknown: it has no symbols)");
        return;
    }
    pf_text_format(t, " (%llu of %llu functions, %llu%% of the code: ",
                   (unsigned long long)o->unchecked, (unsigned long long)o->functions,
                   (unsigned long long)((o->unchecked_bytes * 100 + o->bytes - 1) / o->bytes));
    size_t shown = 0;
    for (; shown < sizeof o->names / sizeof *o->names && o->names[shown]; shown++) {
        pf_text_add(t, shown ? ", " : "");
        pf_text_name(t, o->names[shown]);
    }
    pf_text_add(t, o->unchecked > shown ? ", ...)" : ")");
}

void pf_findings_unchecked_text(struct pf_text *t, const struct pf_findings *f)
{
    bool first = true;
    for (const struct pf_object *o = f->objects; o; o = o->next) {
        if (is_full(o))
            continue;
        pf_text_add(t, first ? "" : "; ");
        add_object(t, o);
        first = false;
    }
}

void pf_findings_objects_json(struct pf_text *t, const struct pf_findings *f)
{
    bool first = true;
    pf_json_key(t, "objects");
    pf_text_char(t, '[');
    for (const struct pf_object *o = f->objects; o; o = o->next) {
        if (!o->examined)
            continue;
        pf_text_add(t, first ? "\n{" : ",\n{");
        first = false;
        pf_json_str(t, "path", o->path);
        pf_json_str(t, "checks",
                    !o->instrumented  ? "none"
                    : !o->has_symbols ? "unknown"
                    : o->unchecked    ? "some"
                                      : "all");
        pf_json_num(t, "functions", o->functions);
        pf_json_num(t, "unchecked", o->unchecked);
        pf_json_num(t, "bytes", o->bytes);
        pf_json_num(t, "unchecked_bytes", o->unchecked_bytes);
        pf_json_key(t, "names");
        pf_text_char(t, '[');
        for (size_t i = 0; i < sizeof o->names / sizeof *o->names && o->names[i]; i++) {
            pf_text_add(t, i ? "," : "");
            pf_text_json_bytes(t, o->names[i], strlen(o->names[i]));
        }
        pf_text_add(t, "]}");
    }
    pf_text_char(t, ']');
}
