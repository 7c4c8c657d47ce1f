/*
 * exec_once.c - initialisers that run once, in a graph (execution.h): pthread_once, call_once, and
 * the static variables of C++ functions.
 *
 * Model:   an object with the states of a lock. FREE: the initialiser has not run. HELD: it runs.
 *          SHARED: it is done. A call that finds FREE takes the object and runs the initialiser.
 *          One that finds SHARED only reads; one that finds HELD waits. An initialiser that is left
 *          by an exception leaves FREE.
 */
#include "exec_builder.h"
#include <string.h>

bool pf_exec_is_once(const char *function)
{
    return function && (strstr(function, "_once") || strstr(function, "__cxa_guard_"));
}

/* A call begins, or returns. */
static void add_call(struct pf_exec_builder *b, uint32_t cell, uint32_t thread)
{
    struct pf_exec_object *o = &b->objects.at[cell];
    if (o->state == PF_STATE_SHARED && o->writer == thread)
        return; /* it has run the initialiser itself */
    if (o->state == PF_STATE_FREE) {
        pf_exec_add_update(b, cell)->after = PF_STATE_HELD;
        o->state = PF_STATE_HELD;
    } else
        pf_exec_add_read(b, cell, PF_SOURCE_INITIAL, 0);
    b->x->accesses.at[o->access].begins = true;
    pf_exec_set_flag(b, PF_EXEC_ONCE_CALL);
}

void pf_exec_add_once(struct pf_exec_builder *b, uint32_t i, uint32_t cell)
{
    const struct pf_event *e = &b->t->events.at[i];
    struct pf_exec_object *o = &b->objects.at[cell];
    const char *function = pf_exec_function(b->t, i);
    o->address = 0; /* it has no count */
    if (o->state == PF_STATE_ANY)
        o->state = PF_STATE_FREE;
    if (e->kind == PF_EV_TAKE)
        add_call(b, cell, e->thread);
    else if (e->kind == PF_EV_POST) {
        if (o->state != PF_STATE_HELD)
            pf_exec_add_unexplored(b, "a flag of an initialiser that was used again", i);
        o->state = strstr(function, "abort") ? PF_STATE_FREE : PF_STATE_SHARED;
        pf_exec_add_update(b, cell)->after = o->state;
        pf_exec_set_flag(b, PF_EXEC_RELEASES);
    } else { /* the initialiser was left by an exception */
        o->state = PF_STATE_FREE;
        b->x->accesses.at[o->access].after = PF_STATE_FREE;
    }
    if (o->node == b->node)
        b->x->accesses.at[o->access].is_lock = true;
}
