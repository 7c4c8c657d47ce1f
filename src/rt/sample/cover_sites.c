/*
 * cover_sites.c - see cover_sites.h.
 *
 * Compiled without vector registers, because checks in compiled code call it.
 */
#include "cover_sites.h"
#include "access_rule.h"
#include "hooks.h"
#include "lockset.h"
#include "module.h"
#include "slot.h"
#include "stack.h"
#include "sys.h"

#define RECORDS_MAX 8 /* of a cell that are looked at */
#define GRANULES_MAX 4 /* of a range that are looked at */
#define LOCKS_MAX 8 /* of a set that are compared; with more, a common lock may be overlooked */

static struct pf_pair_coverage *coverage;
static const uint64_t *hashes;

#define COVER_SIZE (sizeof(struct pf_cover) + PF_FUNCS_MAX * sizeof(((struct pf_cover *)0)->of[0]))

static uint64_t hash_at(uint32_t function)
{
    return __atomic_load_n(&hashes[function], __ATOMIC_RELAXED);
}

static void add_site(struct pf_cover *c, uint32_t function, uint64_t bit)
{
    uint64_t f = hash_at(function);
    if (!f) /* it was never asked for: entered while a window was open */
        return;
    c->of[function].sites |= bit;
    struct pf_coverage_entry *own = pf_coverage_add(coverage, pf_coverage_function_key(f));
    if (own) {
        pf_coverage_add_sites(own, 0, bit);
        pf_coverage_add_flags(own, PF_COVERAGE_SEEN);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        struct pf_coverage_entry *e =
            pf_coverage_add(coverage, pf_function_pair_key(f, c->other[i]));
        if (e) {
            pf_coverage_add_sites(e, pf_coverage_side(f, c->other[i]), bit);
            pf_coverage_add_flags(e, PF_COVERAGE_SEEN);
        }
    }
}

/* True if one lock is in both sets, and one of the two holds it exclusively. */
static bool have_common_lock(uint32_t a, uint32_t b)
{
    struct pf_held_lock of_a[LOCKS_MAX], of_b[LOCKS_MAX];
    size_t na = a ? pf_lockset_get(a, of_a, LOCKS_MAX) : 0,
           nb = b ? pf_lockset_get(b, of_b, LOCKS_MAX) : 0;
    for (size_t i = 0; i < na && i < LOCKS_MAX; i++)
        for (size_t k = 0; k < nb && k < LOCKS_MAX; k++)
            if (of_a[i].addr == of_b[k].addr && !(of_a[i].shared && of_b[k].shared))
                return true;
    return false;
}

/* s is a record of another thread that shares bytes with the access `a` of `function`. */
static void add_shared(struct pf_thread *t, uint32_t function, const uint64_t *cell, uint64_t a,
                       uint64_t s)
{
    unsigned byte = (unsigned)__builtin_ctzll((a & s & PF_MASK_ALL) >> PF_MASK_SHIFT);
    uint32_t other = pf_stack_function(pf_site_per_byte_lookup(cell, s, byte));
    uint64_t f = hash_at(function), g = other ? hash_at(other) : 0;
    struct pf_coverage_entry *e =
        f && g ? pf_coverage_add(coverage, pf_function_pair_key(f, g)) : NULL;
    if (!e)
        return;
    bool unlocked =
        (s | a) & PF_BIT_W &&
        !have_common_lock(t->order.lockset, pf_epoch_lockset(pf_access_sid(s), pf_access_clk(s)));
    pf_coverage_add_flags(e, PF_COVERAGE_SEEN | PF_COVERAGE_SHARES |
                                 (unlocked ? PF_COVERAGE_UNLOCKED : 0));
}

/* A record that is ordered before every thread was made before the threads began: initialisation
 * does not count as sharing. */
static void look_at_cell(struct pf_thread *t, uint32_t function, uintptr_t addr, unsigned size,
                         bool write)
{
    uint64_t records[RECORDS_MAX], *cell = pf_cell_of(addr);
    uint64_t a = pf_access_make(t, ((1u << size) - 1) << (addr & 7) & 0xff, write, false);
    unsigned n = pf_cell_list(cell, records, RECORDS_MAX);
    for (unsigned i = 0; i < n; i++)
        if (!pf_access_bytes_disjoint(records[i], a) && ((records[i] ^ a) & PF_BITS_SID) &&
            pf_access_sid(records[i]) < PF_SID_FREED && !pf_access_globally_ordered(records[i]))
            add_shared(t, function, cell, a, records[i]);
}

static void access_covered(struct pf_thread *t, uintptr_t addr, uint64_t size, bool write,
                           uint32_t site)
{
    struct pf_cover *c = t->sample.cover;
    const struct pf_func *func = __pf_tls.frame[-1].func;
    if (!c || !func || !func->number)
        return;
    uint64_t bit = 1ull << (site & 63);
    if (c->of[func->number].generation != c->generation) {
        c->of[func->number].generation = c->generation;
        c->of[func->number].sites = 0;
    }
    if (!(c->of[func->number].sites & bit)) {
        c->left = PF_COVER_REPEATS;
        add_site(c, func->number, bit);
    } else if (!c->left--) {
        pf_cover_stop(t);
        return;
    }
    for (unsigned i = 0; size && i < GRANULES_MAX; i++) {
        unsigned part = 8 - (addr & 7) < size ? 8 - (unsigned)(addr & 7) : (unsigned)size;
        look_at_cell(t, func->number, addr, part, write);
        addr += part;
        size -= part;
    }
}

void pf_cover_start(struct pf_pair_coverage *c, const uint64_t *of)
{
    coverage = c;
    hashes = of;
    if (c->at)
        pf_hooks.access_covered = access_covered;
}

struct pf_cover *pf_cover_new(void) { return coverage->at ? pf_sys_map(NULL, COVER_SIZE) : NULL; }

void pf_cover_free(struct pf_cover *c)
{
    if (c)
        pf_sys(SYS_munmap, c, COVER_SIZE);
}

void pf_cover_begin(struct pf_thread *t, const uint64_t *others, unsigned n)
{
    struct pf_cover *c = t->sample.cover;
    if (!c)
        return;
    c->left = PF_COVER_REPEATS;
    c->generation++;
    c->n = n;
    for (unsigned i = 0; i < n; i++)
        c->other[i] = others[i];
    if (!t->covering) {
        t->covering = true;
        pf_thread_update_key(t);
    }
}

void pf_cover_stop(struct pf_thread *t)
{
    if (!t->covering)
        return;
    t->covering = false;
    pf_thread_update_key(t);
}
