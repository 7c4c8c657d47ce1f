/*
 * memory_view.c - see memory_view.h.
 *
 * Rejected: a view as a map from variables to writes, as in the literature on these models. It
 * grows with the memory of the program; a vector clock does not.
 */
#include "memory_view.h"
#include "context.h"
#include "rt.h"
#include "stack.h"
#include "sys.h"

#define OBJECTS (1u << 14) /* all further ones share one view */
#define PROBES 64 /* entries of the table that are tried */
#define FENCES 2048 /* a further fence makes everything known */

struct view_object {
    uint64_t address; /* 0: free */
    struct pf_view view;
};
struct view_fence {
    uint64_t position;
    uint32_t clock[PF_VIEW_THREADS];
};
static struct {
    struct pf_view_thread thread[PF_VIEW_THREADS];
    struct view_object object[OBJECTS];
    struct view_object shared; /* stands for all objects that have no room */
    struct view_fence fence[FENCES + 1]; /* number 0: none */
} *views;
static uint32_t nfences;
static uint64_t position = 1, floor_of_all;

bool pf_view_init(void)
{
    views = pf_sys_map(NULL, sizeof *views);
    if (views)
        views->thread[0].now.clock[0] = 1;
    return views != NULL;
}

/* True if the call of code without events is still running: one of its callbacks performs the
 * event. */
static bool is_left_open(const struct pf_view_thread *t)
{
    const struct pf_frame *f = t->left_frame;
    return f && __pf_tls.frame - 1 > f && f->func == t->left_func &&
           pf_frame_site(f) == t->left_call;
}

void pf_view_leave(struct pf_view_thread *t, uint32_t call)
{
    t->left = true;
    if (!call || is_left_open(t))
        return;
    t->left_frame = __pf_tls.frame - 1;
    t->left_func = t->left_frame->func;
    t->left_call = call;
}

struct pf_view_thread *pf_view_self(void)
{
    if (pf_contexts() > PF_VIEW_THREADS)
        return NULL;
    struct pf_view_thread *t = &views->thread[pf_running->number];
    if (t->left) {
        t->left = is_left_open(t); /* the code may synchronise after each callback */
        t->now.floor = position + 1;
    }
    return t;
}

uint64_t pf_view_next_position(void) { return ++position; }

struct pf_view_origin pf_view_origin(bool seq_cst)
{
    uint32_t me = pf_running->number;
    return (struct pf_view_origin){.position = ++position,
                                   .clock = views->thread[me].now.clock[me],
                                   .thread = (uint16_t)me,
                                   .seq_cst = seq_cst};
}

void pf_view_know_all(void) { floor_of_all = position + 1; }

void pf_view_copy(struct pf_view *to, const struct pf_view *from) { pf_copy(to, from, sizeof *to); }

static void join_clock(uint32_t *to, const uint32_t *from)
{
    for (uint32_t i = 0, n = pf_contexts(); i < n && i < PF_VIEW_THREADS; i++)
        if (to[i] < from[i])
            to[i] = from[i];
}

void pf_view_join(struct pf_view *to, const struct pf_view *from)
{
    join_clock(to->clock, from->clock);
    if (to->fence < from->fence)
        to->fence = from->fence;
    if (to->floor < from->floor)
        to->floor = from->floor;
}

void pf_view_tick(struct pf_view_thread *t) { t->now.clock[t - views->thread]++; }

/* make: creates it if there is none. Otherwise NULL. */
static struct view_object *find_object(uint64_t address, bool make)
{
    uint32_t i = (uint32_t)((address * 0x9e3779b97f4a7c15u) >> 50);
    for (uint32_t k = 0; k < PROBES; k++, i++) {
        struct view_object *o = &views->object[i % OBJECTS];
        if (o->address == address)
            return o;
        if (o->address)
            continue;
        if (make)
            o->address = address;
        return make ? o : NULL;
    }
    return &views->shared;
}

void pf_view_acquire(uint64_t object)
{
    struct pf_view_thread *t = pf_view_self();
    const struct view_object *o = t ? find_object(object, false) : NULL;
    if (o)
        pf_view_join(&t->now, &o->view);
}

void pf_view_release(uint64_t object)
{
    struct pf_view_thread *t = pf_view_self();
    if (!t)
        return;
    pf_view_join(&find_object(object, true)->view, &t->now);
    pf_view_tick(t);
}

/* A fence that has no room in the table makes everything known to every thread. */
static void seq_cst_fence(struct pf_view_thread *t)
{
    if (nfences == FENCES) {
        pf_view_know_all();
        return;
    }
    const struct view_fence *last = &views->fence[nfences];
    struct view_fence *f = &views->fence[++nfences];
    f->position = ++position;
    join_clock(f->clock, last->clock);
    join_clock(f->clock, t->now.clock);
    t->now.fence = nfences;
}

void pf_view_fence(unsigned order)
{
    struct pf_view_thread *t = pf_view_self();
    if (!t)
        return;
    if (order != PF_RELEASE)
        pf_view_join(&t->now, &t->acquired);
    if (order == PF_SEQ_CST)
        seq_cst_fence(t);
    if (order == PF_RELEASE || order == PF_ACQ_REL || order == PF_SEQ_CST) {
        pf_view_copy(&t->released, &t->now);
        t->has_released = true;
    }
    pf_view_tick(t);
}

void pf_view_thread_created(uint32_t number)
{
    struct pf_view_thread *t = pf_view_self();
    if (!t || number >= PF_VIEW_THREADS)
        return;
    pf_view_copy(&views->thread[number].now, &t->now);
    views->thread[number].now.clock[number] = 1;
    pf_view_tick(t);
}

void pf_view_thread_joined(uint32_t number)
{
    struct pf_view_thread *t = pf_view_self();
    if (t && number < PF_VIEW_THREADS)
        pf_view_join(&t->now, &views->thread[number].now);
}

bool pf_view_happened_before(const struct pf_view_origin *o, const struct pf_view *v)
{
    return o->thread == PF_VIEW_NOBODY || o->position < v->floor || o->position < floor_of_all ||
           o->clock <= v->clock[o->thread];
}

/* The rules of C++20 [atomics.order]: a read R that returns an older value than that of A is
 * coherence-ordered before A. So there may be no X and Y with Y before X in S, where X is R or a
 * fence that happens before R, and Y is A or a fence that A happens before. */
bool pf_view_is_known(const struct pf_view_origin *o, const struct pf_view *v, bool seq_cst)
{
    if (pf_view_happened_before(o, v))
        return true;
    const struct view_fence *x = &views->fence[seq_cst ? nfences : v->fence];
    if (o->seq_cst && (seq_cst || o->position < x->position))
        return true;
    return o->clock <= x->clock[o->thread];
}
