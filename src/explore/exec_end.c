/*
 * exec_end.c - the end of a run in a graph (execution.h): the operation that ended the process, and
 * the operations that threads waited for.
 */
#include "exec_builder.h"
#include <string.h>

/* The cell of the object that the thread waits for; PF_NONE: something else. */
static uint32_t awaited_cell(const struct pf_exec_builder *b, const struct pf_blocked *k)
{
    bool is_sync = strstr(k->function, "sem") || pf_exec_is_once(k->function);
    uint32_t object = pf_exec_find_object(b->t, is_sync ? PF_ROLE_SYNC : PF_ROLE_LOCK, k->object);
    if (k->waits != PF_BLOCKED_WAITS || !k->object || object == PF_NONE)
        return PF_NONE;
    return is_sync ? b->sync_of[object] : b->lock_of[object];
}

/* True if the thread waits in the middle of an operation, to take its mutex again. */
static bool in_second_part(const struct pf_blocked *k)
{
    return strstr(k->function, "cond") || strstr(k->function, "cnd");
}

/* The cell of the mutex that the thread must take to go on, if its wait for a condition variable
 * could end when the process ended: it was notified, or has a time limit. PF_NONE: it
 * is not in such a wait. Another thread may hold the mutex. */
static uint32_t wanted_mutex(const struct pf_exec_builder *b, const struct pf_blocked *k,
                             uint32_t thread)
{
    for (size_t i = 0; k->waits == PF_BLOCKED_RUNS && i < b->waiters.len; i++)
        if (b->waiters.at[i].thread == thread && b->waiters.at[i].lock != PF_NONE)
            return b->lock_of[b->waiters.at[i].lock];
    return PF_NONE;
}

/* True if the wait of the thread has a time limit, which may pass, or has passed. */
static bool waits_for_time(const struct pf_blocked *k)
{
    return k->waits == PF_BLOCKED_RUNS && pf_exec_try_flags(k->function) & PF_EXEC_TIMED &&
           !in_second_part(k);
}

/* True if the thread was about to take a lock that it had waited for, when the process ended. */
static bool was_woken(const struct pf_blocked *k)
{
    /* "lock" is also in pthread_cond_clockwait, which in_second_part excludes */
    bool takes =
        (strstr(k->function, "lock") && !in_second_part(k)) || pf_exec_is_once(k->function);
    return (k->waits == PF_BLOCKED_RUNS && takes) || waits_for_time(k);
}

void pf_exec_find_end(struct pf_exec_builder *b, bool crashed)
{
    b->stop = PF_NONE;
    for (uint32_t k = 0; k < b->nblocked; k++)
        if (b->blocked[k].waits == PF_BLOCKED_ENDS) {
            b->ender_thread = pf_exec_thread_of(b->t, b->blocked[k].thread);
            b->ender = b->ender_thread == PF_NONE ? NULL : &b->blocked[k];
        }
    for (size_t i = b->operations.len; b->ender && crashed && i-- > 0;)
        if (b->operations.at[i].thread == b->ender_thread) {
            if (b->operations.at[i].index == b->ender->event)
                b->stop = (uint32_t)i;
            break;
        }
}

void pf_exec_add_stop(struct pf_exec_builder *b)
{
    pf_exec_set_flag(b, PF_EXEC_STOPS);
    if (b->hidden == PF_NONE)
        return;
    pf_exec_add_read(b, b->hidden, PF_SOURCE_INITIAL, 0);
    b->x->accesses.at[b->objects.at[b->hidden].access].begins = true;
}

void pf_exec_find_pending(struct pf_exec_builder *b)
{
    for (uint32_t k = 0; k < b->nblocked; k++) {
        uint32_t thread = pf_exec_thread_of(b->t, b->blocked[k].thread);
        if (thread == PF_NONE || in_second_part(&b->blocked[k]) ||
            (awaited_cell(b, &b->blocked[k]) == PF_NONE && !was_woken(&b->blocked[k])))
            continue;
        for (size_t i = b->operations.len; i-- > 0;) {
            struct pf_exec_operation *o = &b->operations.at[i];
            if (o->thread != thread)
                continue;
            o->pending = o->index == b->blocked[k].event && !o->has_effect;
            break;
        }
    }
}

/* Adds the operation that the thread waited for. It would read another state of the object. */
static void add_pending(struct pf_exec_builder *b, uint32_t thread, const struct pf_blocked *k,
                        uint32_t cell)
{
    struct pf_execution *x = b->x;
    bool takes = strstr(k->function, "sem") != NULL;
    uint32_t flags = PF_EXEC_PENDING | (in_second_part(k) ? PF_EXEC_SECOND : 0u) |
                     (takes ? PF_EXEC_TAKES : PF_EXEC_ACQUIRES) |
                     (pf_exec_is_once(k->function) ? PF_EXEC_ONCE_CALL : 0u) |
                     (strstr(k->function, "rdlock") ? PF_EXEC_SHARES : 0u);
    pf_exec_node_begin(b, thread, (uint32_t)k->event - b->ndropped[thread], flags);
    for (size_t i = 0; i < b->operations.len; i++) /* what it did before it waited */
        if (b->operations.at[i].pending && b->operations.at[i].thread == thread)
            for (uint32_t e = b->operations.at[i].first; e != PF_NONE; e = b->next[e])
                pf_exec_add_event(b, e);
    if (in_second_part(k))
        pf_exec_add_wake_up(b, thread);
    uint32_t a = pf_exec_access_to(b, cell, 0);
    x->g.accesses.at[a].source = b->objects.at[cell].last;
    x->g.accesses.at[a].writes = true;
    x->accesses.at[a].is_lock = !takes;
    x->accesses.at[a].begins = true;
    x->accesses.at[a].level = b->objects.at[cell].level - 1;
    pf_exec_node_end(b);
}

/* The last iteration of a loop in which the thread still waited: it would read something else. */
static void add_waiting(struct pf_exec_builder *b, const struct pf_exec_operation *o)
{
    pf_exec_node_begin(b, o->thread, o->index - b->ndropped[o->thread], PF_EXEC_PENDING);
    b->x->nodes.at[b->node].state = o->state;
    pf_exec_add_reads(b, o);
    pf_exec_node_end(b);
    pf_vec_push(&b->x->spins, b->x->nodes.at[b->node].history);
}

void pf_exec_add_blocked(struct pf_exec_builder *b)
{
    for (uint32_t k = 0; k < b->nblocked; k++) {
        uint32_t thread = pf_exec_thread_of(b->t, b->blocked[k].thread);
        if (thread == PF_NONE)
            continue;
        uint32_t cell = awaited_cell(b, &b->blocked[k]), mutex = PF_NONE;
        if (cell == PF_NONE && in_second_part(&b->blocked[k]))
            cell = mutex = wanted_mutex(b, &b->blocked[k], thread);
        /* the thread continues with the operation that it has not finished */
        b->x->threads.at[thread].events =
            b->blocked[k].event - b->ndropped[thread] - was_woken(&b->blocked[k]);
        b->x->threads.at[thread].live = b->blocked[k].waits == PF_BLOCKED_RUNS && mutex == PF_NONE;
        b->x->threads.at[thread].within = waits_for_time(&b->blocked[k]);
        b->x->threads.at[thread].ender = b->blocked[k].waits == PF_BLOCKED_ENDS;
        if (cell != PF_NONE)
            add_pending(b, thread, &b->blocked[k], cell);
    }
    for (size_t i = 0; i < b->operations.len; i++)
        if (b->operations.at[i].pending && b->operations.at[i].repeats)
            add_waiting(b, &b->operations.at[i]);
}
