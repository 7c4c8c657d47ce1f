/*
 * cell_report.c - reports the races of an access: calls pf_race_found for each record that the
 * access races with, once for all bytes that have the same site. Two records that mark freed memory
 * (memory_range.c) are reported as one free.
 */
#include "cell_words.h"
#include "check.h"
#include "hooks.h"
#include "site_per_byte.h"

struct race_report {
    struct pf_thread *t;
    uintptr_t granule;
    uint64_t now, then;
};

static void report_saved(void *arg)
{
    struct race_report *r = arg;
    pf_hooks.race_found(r->t, r->granule, r->now, r->then);
}

/* The record s restricted to the bytes that have the same site as `byte`, with the id of that
 * site. */
static uint64_t narrow_to_byte(const uint64_t *cell, uint64_t s, unsigned byte)
{
    uint32_t id = pf_site_per_byte_lookup(cell, s, byte);
    uint64_t mask = s & PF_MASK_ALL;
    for (unsigned b = 0; b < 8; b++)
        if (b != byte && s >> (PF_MASK_SHIFT + b) & 1 && pf_site_per_byte_lookup(cell, s, b) != id)
            mask &= ~(1ull << (PF_MASK_SHIFT + b));
    return mask | (s & ~(PF_MASK_ALL | PF_BITS_ID)) | id;
}

/* Finds the two records of pf_shadow_free, and makes of them the record of the free as a plain
 * write of its thread. 0: there are none. */
static uint64_t find_free(const uint64_t *record, unsigned n)
{
    uint64_t by = 0, when = 0;
    for (unsigned i = 0; i < n; i++)
        if (pf_access_sid(record[i]) == PF_SID_FREED)
            *(record[i] & PF_BIT_A ? &when : &by) = record[i];
    return by && when ? (by & (PF_MASK_ALL | PF_BITS_ID | PF_BIT_W)) | (when & PF_BITS_CLK) |
                            (when & PF_BITS_ID) << PF_SID_SHIFT
                      : 0;
}

__attribute__((noinline, cold)) void pf_cell_report(struct pf_thread *t, struct pf_cell_update *v,
                                                    uintptr_t addr, uint32_t site,
                                                    const uint64_t *record, unsigned n)
{
    pf_cell_update_resolve_id(t, v, site);
    uint64_t freed = find_free(record, n);
    t->shadow.reported_free = freed;
    for (unsigned i = 0; i < n; i++) {
        uint64_t s = record[i];
        if (!pf_access_races(t->order.clock, s, v->a) || (i && s == record[i - 1]))
            continue; /* a duplicate is reported once */
        if (freed && pf_access_sid(s) == PF_SID_FREED) {
            if (s & PF_BIT_A)
                continue;
            if (pf_access_races(t->order.clock, freed, v->a))
                s = freed;
            else if (pf_rt.heap_bypassed)
                continue;
        }
        for (uint64_t both = v->a & s & PF_MASK_ALL; both;) {
            uint64_t then = narrow_to_byte(pf_cell_of(addr), s,
                                           (unsigned)__builtin_ctzll(both >> PF_MASK_SHIFT));
            struct race_report r = {t, addr & ~(uintptr_t)7, v->a, then};
            pf_call_saving_vectors(report_saved, &r);
            both &= ~then;
        }
    }
}
