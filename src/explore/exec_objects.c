/*
 * exec_objects.c - what events do to memory, locks and other objects, as accesses of a graph
 * (execution.h).
 */
#include "exec_builder.h"
#include <stdio.h>
#include <string.h>

/* --- which objects are shared --- */

struct object_users {
    uint32_t *thread; /* per object: the only thread that uses it so far; PF_NONE: none */
    bool *shared;
    size_t n;
};

static struct object_users users_new(size_t n)
{
    struct object_users u = {pf_mem_resize(NULL, n + 1, sizeof *u.thread),
                             pf_mem_zero(n + 1, sizeof *u.shared), n};
    memset(u.thread, 0xff, n * sizeof *u.thread);
    return u;
}

static void use(struct object_users *u, uint32_t object, uint32_t thread)
{
    if (u->thread[object] == PF_NONE)
        u->thread[object] = thread;
    else if (u->thread[object] != thread)
        u->shared[object] = true;
}

static uint32_t new_cell(struct pf_exec_builder *b)
{
    pf_vec_push(&b->objects, (struct pf_exec_object){.last = PF_SOURCE_INITIAL,
                                                     .node = PF_NONE,
                                                     .writer = PF_NONE,
                                                     .state = PF_STATE_ANY});
    pf_vec_push(&b->x->cells, (struct pf_exec_cell){0});
    return (uint32_t)b->objects.len - 1;
}

/* Gives cells to the shared objects of one kind, and frees u. */
static uint32_t *number(struct pf_exec_builder *b, struct object_users *u, enum pf_object_state s)
{
    uint32_t *cell = pf_mem_resize(NULL, u->n + 1, sizeof *cell);
    for (size_t i = 0; i < u->n; i++) {
        cell[i] = u->shared[i] ? new_cell(b) : PF_NONE;
        if (u->shared[i])
            b->objects.at[cell[i]].state = s;
    }
    free(u->thread);
    free(u->shared);
    return cell;
}

const char *pf_exec_function(const struct pf_trace *t, uint32_t event)
{
    const struct pf_recorded *r = &t->recorded;
    const struct pf_recorded_stack *s = &r->stacks.at[r->event_stack.at[event]];
    if (!s->n)
        return NULL;
    const struct pf_site_info *site = &t->sites.at[r->stack_sites.at[s->first]];
    return site->func == PF_NONE || *pf_trace_text(t, site->file) ? NULL
                                                                  : pf_trace_text(t, site->func);
}

uint32_t pf_exec_try_flags(const char *function)
{
    if (function && strstr(function, "try"))
        return PF_EXEC_TRIES;
    bool timed = function && (strstr(function, "timed") || strstr(function, "clock"));
    return timed ? PF_EXEC_TRIES | PF_EXEC_TIMED : 0;
}

uint32_t pf_exec_find_object(const struct pf_trace *t, enum pf_role role, uint64_t futex)
{
    uint32_t found = PF_NONE;
    uint64_t best = 64; /* no object of libc is larger */
    for (uint32_t i = 0; i < pf_trace_nobjects(t, role); i++) {
        uint64_t at = pf_trace_object_address(t, role, i);
        if (at <= futex && futex - at < best) {
            best = futex - at;
            found = i;
        }
    }
    return found;
}

uint32_t pf_exec_thread_of(const struct pf_trace *t, uint32_t number)
{
    for (uint32_t k = 0; k < t->recorded.thread.len; k++)
        if (t->recorded.thread.at[k] == number)
            return k;
    return PF_NONE;
}

/* The semaphore that a failed attempt found empty; PF_NONE: it was a lock. */
static uint32_t empty_semaphore(const struct pf_trace *t, const struct pf_event *e)
{
    uint64_t at = pf_trace_object_address(t, PF_ROLE_LOCK, e->what);
    for (uint32_t i = 0; e->kind == PF_EV_TRYFAIL && i < t->syncs.len; i++)
        if (pf_trace_object_address(t, PF_ROLE_SYNC, i) == at)
            return i;
    return PF_NONE;
}

void pf_exec_find_objects(struct pf_exec_builder *b)
{
    const struct pf_trace *t = b->t;
    struct object_users locks = users_new(t->locks.len), conds = users_new(t->conds.len),
                        syncs = users_new(t->syncs.len), barriers = users_new(t->barriers.len),
                        hidden = users_new(1);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        uint32_t futex = pf_exec_changed_futex(b, i);
        if (futex != PF_NONE)
            use(&conds, futex, e->thread);
        switch (pf_event_operand[e->kind]) {
        case PF_OPERAND_LOCK:
            if (empty_semaphore(t, e) != PF_NONE)
                use(&syncs, empty_semaphore(t, e), e->thread);
            else
                use(&locks, e->what, e->thread);
            break;
        case PF_OPERAND_COND_LOCK:
            use(&locks, e->link, e->thread);
            use(&conds, e->what, e->thread);
            break;
        case PF_OPERAND_COND:
            use(&conds, e->what, e->thread);
            break;
        case PF_OPERAND_SYNC:
            if (e->link != PF_NONE)
                use(&barriers, e->link, e->thread);
            else
                use(&syncs, e->what, e->thread);
            break;
        default:
            break;
        }
    }
    for (size_t k = 0; k < b->operations.len; k++)
        if (pf_exec_is_ordered(b, &b->operations.at[k]))
            use(&hidden, 0, b->operations.at[k].thread);
    if (b->ender)
        use(&hidden, 0, b->ender_thread);
    for (uint32_t k = 0; k < b->nblocked; k++) {
        uint32_t thread = pf_exec_thread_of(t, b->blocked[k].thread);
        uint32_t lock = pf_exec_find_object(t, PF_ROLE_LOCK, b->blocked[k].object);
        uint32_t sync = pf_exec_find_object(t, PF_ROLE_SYNC, b->blocked[k].object);
        if (thread != PF_NONE && lock != PF_NONE)
            use(&locks, lock, thread);
        if (thread != PF_NONE && sync != PF_NONE)
            use(&syncs, sync, thread);
    }
    b->cell_of = pf_mem_resize(NULL, t->cells.len + 1, sizeof *b->cell_of);
    uint32_t *reached = pf_exec_find_reached(b);
    for (uint32_t c = 0; c < t->cells.len; c++) {
        const struct pf_cell *k = &t->cells.at[c];
        bool written = k->written || reached[c] != PF_NONE;
        bool shared = k->shared || reached[c] == PF_EXEC_MANY;
        b->cell_of[c] = shared && written ? new_cell(b) : PF_NONE;
        if (b->cell_of[c] != PF_NONE)
            b->x->cells.at[b->cell_of[c]] = (struct pf_exec_cell){k->initial_known, k->initial};
    }
    free(reached);
    b->lock_of = number(b, &locks, PF_STATE_FREE);
    b->cond_of = number(b, &conds, PF_STATE_ANY);
    b->sync_of = number(b, &syncs, PF_STATE_ANY);
    b->barrier_of = number(b, &barriers, PF_STATE_ANY);
    uint32_t *one = number(b, &hidden, PF_STATE_ANY);
    b->hidden = one[0];
    free(one);
    for (uint32_t i = 0; i < t->syncs.len; i++)
        if (b->sync_of[i] != PF_NONE)
            b->objects.at[b->sync_of[i]].address = pf_trace_object_address(t, PF_ROLE_SYNC, i);
    b->nown = (uint32_t)t->threads.len + 1;
    b->own = pf_mem_resize(NULL, b->objects.len * b->nown + 1, sizeof *b->own);
    for (size_t i = 0; i < b->objects.len * b->nown; i++)
        b->own[i] = PF_SOURCE_INITIAL;
}

/* --- accesses --- */

uint32_t pf_exec_access_to(struct pf_exec_builder *b, uint32_t cell, uint32_t offset)
{
    struct pf_execution *x = b->x;
    struct pf_exec_object *o = &b->objects.at[cell];
    if (o->node == b->node)
        return o->access;
    uint32_t thread = x->g.nodes.at[b->node].thread;
    o->node = b->node;
    o->access = (uint32_t)x->g.accesses.len;
    pf_vec_push(&x->g.accesses, (struct pf_rf_access){.cell = cell, .source = PF_SOURCE_NONE});
    pf_vec_push(&x->accesses,
                (struct pf_exec_access){.own = b->own[(size_t)cell * b->nown + thread],
                                        .offset = offset,
                                        .object = o->address});
    return o->access;
}

void pf_exec_add_read(struct pf_exec_builder *b, uint32_t cell, uint32_t fallback, uint32_t offset)
{
    uint32_t a = pf_exec_access_to(b, cell, offset), last = b->objects.at[cell].last;
    struct pf_rf_access *k = &b->x->g.accesses.at[a];
    if (k->source == PF_SOURCE_NONE && !k->writes) /* it does not read what it has written itself */
        k->source = last == PF_SOURCE_INITIAL ? fallback : last;
}

static void add_write(struct pf_exec_builder *b, uint32_t cell, uint32_t offset)
{
    uint32_t a = pf_exec_access_to(b, cell, offset);
    struct pf_exec_object *o = &b->objects.at[cell];
    uint32_t thread = b->x->g.nodes.at[b->node].thread;
    b->x->g.accesses.at[a].writes = true;
    o->last = b->own[(size_t)cell * b->nown + thread] = b->node;
    o->many_writers |= o->writer != PF_NONE && o->writer != thread;
    o->writer = thread;
}

struct pf_exec_access *pf_exec_add_update(struct pf_exec_builder *b, uint32_t cell)
{
    pf_exec_add_read(b, cell, PF_SOURCE_INITIAL, 0);
    add_write(b, cell, 0);
    struct pf_exec_access *a = &b->x->accesses.at[b->objects.at[cell].access];
    a->begins = true;
    return a;
}

static void add_values(struct pf_exec_builder *b, const struct pf_event *e, uint32_t cell,
                       struct pf_exec_access *a)
{
    if (pf_event_writes(e))
        a->stored_known = pf_trace_cell_value(b->t, e, cell, false, &a->stored);
    a->updates = e->kind == PF_EV_RMW && !(e->flags & (PF_EF_COMPARES | PF_EF_UNKNOWN));
    if (pf_event_reads(e) && pf_event_atomic(e) && e->flags & PF_EF_COMPARES)
        a->compares = true;
    if (a->updates || a->compares)
        a->seen_known = pf_trace_cell_value(b->t, e, cell, e->kind == PF_EV_RMW, &a->seen);
}

/* True if the event stores what is already there, so that it has the effect of a read. A
 * compare-and-swap counts as a write if it succeeds. */
static bool is_silent(const struct pf_trace *t, const struct pf_event *e)
{
    return e->kind == PF_EV_RMW && !(e->flags & (PF_EF_COMPARES | PF_EF_UNKNOWN)) &&
           t->olds.at[e->link] == e->value;
}

static void add_memory(struct pf_exec_builder *b, const struct pf_event *e)
{
    const struct pf_range *p = &b->t->places.at[e->what];
    bool begins = true, writes = pf_event_writes(e) && !is_silent(b->t, e);
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
        uint32_t cell = b->cell_of[c];
        if (cell == PF_NONE)
            continue;
        uint32_t offset = (uint32_t)(b->t->cells.at[c].addr - p->addr);
        if (pf_event_reads(e)) {
            size_t before = b->x->accesses.len;
            pf_exec_add_read(b, cell, PF_SOURCE_INITIAL, offset);
            if (b->x->accesses.len > before) {
                b->x->accesses.at[before].begins = begins;
                begins = false;
            }
        }
        if (writes)
            add_write(b, cell, offset);
        add_values(b, e, c, &b->x->accesses.at[b->objects.at[cell].access]);
    }
}

void pf_exec_set_flag(struct pf_exec_builder *b, uint32_t flag)
{
    b->x->nodes.at[b->node].flags |= flag;
}

void pf_exec_place(const struct pf_trace *t, uint32_t event, char *text, size_t size)
{
    const struct pf_site_info *s = &t->sites.at[t->events.at[event].site];
    bool is_call = t->events.at[event].kind == PF_EV_CALL;
    const char *callee = is_call ? pf_exec_callee(t, event) : "";
    int n = (int)strcspn(callee, "(");
    snprintf(text, size, "%.*s%s%.120s:%u", n < 100 ? n : 100, callee, n ? " at " : "",
             pf_trace_text(t, s->file), s->line);
}

void pf_exec_add_unexplored(struct pf_exec_builder *b, const char *reason, uint32_t event)
{
    struct pf_exec_unexplored o = {.reason = reason};
    pf_exec_place(b->t, event, o.where, sizeof o.where);
    pf_vec_push(&b->x->unexplored, o);
}

/* A failed attempt to take a message, or a look at the number of messages. */
static void add_empty(struct pf_exec_builder *b, uint32_t sync, uint32_t i)
{
    uint32_t cell = b->sync_of[sync];
    const char *function = pf_exec_function(b->t, i);
    if (cell == PF_NONE)
        return;
    if (pf_exec_is_once(function)) {
        pf_exec_add_once(b, i, cell);
        return;
    }
    pf_exec_add_read(b, cell, PF_SOURCE_INITIAL, 0);
    struct pf_exec_access *a = &b->x->accesses.at[b->objects.at[cell].access];
    a->begins = true;
    a->level = b->objects.at[cell].level;
    if (pf_exec_try_flags(function))
        pf_exec_set_flag(b, PF_EXEC_TAKES | pf_exec_try_flags(function));
}

/* An acquire, a release or a failed attempt on a lock. */
static void add_lock(struct pf_exec_builder *b, uint32_t i, uint32_t lock)
{
    const struct pf_event *e = &b->t->events.at[i];
    uint32_t cell = b->lock_of[lock];
    const char *function = pf_exec_function(b->t, i);
    bool is_wait = pf_event_operand[e->kind] == PF_OPERAND_COND_LOCK;
    uint32_t tries = is_wait ? 0 : pf_exec_try_flags(function);
    if (cell == PF_NONE || e->flags & PF_EF_NESTED)
        return;
    struct pf_exec_object *o = &b->objects.at[cell];
    bool shared = pf_event_shared(e) || (function && strstr(function, "rdlock"));
    pf_exec_set_flag(b, tries | (shared ? PF_EXEC_SHARES : 0u));
    if (e->kind == PF_EV_TRYFAIL) {
        size_t before = b->x->accesses.len;
        pf_exec_add_read(b, cell, PF_SOURCE_INITIAL, 0);
        if (b->x->accesses.len > before)
            b->x->accesses.at[before] = (struct pf_exec_access){
                .own = b->x->accesses.at[before].own, .begins = true, .is_lock = true};
        return;
    }
    struct pf_exec_access *a = pf_exec_add_update(b, cell);
    a->is_lock = true;
    if (pf_event_acquires(e)) {
        pf_exec_set_flag(b, PF_EXEC_ACQUIRES);
        o->readers += shared;
        o->state = shared ? PF_STATE_SHARED : PF_STATE_HELD;
    } else {
        pf_exec_set_flag(b, PF_EXEC_RELEASES);
        o->readers -= shared && o->readers;
        o->state = o->readers ? PF_STATE_SHARED : PF_STATE_FREE;
    }
    a->after = o->state;
}

void pf_exec_add_order(struct pf_exec_builder *b, uint32_t from_event)
{
    uint32_t from = b->operations.at[b->operation[from_event]].node;
    if (from != PF_NONE && from != b->node)
        pf_vec_push(&b->x->g.edges, (struct pf_rf_edge){from, b->node});
}

/* An arrival posts to the object of its round, a departure takes all that was posted there. */
static void add_barrier(struct pf_exec_builder *b, const struct pf_event *e)
{
    uint32_t cell = b->barrier_of[e->link];
    if (cell == PF_NONE)
        return;
    if (e->kind == PF_EV_POST) {
        pf_exec_add_update(b, cell);
        pf_vec_push(&b->arrivals, e->what);
        pf_vec_push(&b->arrivals, b->node);
        return;
    }
    for (size_t k = 0; k < b->arrivals.len; k += 2)
        if (b->arrivals.at[k] == e->what && b->arrivals.at[k + 1] != b->node)
            pf_vec_push(&b->x->g.edges, (struct pf_rf_edge){b->arrivals.at[k + 1], b->node});
}

/* True if the function only counts references (wrap_exception.c). It never waits, and its messages
 * have the order of its counter updates, which are events as well. */
static bool counts_references(const char *function)
{
    static const char *const counting[] = {
        "_Unwind_DeleteException", "std::exception_ptr::~exception_ptr()",
        "std::runtime_error::~runtime_error()", "std::logic_error::~logic_error()"};
    for (size_t i = 0; i < sizeof counting / sizeof *counting; i++)
        if (function && !strcmp(function, counting[i]))
            return true;
    return false;
}

static void add_message(struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_event *e = &b->t->events.at[i];
    uint32_t cell = b->sync_of[e->what];
    if (cell == PF_NONE || counts_references(pf_exec_function(b->t, i)))
        return;
    if (pf_exec_is_once(pf_exec_function(b->t, i))) {
        pf_exec_add_once(b, i, cell);
        return;
    }
    struct pf_exec_access *a = pf_exec_add_update(b, cell);
    struct pf_exec_object *o = &b->objects.at[cell];
    o->level += e->kind == PF_EV_POST ? 1 : -1;
    a->level = o->level;
    if (e->kind == PF_EV_TAKE)
        pf_exec_set_flag(b, PF_EXEC_TAKES | pf_exec_try_flags(pf_exec_function(b->t, i)));
}

void pf_exec_add_event(struct pf_exec_builder *b, uint32_t i)
{
    const struct pf_event *e = &b->t->events.at[i];
    switch (pf_event_class[e->kind]) {
    case PF_CLASS_ACCESS:
        add_memory(b, e);
        if (pf_exec_changed_futex(b, i) != PF_NONE)
            pf_exec_add_changed_futex(b, pf_exec_changed_futex(b, i));
        break;
    case PF_CLASS_ACQUIRE:
    case PF_CLASS_RELEASE:
    case PF_CLASS_TEST:
        if (pf_event_operand[e->kind] == PF_OPERAND_COND_LOCK)
            pf_exec_add_cond(b, i);
        if (empty_semaphore(b->t, e) != PF_NONE)
            add_empty(b, empty_semaphore(b->t, e), i);
        else
            add_lock(b, i, pf_event_lock(e));
        break;
    case PF_CLASS_NOTIFY:
        pf_exec_add_cond(b, i);
        break;
    case PF_CLASS_MESSAGE:
        if (e->link != PF_NONE)
            add_barrier(b, e);
        else
            add_message(b, i);
        break;
    case PF_CLASS_CALL:
        pf_exec_add_code(b, i);
        break;
    case PF_CLASS_MEMORY:
        if (pf_event_creates(e))
            pf_vec_push(&b->x->blocks,
                        (struct pf_exec_block){b->t->places.at[e->what].addr, b->node, i});
        break;
    default:
        break;
    }
}

void pf_exec_add_reads(struct pf_exec_builder *b, const struct pf_exec_operation *o)
{
    for (uint32_t i = o->first; i != PF_NONE; i = b->next[i]) {
        const struct pf_event *e = &b->t->events.at[i];
        if (e->kind != PF_EV_RMW) {
            pf_exec_add_event(b, i);
            continue;
        }
        const struct pf_range *p = &b->t->places.at[e->what]; /* stores what is already there */
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
            if (b->cell_of[c] != PF_NONE)
                pf_exec_add_read(b, b->cell_of[c], PF_SOURCE_INITIAL,
                                 (uint32_t)(b->t->cells.at[c].addr - p->addr));
    }
    for (size_t c = 0; c < b->objects.len; c++) /* the node will be removed */
        if (b->objects.at[c].node == b->node)
            b->objects.at[c].node = PF_NONE;
}
