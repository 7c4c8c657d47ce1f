/* removed_lock.c - see removed_lock.h. */
#include "removed_lock.h"
#include "hb.h"
#include "stream_ring.h"
#include "textbuf.h"

#define SYSTEM_HEADERS "/usr/"

/* True if the path ends with the name, at a path component. */
static bool is_file(const char *path, const char *name, size_t n)
{
    size_t len = 0;
    while (path[len])
        len++;
    if (len < n || (len > n && path[len - n - 1] != '/'))
        return false;
    for (size_t i = 0; i < n; i++)
        if (path[len - n + i] != name[i])
            return false;
    return true;
}

/* Compares with the text FILE:LINE. */
static bool is_named(const struct pf_position *p, const char *text)
{
    size_t n = 0;
    uint32_t line = 0;
    for (size_t i = 0; text[i]; i++)
        if (text[i] == ':')
            n = i;
    for (const char *s = text + n + 1; *s >= '0' && *s <= '9'; s++)
        line = line * 10 + (uint32_t)(*s - '0');
    return p->line == line && is_file(p->file, text, n);
}

static bool compare_position(const struct pf_position *p, void *arg)
{
    if (!p->file || pf_str_starts(p->file, SYSTEM_HEADERS))
        return true; /* continues outwards */
    *(bool *)arg = is_named(p, pf_channel_get()->without_lock);
    return false;
}

static uint32_t depth_of(const struct pf_thread *t, uintptr_t lock)
{
    for (uint32_t i = 0; i < t->order.nheld; i++)
        if (t->order.held[i].addr == lock)
            return t->order.held[i].depth;
    return 0;
}

bool pf_removed_lock_is_here(struct pf_call *c, const volatile void *lock)
{
    bool here = false;
    if (!c->t)
        return false;
    struct pf_thread_interpose *own = &c->t->interpose;
    pf_stack_walk(pf_call_id(c, PF_NATIVE_LOCK), compare_position, &here);
    if (!here)
        return false;
    if (own->nremoved == PF_REMOVED_LOCKS) {
        pf_direct_say_here("a thread has too many removed locks: this one is taken");
        return false;
    }
    own->removed[own->nremoved++] =
        (struct pf_removed_lock){(uintptr_t)lock, depth_of(c->t, (uintptr_t)lock)};
    pf_channel_get()->removed_locks++;
    return true;
}

bool pf_removed_lock_take_off(struct pf_call *c, const volatile void *lock)
{
    if (!c->t)
        return false;
    struct pf_thread_interpose *own = &c->t->interpose;
    for (uint32_t i = own->nremoved; i-- > 0;) {
        if (own->removed[i].lock != (uintptr_t)lock)
            continue;
        if (depth_of(c->t, (uintptr_t)lock) > own->removed[i].depth)
            return false; /* it was really taken since */
        for (uint32_t k = i + 1; k < own->nremoved; k++)
            own->removed[k - 1] = own->removed[k];
        own->nremoved--;
        return true;
    }
    return false;
}
