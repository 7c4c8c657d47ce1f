/* race_events.c - see race_events.h. */
#include "race_events.h"
#include "clocks.h"
#include "textbuf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPARED 64 /* most earlier accesses that an access is compared with */

/* --- by number --- */

struct event_name {
    unsigned thread, number;
};

static const char *parse(const char *s, struct event_name *n)
{
    int used = 0;
    return sscanf(s, "T%u:%u%n", &n->thread, &n->number, &used) == 2 && used ? s + used : NULL;
}

/* The access of an operation that conflicts with `other`; PF_NONE: none. An operation such as
 * memcpy has several accesses with the same number. */
static uint32_t find_part(const struct pf_trace *t, const struct event_name *n, uint32_t other)
{
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (t->recorded.index.at[i] == n->number && pf_event_is_access(e) &&
            t->recorded.thread.at[e->thread] == n->thread &&
            (other == PF_NONE || pf_trace_conflict(t, e, &t->events.at[other])))
            return i;
    }
    return PF_NONE;
}

static void put_in_order(uint32_t *a, uint32_t *b)
{
    uint32_t x = *a;
    if (*a > *b) {
        *a = *b;
        *b = x;
    }
}

bool pf_race_events_named(const struct pf_trace *t, const char *text, uint32_t *a, uint32_t *b,
                          char *why, size_t room)
{
    struct event_name x, y;
    const char *s = parse(text, &x);
    s = s && (*s == '<' || *s == ',') ? parse(s + 1, &y) : NULL;
    if (!s || *s) {
        snprintf(why, room, "%s: expected two events such as T1:137,T2:40", text);
        return false;
    }
    *a = *b = PF_NONE;
    for (uint32_t i = 0; i < t->events.len && *b == PF_NONE; i++)
        if (t->recorded.index.at[i] == x.number && pf_event_is_access(&t->events.at[i]) &&
            t->recorded.thread.at[t->events.at[i].thread] == x.thread) {
            *a = i;
            *b = find_part(t, &y, i);
        }
    if (*a == PF_NONE || *b == PF_NONE) {
        snprintf(why, room, "%s: the recording has no two conflicting accesses with these numbers",
                 text);
        return false;
    }
    put_in_order(a, b);
    return true;
}

/* --- by position --- */

/* True if one path ends with the other, at a path component. */
static bool same_path(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), n = na < nb ? na : nb;
    if (strcmp(a + na - n, b + nb - n))
        return false;
    return na == nb || (na > nb ? a[na - n - 1] : b[nb - n - 1]) == '/';
}

static const struct pf_stack_frame *place_of(const struct pf_access *x)
{
    for (size_t i = 0; i < x->stack.n; i++)
        if (x->stack.at[i].file && *x->stack.at[i].file)
            return &x->stack.at[i];
    return NULL;
}

static bool is_op(enum pf_op op, const struct pf_event *e)
{
    switch (op) {
    case PF_OP_READ:
        return e->kind == PF_EV_READ;
    case PF_OP_WRITE:
        return e->kind == PF_EV_WRITE || pf_event_creates(e);
    case PF_OP_ATOMIC_READ:
        return e->kind == PF_EV_AREAD;
    case PF_OP_ATOMIC_WRITE:
        return e->kind == PF_EV_AWRITE || e->kind == PF_EV_RMW;
    case PF_OP_FREE:
        return e->kind == PF_EV_FREE;
    default:
        return true;
    }
}

/* Lists the accesses of the trace that may be this access of a finding. */
static void list_at(const struct pf_trace *t, const struct pf_access *x, pf_vec_u32 *out)
{
    const struct pf_stack_frame *p = place_of(x);
    for (uint32_t i = 0; p && i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        const struct pf_site_info *s = &t->sites.at[e->site];
        if ((pf_event_is_access(e) || pf_event_creates(e)) && is_op(x->op, e) &&
            s->line == p->line && (!p->column || !s->column || s->column == p->column) &&
            same_path(pf_trace_text(t, s->file), p->file))
            pf_vec_push(out, i);
    }
}

/* True if the events conflict; one of them may be an allocation. */
static bool conflict(const struct pf_trace *t, uint32_t x, uint32_t y)
{
    const struct pf_event *a = &t->events.at[x < y ? x : y], *b = &t->events.at[x < y ? y : x];
    return pf_trace_conflict(t, a, b) || pf_trace_uses_created(t, a, b);
}

/* An access that was seen before, for find_unordered. */
struct earlier_access {
    uint32_t event, epoch;
};
typedef PF_VEC(struct earlier_access) earlier_accesses;

static bool is_listed(const pf_vec_u32 *list, size_t *next, uint32_t event)
{
    while (*next < list->len && list->at[*next] < event)
        (*next)++;
    return *next < list->len && list->at[*next] == event;
}

/* Compares `event` with the earlier accesses of the list, the newest first. Sets *a and *b to the
 * first pair that conflicts and is not ordered, if it is closer together than the pair so far. */
static void compare_earlier(const struct pf_clocks *clocks, const earlier_accesses *list,
                            uint32_t event, uint32_t *a, uint32_t *b)
{
    const struct pf_event *e = &clocks->t->events.at[event];
    for (size_t n = list->len; n-- > 0 && n + COMPARED >= list->len;) {
        uint32_t other = list->at[n].event;
        const struct pf_event *x = &clocks->t->events.at[other];
        if (*a != PF_NONE && event - other >= *b - *a)
            return;
        if (conflict(clocks->t, other, event) &&
            !pf_clocks_seen(clocks, e->thread, x->thread, list->at[n].epoch)) {
            *a = other;
            *b = event;
            return;
        }
    }
}

/* Of the pairs that nothing orders, the one that is closest together; *a is PF_NONE if there is
 * none. The closest pair of all may be ordered: memory is used again, after a join, by other
 * threads at the same positions. */
static void find_unordered(const struct pf_trace *t, const pf_vec_u32 *x, const pf_vec_u32 *y,
                           uint32_t *a, uint32_t *b)
{
    struct pf_clocks clocks;
    earlier_accesses seen[2] = {0};
    size_t next[2] = {0};
    *a = *b = PF_NONE;
    pf_clocks_init(&clocks, t, PF_CLOCKS_LOCKS | PF_CLOCKS_ATOMICS);
    for (uint32_t i = 0; i < t->events.len; i++) {
        bool in[2] = {is_listed(x, &next[0], i), is_listed(y, &next[1], i)};
        pf_clocks_enter(&clocks, i);
        for (unsigned k = 0; k < 2; k++)
            if (in[k])
                compare_earlier(&clocks, &seen[!k], i, a, b);
        for (unsigned k = 0; k < 2; k++)
            if (in[k])
                pf_vec_push(&seen[k], (struct earlier_access){
                                          i, pf_clocks_epoch(&clocks, t->events.at[i].thread)});
        pf_clocks_leave(&clocks, i);
    }
    pf_clocks_release(&clocks);
    pf_vec_release(&seen[0]);
    pf_vec_release(&seen[1]);
}

bool pf_race_events_at(const struct pf_trace *t, const struct pf_finding *f, uint32_t *a,
                       uint32_t *b, char *why, size_t room)
{
    pf_vec_u32 x = {0}, y = {0};
    uint32_t best = UINT32_MAX;
    list_at(t, &f->accesses[0], &x);
    list_at(t, &f->accesses[1], &y);
    for (size_t i = 0, low = 0; i < x.len; i++) {
        while (low < y.len && y.at[low] < x.at[i] && x.at[i] - y.at[low] >= best)
            low++;
        for (size_t k = low; k < y.len; k++) {
            uint32_t far = x.at[i] > y.at[k] ? x.at[i] - y.at[k] : y.at[k] - x.at[i];
            if (y.at[k] > x.at[i] && far >= best)
                break;
            if (far < best && conflict(t, x.at[i], y.at[k])) {
                best = far;
                *a = x.at[i];
                *b = y.at[k];
            }
        }
    }
    if (best == UINT32_MAX)
        snprintf(why, room,
                 !x.len || !y.len ? "never seen in a replay"
                                  : "its accesses were never to the same memory in a replay");
    uint32_t c, d;
    if (best != UINT32_MAX) {
        put_in_order(a, b);
        find_unordered(t, &x, &y, &c, &d);
        *a = c == PF_NONE ? *a : c;
        *b = c == PF_NONE ? *b : d;
    }
    pf_vec_release(&x);
    pf_vec_release(&y);
    return best != UINT32_MAX;
}

uint32_t pf_race_events_numbered(const struct pf_trace *t, uint32_t thread, uint64_t number)
{
    for (uint32_t i = 0; number && i < t->events.len; i++)
        if (t->recorded.index.at[i] == number && pf_event_is_access(&t->events.at[i]) &&
            t->recorded.thread.at[t->events.at[i].thread] == thread)
            return i;
    return PF_NONE;
}
