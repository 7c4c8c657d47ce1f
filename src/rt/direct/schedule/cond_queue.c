/*
 * cond_queue.c - see cond_queue.h. There is no list: each waiting context has a position, and the
 * lowest one is first. Programs have few threads, so a walk over all of them finds it.
 */
#include "cond_queue.h"

/* Bits of __wrefs in glibc's condition variables. */
#define SHARED 1u
#define CLOCK_MONOTONIC_BIT 2u

static int64_t back = 1, front = -1; /* the next positions at both ends of all queues */

pthread_cond_t *pf_cond_enter(pthread_cond_t *cond)
{
    if (cond->__data.__wrefs & SHARED)
        return cond;
    struct pf_cond_wait *w = &pf_context_self()->cond;
    /* glibc's wait writes here. The write makes a bad pointer crash as without pf; an addition of 0
     * in C would become a read. */
    __asm__ volatile("lock addl $0, %0" : "+m"(cond->__data.__wrefs));
    w->own = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    w->own.__data.__wrefs = cond->__data.__wrefs & CLOCK_MONOTONIC_BIT;
    w->cond = cond;
    w->position = back++;
    w->state = PF_COND_WAITS;
    return &w->own;
}

bool pf_cond_leave(void)
{
    struct pf_cond_wait *w = &pf_context_self()->cond;
    bool chosen = w->cond && w->state == PF_COND_CHOSEN;
    w->cond = NULL;
    w->state = PF_COND_WAITS; /* no longer PF_COND_EXPIRED: see pf_cond_expired */
    return chosen;
}

void pf_cond_enter_futex(const uint32_t *word)
{
    struct pf_cond_wait *w = &pf_context_self()->cond;
    w->cond = (const void *)word;
    w->position = back++;
    w->state = PF_COND_WAITS;
}

static bool waits_for(const struct pf_context *c, const void *word)
{
    return c->state == PF_CONTEXT_WAITING && c->wait.kind == PF_WAIT_FUTEX &&
           c->wait.object == (uint64_t)word;
}

/* futex: the queue of a futex, which a waiter may have left without a notification. */
static struct pf_context *choose(const void *cond, bool futex)
{
    struct pf_context *found = NULL;
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        struct pf_context *c = pf_context_at(i);
        if (c && c->cond.cond == cond && c->cond.state == PF_COND_WAITS &&
            c->state != PF_CONTEXT_ENDED && (!futex || waits_for(c, cond)) &&
            (!found || c->cond.position < found->cond.position))
            found = c;
    }
    if (found)
        found->cond.state = PF_COND_CHOSEN;
    return found;
}

struct pf_context *pf_cond_choose_futex(const uint32_t *word) { return choose(word, true); }

pthread_cond_t *pf_cond_choose(const pthread_cond_t *cond, uint32_t *thread)
{
    struct pf_context *found = pf_directed() ? choose(cond, false) : NULL;
    if (!found)
        return NULL;
    *thread = found->number;
    return &found->cond.own;
}

void pf_cond_expire(struct pf_context *c)
{
    if (c->cond.cond && c->cond.state == PF_COND_WAITS)
        c->cond.state = PF_COND_EXPIRED;
}

bool pf_cond_expired(const struct pf_context *c) { return c->cond.state == PF_COND_EXPIRED; }

void pf_cond_put_first(struct pf_context *c) { c->cond.position = front--; }
