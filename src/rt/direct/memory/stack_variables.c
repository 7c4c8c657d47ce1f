/*
 * stack_variables.c - see stack_variables.h.
 */
#include "stack_variables.h"
#include "module.h"
#include "red_zone.h"
#include "sys.h"
#include "thread_table.h"

#define ENTRIES 8192u /* entries of a thread; deeper variables are not checked */

static struct pf_stack_variable *at(struct pf_thread *t, uint32_t entry)
{
    return t && t->direct.stack_variables && entry < ENTRIES ? &t->direct.stack_variables[entry]
                                                             : NULL;
}

static void end(struct pf_stack_variable *o)
{
    if (o && o->size) {
        pf_red_zone_clear(o->addr, o->size + PF_RED_ZONE(o->size));
        o->size = 0;
    }
}

void pf_stack_variables_enter(uint32_t n)
{
    struct pf_thread *t = __pf_tls.thread;
    if (t && !t->direct.stack_variables)
        t->direct.stack_variables = pf_sys_map(NULL, ENTRIES * sizeof *t->direct.stack_variables);
    for (uint32_t i = 0; i < n; i++) {
        struct pf_stack_variable *o = at(t, __pf_tls.stack_variables + i);
        if (o)
            o->size = 0;
    }
    __pf_tls.stack_variables += n;
}

void pf_stack_variable_begin(uintptr_t addr, uint64_t size, uint32_t site, uint32_t entry)
{
    struct pf_stack_variable *o = at(__pf_tls.thread, entry);
    if (!o || entry >= __pf_tls.stack_variables || addr & 7)
        return;
    end(o);
    *o = (struct pf_stack_variable){addr, size, __pf_tls.frame[-1].func, site};
    pf_red_zone_mark_variable(addr, size, PF_ZONE_STACK);
}

void pf_stack_variable_end(uint32_t entry)
{
    if (entry < __pf_tls.stack_variables)
        end(at(__pf_tls.thread, entry));
}

void pf_stack_variables_unwind(uint32_t n)
{
    if (n >= __pf_tls.stack_variables)
        return;
    for (uint32_t i = __pf_tls.stack_variables < ENTRIES ? __pf_tls.stack_variables : ENTRIES;
         i > n; i--)
        end(at(__pf_tls.thread, i - 1));
    __pf_tls.stack_variables = n;
}

struct variable_search {
    uintptr_t byte;
    struct pf_stack_variable *out;
    struct pf_thread *whose;
};

static void search(struct pf_thread *t, void *arg)
{
    struct variable_search *s = arg;
    const struct pf_tls *tls = __atomic_load_n(&t->tls, __ATOMIC_RELAXED); /* fibers change it */
    uint32_t n = tls ? tls->stack_variables : 0;
    /* entry 0 is not used: a count of 0 means that variables are not tracked */
    for (uint32_t i = n < ENTRIES ? n : ENTRIES; t->direct.stack_variables && !s->whose && i > 1;
         i--) {
        struct pf_stack_variable *o = &t->direct.stack_variables[i - 1];
        if (o->size && s->byte - o->addr < o->size + PF_RED_ZONE(o->size)) {
            *s->out = *o;
            s->whose = t;
        }
    }
}

bool pf_stack_variable_find(uintptr_t byte, struct pf_stack_variable *out, struct pf_thread **whose)
{
    struct variable_search s = {byte, out, NULL};
    search(__pf_tls.thread, &s);
    if (!s.whose)
        pf_thread_each(search, &s);
    *whose = s.whose;
    return s.whose;
}

static void mark(const struct pf_global *g, void *unused)
{
    (void)unused;
    if (g->has_red_zone && !(g->addr & 7))
        pf_red_zone_mark_variable(g->addr, g->size, PF_ZONE_GLOBAL);
}

void pf_global_mark_zones(void)
{
    static uint32_t seen;
    seen = pf_global_each(seen, mark, NULL);
}
