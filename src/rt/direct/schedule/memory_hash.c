/*
 * memory_hash.c - see memory_hash.h. Pages that were never touched are skipped: reading them could
 * fault (the end of a mapped file), or take long (large reserved ranges).
 */
#include "memory_hash.h"
#include "context.h"
#include "hash_mix.h"
#include "mappings.h"
#include "section_bounds.h"
#include "sys.h"
#include "thread_table.h"
#include <fcntl.h>

#define BYTES_MAX (1ull << 30) /* if the program uses more, there is no hash */
#define EXCLUDED 4096u /* ranges */
#define ENTRIES 512u        /* of pagemap, read at once */
#define IN_USE (3ull << 62) /* present, or swapped out */

static struct excluded_range {
    uint64_t lo, hi;
} excluded[EXCLUDED];
static uint32_t nexcluded;
static uint64_t bytes;

static void exclude(uint64_t lo, uint64_t hi)
{
    if (nexcluded < EXCLUDED && lo < hi)
        excluded[nexcluded++] = (struct excluded_range){lo, hi};
}

static void exclude_thread(struct pf_thread *t, void *unused)
{
    (void)unused;
    bool has_tls = t->tls_lo > t->stack_lo && t->tls_lo < t->stack_hi;
    exclude(t->stack_lo, has_tls ? t->tls_lo : t->stack_hi);
}

static void list_excluded(void)
{
    nexcluded = 0;
    exclude((uint64_t)__start_pf_bss, (uint64_t)__stop_pf_bss);
    exclude((uint64_t)__start_pf_data, (uint64_t)__stop_pf_data);
    pf_thread_each(exclude_thread, NULL);
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        const struct pf_context *c = pf_context_at(i);
        if (c->state != PF_CONTEXT_ENDED)
            exclude((uint64_t)c->tls, (uint64_t)(c->tls + 1));
    }
}

/* The end of the excluded range that contains `at`, or `at`; *next: where the next one begins. */
static uint64_t excluded_until(uint64_t at, uint64_t *next)
{
    for (uint32_t i = 0; i < nexcluded; i++) {
        if (at >= excluded[i].lo && at < excluded[i].hi)
            return excluded[i].hi;
        if (excluded[i].lo > at && excluded[i].lo < *next)
            *next = excluded[i].lo;
    }
    return at;
}

static uint64_t hash_range(uint64_t h, uint64_t lo, uint64_t hi)
{
    bytes += hi - lo;
    for (const volatile uint64_t *p = (const volatile uint64_t *)lo; (uint64_t)(p + 1) <= hi; p++)
        h = pf_hash_chain(h, *p);
    return h;
}

static uint64_t hash_page(uint64_t h, uint64_t lo)
{
    for (uint64_t at = lo; at < lo + PF_PAGE;) {
        uint64_t next = lo + PF_PAGE, end = excluded_until(at, &next);
        if (end == at) {
            h = hash_range(h, at, next & -8ull);
            end = next;
        }
        at = (end + 7) & -8ull;
    }
    return h;
}

static uint64_t hash_mapping(uint64_t h, const struct pf_mapping *m, long pagemap)
{
    static uint64_t entry[ENTRIES];
    for (uint64_t at = m->lo; h && at < m->hi; at += ENTRIES * PF_PAGE) {
        uint64_t n = (m->hi - at) / PF_PAGE < ENTRIES ? (m->hi - at) / PF_PAGE : ENTRIES;
        if (pf_sys(SYS_pread64, pagemap, entry, n * 8, at / PF_PAGE * 8) != (long)(n * 8))
            return 0;
        for (uint64_t i = 0; h && i < n; i++)
            if (entry[i] & IN_USE)
                h = bytes > BYTES_MAX ? 0 : hash_page(h, at + i * PF_PAGE);
    }
    return h;
}

uint64_t pf_memory_hash(void)
{
    long pagemap = pf_sys(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    uint64_t h = pagemap >= 0 && pf_mappings_known();
    bytes = 0;
    list_excluded();
    for (const struct pf_mapping *m = pf_mapping_above(0); h && m; m = pf_mapping_above(m->hi))
        if (m->writable && !m->shared)
            h = hash_mapping(h, m, pagemap);
    if (pagemap >= 0)
        pf_sys(SYS_close, pagemap);
    return nexcluded < EXCLUDED ? h : 0;
}
