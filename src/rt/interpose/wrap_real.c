/*
 * wrap_real.c - finds the real functions behind the interposed ones.
 *
 * The table is a linker section, so a new interposer needs no list. dlsym with RTLD_NEXT from the
 * executable finds the first definition in the libraries. A name without a definition (a C program
 * has no libstdc++) stays NULL, and the error that dlsym leaves is cleared, because it is not the
 * target's. If such a function is called later, its definition came with a plugin (dlopen): then
 * each loaded object is searched.
 */
#include "hooks.h"
#include "mode_ops.h"
#include "rt.h"
#include "thread_record.h"
#include "wrap_fd.h"
#include <dlfcn.h>
#include <link.h>

bool pf_forward_all;

extern PF_HIDDEN const struct pf_real __start_pf_real[], __stop_pf_real[];

static void *find_linked(const struct pf_real *r)
{
    void *found = r->version ? dlvsym(RTLD_NEXT, r->name, r->version) : NULL;
    return found ? found : dlsym(RTLD_NEXT, r->name);
}

static void *find_loaded(const struct pf_real *r)
{
    void *program = dlopen(NULL, RTLD_LAZY), *found = NULL;
    struct link_map *m = NULL;
    if (program && dlinfo(program, RTLD_DI_LINKMAP, &m) == 0)
        m = m->l_next;
    for (; m && !found; m = m->l_next) {
        void *object = dlopen(m->l_name, RTLD_LAZY | RTLD_NOLOAD);
        found = object ? dlsym(object, r->name) : NULL;
        if (object)
            dlclose(object);
    }
    return found;
}

static void *keep(const struct pf_real *r, void *found)
{
    if (found)
        __atomic_store_n(r->slot, found, __ATOMIC_RELAXED);
    else
        dlerror();
    return found;
}

void *pf_real_find(const struct pf_real *r)
{
    pf_nest();
    void *found = find_linked(r);
    found = keep(r, found ? found : find_loaded(r));
    pf_unnest();
    return found;
}

/* --- stubs --- */

struct stub_query {
    uintptr_t fn;
    bool is_stub;
};

/* Only for the executable, which is the first object: does it have an undefined symbol with that
 * value? */
static int search_undefined_symbols(struct dl_phdr_info *o, size_t size, void *arg)
{
    struct stub_query *a = arg;
    const ElfW(Dyn) *d = NULL;
    const ElfW(Sym) *from = NULL, *to = NULL;
    for (int i = 0; i < o->dlpi_phnum && !o->dlpi_addr; i++)
        if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)o->dlpi_phdr[i].p_vaddr;
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            from = (const ElfW(Sym) *)d->d_un.d_ptr;
        if (d->d_tag == DT_STRTAB) /* it follows the symbols */
            to = (const ElfW(Sym) *)d->d_un.d_ptr;
    }
    for (; from && from + 1 <= to && !a->is_stub; from++)
        a->is_stub = from->st_shndx == SHN_UNDEF && from->st_value == a->fn;
    return 1;
}

bool pf_is_stub(uintptr_t fn)
{
    static uintptr_t known[8]; /* address << 1 | result */
    for (int i = 0; i < 8; i++) {
        uintptr_t k = __atomic_load_n(&known[i], __ATOMIC_RELAXED);
        if (k >> 1 == fn)
            return k & 1;
        if (k)
            continue;
        struct stub_query a = {fn, false};
        dl_iterate_phdr(search_undefined_symbols, &a);
        __atomic_store_n(&known[i], fn << 1 | a.is_stub, __ATOMIC_RELAXED);
        return a.is_stub;
    }
    return false;
}

void pf_wrap_init(void)
{
    pf_hooks.signal_poll = pf_signal_poll;
    pf_hooks.thread_adopt = pf_thread_record_adopt;
    pf_hooks.mode_changed = pf_mode_choose;
    pf_fd_init();
    pf_mode_choose();
    for (const struct pf_real *r = __start_pf_real; r < __stop_pf_real; r++)
        if (!*r->slot)
            keep(r, find_linked(r));
    pf_forward_all = pf_rt.plain;
    pf_process_init(); /* registers with fork first, so that it runs next to the fork itself */
    pf_thread_record_init();
}
