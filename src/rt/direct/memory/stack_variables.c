#include "stack_variables.h"
#include "module.h"
#include "red_zone.h"
#include "sys.h"

#define PLACES 8192u /* of a thread; deeper ones are not looked at */

static struct pf_stack_object *at(struct pf_thread *t, uint32_t place)
{
    return t && t->objects && place < PLACES ? &t->objects[place] : NULL;
}

static void end(struct pf_stack_object *o)
{
    if (o && o->size) {
        pf_heap_watch_clear(o->addr, o->size + PF_ZONE(o->size));
        o->size = 0;
    }
}

void pf_objects_enter(uint32_t n)
{
    struct pf_thread *t = __pf_tls.thread;
    if (t && !t->objects)
        t->objects = pf_sys_map(NULL, PLACES * sizeof *t->objects);
    for (uint32_t i = 0; i < n; i++) {
        struct pf_stack_object *o = at(t, __pf_tls.objects + i);
        if (o)
            o->size = 0;
    }
    __pf_tls.objects += n;
}

void pf_object_in(uintptr_t addr, uint64_t size, uint32_t site, uint32_t place)
{
    struct pf_stack_object *o = at(__pf_tls.thread, place);
    if (!o || place >= __pf_tls.objects || addr & 7)
        return;
    end(o);
    *o = (struct pf_stack_object){addr, size, __pf_tls.frame[-1].func, site};
    pf_heap_watch_zone(addr, size, PF_ZONE_STACK);
}

void pf_object_out(uint32_t place)
{
    if (place < __pf_tls.objects)
        end(at(__pf_tls.thread, place));
}

void pf_objects_back(uint32_t n)
{
    if (n >= __pf_tls.objects)
        return;
    for (uint32_t i = __pf_tls.objects < PLACES ? __pf_tls.objects : PLACES; i > n; i--)
        end(at(__pf_tls.thread, i - 1));
    __pf_tls.objects = n;
}

struct search {
    uintptr_t byte;
    struct pf_stack_object *out;
    struct pf_thread *whose;
};

static void search(struct pf_thread *t, void *arg)
{
    struct search *s = arg;
    uint32_t n = t->tls ? t->tls->objects : 0;
    for (uint32_t i = n < PLACES ? n : PLACES; t->objects && !s->whose && i > 1; i--) {
        struct pf_stack_object *o = &t->objects[i - 1];
        if (o->size && s->byte - o->addr < o->size + PF_ZONE(o->size)) {
            *s->out = *o;
            s->whose = t;
        }
    }
}

bool pf_stack_object_find(uintptr_t byte, struct pf_stack_object *out, struct pf_thread **whose)
{
    struct search s = {byte, out, NULL};
    search(__pf_tls.thread, &s);
    if (!s.whose)
        pf_thread_each(search, &s);
    *whose = s.whose;
    return s.whose;
}

static void mark(const struct pf_global *g, void *unused)
{
    (void)unused;
    if (g->zoned && !(g->addr & 7))
        pf_heap_watch_zone(g->addr, g->size, PF_ZONE_GLOBAL);
}

void pf_global_zones(void)
{
    static uint32_t seen;
    seen = pf_global_each(seen, mark, NULL);
}
