/* adhoc_sync.c - see adhoc_sync.h. A loop has few accesses; a linear search finds one of them. */
#include "adhoc_sync.h"
#include "trace_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOP_EVENTS 400 /* the last events of a waiting thread that show its loop */
#define LOOP_ACCESSES 32 /* most different accesses of a loop that only waits */
#define REPEATS 3 /* this many equal reads in a row count as a loop */

/* One access of a loop: its place in the code and in memory, and the value last read. */
struct waiting_access {
    uint32_t site;
    uint64_t address, value;
};

struct wait_loop {
    struct waiting_access at[LOOP_ACCESSES];
    size_t n;
};

static uint32_t number_of(const struct pf_trace *t, uint32_t event)
{
    return t->recorded.thread.at[t->events.at[event].thread];
}

static uint64_t address_of(const struct pf_trace *t, uint32_t event)
{
    return t->places.at[t->events.at[event].what].addr;
}

/* The value that an access has seen; of a write, the value stored. */
static uint64_t value_seen(const struct pf_trace *t, uint32_t event)
{
    const struct pf_event *e = &t->events.at[event];
    return e->kind == PF_EV_RMW ? t->olds.at[e->link] : e->value;
}

void pf_adhoc_sync_position(const struct pf_trace *t, uint32_t event, char *to, size_t room)
{
    const struct pf_site_info *s = &t->sites.at[t->events.at[event].site];
    const char *file = pf_trace_text(t, s->file), *base = strrchr(file, '/');
    snprintf(to, room, "%s:%u", base ? base + 1 : file, s->line);
}

static void describe(const struct pf_trace *t, uint32_t test, uint32_t write,
                     struct pf_adhoc_sync *out)
{
    pf_trace_place_text(t, t->events.at[test].what, out->variable, sizeof out->variable);
    out->variable[strcspn(out->variable, ":")] = 0;
    pf_adhoc_sync_position(t, test, out->test, sizeof out->test);
    pf_adhoc_sync_position(t, write, out->write, sizeof out->write);
    out->address = address_of(t, test);
    out->tester = number_of(t, test);
    out->writer = number_of(t, write);
}

/* The last write before event i to the memory that it reads, by another thread; PF_NONE: none. */
static uint32_t writer_of(const struct pf_trace *t, uint32_t i)
{
    const struct pf_range *p = &t->places.at[t->events.at[i].what];
    for (uint32_t k = i; k-- > 0;) {
        const struct pf_event *e = &t->events.at[k];
        if (!pf_event_is_access(e) || !pf_event_writes(e))
            continue;
        const struct pf_range *q = &t->places.at[e->what];
        if (q->addr < p->addr + p->size && p->addr < q->addr + q->size)
            return e->thread == t->events.at[i].thread ? PF_NONE : k;
    }
    return PF_NONE;
}

/* --- a loop --- */

static struct waiting_access *find_access(struct wait_loop *l, const struct pf_trace *t, uint32_t i)
{
    for (size_t k = 0; k < l->n; k++)
        if (l->at[k].site == t->events.at[i].site && l->at[k].address == address_of(t, i))
            return &l->at[k];
    return NULL;
}

/* Adds the access, or updates its value. False: there are too many. */
static bool add_access(struct wait_loop *l, const struct pf_trace *t, uint32_t i)
{
    struct waiting_access *a = find_access(l, t, i);
    if (!a && l->n == LOOP_ACCESSES)
        return false;
    if (!a) {
        a = &l->at[l->n++];
        *a = (struct waiting_access){.site = t->events.at[i].site, .address = address_of(t, i)};
    }
    a->value = value_seen(t, i);
    return true;
}

bool pf_adhoc_sync_loop(const struct pf_trace *now, uint32_t waiter, uint64_t released,
                        struct pf_adhoc_sync *out)
{
    struct wait_loop l = {.n = 0};
    uint32_t test = PF_NONE;
    uint64_t first = released > LOOP_EVENTS ? released - LOOP_EVENTS : 0;
    /* Of a short run, only the second half is examined: before that, the thread may not have
     * reached the loop. */
    if (released <= LOOP_EVENTS)
        first = released / 2;
    for (uint32_t i = 0; i < now->events.len; i++) {
        const struct pf_event *e = &now->events.at[i];
        uint64_t index = now->recorded.index.at[i];
        if (number_of(now, i) != waiter || index <= first)
            continue;
        if (!pf_event_is_access(e)) {
            if (index > released && e->kind == PF_EV_END)
                break;
            continue;
        }
        if (index <= released) {
            if (!add_access(&l, now, i))
                return false;
            continue;
        }
        const struct waiting_access *a = find_access(&l, now, i);
        if (!a)
            break; /* it has left the loop */
        if (pf_event_reads(e) && value_seen(now, i) != a->value)
            test = i;
    }
    uint32_t write = test == PF_NONE ? PF_NONE : writer_of(now, test);
    if (write == PF_NONE)
        return false;
    describe(now, test, write, out);
    out->in_loop = true;
    return true;
}

bool pf_adhoc_sync_is_test(const struct pf_trace *t, uint32_t event)
{
    const struct pf_event *e = &t->events.at[event];
    const struct pf_event *last = NULL;
    unsigned same = 0;
    if (!pf_event_reads(e) || pf_event_writes(e))
        return false;
    for (uint32_t i = event; i-- > 0 && same < REPEATS;) {
        const struct pf_event *x = &t->events.at[i];
        if (x->thread != e->thread || !pf_event_is_access(x))
            continue;
        if (pf_event_writes(x) || (last && x->what == e->what && x->value != last->value))
            break; /* it does something, or sees progress: not a wait */
        if (x->site == e->site && x->what == e->what) {
            last = x;
            same++;
        }
    }
    return same >= REPEATS;
}

/* --- a lock made by hand --- */

uint32_t pf_adhoc_sync_claim(const struct pf_trace *t, uint32_t a, uint64_t address)
{
    for (uint32_t i = a; i-- > 0;) {
        const struct pf_event *e = &t->events.at[i];
        if (e->thread == t->events.at[a].thread && pf_event_is_access(e) && pf_event_writes(e) &&
            address_of(t, i) == address)
            return i;
    }
    return PF_NONE;
}

bool pf_adhoc_sync_waited(const struct pf_trace *now, uint32_t b, uint32_t a)
{
    for (uint32_t i = b + 1; i < a; i++) {
        const struct pf_event *e = &now->events.at[i];
        if (e->thread != now->events.at[a].thread)
            continue;
        if (!pf_event_is_access(e))
            return true; /* it may have synchronised */
        uint32_t write = pf_event_reads(e) ? writer_of(now, i) : PF_NONE;
        if (write != PF_NONE && write > b &&
            now->events.at[write].thread == now->events.at[b].thread)
            return true;
    }
    return false;
}

/* --- a guard --- */

/* The events of a thread, in its order. */
static void list_thread(const struct pf_trace *t, uint32_t number, pf_vec_u32 *out)
{
    for (uint32_t i = 0; i < t->events.len; i++)
        if (number_of(t, i) == number && pf_event_is_access(&t->events.at[i]))
            pf_vec_push(out, i);
}

static bool same_code(const struct pf_trace *a, uint32_t i, const struct pf_trace *b, uint32_t k)
{
    const struct pf_site_info *x = &a->sites.at[a->events.at[i].site];
    const struct pf_site_info *y = &b->sites.at[b->events.at[k].site];
    return x->line == y->line && x->column == y->column &&
           a->events.at[i].kind == b->events.at[k].kind &&
           !strcmp(pf_trace_text(a, x->file), pf_trace_text(b, y->file));
}

bool pf_adhoc_sync_guard(const struct pf_trace *then, uint32_t a, uint32_t b,
                         const struct pf_trace *now, struct pf_adhoc_sync *out)
{
    pf_vec_u32 x = {0}, y = {0};
    uint32_t test = PF_NONE;
    list_thread(then, number_of(then, b), &x);
    list_thread(now, number_of(then, b), &y);
    for (size_t i = 0; i < x.len && i < y.len && x.at[i] < b; i++) {
        if (!same_code(then, x.at[i], now, y.at[i]))
            break;
        /* Only a read after a can tell that a has happened. */
        if (x.at[i] > a && pf_event_reads(&then->events.at[x.at[i]]) &&
            then->events.at[x.at[i]].value != now->events.at[y.at[i]].value)
            test = x.at[i];
    }
    pf_vec_release(&x);
    pf_vec_release(&y);
    uint32_t write = test == PF_NONE ? PF_NONE : writer_of(then, test);
    if (write == PF_NONE || write <= a ||
        then->events.at[write].thread != then->events.at[a].thread)
        return false;
    describe(then, test, write, out);
    out->in_loop = false;
    return true;
}

/* --- loops that nothing can end --- */

static int by_value(const void *a, const void *b) { return memcmp(a, b, sizeof(uint64_t) * 3); }

bool pf_adhoc_sync_endless(const struct pf_trace *now)
{
    uint32_t from = (uint32_t)(now->events.len / 2), n = 0;
    struct seen {
        uint64_t thread_site, address, value;
    } *seen = pf_mem_zero(now->events.len - from + 1, sizeof *seen);
    for (uint32_t i = from; i < now->events.len; i++) {
        const struct pf_event *e = &now->events.at[i];
        if (pf_event_is_access(e))
            seen[n++] =
                (struct seen){(uint64_t)e->thread << 32 | e->site, address_of(now, i), e->value};
    }
    qsort(seen, n, sizeof *seen, by_value);
    uint32_t kinds = 0, repeated = 0;
    bool endless = n > LOOP_EVENTS;
    for (uint32_t i = 0, k; i < n && endless; i = k) {
        k = i;
        while (k < n && !by_value(&seen[i], &seen[k]))
            k++;
        kinds++;
        repeated += k - i >= REPEATS;
        /* one access with two values: something changes */
        endless = k == n || seen[k].thread_site != seen[i].thread_site ||
                  seen[k].address != seen[i].address;
    }
    free(seen);
    return endless && kinds <= LOOP_ACCESSES && repeated == kinds;
}
