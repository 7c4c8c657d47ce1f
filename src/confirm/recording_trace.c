/* recording_trace.c - see recording_trace.h. */
#define _GNU_SOURCE
#include "recording_trace.h"
#include "events.h"
#include "pf_abi.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SPLIT 8u               /* bytes of a value */
#define SCALAR_MAX 16u         /* bytes of the largest scalar variable */
#define SIZE_MAX_BELIEVED (1ull << 40)
#define ADDRESSES (1ull << 47)

struct recorded_call {
    uint32_t thread, event, name;
    bool calling_back; /* a callback is running */
    uint32_t first, last; /* its first and its newest event; PF_NONE: none yet */
};

/* The thread that holds a lock. */
struct lock_owner {
    uint32_t thread, depth; /* depth 0: nobody */
};

/* A lock that was initialised again: see current_lock. */
struct renewed_lock {
    uint64_t addr;
    unsigned count;
};

struct trace_loader {
    struct pf_trace *t;
    const char *path;
    const struct pf_names *names;
    pf_vec_u32 stack_of_site;  /* recorded site -> stack + 1 */
    pf_vec_u32 thread_of; /* recorded thread -> thread + 1 */
    PF_VEC(struct recorded_call) calls; /* not yet returned */
    pf_vec_u32 sets; /* reachable sets of calls, by number from 1: the set as first recorded */
    PF_VEC(struct lock_owner) owners; /* by lock */
    pf_vec_u32 ended;                 /* threads */
    PF_VEC(struct renewed_lock) renewed;
    struct pf_error *e;
};

/* Writes the message; returns false. */
static bool bad(struct trace_loader *l, const char *what)
{
    return pf_fail(l->e, PF_BAD, "%s: event %zu: %s", l->path, l->t->events.len + 1, what) == PF_OK;
}

static uint32_t name_of(struct trace_loader *l, const char *s)
{
    return pf_trace_name(l->t, s, strlen(s));
}

/* --- names, restricted to the characters of the text format --- */

static void spell(char *to, size_t size, const char *from)
{
    size_t n = 0;
    if (!isalpha((unsigned char)*from) && *from != '_')
        to[n++] = '_';
    for (; *from && n < size - 1; from++)
        to[n++] = isalnum((unsigned char)*from) || strchr("_.$-*[]", *from) ? *from : '_';
    to[n] = 0;
}

static void take_variables(struct trace_loader *l)
{
    const struct pf_names *n = l->names;
    for (size_t i = 0; i < n->variables.len; i++) {
        const struct pf_name_variable *v = &n->variables.at[i];
        char text[160], twin[180];
        spell(text, sizeof text, v->name);
        snprintf(twin, sizeof twin, "%s", text);
        /* static variables of one name in several files: x, x.2, x.3 */
        uint32_t name = name_of(l, twin);
        for (unsigned k = 2; l->t->names.at[name].addr; k++) {
            snprintf(twin, sizeof twin, "%s.%u", text, k);
            name = name_of(l, twin);
        }
        if (!v->size ||
            (l->t->recorded.variables.len &&
             l->t->recorded.variables.at[l->t->recorded.variables.len - 1].addr == v->addr))
            continue; /* a duplicate, or empty */
        l->t->names.at[name].addr = v->addr;
        pf_vec_push(&l->t->recorded.variables, (struct pf_variable){.addr = v->addr,
                                                                    .size = v->size,
                                                                    .name = name,
                                                                    .symbol = name_of(l, v->name),
                                                                    .file = name_of(l, v->file),
                                                                    .line = v->line});
    }
}

static unsigned times_renewed(const struct trace_loader *l, uint64_t addr)
{
    unsigned n = 0;
    for (size_t i = 0; i < l->renewed.len; i++)
        n = l->renewed.at[i].addr == addr ? l->renewed.at[i].count : n;
    return n;
}

static uint32_t object(struct trace_loader *l, enum pf_role role, uint64_t addr)
{
    static const char *const words[] = {[PF_ROLE_LOCK] = "lock",
                                        [PF_ROLE_COND] = "cond",
                                        [PF_ROLE_BARRIER] = "barrier",
                                        [PF_ROLE_SYNC] = "sync"};
    struct pf_variable v;
    char text[240];
    if (!pf_trace_variable_at(l->t, addr, &v))
        snprintf(text, sizeof text, "%s_%" PRIx64, words[role], addr);
    else if (addr == v.addr)
        snprintf(text, sizeof text, "%s", pf_trace_text(l->t, v.name));
    else
        snprintf(text, sizeof text, "%s.%" PRIu64, pf_trace_text(l->t, v.name), addr - v.addr);
    if (role == PF_ROLE_LOCK && l->renewed.len && times_renewed(l, addr))
        snprintf(text + strlen(text), sizeof text - strlen(text), ".new%u", times_renewed(l, addr));
    size_t known = pf_trace_nobjects(l->t, role);
    uint32_t number = pf_trace_role_number(l->t, role, name_of(l, text));
    if (number == known) {
        pf_trace_locate_object(l->t, role, number, addr);
        if (role == PF_ROLE_LOCK)
            pf_vec_push(&l->t->recorded.lock_address, addr);
    }
    return number;
}

static uint32_t thread(struct trace_loader *l, uint64_t number)
{
    while (l->thread_of.len <= number)
        pf_vec_push(&l->thread_of, 0);
    if (!l->thread_of.at[number]) {
        char text[32];
        snprintf(text, sizeof text, "T%" PRIu64, number);
        l->thread_of.at[number] = 1 + pf_trace_role_number(l->t, PF_ROLE_THREAD, name_of(l, text));
        pf_vec_push(&l->t->recorded.thread, (uint32_t)number);
    }
    return l->thread_of.at[number] - 1;
}

static uint32_t stack_of(struct trace_loader *l, uint32_t site);

/* Takes what the recording knows about each thread. */
static void take_threads(struct trace_loader *l)
{
    struct pf_recorded *r = &l->t->recorded;
    for (size_t i = 0; i < r->thread.len; i++) {
        uint32_t number = r->thread.at[i];
        struct pf_recorded_thread now = {.name = PF_NONE, .created = PF_NONE};
        if (number < l->names->nthreads && l->names->thread[number].known) {
            const struct pf_name_thread *n = &l->names->thread[number];
            now = (struct pf_recorded_thread){.name = *n->name ? name_of(l, n->name) : PF_NONE,
                                              .parent = n->parent,
                                              .created = PF_NONE,
                                              .id = n->id,
                                              .stack = n->stack,
                                              .stack_size = n->stack_size,
                                              .tls = n->tls,
                                              .tls_size = n->tls_size};
            if (n->created && n->created < l->names->nsites && l->names->site[n->created].known)
                now.created = stack_of(l, n->created);
        }
        pf_vec_push(&r->threads, now);
    }
}

/* --- sites --- */

static uint32_t position(struct trace_loader *l, const struct pf_name_position *p)
{
    uint32_t func = p->function && *p->function ? name_of(l, p->function) : PF_NONE;
    uint32_t s =
        pf_trace_position(l->t, name_of(l, p->file ? p->file : ""), p->line, func, p->column);
    struct pf_site_info *info = &l->t->sites.at[s];
    info->begins = p->begins;
    info->folded |= p->folded;
    if (p->object && *p->object)
        info->object = name_of(l, p->object);
    return p->merged_lines && *p->merged_lines
               ? pf_trace_merged_site(l->t, s, name_of(l, p->merged_lines))
               : s;
}

/* True for a kind of pf_site.def whose variable is the memory that it accesses. */
static bool is_access(uint32_t kind)
{
    return kind == PF_SITE_READ || kind == PF_SITE_WRITE || kind == PF_SITE_ATOMIC_READ ||
           kind == PF_SITE_ATOMIC_WRITE;
}

static uint32_t stack_of(struct trace_loader *l, uint32_t site)
{
    struct pf_recorded *r = &l->t->recorded;
    while (l->stack_of_site.len <= site)
        pf_vec_push(&l->stack_of_site, 0);
    if (l->stack_of_site.at[site])
        return l->stack_of_site.at[site] - 1;
    const struct pf_name_site *s = &l->names->site[site];
    struct pf_recorded_stack now = {(uint32_t)r->stack_sites.len, s->npositions, PF_NONE, false};
    const struct pf_name_position *top = s->npositions ? &l->names->position[s->position[0]] : NULL;
    if (top && top->variable && *top->variable && is_access(top->kind))
        now.variable = name_of(l, top->variable);
    now.locks = top && top->kind == PF_SITE_LOCK;
    for (uint32_t i = 0; i < s->npositions; i++)
        pf_vec_push(&r->stack_sites, position(l, &l->names->position[s->position[i]]));
    if (!s->npositions) { /* no position is known: make up a site for it */
        pf_vec_push(&r->stack_sites, pf_trace_site(l->t, name_of(l, ""), site));
        now.n = 1;
    }
    pf_vec_push(&r->stacks, now);
    l->stack_of_site.at[site] = (uint32_t)r->stacks.len;
    return (uint32_t)r->stacks.len - 1;
}

/* The innermost position that has a file; for an interposed function, its caller's position. */
static uint32_t site_of(const struct trace_loader *l, uint32_t stack)
{
    const struct pf_recorded *r = &l->t->recorded;
    const struct pf_recorded_stack *w = &r->stacks.at[stack];
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t s = r->stack_sites.at[w->first + i];
        if (*pf_trace_text(l->t, l->t->sites.at[s].file))
            return s;
    }
    return r->stack_sites.at[w->first];
}

/* --- events --- */

/* The thread's innermost call that has not returned; NULL: none. */
static struct recorded_call *innermost(struct trace_loader *l, uint32_t thread_index)
{
    size_t i = l->calls.len;
    while (i > 0 && l->calls.at[i - 1].thread != thread_index)
        i--;
    return i ? &l->calls.at[i - 1] : NULL;
}

/* Call when an event of the thread was added. In a callback, every event except the first and the
 * last is inner. The previous event is now known not to be the last: marks it, unless it is the
 * first. */
static void note_event(struct trace_loader *l, uint32_t thread_index)
{
    struct recorded_call *c = innermost(l, thread_index);
    uint32_t i = (uint32_t)l->t->events.len - 1;
    if (!c || !c->calling_back)
        return;
    if (c->first == PF_NONE)
        c->first = i;
    else if (c->last != c->first)
        pf_trace_set_inner(l->t, c->last);
    c->last = i;
}

static struct pf_event *add(struct trace_loader *l, const struct pf_record *r, unsigned kind,
                            uint32_t thread_index, uint32_t stack)
{
    struct pf_event *e = pf_trace_add(l->t, kind, thread_index);
    e->site = site_of(l, stack);
    e->flags = r->flags & (uint8_t)~(PF_EF_NESTED | PF_EF_MISSING | PF_EF_DECIDED);
    uint8_t site = l->names->site[r->site].flags;
    if (site & (PF_SITEF_BRANCH | PF_SITEF_ADDRESS))
        e->flags |= PF_EF_DECIDED;
    if ((kind == PF_EV_READ && site & PF_SITEF_CHECK) ||
        (kind == PF_EV_WRITE && site & PF_SITEF_ACT))
        e->flags |= kind == PF_EV_READ ? PF_EF_CHECK : PF_EF_ACT;
    pf_vec_push(&l->t->recorded.index, (uint32_t)r->index);
    pf_vec_push(&l->t->recorded.event_stack, stack);
    note_event(l, thread_index);
    return e;
}

static bool add_access(struct trace_loader *l, const struct pf_record *r, uint32_t thread_index,
                       uint32_t stack)
{
    if (!r->more || r->more > SIZE_MAX_BELIEVED || r->what + r->more < r->what)
        return bad(l, "a memory range of impossible size");
    bool memory = r->kind == PF_EV_ALLOC || r->kind == PF_EV_FREE;
    /* a thread's stack: new memory, but not an event */
    if (r->kind == PF_EV_ALLOC && r->flags & PF_EF_UNKNOWN) {
        pf_trace_new_block(l->t, r->what, r->more);
        return true;
    }
    uint64_t step = !memory && r->nbytes == r->more ? SPLIT : r->more;
    for (uint64_t at = 0; at < r->more; at += step) {
        uint64_t n = r->more - at < step ? r->more - at : step, value = r->value;
        bool known = r->has_value && r->more <= SPLIT;
        if (!known && !memory && r->nbytes == r->more) {
            value = 0;
            memcpy(&value, r->bytes + at, n);
            known = true;
        }
        uint32_t place = r->kind == PF_EV_ALLOC ? pf_trace_new_block(l->t, r->what, r->more)
                                                : pf_trace_place(l->t, r->what + at, n);
        if (r->kind == PF_EV_RMW)
            pf_vec_push(&l->t->olds, r->old);
        struct pf_event *e = add(l, r, r->kind, thread_index, stack);
        e->what = place;
        l->t->sites.at[e->site].range |= !memory && r->more > SCALAR_MAX;
        if (at) /* the parts of one operation do not depend on each other */
            e->flags &= (uint8_t)~PF_EF_DECIDED;
        e->value = known ? value : 0;
        if (r->kind == PF_EV_RMW) {
            e->link = (uint32_t)l->t->olds.len - 1;
            known &= r->has_old;
        }
        if (!known && !memory)
            e->flags |= PF_EF_UNKNOWN;
    }
    return true;
}

/* The reachable set of a call. A numbered set is recorded with its first call; ranges recorded
 * with later calls of the same number are added to the set for all of them. */
static bool take_set(struct trace_loader *l, const struct pf_record *r, uint32_t *reach)
{
    if (!r->has_value || !r->value) {
        *reach = pf_trace_reach(l->t);
        return true;
    }
    if (!l->sets.len)
        pf_vec_push(&l->sets, 0);
    if (r->value == l->sets.len) {
        *reach = pf_trace_reach(l->t);
        pf_vec_push(&l->sets, *reach);
        return true;
    }
    if (r->value > l->sets.len)
        return false;
    *reach = pf_trace_reach_same(l->t, l->sets.at[r->value]);
    pf_trace_reach_extend(l->t, l->sets.at[r->value]);
    return true;
}

/* A callback of the thread's innermost call begins or has ended. */
static bool note_callback(struct trace_loader *l, uint32_t thread_index, bool begins)
{
    struct recorded_call *c = innermost(l, thread_index);
    if (!c)
        return bad(l, "a callback of no call");
    c->calling_back = begins;
    c->first = c->last = PF_NONE;
    return true;
}

static bool add_call(struct trace_loader *l, const struct pf_record *r, uint32_t thread_index,
                     uint32_t stack)
{
    const struct pf_name_site *s = &l->names->site[r->site];
    const char *callee = s->npositions ? l->names->position[s->position[0]].variable : "";
    if (!callee || !*callee)
        callee = pf_names_callee(l->names, r->what);
    char text[160];
    spell(text, sizeof text, *callee ? callee : "foreign");
    uint32_t name = name_of(l, text), link;
    if (r->kind == PF_EV_CALL && r->attached && !r->more)
        return note_callback(l, thread_index, r->what);
    if (r->kind == PF_EV_CALL &&
        r->attached) { /* a further range that the innermost call reaches */
        const struct recorded_call *c = innermost(l, thread_index);
        if (!c || r->what + r->more > ADDRESSES || r->what + r->more < r->what)
            return bad(l, "a range that belongs to no call");
        if (c->event != l->t->events.len - 1) /* it was reached later */
            pf_trace_reach_extend(l->t, l->t->events.at[c->event].link);
        pf_trace_reach_range(l->t, r->what, r->more);
        return true;
    }
    if (r->kind == PF_EV_CALL) {
        if (!take_set(l, r, &link))
            return bad(l, "a call with a reachable set that was not recorded before");
        l->t->has_calls = true;
    } else {
        struct recorded_call *c = innermost(l, thread_index);
        if (!c)
            return bad(l, "a return without its call");
        link = c->event;
        name = c->name;
        memmove(c, c + 1, (size_t)(l->calls.at + --l->calls.len - c) * sizeof *c);
    }
    uint32_t what = pf_trace_role_number(l->t, PF_ROLE_CALL, name);
    if (what == l->t->recorded.callee.len)
        pf_vec_push(&l->t->recorded.callee, name_of(l, callee));
    struct pf_event *e = add(l, r, r->kind, thread_index, stack);
    e->what = what;
    e->link = link;
    if (r->kind == PF_EV_CALL)
        pf_vec_push(&l->calls, (struct recorded_call){.thread = thread_index,
                                                      .event = (uint32_t)l->t->events.len - 1,
                                                      .name = name});
    return true;
}

static struct lock_owner *owner_of(struct trace_loader *l, uint32_t lock)
{
    while (l->owners.len <= lock)
        pf_vec_push(&l->owners, (struct lock_owner){0});
    return &l->owners.at[lock];
}

static bool has_ended(const struct trace_loader *l, uint32_t thread_index)
{
    for (size_t i = 0; i < l->ended.len; i++)
        if (l->ended.at[i] == thread_index)
            return true;
    return false;
}

/* The lock at an address. If a thread acquires it, and a thread that has ended still holds it, then
 * the program has initialised it again: it is another lock from now on. */
static uint32_t current_lock(struct trace_loader *l, uint64_t addr, bool acquired)
{
    uint32_t lock = object(l, PF_ROLE_LOCK, addr);
    const struct lock_owner *owner = owner_of(l, lock);
    if (!acquired || !owner->depth || !has_ended(l, owner->thread))
        return lock;
    pf_vec_push(&l->renewed, (struct renewed_lock){addr, times_renewed(l, addr) + 1});
    return object(l, PF_ROLE_LOCK, addr);
}

/* Keeps track of the owners of locks. */
static void note_owner(struct trace_loader *l, const struct pf_event *e, uint32_t thread_index)
{
    struct lock_owner *owner;
    switch (e->kind) {
    case PF_EV_LOCK:
    case PF_EV_WAKE:
        owner = owner_of(l, e->kind == PF_EV_LOCK ? e->what : e->link);
        owner->thread = thread_index;
        owner->depth++;
        break;
    case PF_EV_UNLOCK:
    case PF_EV_WAIT:
        owner = owner_of(l, e->kind == PF_EV_UNLOCK ? e->what : e->link);
        owner->depth -= owner->depth > 0;
        break;
    case PF_EV_END:
        pf_vec_push(&l->ended, thread_index);
        break;
    default:
        break;
    }
}

static bool add_event(struct trace_loader *l, const struct pf_record *r)
{
    uint32_t thread_index = thread(l, r->thread), stack = stack_of(l, r->site), what = PF_NONE,
             link = PF_NONE;
    switch (pf_event_operand[r->kind]) {
    case PF_OPERAND_PLACE:
        return add_access(l, r, thread_index, stack);
    case PF_OPERAND_CALL:
        return add_call(l, r, thread_index, stack);
    case PF_OPERAND_LOCK:
        what = current_lock(l, r->what, r->kind == PF_EV_LOCK || r->kind == PF_EV_RDLOCK);
        break;
    case PF_OPERAND_COND_LOCK:
        link = object(l, PF_ROLE_LOCK, r->more);
        what = object(l, PF_ROLE_COND, r->what);
        break;
    case PF_OPERAND_COND:
        what = object(l, PF_ROLE_COND, r->what);
        if (r->more > UINT16_MAX + 1u)
            return bad(l, "a signal that wakes a thread without a number");
        if (r->more) /* the thread that the signal wakes */
            link = thread(l, r->more - 1);
        break;
    case PF_OPERAND_BARRIER:
        what = object(l, PF_ROLE_BARRIER, r->what);
        break;
    case PF_OPERAND_SYNC:
        what = object(l, PF_ROLE_SYNC, r->what);
        if (r->more) /* a round of this barrier */
            link = object(l, PF_ROLE_BARRIER, r->more);
        break;
    case PF_OPERAND_THREAD:
        if (r->what > UINT16_MAX)
            return bad(l, "a thread without a number");
        what = thread(l, r->what);
        break;
    default:
        break;
    }
    struct pf_event *e = add(l, r, r->kind, thread_index, stack);
    e->what = what;
    e->link = link;
    note_owner(l, e, thread_index);
    return true;
}

pf_status pf_trace_read_clip(struct pf_trace *t, const struct pf_clip *clip, const char *name,
                             struct pf_error *e)
{
    struct trace_loader l = {.t = t, .path = name, .e = e};
    struct pf_events *events;
    struct pf_record r[64];
    pf_status s = pf_events_open(&events, clip, e);
    t->recorded.present = t->has_unrecorded_code = t->has_branches = true;
    if (s == PF_OK) {
        l.names = pf_events_names(events);
        take_variables(&l);
    }
    uint32_t limit = t->recorded.limit ? t->recorded.limit : PF_RECORDED_MAX;
    for (size_t n; s == PF_OK && !t->recorded.limited &&
                   (n = pf_events_read(events, r, sizeof r / sizeof *r, &s, e));)
        for (size_t i = 0; s == PF_OK && i < n && !t->recorded.limited; i++) {
            /* do not cut between the parts of one operation */
            t->recorded.limited = t->events.len >= limit && !r[i].attached;
            if (!t->recorded.limited && !add_event(&l, &r[i]))
                s = PF_BAD;
        }
    if (s == PF_OK) {
        take_threads(&l);
        t->recorded.cut = pf_events_cut(events) || !clip->ended || t->recorded.limited;
        pf_trace_seal(t);
    }
    if (l.names)
        pf_events_free(events);
    pf_vec_release(&l.stack_of_site);
    pf_vec_release(&l.thread_of);
    pf_vec_release(&l.calls);
    pf_vec_release(&l.sets);
    pf_vec_release(&l.owners);
    pf_vec_release(&l.ended);
    pf_vec_release(&l.renewed);
    return s;
}
