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
static inline void access_piece(struct pf_thread *t, uintptr_t addr, unsigned size, bool write,
                                uint32_t id)
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

/* How many of the n granules from this word on, in steps of four, agree with `want` but for the
 * lowest `shift` bits. */
static inline uint64_t agreeing(const uint64_t *word, uint64_t n, uint64_t want, unsigned shift)
{
    uint64_t i = 0;
    for (; i + 4 <= n; i += 4, word += 8)
        if (((pf_word_get(&word[0]) ^ want) | (pf_word_get(&word[2]) ^ want) |
             (pf_word_get(&word[4]) ^ want) | (pf_word_get(&word[6]) ^ want)) >> shift)
            break;
    return i;
}

/* What pf_cell_touch did to a cell; the next cell of a range often holds the same words. */
struct touched {
    uint64_t from[2], to[2];
};

/* Is it what stood there, or a statement of this thread's epoch, and not another thread's? */
static bool is_ours(uint64_t was, uint64_t is, uint64_t a)
{
    return is == was || !((is ^ a) & (PF_BITS_SID | PF_BITS_CLK));
}

static void access_whole(struct pf_thread *t, uintptr_t addr, uint64_t a, struct touched *last)
{
    uint64_t *cell = pf_cell_of(addr);
    uint64_t s[2] = {pf_word_get(&cell[0]), pf_word_get(&cell[1])};
    bool simple = !*pf_cell_more_used(cell);
    if (simple && s[0] == last->from[0] && s[1] == last->from[1]) {
        for (int i = 1; i >= 0; i--)
            if (last->to[i] != s[i])
                pf_word_put(&cell[i], last->to[i]);
    } else if (pf_stmt_id(a) && pf_cell_touch(t->clock, cell, a)) {
        uint64_t to[2] = {pf_word_get(&cell[0]), pf_word_get(&cell[1])};
        if (simple && is_ours(s[0], to[0], a) && is_ours(s[1], to[1], a))
            *last = (struct touched){{s[0], s[1]}, {to[0], to[1]}};
    } else {
        pf_cell_access(t, addr, a, PF_NO_SITE);
    }
}

/* Every granule of the range, the first and the last in part. */
static void access_range(struct pf_thread *t, uintptr_t addr, uint64_t size, bool write,
                         uint32_t id, uint32_t site)
{
    uintptr_t end = addr + size;
    if (!id && site != PF_NO_SITE)
        id = pf_stack_id(t, site);
    while (addr < end && (addr & 7 || end - addr < 8 || pf_rt.careful)) {
        unsigned n = 8 - (addr & 7);
        if (n > end - addr)
            n = (unsigned)(end - addr);
        access_one(t, addr, n, write, id, PF_NO_SITE);
        addr += n;
    }
    unsigned shift = write ? PF_WRITE_BIT : PF_CLK_SHIFT;
    uint64_t a = pf_stmt_make(t, 0xff, write, false) | id, key = (a | PF_BIT_W) & ~PF_BITS_ID;
    struct touched last = {.from = {a, 0}}; /* no cell: a write stands in both words, a read in 1 */
    while (addr < end && end - addr >= 8) {
        uint64_t n = (end - addr) / 8, *word = pf_cell_of(addr) + !write;
        uint64_t skip = agreeing(word, n, key, shift);
        if (!skip && !write)
            skip = agreeing(word, n, __pf_tls.shared, 0);
        addr += 8 * skip;
        if (skip)
            continue;
        for (unsigned i = n < 4 ? (unsigned)n : 4; i; i--, addr += 8) {
            uint64_t s = pf_word_get(&pf_cell_of(addr)[!write]);
            if ((s ^ key) >> shift && (write || s != __pf_tls.shared))
                access_whole(t, addr, a, &last);
        }
    }
    if (addr < end)
        access_one(t, addr, (unsigned)(end - addr), write, id, PF_NO_SITE);
}

void pf_check_range(uintptr_t addr, uint64_t size, uint32_t site, uint32_t what)
{
    struct pf_thread *t = enter();
    if (!t)
        return;
    if (!pf_ignores(t, what & PF_CHECK_WRITE))
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
    if (!pf_ignores(t, false))
        access_range(t, (uintptr_t)addr, size, false, id, PF_NO_SITE);
}

void pf_access_write(struct pf_thread *t, const volatile void *addr, size_t size, uint32_t id)
{
    if (!pf_ignores(t, true))
        access_range(t, (uintptr_t)addr, size, true, id, PF_NO_SITE);
}
