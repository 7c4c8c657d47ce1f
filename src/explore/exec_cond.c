/*
 * exec_cond.c - condition variables in a graph (execution.h): their queues of waiters, and which of
 * the waiters a notification wakes.
 */
#include "exec_builder.h"
#include <string.h>

/* True if the wait that began with event i ended because its time limit had passed. */
static bool expires(const struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_event *wait = &b->t->events.at[i];
    for (uint32_t k = i + 1; k < b->t->events.len; k++) {
        const struct pf_event *e = &b->t->events.at[k];
        if (e->thread == wait->thread && e->kind == PF_EV_WAKE)
            return e->flags & PF_EF_TIMEOUT;
    }
    for (uint32_t k = 0; k < b->nblocked; k++)
        if (pf_exec_thread_of(b->t, b->blocked[k].thread) == wait->thread)
            return b->blocked[k].expired;
    return false;
}

static void add_waiter(struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_event *e = &b->t->events.at[i];
    const char *function = pf_exec_function(b->t, i);
    bool timed = pf_exec_try_flags(function);
    pf_vec_push(&b->waiters, (struct pf_exec_waiter){.cond = e->what,
                                                     .lock = e->link,
                                                     .thread = e->thread,
                                                     .by = PF_NONE,
                                                     .timed = timed,
                                                     .expires = timed && expires(b, i)});
}

/* Removes the waiter that event i wakes. Returns the notification that woke it; PF_NONE: none. */
static uint32_t remove_waiter(struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_event *e = &b->t->events.at[i];
    for (size_t k = 0; k < b->waiters.len; k++) {
        struct pf_exec_waiter *w = &b->waiters.at[k];
        if (w->cond != e->what || w->thread != e->thread)
            continue;
        uint32_t by = w->by;
        memmove(w, w + 1, (--b->waiters.len - k) * sizeof *w);
        return by;
    }
    return PF_NONE;
}

/* A notification: removes those that it wakes from the queue. Returns its choice. */
static uint32_t notify(struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_event *e = &b->t->events.at[i];
    bool all = e->kind == PF_EV_BROADCAST;
    uint32_t choice = 0, position = 0;
    for (size_t k = 0; k < b->waiters.len; k++) {
        struct pf_exec_waiter *w = &b->waiters.at[k];
        if (w->cond != e->what || w->left)
            continue;
        bool woken = all ? !w->expires : e->link == w->thread;
        /* a signal that wakes nobody finds only waiters whose time limit has passed */
        w->left = all || woken || e->link == PF_NONE;
        w->by = woken ? i : PF_NONE;
        if (!woken && w->left && !w->expires)
            pf_exec_add_unexplored(b, "a signal that woke no waiter", i);
        if (all)
            choice |= woken || position > 31 ? 0 : 1u << position;
        else if (woken)
            choice = 1 + position;
        position++;
    }
    return choice;
}

/* Notes the queue after the node. */
static void add_queue(struct pf_exec_builder *b, struct pf_exec_access *a, uint32_t cond)
{
    a->is_queue = true;
    a->queue0 = (uint32_t)b->x->queues.len;
    for (size_t k = 0; k < b->waiters.len; k++)
        if (b->waiters.at[k].cond == cond && !b->waiters.at[k].left)
            pf_vec_push(&b->x->queues,
                        (struct pf_exec_queued){b->waiters.at[k].thread, b->waiters.at[k].timed});
    a->nqueue = (uint32_t)b->x->queues.len - a->queue0;
}

void pf_exec_add_cond(struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_event *e = &b->t->events.at[i];
    uint32_t cell = b->cond_of[e->what], by = PF_NONE, choice = 0;
    bool notifies = pf_event_class[e->kind] == PF_CLASS_NOTIFY;
    if (e->kind == PF_EV_WAIT)
        add_waiter(b, i);
    else if (e->kind == PF_EV_WAKE)
        by = remove_waiter(b, i);
    else
        choice = notify(b, i);
    if (by != PF_NONE) { /* only this notification must come before the wake-up */
        pf_exec_add_order(b, by);
        return;
    }
    if (e->kind == PF_EV_WAKE && !(e->flags & PF_EF_TIMEOUT))
        pf_exec_add_unexplored(b, "a wait that no notification ended", i);
    if (cell == PF_NONE)
        return;
    struct pf_exec_access *a = pf_exec_add_update(b, cell);
    add_queue(b, a, e->what);
    a->compares = e->kind == PF_EV_WAIT && pf_exec_waits_for_futex(b, i);
    if (notifies) {
        pf_exec_set_flag(b, e->kind == PF_EV_SIGNAL ? PF_EXEC_SIGNALS : PF_EXEC_BROADCASTS);
        b->x->nodes.at[b->node].choice = choice;
    }
}

void pf_exec_add_changed_futex(struct pf_exec_builder *b, uint32_t cond)
{
    uint32_t cell = b->cond_of[cond];
    if (cell == PF_NONE)
        return;
    pf_exec_add_read(b, cell, PF_SOURCE_INITIAL, 0);
    struct pf_exec_access *a = &b->x->accesses.at[b->objects.at[cell].access];
    a->begins = a->compares = true;
}

void pf_exec_add_wake_up(struct pf_exec_builder *b, uint32_t thread)
{
    for (size_t k = 0; k < b->waiters.len; k++) {
        struct pf_exec_waiter *w = &b->waiters.at[k];
        if (w->thread != thread)
            continue;
        if (w->by != PF_NONE) {
            pf_exec_add_order(b, w->by);
            continue;
        }
        uint32_t cell = b->cond_of[w->cond];
        w->left = true;
        if (cell == PF_NONE)
            continue;
        uint32_t a = pf_exec_access_to(b, cell, 0);
        b->x->g.accesses.at[a].source = b->objects.at[cell].last;
        b->x->g.accesses.at[a].writes = b->x->accesses.at[a].begins = true;
        add_queue(b, &b->x->accesses.at[a], w->cond);
    }
}
