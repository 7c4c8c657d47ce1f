/*
 * thread_table.c - see thread_table.h.
 */
#include "thread_table.h"

struct pf_thread_table pf_threads;

void pf_thread_lock(void) { pf_spin_lock(&pf_threads.lock); }
void pf_thread_unlock(void) { pf_spin_unlock(&pf_threads.lock); }

uint32_t pf_thread_alive(void)
{
    pf_thread_lock();
    uint32_t n = pf_threads.alive;
    pf_thread_unlock();
    return n;
}

void pf_thread_each(void (*f)(struct pf_thread *, void *), void *arg)
{
    pf_thread_lock();
    for (struct pf_thread *t = pf_threads.running; t; t = t->next)
        f(t, arg);
    pf_thread_unlock();
}

struct pf_thread *pf_thread_by_number(uint32_t number)
{
    pf_thread_lock();
    struct pf_thread *t = pf_threads.newest;
    while (t && t->number != number)
        t = t->older;
    pf_thread_unlock();
    return t;
}

void pf_thread_link(struct pf_thread *t)
{
    t->state = PF_THREAD_RUNNING;
    t->prev = NULL;
    t->next = pf_threads.running;
    if (t->next)
        t->next->prev = t;
    pf_threads.running = t;
}

void pf_thread_unlink(struct pf_thread *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        pf_threads.running = t->next;
    if (t->next)
        t->next->prev = t->prev;
    t->state = PF_THREAD_FINISHED;
}

void pf_thread_unwatch(void)
{
    __pf_tls.dispatch = PF_DISPATCH_PLAIN;
    __pf_tls.step = 0;
    __pf_tls.frame = &__pf_tls.scratch[1];
}
