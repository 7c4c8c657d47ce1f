/* event_bodies.c - see event_bodies.h. */
#define _GNU_SOURCE
#include "event_bodies.h"
#include "channel.h"
#include "direct.h"
#include "machine_instructions.h"
#include "module.h"
#include "pf_abi.h"
#include "rt.h"
#include "scheduler.h"
#include "stream_ring.h"
#include "sys.h"
#include "textbuf.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>

#define OBJECTS_MAX 256 /* of a process, each loaded once */
#define PATH_SIZE 1024 /* bytes */
/* The dynamic linker copies the path into the heap. Paths of one length keep addresses the same
 * wherever the cache is: several slashes count as one. */
#define PATH_LENGTH 400

/* An object of the target. */
struct object {
    uintptr_t bias;
    const char *path;
    const unsigned char *build_id;
    size_t build_id_size;
    char copy[4]; /* how many objects with the same contents were loaded before */
    bool on_demand;
};

static struct {
    struct object all[OBJECTS_MAX];
    size_t n;
} found;
/* The objects whose bodies were loaded; an unloaded object stays until another one takes its
 * place. */
static uintptr_t done[OBJECTS_MAX];
static uint64_t done_hash[OBJECTS_MAX]; /* of their build ids */
static size_t ndone;

/* --- which objects need bodies --- */

static size_t aligned(size_t n) { return (n + 3) & ~(size_t)3; }

static void read_notes(const char *at, size_t size, struct object *o)
{
    const char *end = at + size;
    while ((size_t)(end - at) >= sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *n = (const void *)at;
        const char *owner = (const char *)(n + 1), *word = owner + aligned(n->n_namesz);
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && owner[0] == 'G') {
            o->build_id = (const unsigned char *)word;
            o->build_id_size = n->n_descsz;
        }
        o->on_demand |= n->n_type == PF_NOTE_ON_DEMAND && n->n_namesz == sizeof PF_NOTE_OWNER &&
                        pf_str_starts(owner, PF_NOTE_OWNER);
        at = word + aligned(n->n_descsz);
    }
}

/* For dl_iterate_phdr. wanted: an address in the object; NULL: all objects. */
static int find_object(struct dl_phdr_info *info, size_t size, void *wanted)
{
    (void)size;
    struct object o = {.bias = info->dlpi_addr, .path = info->dlpi_name};
    bool is_wanted = !wanted;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            read_notes((const char *)o.bias + p->p_vaddr, p->p_memsz, &o);
        if (p->p_type == PT_LOAD && (uintptr_t)wanted - (o.bias + p->p_vaddr) < p->p_memsz)
            is_wanted = true;
    }
    if (!*o.path)
        o.path = "/proc/self/exe";
    if (is_wanted && o.on_demand && found.n < OBJECTS_MAX)
        found.all[found.n++] = o;
    return 0;
}

/* --- the file with the bodies --- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static size_t put(char *to, size_t n, const char *s)
{
    while (*s && n + 1 < PATH_SIZE)
        to[n++] = *s++;
    to[n] = 0;
    return n;
}

/* FOLDER////libpf_bodies.BUILD-ID.COPY.so, or libpf_labels in a symbolic run */
static void make_path(char path[PATH_SIZE], const char *folder, const struct object *o)
{
    static const char digits[] = "0123456789abcdef";
    size_t tail = sizeof PF_BODIES_FILE - 1 + 2 * o->build_id_size + 5, n = put(path, 0, folder);
    do
        n = put(path, n, "/");
    while (n + tail < PATH_LENGTH);
    n = put(path, n, pf_rt.symbolic ? PF_SYMBOLIC_FILE : PF_BODIES_FILE);
    for (size_t i = 0; i < o->build_id_size && n + 8 < PATH_SIZE; i++) {
        path[n++] = digits[o->build_id[i] >> 4];
        path[n++] = digits[o->build_id[i] & 15];
    }
    path[n] = 0;
    n = put(path, n, ".");
    n = put(path, n, o->copy);
    put(path, n, ".so");
}

static bool exists(const char *path) { return pf_sys(SYS_access, path, 4) == 0; }

/* Runs pf-bodies. */
static void compile(const char *tool, const char *folder, const struct object *o)
{
    char object[PATH_SIZE];
    int status;
    put(object, 0, o->path);
    if (o->path[0] == '/' && o->path[1] == 'p') { /* /proc/self is another process below */
        long n = pf_sys(SYS_readlink, o->path, object, sizeof object - 1);
        object[n > 0 ? n : 0] = 0;
    }
    const char *argv[] = {tool, object, folder, o->copy, pf_rt.symbolic ? "symbolic" : NULL, NULL};
    /* the variables of the target may be unreadable (environment.h) */
    const char *environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    long child = pf_sys(SYS_fork);
    if (child == 0) {
        pf_machine_trap(false);
        pf_sys(SYS_dup2, 2, 1);
        pf_sys(SYS_execve, tool, argv, environment);
        pf_sys(SYS_exit_group, 127);
    }
    while (child > 0 && pf_sys(SYS_wait4, child, &status, 0, NULL) == -4) /* EINTR */
        ;
}

static _Noreturn void refuse(const struct object *o, const char *why)
{
    static char text[2 * PATH_SIZE];
    size_t n = put(text, 0, "no event bodies for ");
    n = put(text, n, o->path);
    n = put(text, n, ": ");
    put(text, n, why);
    pf_direct_refuse(text);
}

/* --- loading --- */

/* The address that a symbol of event_module.h stands for. */
static uint64_t meaning(const char *name, uintptr_t bias)
{
    uint64_t value = 0;
    for (name += sizeof PF_AT - 1; *name && *name != '.'; name++)
        value = value * 16 + (uint64_t)(*name <= '9' ? *name - '0' : *name - 'a' + 10);
    if (pf_str_starts(name, PF_AT_NAMED)) {
        void *by_name = dlsym(RTLD_DEFAULT, name + sizeof PF_AT_NAMED - 1);
        if (by_name)
            return (uint64_t)by_name;
    }
    return bias + value;
}

struct dynamic {
    const Elf64_Rela *rela, *jump;
    size_t rela_size, jump_size;
    const Elf64_Sym *symbols;
    const char *strings;
};

static struct dynamic read_dynamic(const struct link_map *m)
{
    struct dynamic d = {0};
    for (const Elf64_Dyn *e = m->l_ld; e->d_tag != DT_NULL; e++) {
        const void *at =
            (const void *)(e->d_un.d_ptr < m->l_addr ? m->l_addr + e->d_un.d_ptr : e->d_un.d_ptr);
        switch (e->d_tag) {
        case DT_RELA:
            d.rela = at;
            break;
        case DT_JMPREL:
            d.jump = at;
            break;
        case DT_SYMTAB:
            d.symbols = at;
            break;
        case DT_STRTAB:
            d.strings = at;
            break;
        case DT_RELASZ:
            d.rela_size = e->d_un.d_val;
            break;
        case DT_PLTRELSZ:
            d.jump_size = e->d_un.d_val;
            break;
        }
    }
    return d;
}

static void relocate(const struct link_map *m, const struct dynamic *d, const Elf64_Rela *all,
                     size_t size, uintptr_t bias)
{
    for (const Elf64_Rela *r = all; size && r < all + size / sizeof *r; r++) {
        const Elf64_Sym *s = &d->symbols[ELF64_R_SYM(r->r_info)];
        const char *name = d->strings + s->st_name;
        if (!ELF64_R_SYM(r->r_info) || !pf_str_starts(name, PF_AT))
            continue;
        uint64_t plus = ELF64_R_TYPE(r->r_info) == R_X86_64_64 ? (uint64_t)r->r_addend : 0;
        *(uint64_t *)(m->l_addr + r->r_offset) = meaning(name, bias) + plus;
    }
}

/* Replaces the first instructions of a function by a jump. */
static void make_jump(const struct object *o, uintptr_t at, uint64_t to)
{
    uintptr_t first = pf_page_down(at), end = pf_page_up(at + PF_JUMP_BYTES);
    unsigned char jump[PF_JUMP_BYTES] = {0xff, 0x25}; /* jmp *0(%rip) */
    pf_copy(jump + 6, &to, sizeof to);
    if (pf_sys(SYS_mprotect, first, end - first, PROT_READ | PROT_WRITE | PROT_EXEC))
        refuse(o, "its code cannot be changed");
    pf_copy((void *)at, jump, sizeof jump);
    pf_sys(SYS_mprotect, first, end - first, PROT_READ | PROT_EXEC);
}

static void load(const char *path, const struct object *o)
{
    struct link_map *m = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!m)
        refuse(o, dlerror());
    struct dynamic d = read_dynamic(m);
    relocate(m, &d, d.rela, d.rela_size, o->bias);
    relocate(m, &d, d.jump, d.jump_size, o->bias);
    void **bounds = dlsym(m, PF_BODIES_BOUNDS);
    if (!bounds)
        return;
    for (struct pf_body_entry *e = bounds[0]; e < (struct pf_body_entry *)bounds[1]; e++)
        if (e->record)
            ((struct pf_func *)(o->bias + e->record))->event = e->body;
        else
            make_jump(o, o->bias + e->entry, e->body);
    pf_module_add_code(m->l_ld, bounds[2], bounds[3]);
}

/* Adds the object to `done` and sets its number. */
static void count_copies(struct object *o)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    unsigned n = 0;
    size_t at = ndone;
    for (size_t i = 0; i < o->build_id_size; i++)
        hash = (hash ^ o->build_id[i]) * 0x100000001b3ull;
    for (size_t i = 0; i < ndone; i++) {
        n += done_hash[i] == hash && done[i] != o->bias;
        if (done[i] == o->bias)
            at = i;
    }
    if (at == OBJECTS_MAX || n > 99)
        refuse(o, "too many objects were loaded");
    done[at] = o->bias;
    done_hash[at] = hash;
    ndone += at == ndone;
    o->copy[0] = (char)('0' + (n > 9 ? n / 10 : n));
    o->copy[1] = n > 9 ? (char)('0' + n % 10) : 0;
    o->copy[2] = 0;
}

static void load_found(void)
{
    const struct pf_channel *c = pf_directed() ? pf_channel_get() : NULL;
    const char *folder = c ? c->bodies_folder : variable("PF_BODIES_FOLDER");
    const char *tool = c ? c->bodies_tool : variable("PF_BODIES_TOOL");
    for (size_t i = 0; i < found.n; i++) {
        char path[PATH_SIZE];
        struct object *o = &found.all[i];
        count_copies(o);
        if (!o->build_id_size || o->build_id_size > 64)
            refuse(o, "it has no build id; link it with -Wl,--build-id");
        make_path(path, folder, o);
        if (!exists(path))
            compile(tool, folder, o);
        if (!exists(path))
            refuse(o, *tool ? "pf-bodies could not compile them" : "pf has not compiled them");
        load(path, o);
    }
    found.n = 0;
}

void pf_event_bodies_load(void)
{
    dl_iterate_phdr(find_object, NULL);
    load_found();
}

void pf_event_bodies_load_for(uintptr_t address)
{
    dl_iterate_phdr(find_object, (void *)address);
    if (!found.n)
        return;
    pf_nest();
    pf_trap_disarm();
    load_found();
    pf_trap_arm();
    pf_unnest();
}
