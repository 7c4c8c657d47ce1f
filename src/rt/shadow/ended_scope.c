/*
 * ended_scope.c - see ended_scope.h. The entry points are called by compiled code.
 */
#include "ended_scope.h"
#include "entry.h"
#include "rt.h"
#include "runtime_access.h"
#include "spin.h"
#include "stack.h"
#include "sys.h"
#include "thread_table.h"

#define VARIABLES_MAX 1024u /* of one thread; further ones are not checked */
#define LIST_SIZE (VARIABLES_MAX * sizeof(struct pf_ended_variable))
#define SIZE_LIMIT (64u << 10) /* larger variables are not checked: marking them is expensive */

static struct pf_spin lock;
bool pf_ended_scopes_exist;

void pf_ended_scope_lock(void) { pf_spin_lock(&lock); }
void pf_ended_scope_unlock(void) { pf_spin_unlock(&lock); }

/* Removes the variables of t that overlap the range, and their marks. */
static void forget(struct pf_thread *t, uintptr_t addr, uint64_t size)
{
    for (uint32_t i = t->shadow.nended; i-- > 0;) {
        struct pf_ended_variable v = t->shadow.ended[i];
        if (v.addr >= addr + size || addr >= v.addr + v.size)
            continue;
        pf_spin_lock(&lock);
        t->shadow.ended[i] = t->shadow.ended[--t->shadow.nended];
        pf_spin_unlock(&lock);
        pf_memory_new((void *)v.addr, v.size);
    }
}

void __pf_scope_begins(void *variable, uint64_t size)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!t || !t->shadow.nended || __pf_tls.nested)
        return;
    pf_nest();
    forget(t, (uintptr_t)variable, size);
    pf_unnest();
}

void __pf_scope_ends(void *variable, uint64_t size, uint32_t site)
{
    struct pf_thread *t = pf_self();
    if (!t || !size || size > SIZE_LIMIT || !pf_rt.scope_marks || !pf_stack_watched())
        return;
    pf_nest();
    forget(t, (uintptr_t)variable, size);
    if (!t->shadow.ended)
        t->shadow.ended = pf_sys_map(NULL, LIST_SIZE);
    if (t->shadow.ended && t->shadow.nended < VARIABLES_MAX) {
        const struct pf_frame *frame = __pf_tls.frame - 1;
        pf_spin_lock(&lock);
        t->shadow.ended[t->shadow.nended++] =
            (struct pf_ended_variable){(uintptr_t)variable, size, frame, frame->func, site};
        pf_spin_unlock(&lock);
        __atomic_store_n(&pf_ended_scopes_exist, true, __ATOMIC_RELAXED);
        pf_memory_mark_freed(t, variable, size, pf_stack_id(t, site));
    }
    pf_unnest();
}

void pf_ended_variables_free(struct pf_thread *t)
{
    if (!t->shadow.ended)
        return;
    pf_spin_lock(&lock);
    t->shadow.nended = 0;
    pf_spin_unlock(&lock);
    pf_sys(SYS_munmap, t->shadow.ended, LIST_SIZE);
    t->shadow.ended = NULL;
}

struct ended_search {
    uintptr_t byte;
    struct pf_ended_variable *out;
    uint32_t *owner;
    bool found;
};

/* True if the function that the variable belongs to still runs. */
static bool is_running(const struct pf_thread *t, const struct pf_ended_variable *v)
{
    const struct pf_tls *tls = __atomic_load_n(&t->tls, __ATOMIC_RELAXED);
    return tls && tls->frame > v->frame && v->frame->func == v->func;
}

static void search(struct pf_thread *t, void *arg)
{
    struct ended_search *s = arg;
    for (uint32_t i = 0; i < t->shadow.nended && !s->found; i++) {
        const struct pf_ended_variable *v = &t->shadow.ended[i];
        if (s->byte - v->addr >= v->size || !is_running(t, v))
            continue;
        *s->out = *v;
        *s->owner = t->number;
        s->found = true;
    }
}

bool pf_ended_variable_find(uintptr_t byte, struct pf_ended_variable *out, uint32_t *owner)
{
    struct ended_search s = {byte, out, owner, false};
    pf_spin_lock(&lock);
    pf_thread_each(search, &s);
    pf_spin_unlock(&lock);
    return s.found;
}
