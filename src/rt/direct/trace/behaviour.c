/* behaviour.c - see behaviour.h. Sites are hashed with the code of their function, so that a
 * behaviour has the same bit in every run of a program. */
#include "behaviour.h"
#include "context.h"
#include "listener.h"
#include "stream_ring.h"

#define ENTRIES (1u << 14) /* granules whose last write is known */
#define GRANULES_MAX 4 /* of one access; a larger one is represented by its first granules */
#define CALL_SITE 0x80000000u /* distinguishes the site of a call from the site of an access */

struct last_write {
    uint64_t granule; /* 0: none */
    uint32_t site; /* hash */
    uint32_t thread;
};
static struct last_write last_writes[ENTRIES];

static uint64_t mix(uint64_t v)
{
    v = (v ^ v >> 32) * 0x9e3779b97f4a7c15u;
    return v ^ v >> 29;
}

static uint32_t site_hash(const struct pf_frame *f, uint32_t site)
{
    uint64_t code = f->func ? f->func->hash + f->func->line : 0;
    return (uint32_t)mix(code + (uint64_t)site * 0xbf58476d1ce4e5b9u);
}

static void add_behaviour(uint32_t write, uint32_t read, bool other_thread)
{
    uint64_t bit = mix(((uint64_t)write << 32 | read) + other_thread) % PF_BEHAVIOURS;
    struct pf_channel *c = pf_channel_get();
    unsigned char mask = (unsigned char)(1u << bit % 8);
    if (!c || c->behaviour[bit / 8] & mask)
        return;
    c->behaviour[bit / 8] |= mask;
    pf_continuation_self()->behaviours++;
}

static void note_use(uint64_t granule, uint32_t site, bool write)
{
    struct last_write *w = &last_writes[mix(granule) % ENTRIES];
    uint32_t self = pf_running->number;
    bool known = w->granule == granule;
    if (write)
        *w = (struct last_write){granule, site, self};
    else
        add_behaviour(known ? w->site : 0, site, known && w->thread != self);
}

void pf_behaviour_access(uintptr_t addr, uint64_t size, bool write, uint32_t site)
{
    uint32_t here = site_hash(&__pf_tls.frame[-1], site);
    uint64_t first = addr / 8, last = (addr + (size ? size - 1 : 0)) / 8;
    for (uint64_t g = first; g <= last && g < first + GRANULES_MAX; g++)
        note_use(g, here, write);
}

static void (*previous_listener)(struct pf_thread *, enum pf_event_kind, uintptr_t, uintptr_t);

/* An interposed function is on top of the stack; below it is its caller. */
static void observe(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    if (previous_listener)
        previous_listener(t, kind, what, more);
    if (!pf_direct.counts_behaviours || t != __pf_tls.thread)
        return;
    const struct pf_frame *caller = &__pf_tls.frame[-2];
    if (caller < t->context.frames)
        return;
    uint32_t here = site_hash(caller, pf_frame_site(caller) | CALL_SITE);
    switch (kind) {
    case PF_EV_LOCK:
    case PF_EV_RDLOCK:
    case PF_EV_TRYFAIL:
    case PF_EV_WAKE:
    case PF_EV_TAKE:
        note_use(what / 8, here, false);
        break;
    case PF_EV_WAIT: /* releases its mutex */
        note_use(more / 8, here, true);
        break;
    case PF_EV_UNLOCK:
    case PF_EV_RDUNLOCK:
    case PF_EV_SIGNAL:
    case PF_EV_BROADCAST:
    case PF_EV_POST:
    case PF_EV_FREE:
        note_use(what / 8, here, true);
        break;
    default:
        break;
    }
}

void pf_behaviour_start(void) { pf_direct.counts_behaviours = true; }

void pf_behaviour_listen(void)
{
    const struct pf_channel *c = pf_channel_get();
    if (pf_direct.mode != PF_DIRECT_RECORD || !c->covers)
        return;
    previous_listener = pf_listener;
    pf_listener = observe;
}
