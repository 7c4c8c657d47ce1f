/*
 * exec_loops.c - loops in which threads wait (execution.h). If the state of a thread before an
 * operation is the same as before one of its last operations, and it has only read since
 * (only_reads), then everything from that operation on is dropped.
 */
#include "exec_builder.h"
#include "hash_map.h"
#include <string.h>

#define PERIOD_MAX 8 /* operations of an iteration */

/* True if the operation changes nothing that other threads could notice. A read-modify-write that
 * stores what is already there counts as a read. Calls are allowed if all their effects are events
 * (sched_yield). */
static bool only_reads(const struct pf_exec_builder *b, const struct pf_exec_operation *o)
{
    if (pf_exec_is_ordered(b, o))
        return false;
    for (uint32_t i = o->first; i != PF_NONE; i = b->next[i]) {
        const struct pf_event *e = &b->t->events.at[i];
        bool same = e->kind == PF_EV_RMW && !(e->flags & PF_EF_UNKNOWN) &&
                    b->t->olds.at[e->link] == e->value;
        bool harmless = e->kind == PF_EV_RET || (e->kind == PF_EV_CALL && pf_exec_is_event(b, i));
        if (e->kind != PF_EV_READ && e->kind != PF_EV_AREAD && e->kind != PF_EV_TRYFAIL && !same &&
            !harmless)
            return false;
    }
    return true;
}

static void take_states(struct pf_exec_builder *b, const struct pf_exec_report *r)
{
    struct pf_hash_map index = {0};
    for (uint32_t i = 0; i < r->nstates; i++)
        pf_hash_map_add(&index, (uint64_t)r->states[i].thread << 32 | r->states[i].event, i);
    for (size_t i = 0; i < b->operations.len && r->nstates; i++) {
        struct pf_exec_operation *o = &b->operations.at[i];
        uint32_t k = pf_hash_map_find(&index, (uint64_t)b->t->recorded.thread.at[o->thread] << 32 |
                                                  o->index);
        /* the end of a thread has the number of the operation before it */
        bool own = !o->second && b->t->events.at[o->first].kind != PF_EV_END;
        o->state = k == PF_HASH_NONE || !own ? 0 : r->states[k].hash;
    }
    pf_hash_map_release(&index);
}

void pf_exec_find_waits(struct pf_exec_builder *b, const struct pf_exec_report *r)
{
    size_t nt = b->t->threads.len;
    pf_vec_u32 *kept = pf_mem_zero(nt + 1, sizeof *kept); /* per thread: operations not dropped */
    take_states(b, r);
    for (uint32_t i = 0; i < b->operations.len; i++) {
        struct pf_exec_operation *o = &b->operations.at[i];
        pf_vec_u32 *list = &kept[o->thread];
        for (size_t back = 1; o->state && back <= PERIOD_MAX && back <= list->len; back++) {
            struct pf_exec_operation *p = &b->operations.at[list->at[list->len - back]];
            if (!only_reads(b, p))
                break;
            if (p->state != o->state)
                continue;
            for (size_t k = list->len - back; k < list->len; k++)
                b->operations.at[list->at[k]].dropped = true;
            /* operations without events, such as a sleep, are dropped with the others */
            b->operations.at[list->at[list->len - 1]].gap = o->index - p->index - (uint32_t)back;
            p->starts = true;
            p->alone = back == 1;
            list->len -= back;
            o->repeats = true;
            break;
        }
        pf_vec_push(list, i);
    }
    for (size_t k = 0; k < nt; k++) { /* threads that still wait */
        struct pf_exec_operation *o =
            kept[k].len ? &b->operations.at[kept[k].at[kept[k].len - 1]] : NULL;
        bool live = false;
        for (uint32_t i = 0; i < r->nblocked; i++)
            live |= r->blocked[i].thread == b->t->recorded.thread.at[k] &&
                    r->blocked[i].waits != PF_BLOCKED_ENDS;
        if (o && live && o->repeats && only_reads(b, o))
            o->pending = true;
        pf_vec_release(&kept[k]);
    }
    free(kept);
}
