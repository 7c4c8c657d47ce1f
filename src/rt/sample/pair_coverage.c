/*
 * pair_coverage.c - see pair_coverage.h.
 *
 * An entry is claimed by storing its key, and its other fields are valid at 0, so readers need no
 * lock. Compiled without vector registers, because checks in compiled code use it.
 */
#include "pair_coverage.h"
#include "sys.h"

void pf_coverage_init(struct pf_pair_coverage *c)
{
    *c = (struct pf_pair_coverage){pf_sys_map(NULL, PF_COVERAGE_SIZE * sizeof *c->at), 0};
}

void pf_coverage_release(struct pf_pair_coverage *c)
{
    if (c->at)
        pf_sys(SYS_munmap, c->at, PF_COVERAGE_SIZE * sizeof *c->at);
    *c = (struct pf_pair_coverage){0};
}

uint64_t pf_coverage_function_key(uint64_t f)
{
    uint64_t key = (f ^ f >> 31) * 0x94d049bb133111ebull;
    key ^= key >> 29;
    return key ? key : 1;
}

static uint32_t start(uint64_t key) { return (uint32_t)(key >> 13) & (PF_COVERAGE_SIZE - 1); }

struct pf_coverage_entry *pf_coverage_find(const struct pf_pair_coverage *c, uint64_t key)
{
    if (!c->at)
        return NULL;
    for (uint32_t i = start(key);; i = (i + 1) & (PF_COVERAGE_SIZE - 1)) {
        uint64_t there = __atomic_load_n(&c->at[i].key, __ATOMIC_RELAXED);
        if (there == key)
            return &c->at[i];
        if (!there)
            return NULL;
    }
}

struct pf_coverage_entry *pf_coverage_add(struct pf_pair_coverage *c, uint64_t key)
{
    struct pf_coverage_entry *e = pf_coverage_find(c, key);
    if (e || !c->at || __atomic_load_n(&c->n, __ATOMIC_RELAXED) >= PF_COVERAGE_MAX)
        return e;
    __atomic_fetch_add(&c->n, 1, __ATOMIC_RELAXED);
    for (uint32_t i = start(key);; i = (i + 1) & (PF_COVERAGE_SIZE - 1)) {
        uint64_t there = 0;
        if (__atomic_compare_exchange_n(&c->at[i].key, &there, key, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            there == key)
            return &c->at[i];
    }
}

/* Most calls change nothing: they do not write to the cache line. */
void pf_coverage_add_sites(struct pf_coverage_entry *e, unsigned side, uint64_t sites)
{
    if (sites & ~__atomic_load_n(&e->sites[side], __ATOMIC_RELAXED))
        __atomic_fetch_or(&e->sites[side], sites, __ATOMIC_RELAXED);
}

void pf_coverage_add_flags(struct pf_coverage_entry *e, uint32_t flags)
{
    if (flags & ~__atomic_load_n(&e->flags, __ATOMIC_RELAXED))
        __atomic_fetch_or(&e->flags, flags, __ATOMIC_RELAXED);
}

/* True if all reachable sites of f are in `sites`; false if nothing is known about f. */
static bool has_all(const struct pf_pair_coverage *c, uint64_t f, const uint64_t *sites)
{
    struct pf_coverage_entry *own = pf_coverage_find(c, pf_coverage_function_key(f));
    if (!own)
        return false;
    pf_coverage_add_flags(own, PF_COVERAGE_SEEN);
    return !(__atomic_load_n(&own->sites[0], __ATOMIC_RELAXED) &
             ~__atomic_load_n(sites, __ATOMIC_RELAXED));
}

enum pf_pair_kind pf_coverage_kind(const struct pf_pair_coverage *c, uint64_t f, uint64_t g,
                                   bool has_sites, bool *covered)
{
    struct pf_coverage_entry *e = pf_coverage_find(c, pf_function_pair_key(f, g));
    *covered = false;
    if (!e)
        return PF_PAIR_APART;
    pf_coverage_add_flags(e, PF_COVERAGE_SEEN);
    uint32_t flags = __atomic_load_n(&e->flags, __ATOMIC_RELAXED);
    *covered = has_all(c, f, &e->sites[pf_coverage_side(f, g)]) &&
               (!has_sites || has_all(c, g, &e->sites[pf_coverage_side(g, f)]));
    return flags & PF_COVERAGE_UNLOCKED ? PF_PAIR_UNLOCKED
           : *covered                   ? PF_PAIR_RETIRED
           : flags & PF_COVERAGE_SHARES ? PF_PAIR_LOCKED
                                        : PF_PAIR_APART;
}
