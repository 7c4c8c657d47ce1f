/*
 * site_file.c - see site_file.h.
 */
#include "site_file.h"
#include "sys.h"
#include "textbuf.h"
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

static const void *part(const struct pf_site_file *f, uint64_t at, uint64_t size)
{
    return at <= f->size && size <= f->size - at ? (const char *)f->map + at : NULL;
}

/* Finds the section; NULL: there is none. */
static const Elf64_Shdr *find_section(const struct pf_site_file *f, const char *name)
{
    const Elf64_Ehdr *e = part(f, 0, sizeof *e);
    if (!e || e->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    const Elf64_Shdr *s = part(f, e->e_shoff, (uint64_t)e->e_shnum * sizeof *s);
    if (!s || e->e_shstrndx >= e->e_shnum)
        return NULL;
    const Elf64_Shdr *table = &s[e->e_shstrndx];
    const char *names = part(f, table->sh_offset, table->sh_size);
    if (!names || !table->sh_size || names[table->sh_size - 1])
        return NULL;
    for (unsigned i = 0; i < e->e_shnum; i++)
        if (s[i].sh_name < table->sh_size && pf_str_same(names + s[i].sh_name, name) &&
            s[i].sh_type == SHT_PROGBITS && part(f, s[i].sh_offset, s[i].sh_size))
            return &s[i];
    return NULL;
}

static bool is_same(const struct pf_func *a, const struct pf_func *b)
{
    return a->hash == b->hash && a->sites == b->sites && a->nsites == b->nsites;
}

/* True if the file has the records that are loaded. The first and the last one are compared. */
static bool is_loaded_file(const struct pf_site_file *f, const struct pf_func *func,
                           const struct pf_func *end, uintptr_t bias)
{
    const Elf64_Shdr *s = find_section(f, "pf_func");
    size_t n = (size_t)(end - func);
    if (!s || s->sh_addr + bias != (uintptr_t)func || s->sh_size != n * sizeof *func)
        return false;
    const struct pf_func *in_file = part(f, s->sh_offset, s->sh_size);
    return is_same(&in_file[0], &func[0]) && is_same(&in_file[n - 1], &func[n - 1]);
}

/* Keeps only the pages of the section. */
static void cut(struct pf_site_file *f, uint64_t offset, uint64_t size)
{
    uint64_t first = pf_page_down(offset), end = pf_page_up(offset + size);
    uint64_t mapped = pf_page_up(f->size);
    if (first)
        pf_sys(SYS_munmap, f->map, first);
    if (end < mapped)
        pf_sys(SYS_munmap, f->map + end, mapped - end);
    f->map += first;
    f->size = end - first;
}

bool pf_site_file_map(struct pf_site_file *f, const char *path, const struct pf_func *func,
                      const struct pf_func *end, uintptr_t bias)
{
    struct stat s;
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), at = -1;
    *f = (struct pf_site_file){0};
    if (fd >= 0 && pf_sys(SYS_fstat, fd, &s) == 0 && s.st_size > 0)
        at = pf_sys_map_file((int)fd, (size_t)s.st_size, false);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (pf_sys_failed(at))
        return false;
    f->map = (uintptr_t)at;
    f->size = (size_t)s.st_size;
    const Elf64_Shdr *found = find_section(f, PF_SITES_SECTION);
    if (!found || !is_loaded_file(f, func, end, bias)) {
        pf_site_file_unmap(f);
        return false;
    }
    f->sites = f->map + found->sh_offset;
    cut(f, found->sh_offset, found->sh_size);
    return true;
}

void pf_site_file_unmap(struct pf_site_file *f)
{
    if (f->map)
        pf_sys(SYS_munmap, f->map, f->size);
    *f = (struct pf_site_file){0};
}
