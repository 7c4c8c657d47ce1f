/*
 * check.c - see check.h; also the accesses of interposed functions (runtime_access.h).
 */
#include "check.h"
#include "access_set.h"
#include "cell.h"
#include "hb.h"
#include "hooks.h"
#include "memory_ops.h"
#include "oracle_log.h"
#include "range.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"

#define SMALL_BLOCK 128u /* bytes: at most a few granules */

static void poll_saved(void *t) { pf_hooks.signal_poll(t); }

/* A signal arrived while the thread was inside the runtime. Until its handler has run, the thread's
 * key matches no record, so the next check comes here, where it is safe to run the handler. */
static __attribute__((noinline, cold)) void deliver_signals(struct pf_thread *t)
{
    pf_call_saving_vectors(poll_saved, t);
}

/* Enters the runtime; NULL if the access must be ignored. leave() is called only if it is not
 * NULL. */
static struct pf_thread *enter(void)
{
    struct pf_thread *t = pf_self();
    if (__builtin_expect(!t, 0))
        return NULL;
    if (__builtin_expect(t->signals != NULL, 0))
        deliver_signals(t);
    __pf_tls.nested++;
    if (__builtin_expect(t->order.locks_stale, 0))
        pf_lockset_refresh(t);
    return t;
}

static void leave(void) { __pf_tls.nested--; }

/* Applies an access within one granule. `id` is 0 if it must be computed from `site`. */
static inline void access_granule(struct pf_thread *t, uintptr_t addr, unsigned size, bool write,
                                  uint32_t id, uint32_t site)
{
    uint64_t a = pf_access_make(t, ((1u << size) - 1) << (addr & 7) & 0xff, write, false) | id;
    if (__builtin_expect(t->check_only, 0)) {
        pf_cell_check_only(t, addr, a, site);
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
    if (__builtin_expect(t->covering, 0))
        pf_hooks.access_covered(t, addr, what & 15, write, site);
    if (!pf_ignores(t, write))
        access_granule(t, addr, what & 15, write, 0, site);
    leave();
}

/* Part of one granule, on the fast path if possible. `id` is the site id, 0 if unknown. */
static __attribute__((noinline)) void access_partial(struct pf_thread *t, uintptr_t addr,
                                                     unsigned size, bool write, uint32_t id)
{
    uint64_t a = pf_access_make(t, ((1u << size) - 1) << (addr & 7) & 0xff, write, false) | id;
    uint64_t *cell = pf_cell_of(addr), s = __atomic_load_n(&cell[!write], __ATOMIC_RELAXED);
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    if (!((s ^ a) & same) && pf_access_bytes_within(a, s)) /* covered */
        return;
    if (!id || !pf_cell_fast_update(t->order.clock, cell, a))
        pf_cell_access(t, addr, a, PF_NO_SITE);
}

/* Strict, oracle and event mode, and check-only threads: every granule takes the slow path. */
static __attribute__((noinline)) void access_slowly(struct pf_thread *t, uintptr_t addr,
                                                    uint64_t size, bool write, uint32_t id)
{
    for (uintptr_t end = addr + size; addr < end;) {
        unsigned n = 8 - (addr & 7);
        if (n > end - addr)
            n = (unsigned)(end - addr);
        access_granule(t, addr, n, write, id, PF_NO_SITE);
        addr += n;
    }
}

/* Applies the access to one whole granule. Returns the transition of its words (range.h) if it
 * holds for every granule that has the same words: there was no race, neither a spill nor overflow
 * words were involved, and cell[1] is either unchanged or the read set of its old contents and this
 * read. If another thread added a read meanwhile, cell[1] differs, and there is no transition. */
static __attribute__((noinline)) struct pf_transition
access_granule_traced(struct pf_thread *t, uintptr_t addr, uint64_t a)
{
    uint64_t *cell = pf_cell_of(addr);
    const uint8_t *overflow = pf_cell_overflow_state(cell);
    struct pf_transition last = {pf_word_get(&cell[0]), pf_word_get(&cell[1]), 0, 0, PF_STATES_ANY};
    bool repeatable =
        !*overflow && !(a & PF_BIT_W) && pf_access_cannot_race_read(t->order.clock, last.was0) &&
        (pf_word_is_ref(last.was1) ? pf_ref_is_read_set(cell, last.was1)
                                   : pf_access_cannot_race_read(t->order.clock, last.was1));
    if (!(a & PF_BITS_ID) || !pf_cell_fast_update(t->order.clock, cell, a))
        pf_cell_access(t, addr, a, PF_NO_SITE);
    last.now0 = pf_word_get(&cell[0]);
    last.now1 = pf_word_get(&cell[1]);
    repeatable = repeatable && !*overflow && last.now0 == last.was0 &&
                 (last.now1 == last.was1 ||
                  (last.now1 && last.now1 == pf_read_set_add_memoised(t, last.was1, a)));
    return repeatable ? last : PF_TRANSITION_NONE;
}

/* n whole granules, on the fast path of range.h as far as possible. */
static inline __attribute__((always_inline)) void
access_granules(struct pf_thread *t, uintptr_t addr, uint64_t n, bool write, uint32_t id)
{
    uint64_t a = pf_access_make(t, 0xff, write, false) | id;
    struct pf_transition last = PF_TRANSITION_NONE;
    while (n) {
        uint64_t done =
            id ? pf_range_fast_update(t->order.clock, pf_cell_of(addr), n, a, write, &last) : 0;
        addr += 8 * done;
        n -= done;
        if (!n)
            return;
        last = access_granule_traced(t, addr, a);
        addr += 8;
        n--;
    }
}

/* All granules of the range; the first and the last may be partial. Instantiated twice, for reads
 * and for writes, because both are hot. */
static inline __attribute__((always_inline)) void access_range_kind(struct pf_thread *t,
                                                                    uintptr_t addr, uint64_t size,
                                                                    bool write, uint32_t id,
                                                                    uint32_t site)
{
    uintptr_t end = addr + size;
    if (!id && site != PF_NO_SITE)
        id = pf_stack_id(t, site);
    if (__builtin_expect(pf_rt.slow_path_only | t->check_only, 0)) {
        access_slowly(t, addr, size, write, id);
        return;
    }
    if (addr < end && (addr & 7 || end - addr < 8)) {
        unsigned n = 8 - (addr & 7);
        if (n > end - addr)
            n = (unsigned)(end - addr);
        access_partial(t, addr, n, write, id);
        addr += n;
    }
    access_granules(t, addr, (end - addr) / 8, write, id);
    addr += (end - addr) & ~7ull;
    if (addr < end)
        access_partial(t, addr, (unsigned)(end - addr), write, id);
}

static void access_range(struct pf_thread *t, uintptr_t addr, uint64_t size, bool write,
                         uint32_t id, uint32_t site)
{
    if (write)
        access_range_kind(t, addr, size, true, id, site);
    else
        access_range_kind(t, addr, size, false, id, site);
}

void pf_check_range(uintptr_t addr, uint64_t size, uint32_t site, uint32_t what)
{
    struct pf_thread *t = enter();
    if (!t)
        return;
    /* In directed mode the vector clocks do not advance, so accesses of libc functions would race
     * with everything. */
    if (__builtin_expect(t->covering, 0))
        pf_hooks.access_covered(t, addr, size, what & PF_CHECK_WRITE, site);
    if (!pf_rt.events && !pf_ignores(t, what & PF_CHECK_WRITE))
        access_range(t, addr, size, what & PF_CHECK_WRITE, 0, site);
    leave();
}

/* A constructor or destructor sets the vtable pointer. Storing the value that is there already has
 * no effect, and compilers do it freely, so it does not count as an access. */
void pf_check_vptr(uintptr_t addr, uintptr_t value, uint32_t site)
{
    if (__atomic_load_n((uintptr_t *)addr, __ATOMIC_RELAXED) == value)
        return;
    pf_check_slow(addr, site, 8 | PF_CHECK_WRITE);
}

/* Writes the leading granules of a small block whose only records are in the front words. Returns
 * the number of bytes done. Most freed blocks consist of a few such granules. */
static inline size_t write_small_block(struct pf_thread *t, uintptr_t addr, size_t size,
                                       uint32_t id)
{
    if (addr & 7 || size > SMALL_BLOCK || !id || pf_rt.slow_path_only | t->check_only)
        return 0;
    uint64_t a = pf_access_make(t, 0xff, true, false) | id, *cell = pf_cell_of(addr), *from = cell;
    for (; size >= 8; size -= 8, cell += 2) {
        uint64_t s0 = pf_word_get(&cell[0]);
        if ((s0 ^ a) >> PF_WRITE_BIT && /* not covered */
            (!s0 || *pf_cell_overflow_state(cell) ||
             !pf_cell_update_front(t->order.clock, cell, s0, pf_word_get(&cell[1]), a, true)))
            break;
    }
    return (size_t)(cell - from) * 4;
}

/* Called by interposed functions, which have entered the runtime and know their site id. */
void pf_check_read(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id)
{
    if (pf_ignores(t, false) || !pf_stack_watched())
        return;
    if (__builtin_expect(t->order.locks_stale, 0))
        pf_lockset_refresh(t);
    access_range(t, (uintptr_t)addr, size, false, id, PF_NO_SITE);
}

void pf_check_write(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id)
{
    if (pf_ignores(t, true) || !pf_stack_watched())
        return;
    if (__builtin_expect(t->order.locks_stale, 0))
        pf_lockset_refresh(t);
    size_t done = write_small_block(t, (uintptr_t)addr, size, id);
    if (done < size)
        access_range(t, (uintptr_t)addr + done, size - done, true, id, PF_NO_SITE);
}
