/* kept_reader.c - see kept_reader.h. */
#define _GNU_SOURCE
#include "kept_reader.h"
#include "allocation.h"
#include "llvm_shim.h"
#include "pf_abi.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static pf_status bad(const struct pf_kept_file *f, const char *what, struct pf_error *e)
{
    return pf_fail(e, PF_BAD, "%s: %s", f->path, what);
}

static bool is_within(const struct pf_kept_file *f, uint64_t offset, uint64_t size)
{
    return offset <= f->size && size <= f->size - offset;
}

/* A section of the file that has contents, or NULL. */
static const Elf64_Shdr *section(const struct pf_kept_file *f, const char *name)
{
    const Elf64_Ehdr *h = (const void *)f->data;
    const Elf64_Shdr *all = (const void *)(f->data + h->e_shoff);
    if (!h->e_shnum || !is_within(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof *all) ||
        h->e_shstrndx >= h->e_shnum)
        return NULL;
    const Elf64_Shdr *names = &all[h->e_shstrndx];
    if (!is_within(f, names->sh_offset, names->sh_size))
        return NULL;
    for (unsigned i = 0; i < h->e_shnum; i++) {
        if (all[i].sh_name >= names->sh_size)
            continue;
        const char *its = (const char *)f->data + names->sh_offset + all[i].sh_name;
        if (!strncmp(its, name, names->sh_size - all[i].sh_name) && all[i].sh_type != SHT_NOBITS &&
            is_within(f, all[i].sh_offset, all[i].sh_size))
            return &all[i];
    }
    return NULL;
}

static pf_status read_modules(struct pf_kept_file *f, struct pf_error *e)
{
    const Elf64_Shdr *s = section(f, PF_KEPT_SECTION);
    if (!s)
        return bad(f,
                   "it was stripped of its IR, from which event bodies are compiled; use it once "
                   "unstripped, or build it without --on-demand",
                   e);
    const unsigned char *data = f->data + s->sh_offset;
    size_t size = s->sh_size;
    if (s->sh_flags & SHF_COMPRESSED) { /* by clang -gz */
        const Elf64_Chdr *h = (const void *)data;
        if (size < sizeof *h || h->ch_size > 1000 * (uint64_t)size)
            return bad(f, "the IR for event bodies is damaged", e);
        f->unpacked = pf_mem_resize(NULL, h->ch_size + 1, 1);
        if (!pf_llvm_unpack(data + sizeof *h, size - sizeof *h, f->unpacked, h->ch_size))
            return bad(f, "the IR for event bodies is damaged", e);
        data = f->unpacked;
        size = h->ch_size;
    }
    const uint64_t *at = (const void *)data, *end = at + size / 8;
    while (end - at >= 5) {
        struct pf_kept_module m = {at + 5, at[2], NULL, at[4], at[3]};
        uint64_t words = (m.packed_size + 7) / 8, left = (uint64_t)(end - at) - 5;
        if (memcmp(at, PF_KEPT_MAGIC, 8) || m.naddresses > left || words > left - m.naddresses)
            return bad(f, "the IR for event bodies is damaged", e);
        if (at[1] != PF_ABI_VERSION)
            return bad(f, "has modules from another version of pf cc; rebuild it", e);
        m.packed = (const unsigned char *)(m.address + m.naddresses);
        pf_vec_push(&f->modules, m);
        at = m.address + m.naddresses + words;
    }
    return PF_OK;
}

static int compare_wanted(const void *a, const void *b)
{
    const struct pf_wanted_body *x = a, *y = b;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static pf_status read_records(struct pf_kept_file *f, struct pf_error *e)
{
    const Elf64_Shdr *s = section(f, "pf_func");
    if (!s)
        return bad(f, "has no section pf_func", e);
    const struct pf_func *all = (const void *)(f->data + s->sh_offset);
    for (size_t i = 0; i < s->sh_size / sizeof *all; i++) {
        uint64_t record = s->sh_addr + i * sizeof *all;
        uint64_t entry = record + offsetof(struct pf_func, entry) + (uint64_t)(int64_t)all[i].entry;
        pf_vec_push(&f->wanted,
                    (struct pf_wanted_body){.entry = entry,
                                            .record = record,
                                            .hash = all[i].hash,
                                            .on_demand = all[i].flags & PF_FUNCF_ON_DEMAND});
    }
    if (f->wanted.len)
        qsort(f->wanted.at, f->wanted.len, sizeof *f->wanted.at, compare_wanted);
    return PF_OK;
}

struct pf_wanted_body *pf_kept_find_wanted(const struct pf_kept_file *f, uint64_t entry)
{
    struct pf_wanted_body key = {.entry = entry};
    return f->wanted.len ? bsearch(&key, f->wanted.at, f->wanted.len, sizeof key, compare_wanted)
                         : NULL;
}

static int compare_code(const void *a, const void *b)
{
    const struct pf_kept_code *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void read_symbols(struct pf_kept_file *f)
{
    const Elf64_Shdr *s = section(f, ".symtab"), *t = section(f, ".strtab");
    if (!s || !t)
        return;
    const Elf64_Sym *all = (const void *)(f->data + s->sh_offset);
    const char *names = (const char *)f->data + t->sh_offset;
    for (size_t i = 0; i < s->sh_size / sizeof *all; i++) {
        unsigned type = ELF64_ST_TYPE(all[i].st_info);
        if (all[i].st_shndx == SHN_UNDEF || all[i].st_shndx >= SHN_LORESERVE || !all[i].st_value ||
            all[i].st_name >= t->sh_size ||
            (type != STT_NOTYPE && type != STT_FUNC && type != STT_OBJECT))
            continue;
        pf_vec_push(&f->symbols,
                    (struct pf_kept_symbol){names + all[i].st_name, all[i].st_value,
                                            ELF64_ST_BIND(all[i].st_info) == STB_LOCAL});
        const Elf64_Ehdr *h = (const void *)f->data;
        const Elf64_Shdr *in = (const Elf64_Shdr *)(f->data + h->e_shoff) + all[i].st_shndx;
        if (all[i].st_shndx < h->e_shnum && in->sh_flags & SHF_EXECINSTR)
            pf_vec_push(&f->code,
                        (struct pf_kept_code){all[i].st_value, in->sh_addr + in->sh_size, false});
    }
    if (f->code.len)
        qsort(f->code.at, f->code.len, sizeof *f->code.at, compare_code);
}

bool pf_kept_replace(struct pf_kept_file *f, uint64_t entry)
{
    size_t low = 0, high = f->code.len, next;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->code.at[middle].start < entry)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == f->code.len || f->code.at[low].start != entry || f->code.at[low].replaced)
        return false;
    for (next = low; next < f->code.len && f->code.at[next].start == entry; next++)
        ; /* aliases */
    uint64_t end = f->code.at[low].section_end;
    if (next < f->code.len && f->code.at[next].start < end)
        end = f->code.at[next].start;
    f->code.at[low].replaced = true;
    return end - entry >= PF_JUMP_BYTES;
}

void pf_kept_add_symbol(struct pf_kept_file *f, const char *name, uint64_t address)
{
    pf_vec_push(&f->symbols, (struct pf_kept_symbol){name, address, false});
}

static int compare_symbols(const void *a, const void *b)
{
    const struct pf_kept_symbol *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->is_local - y->is_local;
}

void pf_kept_sort_symbols(struct pf_kept_file *f)
{
    if (f->symbols.len)
        qsort(f->symbols.at, f->symbols.len, sizeof *f->symbols.at, compare_symbols);
}

uint64_t pf_kept_find_symbol(const struct pf_kept_file *f, const char *name)
{
    size_t low = 0, high = f->symbols.len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(f->symbols.at[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == f->symbols.len || strcmp(f->symbols.at[low].name, name))
        return 0;
    bool unique = low + 1 == f->symbols.len || strcmp(f->symbols.at[low + 1].name, name);
    return unique || !f->symbols.at[low].is_local ? f->symbols.at[low].address : 0;
}

size_t pf_kept_build_id(const struct pf_kept_file *f, const unsigned char **id)
{
    const Elf64_Shdr *s = section(f, ".note.gnu.build-id");
    const Elf64_Nhdr *n = s ? (const void *)(f->data + s->sh_offset) : NULL;
    if (!n || s->sh_size < sizeof *n + 4 || n->n_type != NT_GNU_BUILD_ID || n->n_namesz != 4 ||
        n->n_descsz > s->sh_size - sizeof *n - 4)
        return 0;
    *id = (const unsigned char *)(n + 1) + 4;
    return n->n_descsz;
}

pf_status pf_kept_open(struct pf_kept_file *f, const char *path, struct pf_error *e)
{
    *f = (struct pf_kept_file){.path = path};
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *data = fd >= 0 && !fstat(fd, &s) && s.st_size
                     ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                     : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (data == MAP_FAILED)
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    f->data = data;
    f->size = (size_t)s.st_size;
    if (f->size < sizeof(Elf64_Ehdr) || memcmp(f->data, ELFMAG, SELFMAG) ||
        f->data[EI_CLASS] != ELFCLASS64)
        return bad(f, "is not an ELF file for x86-64", e);
    return PF_OK;
}

pf_status pf_kept_read(struct pf_kept_file *f, struct pf_error *e)
{
    pf_status status = read_modules(f, e);
    if (status == PF_OK)
        status = read_records(f, e);
    if (status == PF_OK)
        read_symbols(f);
    return status;
}

void pf_kept_close(struct pf_kept_file *f)
{
    if (f->data)
        munmap(f->data, f->size);
    free(f->unpacked);
    pf_vec_release(&f->modules);
    pf_vec_release(&f->wanted);
    pf_vec_release(&f->symbols);
    pf_vec_release(&f->code);
}
