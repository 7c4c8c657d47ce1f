/*
 * wait_loop.c - see wait_loop.h. The value of an access is loaded at the next event, when the
 * access has happened: before it, the address may be invalid.
 */
#include "wait_loop.h"
#include "context.h"
#include "event.h"
#include "hash_mix.h"

#define BURST 256 /* events */
#define GAP_FIRST 256 /* events between the first two bursts */
#define GAP_MAX (1u << 20) /* about a millisecond of a thread that computes */
/* Events of an iteration. If the first event does not occur again, another one becomes the first,
 * and has twice as many events to occur again (Brent's cycle detection). */
#define ITERATION_FIRST 4
#define ITERATION_MAX 64
#define REPEATS 2
#define REPEATS_MAX (1u << 16)
#define WORD 8

uint64_t pf_wait_loop_grant(const struct pf_wait_loop *w, uint64_t events)
{
    if (!w->stopped)
        return 1;
    return w->next > events ? w->next - events : 1;
}

static bool overlap(const struct pf_wait_loop_word *a, const struct pf_wait_loop_word *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

void pf_wait_loop_forget(struct pf_wait_loop *w)
{
    w->last.size = 0;
    w->changed = true;
}

/* The last event has happened: adds its access to the iteration. If an iteration stores to a
 * word, all its accesses to that word must see one value. If this value is the same in every
 * iteration, the stores change nothing. */
static void add_last(struct pf_wait_loop *w, uint64_t calls)
{
    struct pf_wait_loop_word *last = &w->last;
    if (calls != w->calls) /* a call may have unmapped the memory */
        pf_wait_loop_forget(w);
    if (!last->size)
        return;
    if (w->nwords == PF_WAIT_LOOP_WORDS) {
        pf_wait_loop_forget(w);
        return;
    }
    last->value = pf_event_load_value(last->address, last->size);
    for (uint32_t i = 0; i < w->nwords; i++)
        if ((last->write || w->word[i].write) && overlap(last, &w->word[i]) &&
            (last->address != w->word[i].address || last->size != w->word[i].size ||
             last->value != w->word[i].value))
            w->changed = true;
    w->word[w->nwords++] = *last;
    w->hash = pf_hash_chain(pf_hash_chain(w->hash, last->address), last->value);
    last->size = 0;
}

static void begin_iteration(struct pf_wait_loop *w, uint64_t calls)
{
    w->last_hash = w->hash;
    w->hash = 0;
    w->length = 0;
    w->nwords = 0;
    w->changed = false;
    w->calls = calls;
}

static void add_event(struct pf_wait_loop *w, const struct pf_pending_event *event)
{
    bool known = event->address && event->size <= WORD && event->site != PF_PENDING_NO_SITE;
    w->length++;
    w->changed |= !known;
    w->hash = pf_hash_chain(w->hash, event->site);
    w->last = (struct pf_wait_loop_word){.address = event->address,
                                         .size = known ? (uint32_t)event->size : 0,
                                         .write = event->write};
}

static void begin_burst(struct pf_wait_loop *w)
{
    w->stopped = false;
    w->left = BURST;
    w->frame = NULL;
    w->limit = ITERATION_FIRST / 2;
    w->repeats = 0;
    w->last.size = 0;
}

static void end_burst(struct pf_wait_loop *w, uint64_t events)
{
    w->gap = !w->gap ? GAP_FIRST : w->gap < GAP_MAX ? w->gap * 2 : GAP_MAX;
    w->next = events + w->gap;
    w->stopped = true;
}

static uint32_t wanted(const struct pf_wait_loop *w) { return w->wanted ? w->wanted : REPEATS; }

bool pf_wait_loop_event(struct pf_wait_loop *w, const struct pf_pending_event *event,
                        const void *frame, uint64_t events, uint64_t calls)
{
    if (w->stopped && events < w->next)
        return false;
    if (w->stopped || !w->limit) /* !limit: the thread's first event */
        begin_burst(w);
    add_last(w, calls);
    bool back = w->frame == frame && w->site == event->site && w->length;
    if (back) {
        bool same = !w->changed && w->calls == calls && w->hash == w->last_hash;
        if (!same && w->repeats) /* the loop has ended, or does something now */
            w->wanted = REPEATS;
        w->repeats = same ? w->repeats + 1 : 0;
        w->waits = same && w->repeats >= wanted(w);
        if (w->waits)
            return true;
        begin_iteration(w, calls);
    } else if (!w->frame || w->length == w->limit) {
        w->wanted = w->repeats ? REPEATS : w->wanted;
        w->limit = w->limit < ITERATION_MAX ? w->limit * 2 : ITERATION_MAX;
        w->frame = frame;
        w->site = event->site;
        w->repeats = 0;
        begin_iteration(w, calls);
    }
    add_event(w, event);
    if (w->left)
        w->left--;
    if (!w->left && !w->repeats) /* a burst goes on while iterations repeat */
        end_burst(w, events);
    return false;
}

bool pf_wait_loop_is_over(const struct pf_wait_loop *w, uint64_t calls)
{
    if (calls != w->calls) /* it may have unmapped the memory */
        return true;
    for (uint32_t i = 0; i < w->nwords; i++)
        if (pf_event_load_value(w->word[i].address, w->word[i].size) != w->word[i].value)
            return true;
    return false;
}

void pf_wait_loop_go_on(struct pf_wait_loop *w, uint32_t iterations)
{
    w->waits = false;
    w->wanted = iterations;
    begin_burst(w);
}

void pf_wait_loop_end(struct pf_wait_loop *w, bool changed)
{
    w->wanted = changed ? REPEATS : wanted(w) < REPEATS_MAX ? wanted(w) * 2 : REPEATS_MAX;
    w->waits = false;
    w->gap = 0;
    begin_burst(w);
}
