#include "check.h"
#include "access.h"
#include "cell.h"
#include "oracle.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "touch.h"

void pf_signal_poll(struct pf_thread *t) __attribute__((weak));

static void poll_saved(void *t) { pf_signal_poll(t); }

/* A signal came while the thread was busy in the runtime; until its handler has run no key
 * matches, so that we come here, to a place where it can run. */
static __attribute__((noinline, cold)) void take_signals(struct pf_thread *t)
{
    if (pf_signal_poll)
        pf_call_saved(poll_saved, t);
}

static struct pf_thread *enter(void)
{
    struct pf_thread *t = pf_self();
    if (__builtin_expect(!t, 0))
        return NULL;
    if (__builtin_expect(t->signals != NULL, 0))
        take_signals(t);
    __pf_tls.nested++;
    return t;
}

static void leave(void) { __pf_tls.nested--; }

static inline void access_one(struct pf_thread *t, uintptr_t addr, unsigned size, bool write,
                              uint32_t id, uint32_t site)
{
    uint64_t a = pf_stmt_make(t, ((1u << size) - 1) << (addr & 7) & 0xff, write, false) | id;
    if (__builtin_expect(t->idle, 0)) {
        pf_cell_look(t, addr, a, site);
        return;
    }
    if (__builtin_expect(pf_rt.oracle, 0)) {
        pf_oracle_begin();
        pf_oracle_access(t, addr, size, write, false);
        pf_cell_access(t, addr, a, site);
        pf_oracle_end();
        return;
    }
    pf_cell_access(t, addr, a, site);
}

void pf_check_slow(uintptr_t addr, uint32_t site, uint32_t what)
{
    struct pf_thread *t = enter();
    if (!t)
        return;
    bool write = what & PF_CHECK_WRITE;
    if (!pf_ignores(t, write))
        access_one(t, addr, what & 15, write, 0, site);
    leave();
}

/* A piece of one granule, quickly if that is possible. `id` is known. */
static __attribute__((noinline)) void access_piece(struct pf_thread *t, uintptr_t addr,
                                                   unsigned size, bool write, uint32_t id)
{
    uint64_t a = pf_stmt_make(t, ((1u << size) - 1) << (addr & 7) & 0xff, write, false) | id;
    uint64_t *cell = pf_cell_of(addr), s = __atomic_load_n(&cell[!write], __ATOMIC_RELAXED);
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    if (!((s ^ a) & same) && pf_stmt_inside(a, s)) /* covered */
        return;
    if (!id || !pf_cell_touch(t->clock, cell, a))
        pf_cell_access(t, addr, a, PF_NO_SITE);
}

/* In the special modes: every granule by the long way. */
static __attribute__((noinline)) void access_carefully(struct pf_thread *t, uintptr_t addr,
                                                       uint64_t size, bool write, uint32_t id)
{
    for (uintptr_t end = addr + size; addr < end;) {
        unsigned n = 8 - (addr & 7);
        if (n > end - addr)
            n = (unsigned)(end - addr);
        access_one(t, addr, n, write, id, PF_NO_SITE);
        addr += n;
    }
}

static __attribute__((noinline)) void access_whole(struct pf_thread *t, uintptr_t addr, uint64_t a)
{
    if (!(a & PF_BITS_ID) || !pf_cell_touch(t->clock, pf_cell_of(addr), a))
        pf_cell_access(t, addr, a, PF_NO_SITE);
}

/* n whole granules. Neighbours are often in the same state: what was found of one pair of words is
 * true of the next equal one. */
static inline __attribute__((always_inline)) void
access_granules(struct pf_thread *t, uintptr_t addr, uint64_t n, bool write, uint32_t id)
{
    unsigned shift = write ? PF_WRITE_BIT : PF_CLK_SHIFT;
    uint64_t a = pf_stmt_make(t, 0xff, write, false) | id, key = (a | PF_BIT_W) & ~PF_BITS_ID;
    uint64_t *cell = pf_cell_of(addr), fine0 = 1, fine1 = 1; /* 1: no statement is */
    const uint8_t *more = pf_cell_more_used(cell);
    for (; n; n--, addr += 8, cell += 2, more++) {
        uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
        if (((write ? s0 : s1) ^ key) >> shift == 0)
            continue;
        bool alone = write ? !*more : *more < 2;
        if (s0 == fine0 && s1 == fine1 && alone) {
            if (write)
                pf_word_put(&cell[0], a);
            pf_word_put(&cell[1], a);
            continue;
        }
        if (!write && s1 == __pf_tls.shared)
            continue;
        if (id && alone && pf_cell_touch_lean(t->clock, cell, s0, s1, a, write)) {
            fine0 = s0;
            fine1 = s1;
            continue;
        }
        access_whole(t, addr, a);
    }
}

/* Every granule of the range, the first and the last in part. Twice in the code, for reads and for
 * writes: both are hot. */
static inline __attribute__((always_inline)) void access_kind(struct pf_thread *t, uintptr_t addr,
                                                              uint64_t size, bool write,
                                                              uint32_t id, uint32_t site)
{
    uintptr_t end = addr + size;
    if (!id && site != PF_NO_SITE)
        id = pf_stack_id(t, site);
    if (__builtin_expect(pf_rt.careful | t->idle, 0)) {
        access_carefully(t, addr, size, write, id);
        return;
    }
    if (addr < end && (addr & 7 || end - addr < 8)) {
        unsigned n = 8 - (addr & 7);
        if (n > end - addr)
            n = (unsigned)(end - addr);
        access_piece(t, addr, n, write, id);
        addr += n;
    }
    access_granules(t, addr, (end - addr) / 8, write, id);
    addr += (end - addr) & ~7ull;
    if (addr < end)
        access_piece(t, addr, (unsigned)(end - addr), write, id);
}

static void access_range(struct pf_thread *t, uintptr_t addr, uint64_t size, bool write,
                         uint32_t id, uint32_t site)
{
    if (write)
        access_kind(t, addr, size, true, id, site);
    else
        access_kind(t, addr, size, false, id, site);
}

void pf_check_range(uintptr_t addr, uint64_t size, uint32_t site, uint32_t what)
{
    struct pf_thread *t = enter();
    if (!t)
        return;
    /* In directed mode no clock moves: what a function of libc does would race with everything. */
    if (!pf_rt.events && !pf_ignores(t, what & PF_CHECK_WRITE))
        access_range(t, addr, size, what & PF_CHECK_WRITE, 0, site);
    leave();
}

/* A constructor or destructor sets the vtable pointer. Storing what is there already changes
 * nothing for anybody; compilers do it freely, so it is no access. */
void pf_check_vptr(uintptr_t addr, uintptr_t value, uint32_t site)
{
    if (__atomic_load_n((uintptr_t *)addr, __ATOMIC_RELAXED) == value)
        return;
    pf_check_slow(addr, site, 8 | PF_CHECK_WRITE);
}

/* From interposed functions, which are nested and have an id. */
void pf_access_read(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id)
{
    if (__builtin_expect(pf_rt.events, 0))
        pf_event_touch(addr, size, false, id);
    else if (!pf_ignores(t, false) && pf_stack_watched())
        access_range(t, (uintptr_t)addr, size, false, id, PF_NO_SITE);
}

void pf_access_write(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id)
{
    if (__builtin_expect(pf_rt.events, 0))
        pf_event_touch(addr, size, true, id);
    else if (!pf_ignores(t, true) && pf_stack_watched())
        access_range(t, (uintptr_t)addr, size, true, id, PF_NO_SITE);
}
