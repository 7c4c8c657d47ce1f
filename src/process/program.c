/* program.c - see program.h. Reads the ELF file directly: two tables and one note, with every
 * offset checked. */
#define _GNU_SOURCE
#include "program.h"
#include "allocation.h"
#include "pf_abi.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static pf_status runnable(const char *path, struct pf_error *e)
{
    struct stat s;
    if (stat(path, &s))
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(s.st_mode))
        return pf_fail(e, PF_IO, "%s: is a directory", path);
    if (access(path, X_OK))
        return pf_fail(e, PF_IO, "%s: not executable: %s", path, strerror(errno));
    return PF_OK;
}

pf_status pf_program_find(const char *name, char **path, struct pf_error *e)
{
    if (strchr(name, '/')) {
        *path = pf_mem_copy(name);
        pf_status s = runnable(name, e);
        if (s) {
            free(*path);
            *path = NULL;
        }
        return s;
    }
    const char *folders = getenv("PATH");
    struct pf_error ignored;
    for (const char *at = folders ? folders : "/usr/local/bin:/usr/bin:/bin"; *name && *at;) {
        size_t n = strcspn(at, ":");
        *path = pf_mem_format("%.*s%s%s", (int)n, at, n ? "/" : "./", name);
        if (runnable(*path, &ignored) == PF_OK)
            return PF_OK;
        free(*path);
        *path = NULL;
        at += n + (at[n] == ':');
    }
    if (!*name)
        return pf_fail(e, PF_BAD, "the name of the program is empty");
    return pf_fail(e, PF_IO, "%s: not found in PATH; a program in this folder is ./%s", name, name);
}

/* The word of our note of this type in the notes at data[at..at+size); 0 if there is none. */
static uint32_t note_word(const unsigned char *data, size_t n, uint64_t at, uint64_t size,
                          uint32_t type)
{
    if (at > n || size > n - at)
        return 0;
    for (uint64_t end = at + size; end - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr h;
        memcpy(&h, data + at, sizeof h);
        at += sizeof h;
        uint64_t name = (h.n_namesz + 3ull) & ~3ull, desc = (h.n_descsz + 3ull) & ~3ull;
        if (name + desc > end - at)
            return 0;
        if (h.n_type == type && h.n_namesz == sizeof PF_NOTE_OWNER && h.n_descsz == 4 &&
            !memcmp(data + at, PF_NOTE_OWNER, sizeof PF_NOTE_OWNER)) {
            uint32_t word;
            memcpy(&word, data + at + name, 4);
            return word;
        }
        at += name + desc;
    }
    return 0;
}

/* Reads program header i; false: there is none, or it is not in the file. */
static bool read_segment(const unsigned char *data, size_t n, unsigned i, Elf64_Phdr *p)
{
    Elf64_Ehdr h;
    memcpy(&h, data, sizeof h);
    uint64_t at = h.e_phoff + (uint64_t)i * sizeof *p;
    if (i >= h.e_phnum || h.e_phentsize != sizeof *p || at > n || n - at < sizeof *p)
        return false;
    memcpy(p, data + at, sizeof *p);
    return true;
}

/* The word of our note of this type: from the segments, which survive strip, else from the
 * sections. */
static uint32_t find_note(const unsigned char *data, size_t n, uint32_t type)
{
    Elf64_Ehdr h;
    Elf64_Phdr p;
    uint32_t word = 0;
    memcpy(&h, data, sizeof h);
    for (unsigned i = 0; !word && read_segment(data, n, i, &p); i++)
        if (p.p_type == PT_NOTE)
            word = note_word(data, n, p.p_offset, p.p_filesz, type);
    for (unsigned i = 0; i < h.e_shnum && !word; i++) {
        uint64_t at = h.e_shoff + (uint64_t)i * sizeof(Elf64_Shdr);
        Elf64_Shdr s;
        if (h.e_shentsize != sizeof s || at > n || n - at < sizeof s)
            break;
        memcpy(&s, data + at, sizeof s);
        if (s.sh_type == SHT_NOTE)
            word = note_word(data, n, s.sh_offset, s.sh_size, type);
    }
    return word;
}

static uint32_t abi_version(const unsigned char *data, size_t n)
{
    return find_note(data, n, PF_NOTE_ABI);
}

/* Checks that it is an ELF program for this machine. */
static pf_status is_program(const char *path, const unsigned char *data, size_t n,
                            struct pf_error *e)
{
    if (n < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG))
        return pf_fail(e, PF_BAD, "%s: not an ELF program", path);
    Elf64_Ehdr h;
    memcpy(&h, data, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
        h.e_machine != EM_X86_64)
        return pf_fail(e, PF_BAD, "%s: not a program for x86-64", path);
    if (h.e_type != ET_EXEC && h.e_type != ET_DYN)
        return pf_fail(e, PF_BAD, "%s: not an executable", path);
    return PF_OK;
}

static bool is_script(const unsigned char *data, size_t n)
{
    return n >= 2 && data[0] == '#' && data[1] == '!';
}

static pf_status check_abi_version(const char *path, uint32_t version, struct pf_error *e)
{
    if (version == PF_ABI_VERSION)
        return PF_OK;
    return pf_fail(e, PF_BAD,
                   "%s: built for version %u of the runtime interface, but this pf has version %d; "
                   "build it again",
                   path, version, PF_ABI_VERSION);
}

/* --- ThreadSanitizer's runtime --- */

enum tsan_link { TSAN_NONE, TSAN_SHARED, TSAN_STATIC };

static bool is_tsan_library(const char *name, size_t room)
{
    static const char *const names[] = {"libtsan.so.", "libclang_rt.tsan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) < room && !strncmp(name, names[i], strlen(names[i])))
            return true;
    return false;
}

/* The offset in the file of the address `at`; n if it is not in the file. */
static uint64_t file_offset(const unsigned char *data, size_t n, uint64_t at)
{
    Elf64_Phdr p;
    for (unsigned i = 0; read_segment(data, n, i, &p); i++)
        if (p.p_type == PT_LOAD && at >= p.p_vaddr && at - p.p_vaddr < p.p_filesz &&
            p.p_offset <= n && at - p.p_vaddr < n - p.p_offset)
            return p.p_offset + (at - p.p_vaddr);
    return n;
}

/* True if the program needs the shared runtime of ThreadSanitizer. */
static bool needs_tsan(const unsigned char *data, size_t n)
{
    Elf64_Phdr p;
    Elf64_Dyn d;
    uint64_t from = 0, size = 0, names = n;
    for (unsigned i = 0; read_segment(data, n, i, &p); i++)
        if (p.p_type == PT_DYNAMIC && p.p_offset <= n && p.p_filesz <= n - p.p_offset) {
            from = p.p_offset;
            size = p.p_filesz;
        }
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t at = 0; at + sizeof d <= size; at += sizeof d) {
            memcpy(&d, data + from + at, sizeof d);
            if (!pass && d.d_tag == DT_STRTAB)
                names = file_offset(data, n, d.d_un.d_ptr);
            if (pass && d.d_tag == DT_NEEDED && names < n && d.d_un.d_val < n - names &&
                is_tsan_library((const char *)data + names + d.d_un.d_val,
                                n - names - d.d_un.d_val))
                return true;
        }
    return false;
}

static enum tsan_link tsan_link(const unsigned char *data, size_t n)
{
    static const char entry[] = "__tsan_func_entry"; /* a name in its symbol table */
    if (needs_tsan(data, n))
        return TSAN_SHARED;
    return memmem(data, n, entry, sizeof entry) ? TSAN_STATIC : TSAN_NONE;
}

/* The error for a program that has no checks of ours. */
static pf_status not_instrumented(const char *path, const unsigned char *data, size_t n,
                                  const char *any, struct pf_error *e)
{
    switch (tsan_link(data, n)) {
    case TSAN_STATIC:
        return pf_fail(
            e, PF_BAD,
            "%s: linked statically with ThreadSanitizer's runtime, which pf can replace "
            "only if it is a shared library: link with -shared-libsan (clang) or without "
            "-static-libtsan (gcc), or build with pf cc",
            path);
    case TSAN_SHARED:
        return pf_fail(
            e, PF_BAD,
            "%s: built with -fsanitize=thread; only pf run accepts such a program; build "
            "it with pf cc or pf c++",
            path);
    default:
        return pf_fail(e, PF_BAD,
                       "%s: not instrumented, so its races would not be seen; build it with pf cc "
                       "or pf c++%s%s%s",
                       path, any ? " (" : "", any ? any : "", any ? ")" : "");
    }
}

/* any: what the message says about --any; NULL: the verb does not have it. */
static pf_status check_bytes(const char *path, const unsigned char *data, size_t n, const char *any,
                             struct pf_error *e)
{
    if (is_script(data, n))
        return pf_fail(e, PF_BAD, "%s: is a script, not a program built with pf cc%s%s", path,
                       any ? "; " : "", any ? any : "");
    pf_status s = is_program(path, data, n, e);
    if (s != PF_OK)
        return s;
    uint32_t version = abi_version(data, n);
    if (version == 0)
        return not_instrumented(path, data, n, any, e);
    return check_abi_version(path, version, e);
}

static const char use_any[] = "to run it anyway and check the programs that it starts, use --any";

pf_status pf_program_check_bytes(const char *path, const unsigned char *data, size_t n,
                                 struct pf_error *e)
{
    return check_bytes(path, data, n, use_any, e);
}

/* The dynamic linker that the program requests, its length in *length; NULL: none. */
static const char *interpreter(const unsigned char *data, size_t n, size_t *length)
{
    Elf64_Phdr p;
    for (unsigned i = 0; read_segment(data, n, i, &p); i++)
        if (p.p_type == PT_INTERP && p.p_offset <= n && p.p_filesz <= n - p.p_offset) {
            *length = strnlen((const char *)data + p.p_offset, p.p_filesz);
            return (const char *)data + p.p_offset;
        }
    return NULL;
}

pf_status pf_program_check_bare(const char *path, const unsigned char *data, size_t n, bool *bare,
                                struct pf_error *e)
{
    if (is_script(data, n))
        return pf_fail(e, PF_BAD,
                       "%s: is a script; record its interpreter, with the script as an argument",
                       path);
    pf_status s = is_program(path, data, n, e);
    if (s != PF_OK)
        return s;
    uint32_t version = abi_version(data, n);
    *bare = version == 0;
    if (version)
        return check_abi_version(path, version, e);
    if (tsan_link(data, n) != TSAN_NONE)
        return not_instrumented(path, data, n, NULL, e);
    size_t length = 0;
    const char *linker = interpreter(data, n, &length);
    if (!linker)
        return pf_fail(e, PF_BAD,
                       "%s: statically linked and not built with pf cc, so the runtime cannot be "
                       "loaded into it; link it dynamically",
                       path);
    static const char glibc[] = "ld-linux-x86-64.so.2";
    if (length < sizeof glibc - 1 ||
        memcmp(linker + length - (sizeof glibc - 1), glibc, sizeof glibc - 1))
        return pf_fail(e, PF_BAD, "%s: not linked with glibc (its dynamic linker is %.*s)", path,
                       (int)length, linker);
    return PF_OK;
}

/* Maps the file; *mode is set to its permissions. Returns NULL with an error. */
static const unsigned char *map_program(const char *path, size_t *n, mode_t *mode,
                                        struct pf_error *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    void *data = MAP_FAILED;
    if (fd >= 0 && !fstat(fd, &s)) {
        *n = (size_t)s.st_size;
        *mode = s.st_mode;
        data = *n ? mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0) : "";
    }
    if (data == MAP_FAILED)
        (void)!pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return data == MAP_FAILED ? NULL : data;
}

static void unmap_program(const unsigned char *data, size_t n)
{
    if (n)
        munmap((void *)data, n);
}

pf_status pf_program_check(const char *path, bool has_any, struct pf_error *e)
{
    size_t n;
    mode_t mode;
    const unsigned char *data = map_program(path, &n, &mode, e);
    if (!data)
        return PF_IO;
    pf_status s = check_bytes(path, data, n, has_any ? use_any : NULL, e);
    unmap_program(data, n);
    return s;
}

pf_status pf_program_check_free(const char *path, bool *tsan, struct pf_error *e)
{
    size_t n;
    mode_t mode;
    struct pf_error ignored;
    const unsigned char *data = map_program(path, &n, &mode, e);
    if (!data)
        return PF_IO;
    *tsan = is_program(path, data, n, &ignored) == PF_OK && !abi_version(data, n) &&
            tsan_link(data, n) == TSAN_SHARED;
    pf_status s = *tsan ? PF_OK : pf_program_check_bytes(path, data, n, e);
    unmap_program(data, n);
    return s;
}

pf_status pf_program_check_directed(const char *path, bool *bare, struct pf_error *e)
{
    size_t n;
    mode_t mode;
    char capabilities[64];
    const unsigned char *data = map_program(path, &n, &mode, e);
    if (!data)
        return PF_IO;
    pf_status s = pf_program_check_bare(path, data, n, bare, e);
    unmap_program(data, n);
    /* The dynamic linker does not preload into programs with raised privileges. */
    bool raised = mode & (S_ISUID | S_ISGID) ||
                  getxattr(path, "security.capability", capabilities, sizeof capabilities) > 0;
    if (s == PF_OK && *bare && raised)
        s = pf_fail(e, PF_BAD,
                    "%s: runs with the privileges of another user or group, so the runtime cannot "
                    "be loaded into it; record a copy without them",
                    path);
    return s;
}

pf_status pf_program_check_symbolic(const char *path, struct pf_error *e)
{
    size_t n;
    mode_t mode;
    const unsigned char *data = map_program(path, &n, &mode, e);
    if (!data)
        return PF_IO;
    pf_status s = check_bytes(path, data, n, NULL, e);
    if (s == PF_OK && !find_note(data, n, PF_NOTE_SYMBOLIC) &&
        !find_note(data, n, PF_NOTE_ON_DEMAND))
        s = pf_fail(e, PF_BAD,
                    "%s: has no symbolic code; build it with pf cc --symbolic or pf c++ --symbolic "
                    "(or --on-demand)",
                    path);
    unmap_program(data, n);
    return s;
}

bool pf_program_is_on_demand(const char *path)
{
    size_t n;
    mode_t mode;
    struct pf_error ignored;
    const unsigned char *data = map_program(path, &n, &mode, &ignored);
    if (!data)
        return false;
    bool yes =
        is_program(path, data, n, &ignored) == PF_OK && find_note(data, n, PF_NOTE_ON_DEMAND);
    unmap_program(data, n);
    return yes;
}
