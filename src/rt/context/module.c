/*
 * module.c - see module.h.
 */
#define _GNU_SOURCE
#include "module.h"
#include "entry.h"
#include "hooks.h"
#include "limits.h"
#include "rt.h"
#include "section_bounds.h"
#include "site_file.h"
#include "spin.h"
#include "store.h"
#include "symbolizer.h"
#include "sys.h"
#include "thread.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#pragma weak _dl_find_object /* since glibc 2.35 */

/* Defined by the linker, for the object that contains the runtime: the executable, or libpf_rt.so,
 * which has no code of the target. */
extern char __executable_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

struct module {
    struct pf_func *func, *func_end;
    struct pf_var *var, *var_end;
    struct module *next;
    uint32_t serial; /* the number of objects loaded up to this one */
    uintptr_t lo, hi; /* where the object is mapped; 0: unknown */
    struct pf_site_file site_file;
    uintptr_t bias; /* the load address: of an executable without PIE 0 */
};

static struct pf_spin lock;
static struct module *modules; /* newest first */
static uint32_t nmodules;
static const struct pf_func *funcs[PF_FUNCS_MAX]; /* .bss, pages are committed when used */
static uint32_t nfuncs = 1;

void pf_module_lock(void) { pf_spin_lock(&lock); }
bool pf_module_try_lock(void) { return pf_spin_try(&lock); }
void pf_module_unlock(void) { pf_spin_unlock(&lock); }

uint32_t pf_func_number(struct pf_func *f)
{
    uint32_t n = __atomic_load_n(&f->number, __ATOMIC_ACQUIRE);
    if (__builtin_expect(n != 0, 1))
        return n;
    pf_spin_lock(&lock);
    n = f->number;
    if (!n && nfuncs < PF_FUNCS_MAX) {
        n = nfuncs++;
        funcs[n] = f;
        __atomic_store_n(&f->number, n, __ATOMIC_RELEASE);
    }
    pf_spin_unlock(&lock);
    return n;
}

const struct pf_func *pf_func_at(uint32_t number)
{
    return __atomic_load_n(&funcs[number], __ATOMIC_ACQUIRE);
}

/* The addresses at which instrumented functions begin: a hash set, rebuilt after objects were
 * loaded or unloaded. */
static struct {
    uintptr_t *at;
    size_t size; /* a power of two */
    uint32_t made, changes;
} entries;

static size_t entry_slot(uintptr_t addr) { return (addr >> 4) * 0x9e3779b97f4a7c15ull >> 20; }

uintptr_t pf_func_entry(const struct pf_func *f)
{
    return f->flags & PF_FUNCF_DETACHED ? f->event
                                        : (uintptr_t)&f->entry + (uintptr_t)(intptr_t)f->entry;
}

static void rebuild_entries(void)
{
    size_t n = 0;
    for (struct module *m = modules; m; m = m->next)
        n += (size_t)(m->func_end - m->func);
    if (entries.at)
        pf_sys(SYS_munmap, entries.at, entries.size * sizeof *entries.at);
    for (entries.size = 512; entries.size < 2 * n;)
        entries.size *= 2;
    entries.at = pf_sys_map(NULL, entries.size * sizeof *entries.at);
    for (struct module *m = modules; m && entries.at; m = m->next)
        for (struct pf_func *f = m->func; f < m->func_end; f++) {
            uintptr_t a = pf_func_entry(f);
            size_t i = entry_slot(a);
            while (entries.at[i & (entries.size - 1)])
                i++;
            entries.at[i & (entries.size - 1)] = a;
        }
    entries.made = entries.changes;
}

bool pf_func_begins_at(const void *addr)
{
    bool found = (const char *)addr >= __start_pf_text && (const char *)addr < __stop_pf_text;
    if (found) /* an interposed function, called through a pointer */
        return true;
    pf_spin_lock(&lock);
    if (!entries.at || entries.made != entries.changes)
        rebuild_entries();
    for (size_t i = entry_slot((uintptr_t)addr); entries.at && !found; i++) {
        uintptr_t a = entries.at[i & (entries.size - 1)];
        if (!a)
            break;
        found = a == (uintptr_t)addr;
    }
    pf_spin_unlock(&lock);
    return found;
}

const struct pf_func *pf_func_find(const void *addr)
{
    const struct pf_func *found = NULL;
    pf_spin_lock(&lock);
    for (struct module *m = modules; m && !found; m = m->next)
        for (const struct pf_func *f = m->func; f < m->func_end && !found; f++)
            found = pf_func_entry(f) == (uintptr_t)addr ? f : NULL;
    pf_spin_unlock(&lock);
    return found;
}

bool pf_module_within(uintptr_t lo, uintptr_t hi)
{
    bool found = false;
    pf_spin_lock(&lock);
    for (struct module *m = modules; m && !found; m = m->next)
        found = ((uintptr_t)m->func >= lo && (uintptr_t)m->func < hi) ||
                (!m->func && m->lo >= lo && m->lo < hi);
    pf_spin_unlock(&lock);
    return found;
}

/* In a program that another compiler has instrumented, only the executable counts as
 * instrumented. */
static bool is_in_executable(const void *addr)
{
    static uintptr_t lo, hi; /* hi is set last */
    if (!__atomic_load_n(&hi, __ATOMIC_ACQUIRE)) {
        struct dl_find_object o = {0};
        const unsigned long entry = getauxval(AT_ENTRY);
        if (!_dl_find_object || _dl_find_object((void *)entry, &o))
            return false;
        lo = (uintptr_t)o.dlfo_map_start;
        __atomic_store_n(&hi, (uintptr_t)o.dlfo_map_end, __ATOMIC_RELEASE);
    }
    return (uintptr_t)addr >= lo && (uintptr_t)addr < hi;
}

/* Without the lock: entries of the list are never freed. */
bool pf_code_is_instrumented(const void *addr)
{
    if (__builtin_expect(pf_rt.pc_frames, 0))
        return is_in_executable(addr);
    for (const struct module *m = __atomic_load_n(&modules, __ATOMIC_ACQUIRE); m; m = m->next)
        if ((uintptr_t)addr - m->lo < m->hi - m->lo)
            return true;
    return false;
}

/* --- sites --- */

/* The first site of the function; NULL: its sites could not be mapped. Without the lock. */
static const struct pf_site *first_site(const struct pf_func *f)
{
    if (!(f->flags & PF_FUNCF_SITES_IN_FILE))
        return pf_func_site_at(f, 0, 0);
    for (const struct module *m = __atomic_load_n(&modules, __ATOMIC_ACQUIRE); m; m = m->next)
        if (f >= m->func && f < m->func_end && m->site_file.sites)
            return pf_func_site_at(f, (intptr_t)(m->site_file.sites - m->bias), 0);
    return NULL;
}

const struct pf_site *pf_func_site(const struct pf_func *f, uint32_t index)
{
    static const struct {
        struct pf_site site;
        struct pf_scope scope;
    } nowhere = {.site = {.scope = sizeof nowhere.site}};
    const struct pf_site *first = first_site(f);
    return first ? first + index : &nowhere.site;
}

static bool has_sites_in_file(const struct module *m)
{
    for (const struct pf_func *f = m->func; f < m->func_end; f++)
        if (f->flags & PF_FUNCF_SITES_IN_FILE)
            return true;
    return false;
}

static const struct link_map *link_map_of(const void *addr)
{
    struct dl_find_object o;
    struct link_map *found = NULL;
    Dl_info info;
    if (_dl_find_object)
        return _dl_find_object((void *)addr, &o) ? NULL : o.dlfo_link_map;
    return dladdr1(addr, &info, (void **)&found, RTLD_DL_LINKMAP) ? found : NULL;
}

static void map_sites(struct module *m)
{
    if (pf_rt.plain || !has_sites_in_file(m))
        return;
    const struct link_map *in = link_map_of(m->func);
    const char *path = in ? in->l_name : "", *execfn = (const char *)getauxval(AT_EXECFN);
    bool executable = !*path;
    m->bias = in ? in->l_addr : 0;
    if (executable)
        path = "/proc/self/exe";
    if (in && pf_site_file_map(&m->site_file, path, m->func, m->func_end, m->bias))
        return;
    if (in && executable && execfn &&
        pf_site_file_map(&m->site_file, execfn, m->func, m->func_end, m->bias))
        return;
    pf_limit_hit(PF_LIMIT_SITES);
    pf_sys_say(
        "photofinish: cannot read the source positions of ", executable && execfn ? execfn : path,
        " (section " PF_SITES_SECTION "; llvm-strip removes it): reports will have no lines\n");
}

void __pf_module_loaded(void *func, void *func_end, void *var, void *var_end)
{
    struct dl_find_object o = {0};
    if (_dl_find_object && _dl_find_object(func, &o))
        o = (struct dl_find_object){0};
    struct module new = {.func = func,
                         .func_end = func_end,
                         .var = var,
                         .var_end = var_end,
                         .lo = (uintptr_t)o.dlfo_map_start,
                         .hi = (uintptr_t)o.dlfo_map_end};
    map_sites(&new);
    pf_spin_lock(&lock);
    struct module *m = modules;
    while (m && m->func != func)
        m = m->next;
    if (m)
        pf_site_file_unmap(&new.site_file);
    else if ((m = pf_store_alloc_permanent(sizeof *m))) {
        new.next = modules;
        new.serial = ++nmodules;
        *m = new;
        __atomic_store_n(&modules, m, __ATOMIC_RELEASE);
        entries.changes++;
    }
    pf_spin_unlock(&lock);
    pf_hooks.module_loaded(new.lo, new.hi);
}

bool pf_module_wants_bodies(uintptr_t lo)
{
    bool wants = false;
    pf_spin_lock(&lock);
    for (struct module *m = modules; m; m = m->next)
        for (struct pf_func *f = m->func; m->lo == lo && f < m->func_end && !wants; f++)
            wants = f->flags & PF_FUNCF_ON_DEMAND && !f->event;
    pf_spin_unlock(&lock);
    return wants;
}

void pf_module_add_code(const void *addr, struct pf_func *func, struct pf_func *func_end)
{
    struct dl_find_object o = {0};
    struct module *m = pf_store_alloc_permanent(sizeof *m);
    if (!m || !_dl_find_object || _dl_find_object((void *)addr, &o))
        return;
    pf_spin_lock(&lock);
    *m = (struct module){.func = func,
                         .func_end = func_end,
                         .next = modules,
                         .serial = nmodules,
                         .lo = (uintptr_t)o.dlfo_map_start,
                         .hi = (uintptr_t)o.dlfo_map_end};
    __atomic_store_n(&modules, m, __ATOMIC_RELEASE);
    entries.changes++;
    pf_spin_unlock(&lock);
}

static size_t length(const pf_rel *r)
{
    const char *s = pf_rel_str(r);
    size_t n = 0;
    while (s && s[n])
        n++;
    return s ? n + 1 : 0;
}

/* Copies the string that `from` refers to to *room, and makes `to` refer to the copy. */
static void move_string(pf_rel *to, const pf_rel *from, char **room)
{
    size_t n = length(from);
    if (!n)
        return;
    pf_copy(*room, pf_rel_str(from), n);
    *to = (pf_rel)(*room - (char *)to);
    *room += n;
}

/* Copies a function record, with its sites, a scope for each site, and all strings, into one block
 * of the store. NULL if there is no memory. */
static const struct pf_func *copy_of(const struct pf_func *f)
{
    const struct pf_site *s = first_site(f);
    uint32_t n = s ? f->nsites : 0;
    size_t each = sizeof *s + sizeof(struct pf_scope);
    size_t size = sizeof *f + n * each + length(&f->name) + length(&f->file);
    for (uint32_t i = 0; i < n; i++) {
        const struct pf_scope *in = pf_site_scope(&s[i]);
        size +=
            length(&in->file) + length(&in->func) + length(&in->merged_lines) + length(&s[i].var);
    }
    struct pf_func *c = pf_store_alloc_permanent(size);
    if (!c)
        return NULL;
    struct pf_site *t = (void *)(c + 1);
    struct pf_scope *scopes = (void *)(t + n);
    char *room = (char *)(scopes + n);
    pf_copy(c, f, sizeof *c);
    pf_copy(t, s, n * sizeof *t);
    c->nsites = n;
    c->flags &= ~(uint32_t)PF_FUNCF_SITES_IN_FILE;
    c->sites = (pf_rel)((char *)t - (char *)&c->sites);
    move_string(&c->name, &f->name, &room);
    move_string(&c->file, &f->file, &room);
    for (uint32_t i = 0; i < n; i++) {
        const struct pf_scope *in = pf_site_scope(&s[i]);
        scopes[i] = *in;
        t[i].scope = (pf_rel)((char *)&scopes[i] - (char *)&t[i].scope);
        move_string(&scopes[i].file, &in->file, &room);
        move_string(&scopes[i].func, &in->func, &room);
        move_string(&scopes[i].merged_lines, &in->merged_lines, &room);
        move_string(&t[i].var, &s[i].var, &room);
    }
    return c;
}

/* The object at [lo, hi) is unloaded: no function begins there any more. Its bodies stay loaded. */
static void forget_bodies(uintptr_t lo, uintptr_t hi)
{
    for (struct module *m = modules; m; m = m->next)
        if (m->func < m->func_end && m->func->flags & PF_FUNCF_DETACHED &&
            pf_func_entry(m->func) - lo < hi - lo)
            m->func_end = m->func;
}

void __pf_module_unloaded(void *func, void *func_end, void *var, void *var_end)
{
    if ((char *)func >= __executable_start && (char *)func < _end)
        return; /* the executable is never unloaded: the process is exiting */
    pf_spin_lock(&lock);
    for (struct pf_func *f = func; f < (struct pf_func *)func_end; f++)
        if (f->number && funcs[f->number] == f) {
            __atomic_store_n(&funcs[f->number], copy_of(f), __ATOMIC_RELEASE);
            /* if the object is loaded again in the same mapping, this is a new function */
            f->number = 0;
        }
    for (struct module **m = &modules; *m; m = &(*m)->next)
        if ((*m)->func == func) {
            struct module *unloaded = *m;
            forget_bodies(unloaded->lo, unloaded->hi);
            *m = unloaded->next;
            pf_site_file_unmap(&unloaded->site_file);
            entries.changes++;
            break;
        }
    pf_spin_unlock(&lock);
}

static struct pf_global global_of(struct pf_var *v)
{
    uintptr_t at = (uintptr_t)((char *)&v->address + v->address);
    return (struct pf_global){
        at, v->size, pf_rel_str(&v->name), pf_rel_str(&v->file), v->line, v->has_red_zone == 1};
}

uint32_t pf_global_each(uint32_t seen, void (*f)(const struct pf_global *, void *), void *arg)
{
    if (__atomic_load_n(&nmodules, __ATOMIC_ACQUIRE) == seen)
        return seen;
    pf_spin_lock(&lock);
    uint32_t now = nmodules;
    for (struct module *m = modules; m && m->serial > seen; m = m->next)
        for (struct pf_var *v = m->var; v < m->var_end; v++) {
            struct pf_global g = global_of(v);
            f(&g, arg);
        }
    pf_spin_unlock(&lock);
    return now;
}

bool pf_global_find(uintptr_t addr, struct pf_global *out)
{
    bool found = false;
    pf_spin_lock(&lock);
    for (struct module *m = modules; m && !found; m = m->next)
        for (struct pf_var *v = m->var; v < m->var_end; v++) {
            struct pf_global g = global_of(v);
            if (addr - g.addr < g.size) {
                *out = g;
                found = true;
                break;
            }
        }
    pf_spin_unlock(&lock);
    return found || (pf_rt.pc_frames && pf_symbolize_data(addr, out));
}
