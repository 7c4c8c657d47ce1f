/* order_alone.c - see order_alone.h. The events of each run are sorted by object, and on each
 * object by the number of changes before them; reads between two changes have no order. */
#include "order_alone.h"
#include "fnv.h"
#include "hash_map.h"
#include "output_event.h"
#include <stdlib.h>

/* An event on an object. */
struct object_event {
    uint64_t object; /* an address, or a number with the top bit set */
    uint32_t changes; /* of the object before it */
    uint32_t thread, number; /* which event of which thread */
    uint32_t kind, line;
};
typedef PF_VEC(struct object_event) object_events;

#define OTHER_OBJECT (1ull << 63)
#define OUTPUT (OTHER_OBJECT | 1ull << 62)

/* Numbers of locks and the like differ between traces; their names do not. */
static uint64_t named_object(const struct pf_trace *t, const struct pf_event *e)
{
    static const uint8_t roles[] = {[PF_OPERAND_LOCK] = PF_ROLE_LOCK,
                                    [PF_OPERAND_COND] = PF_ROLE_COND,
                                    [PF_OPERAND_COND_LOCK] = PF_ROLE_COND,
                                    [PF_OPERAND_BARRIER] = PF_ROLE_BARRIER,
                                    [PF_OPERAND_SYNC] = PF_ROLE_SYNC};
    uint8_t operand = pf_event_operand[e->kind];
    const char *name = pf_trace_text(t, pf_trace_role_name(t, roles[operand], e->what));
    return pf_fnv_text(PF_FNV_START, name);
}

/* The object of an event; of an access, that of one of its cells. */
static uint64_t object_of(const struct pf_trace *t, uint32_t i, uint32_t cell)
{
    const struct pf_event *e = &t->events.at[i];
    if (pf_output_event(t, i))
        return OUTPUT;
    switch (pf_event_operand[e->kind]) {
    case PF_OPERAND_PLACE:
        return t->cells.at[t->places.at[e->what].cell0 + cell].addr;
    case PF_OPERAND_THREAD:
        return OTHER_OBJECT | t->recorded.thread.at[e->what];
    case PF_OPERAND_NONE: /* begin and end of the thread itself, for example */
    case PF_OPERAND_CALL:
        return OTHER_OBJECT | t->recorded.thread.at[e->thread];
    default:
        return OTHER_OBJECT | named_object(t, e);
    }
}

static bool overlaps(const struct pf_range *p, const struct pf_range *q)
{
    return p->addr < q->addr + q->size && q->addr < p->addr + p->size;
}

/* Counts a change of the object; returns how many there were before. */
static uint32_t count_change(struct pf_hash_map *changes, uint64_t object, bool changes_it)
{
    struct pf_hash_walk w = pf_hash_map_walk(changes, object);
    if (!pf_hash_map_next(changes, &w)) {
        pf_hash_map_add(changes, object, changes_it);
        return 0;
    }
    uint32_t before = w.value;
    pf_hash_map_set(changes, &w, before + changes_it);
    return before;
}

static int by_object(const void *a, const void *b)
{
    const struct object_event *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->changes != y->changes)
        return x->changes < y->changes ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Lists all events but the accesses to the memory of the race. */
static void list_events(const struct pf_trace *t, const struct pf_range race[2], object_events *out)
{
    struct pf_hash_map changes = {0};
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        bool access = pf_event_is_access(e), output = pf_output_event(t, i);
        const struct pf_range *p = access ? &t->places.at[e->what] : NULL;
        if (access && !output && (overlaps(p, &race[0]) || overlaps(p, &race[1])))
            continue;
        bool change = output || !access || pf_event_writes(e);
        for (uint32_t cell = 0; !cell || (access && !output && cell < p->ncells); cell++) {
            uint64_t object = object_of(t, i, cell);
            struct object_event x = {.object = object,
                                     .changes = count_change(&changes, object, change),
                                     .thread = t->recorded.thread.at[e->thread],
                                     .number = t->recorded.index.at[i],
                                     .kind = e->kind,
                                     .line = t->sites.at[e->site].line};
            pf_vec_push(out, x);
        }
    }
    pf_hash_map_release(&changes);
    if (out->len)
        qsort(out->at, out->len, sizeof *out->at, by_object);
}

bool pf_order_alone(const struct pf_trace *recorded, uint32_t a, uint32_t b,
                    const struct pf_trace *primary, const struct pf_trace *alternate)
{
    const struct pf_range race[2] = {recorded->places.at[recorded->events.at[a].what],
                                     recorded->places.at[recorded->events.at[b].what]};
    object_events x = {0}, y = {0};
    bool same = primary->events.len == alternate->events.len;
    if (same) {
        list_events(primary, race, &x);
        list_events(alternate, race, &y);
    }
    same = same && x.len == y.len;
    for (size_t i = 0; same && i < x.len; i++)
        same = !by_object(&x.at[i], &y.at[i]) && x.at[i].kind == y.at[i].kind &&
               x.at[i].line == y.at[i].line;
    pf_vec_release(&x);
    pf_vec_release(&y);
    return same;
}
