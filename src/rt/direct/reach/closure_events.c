/* closure_events.c - see closure_events.h. Closures consist of aligned words, so accesses are split
 * into these. */
#include "closure_events.h"
#include "closure_cache.h"
#include "event_code.h"
#include "mappings.h"
#include "missing_call.h"

static inline bool can_be_pointer(uint64_t v) { return pf_mappings_may_hold(v); }

/* Notes the word at `word` as it is after `size` bytes of value are written at addr. */
static void note_word(uint64_t word, uint64_t addr, uint64_t size, uint64_t value)
{
    uint64_t all = size < 8 ? (1ull << 8 * size) - 1 : ~0ull, now = *(volatile uint64_t *)word;
    int64_t at = (int64_t)(addr - word) * 8;
    uint64_t mask = at < 0 ? all >> -at : all << at, bits = at < 0 ? value >> -at : value << at;
    now = (now & ~mask) | (bits & mask);
    if (can_be_pointer(now) && pf_closure_write_matters(word))
        pf_closure_on_write(word, 8, &now);
}

void pf_closure_on_access(uint64_t addr, uint64_t size, bool write, uint64_t value)
{
    if (write && size == 8 && !(addr & 7)) {
        if (can_be_pointer(value) && pf_closure_write_matters(addr))
            pf_closure_on_write(addr, 8, &value);
    } else if (write && size <= 8) {
        note_word(addr & ~7ull, addr, size, value);
        if ((addr & 7) + size > 8)
            note_word((addr & ~7ull) + 8, addr, size, value);
    } else if (write) {
        if (pf_closure_write_matters(addr) || pf_closure_write_matters(addr + size - 1))
            pf_closure_on_write(addr, size, NULL);
    } else if (size == 8 && can_be_pointer(value) && pf_missing_calls_open) {
        pf_closure_on_read(value);
    }
}

/* Notes a write of n bytes at addr: whole words, then the incomplete ones at both ends. */
static void note_bytes(uint64_t addr, const unsigned char *bytes, uint64_t n)
{
    for (uint64_t at = -addr & 7; at + 8 <= n; at += 8) {
        uint64_t v = *(const pf_code_u64 *)(bytes + at);
        if (can_be_pointer(v))
            pf_closure_on_write(addr + at, 8, &v);
    }
    uint64_t head = -addr & 7, tail = (addr + n) & 7, v = 0;
    for (uint64_t i = 0; i < head && i < n; i++)
        v |= (uint64_t)bytes[i] << 8 * i;
    if (head)
        pf_closure_on_access(addr, head < n ? head : n, true, v);
    v = 0;
    for (uint64_t i = 0; i < tail && tail <= n; i++)
        v |= (uint64_t)bytes[n - tail + i] << 8 * i;
    if (tail && head + tail <= n)
        pf_closure_on_access(addr + n - tail, tail, true, v);
}

void pf_closure_on_event(const struct pf_trace_record *e)
{
    switch (e->kind) {
    case PF_EV_WRITE:
    case PF_EV_AWRITE:
        if (e->bytes && e->nbytes == e->more)
            note_bytes(e->what, e->bytes, e->more);
        else if (e->has_value)
            pf_closure_on_access(e->what, e->more, true, e->value);
        else
            pf_closure_on_write(e->what, e->more, NULL);
        break;
    case PF_EV_RMW:
        pf_closure_on_access(e->what, e->more, true, e->value);
        pf_closure_on_access(e->what, e->more, false, e->old);
        break;
    case PF_EV_READ:
    case PF_EV_AREAD:
        if (e->has_value)
            pf_closure_on_access(e->what, e->more, false, e->value);
        else if (pf_missing_calls_open && e->bytes)
            for (uint64_t at = -e->what & 7; at + 8 <= e->nbytes; at += 8)
                pf_closure_on_access(e->what, 8, false,
                                     *(const pf_code_u64 *)((const char *)e->bytes + at));
        break;
    case PF_EV_ALLOC:
        pf_closure_on_alloc(e->what, e->more, pf_missing_calls_open);
        break;
    default:
        break;
    }
}
