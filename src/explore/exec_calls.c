/*
 * exec_calls.c - calls of library functions in a graph (execution.h; pf_explored.def says what is
 * known about a function).
 *
 * Some calls of code without events access only what they can reach (docs/format/events.md, "Calls
 * into code without events"). Such a call counts as a read and a write of all of that, once when it
 * begins and once when it returns.
 */
#include "exec_builder.h"
#include "explored_call.h"
#include <stdio.h>
#include <string.h>

const char *pf_exec_callee(const struct pf_trace *t, uint32_t call)
{
    return pf_trace_text(t, t->recorded.callee.at[t->events.at[call].what]);
}

/* What is known about the function of a call event. */
static enum pf_explored_call kind_of(const struct pf_trace *t, uint32_t call)
{
    return pf_explored_call_find(pf_exec_callee(t, call));
}

bool pf_exec_is_event(const struct pf_exec_builder *b, uint32_t call)
{
    return kind_of(b->t, call) == PF_EXPLORED_CALL_EVENTS;
}

/* --- futexes --- */

/* The operation is a call of `syscall` that the runtime has recorded as events (futex.c). Returns
 * the event that reads the word, or notifies its waiters; PF_NONE: it is something else. */
static uint32_t futex_event(const struct pf_exec_builder *b, const struct pf_exec_operation *o)
{
    uint32_t call = PF_NONE;
    for (uint32_t i = o->first; i != PF_NONE; i = b->next[i]) {
        const struct pf_event *e = &b->t->events.at[i];
        if (e->kind == PF_EV_CALL)
            call = strcmp(pf_exec_callee(b->t, i), "syscall") ? PF_NONE : i;
        else if (call != PF_NONE &&
                 (e->kind == PF_EV_AREAD || pf_event_class[e->kind] == PF_CLASS_NOTIFY))
            return i;
    }
    return PF_NONE;
}

bool pf_exec_waits_for_futex(const struct pf_exec_builder *b, uint32_t wait)
{
    return futex_event(b, &b->operations.at[b->operation[wait]]) != PF_NONE;
}

uint32_t pf_exec_changed_futex(const struct pf_exec_builder *b, uint32_t read)
{
    const struct pf_trace *t = b->t;
    const struct pf_exec_operation *o = &b->operations.at[b->operation[read]];
    if (t->events.at[read].kind != PF_EV_AREAD || futex_event(b, o) != read ||
        t->events.at[o->last].kind == PF_EV_WAIT)
        return PF_NONE;
    uint64_t word = t->places.at[t->events.at[read].what].addr;
    for (uint32_t i = 0; i < t->conds.len; i++)
        if (pf_trace_object_address(t, PF_ROLE_COND, i) == word)
            return i;
    return PF_NONE;
}

/* --- what calls reach --- */

static bool accesses_reached(const struct pf_trace *t, uint32_t call)
{
    enum pf_explored_call kind = kind_of(t, call);
    return kind == PF_EXPLORED_CALL_REACHES || kind == PF_EXPLORED_CALL_ORDERED;
}

uint32_t *pf_exec_find_reached(const struct pf_exec_builder *b)
{
    const struct pf_trace *t = b->t;
    uint32_t *reached = pf_mem_resize(NULL, t->cells.len + 1, sizeof *reached);
    memset(reached, 0xff, t->cells.len * sizeof *reached);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (e->kind != PF_EV_CALL || !accesses_reached(t, i))
            continue;
        const struct pf_reach *d = &t->reaches.at[e->link];
        for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
            uint32_t c = t->reach_items.at[k];
            if (c < t->cells.len)
                reached[c] =
                    reached[c] == PF_NONE || reached[c] == e->thread ? e->thread : PF_EXEC_MANY;
        }
    }
    return reached;
}

void pf_exec_add_code(struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_trace *t = b->t;
    uint32_t call = t->events.at[i].kind == PF_EV_CALL ? i : t->events.at[i].link;
    bool begins = true;
    if (!b->unjoined || call == PF_NONE)
        return;
    if (call == i && kind_of(t, i) == PF_EXPLORED_CALL_NOT &&
        futex_event(b, &b->operations.at[b->operation[i]]) == PF_NONE)
        pf_exec_add_unexplored(b, "a call of code that is not instrumented", i);
    if (!accesses_reached(t, call))
        return;
    const struct pf_reach *d = &t->reaches.at[t->events.at[call].link];
    for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
        uint32_t c = t->reach_items.at[k];
        if (c >= t->cells.len || b->cell_of[c] == PF_NONE)
            continue;
        /* where cells begin differs between runs, so cells with one source count as one */
        pf_exec_add_update(b, b->cell_of[c])->begins = begins;
        begins = false;
    }
}

/* --- calls with a state of their own --- */

/* True if the event is a call of a library function with a state of its own, or part of one. */
static bool is_ordered(const struct pf_trace *t, uint32_t event)
{
    bool is_call = t->events.at[event].kind == PF_EV_CALL;
    const char *f = is_call ? pf_exec_callee(t, event) : pf_exec_function(t, event);
    return f && pf_explored_call_find(f) == PF_EXPLORED_CALL_ORDERED;
}

bool pf_exec_is_ordered(const struct pf_exec_builder *b, const struct pf_exec_operation *o)
{
    for (uint32_t i = o->first; i != PF_NONE; i = b->next[i])
        if (is_ordered(b->t, i))
            return true;
    return false;
}

void pf_exec_add_call(struct pf_exec_builder *b, const struct pf_exec_operation *o)
{
    if (!pf_exec_is_ordered(b, o))
        return;
    if (b->live)
        pf_exec_set_flag(b, PF_EXEC_SHOWS);
    if (b->hidden != PF_NONE)
        pf_exec_add_update(b, b->hidden);
}
