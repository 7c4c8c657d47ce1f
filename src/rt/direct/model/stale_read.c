/*
 * stale_read.c - see stale_read.h. The history of a granule is a short list of its newest writes,
 * in order, each with the bytes that it covers. Only a write that covers all bytes of a read is
 * offered to it, so a value is never made of two writes that no run could combine.
 */
#include "stale_read.h"
#include "context.h"
#include "memory_choice.h"
#include "memory_view.h"
#include "stream_ring.h"
#include "sys.h"

#define WRITES 8 /* of a granule that are kept */
#define READS 8 /* of a granule that are kept */
#define LOCATIONS (1u << 16) /* of granules; when half of them are used, all histories end */
#define PROBES 64 /* entries of the table that are tried */
#define MESSAGES (1u << 14) /* views that writes carry */
#define RANGE_MAX 1024 /* bytes; the contents of larger writes are not kept */

struct stale_write {
    struct pf_view_origin by;
    uint8_t bytes[8];
    uint8_t mask; /* which of the bytes it wrote */
    bool atomic;
    uint32_t message; /* the view that an acquire gets; 0: none */
};
struct stale_reader {
    struct pf_view_origin by;
    uint64_t of; /* position of the write that it returned */
    uint8_t mask;
};
struct stale_location {
    uint64_t granule; /* address / 8; 0: free */
    uint64_t least; /* older writes are no longer offered */
    uint8_t nwrites, nreads; /* no writes: there is no history */
    struct stale_write write[WRITES]; /* oldest first */
    struct stale_reader read[READS];
};
static struct {
    struct stale_location at[LOCATIONS];
    struct pf_view message[MESSAGES];
    uint32_t free_message[MESSAGES];
    struct pf_memory_repeats repeats[PF_VIEW_THREADS];
} *history;
static uint32_t nfree, nlocations;

bool pf_stale_lent;
static struct {
    uint64_t granule;
    uint8_t bytes[8];
} lent;

bool pf_stale_init(void)
{
    history = pf_sys_map(NULL, sizeof *history);
    for (uint32_t i = MESSAGES - 1; history && i > 0; i--)
        history->free_message[nfree++] = i;
    return history && pf_view_init();
}

/* --- bytes --- */

static volatile uint8_t *memory_of(uint64_t granule) { return (volatile uint8_t *)(granule * 8); }

static uint8_t mask_of(uintptr_t addr, uint64_t size)
{
    return (uint8_t)(((1u << size) - 1) << addr % 8);
}

static bool fits(uintptr_t addr, uint64_t size) { return size && addr % 8 + size <= 8; }

static void load_granule(uint8_t *to, uint64_t granule)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = memory_of(granule)[i];
}

static void store_bytes(uint64_t granule, const uint8_t *bytes, uint8_t mask)
{
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1)
            memory_of(granule)[i] = bytes[i];
}

static bool same_bytes(const uint8_t *a, const uint8_t *b, uint8_t mask)
{
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1 && a[i] != b[i])
            return false;
    return true;
}

/* --- the history of a granule --- */

static void drop(struct stale_location *l)
{
    for (uint32_t i = 0; i < l->nwrites; i++)
        if (l->write[i].message)
            history->free_message[nfree++] = l->write[i].message;
    l->nwrites = l->nreads = 0;
    l->least = 0;
}

/* A table is full: all threads know everything that happened so far. */
static void drop_all(void)
{
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        drop(&history->at[i]);
        history->at[i].granule = 0;
    }
    nlocations = 0;
    pf_view_know_all();
    pf_channel_note_forgotten();
}

static struct stale_location *find(uint64_t granule, bool make)
{
    uint32_t i = (uint32_t)((granule * 0x9e3779b97f4a7c15u) >> 48);
    if (make && nlocations > LOCATIONS / 2)
        drop_all();
    for (uint32_t k = 0; k < PROBES; k++) {
        struct stale_location *l = &history->at[(i + k) % LOCATIONS];
        if (l->granule == granule)
            return l;
        if (l->granule)
            continue;
        if (make) {
            nlocations++;
            l->granule = granule;
        }
        return make ? l : NULL;
    }
    if (!make)
        return NULL;
    drop_all();
    return find(granule, true);
}

/* True if memory has the newest of the known writes, so that none was missed. */
static bool is_current(const struct stale_location *l)
{
    uint8_t now[8], seen = 0;
    load_granule(now, l->granule);
    for (uint32_t i = l->nwrites; i-- > 0; seen |= l->write[i].mask)
        if (!same_bytes(now, l->write[i].bytes, l->write[i].mask & (uint8_t)~seen))
            return false;
    return true;
}

/* The history of a granule, up to the present value; NULL: there is none. */
static struct stale_location *history_of(uint64_t granule)
{
    struct stale_location *l = find(granule, false);
    if (l && l->nwrites && !is_current(l))
        drop(l);
    return l && l->nwrites ? l : NULL;
}

/* The same, but begins a history with the present value, which every thread knows. */
static struct stale_location *begin_history(uint64_t granule)
{
    struct stale_location *l = history_of(granule);
    if (l)
        return l;
    l = find(granule, true);
    l->nwrites = 1;
    l->nreads = 0;
    l->least = 0;
    l->write[0] = (struct stale_write){.by = {.thread = PF_VIEW_NOBODY}, .mask = 0xff};
    load_granule(l->write[0].bytes, granule);
    return l;
}

static struct stale_write *add_write(struct stale_location *l, uint8_t mask, bool seq_cst)
{
    if (l->nwrites == WRITES) {
        if (l->write[0].message)
            history->free_message[nfree++] = l->write[0].message;
        if (l->write[0].by.thread != PF_VIEW_NOBODY)
            pf_channel_note_forgotten();
        for (uint32_t i = 1; i < WRITES; i++)
            l->write[i - 1] = l->write[i];
        l->nwrites--;
    }
    struct stale_write *w = &l->write[l->nwrites++];
    *w = (struct stale_write){.by = pf_view_origin(seq_cst), .mask = mask};
    return w;
}

static void add_reader(struct stale_location *l, uint8_t mask, uint64_t of, bool seq_cst)
{
    struct pf_view_origin me = pf_view_origin(seq_cst);
    for (uint32_t i = 0; i < l->nreads; i++) {
        struct stale_reader *r = &l->read[i];
        if (r->by.thread == me.thread && r->by.clock == me.clock && r->mask == mask &&
            r->by.seq_cst == seq_cst) {
            r->by.position = me.position;
            r->of = r->of < of ? of : r->of;
            return;
        }
    }
    if (l->nreads == READS) {
        /* from now on every thread knows the write that the oldest read returned */
        if (l->least < l->read[0].of)
            l->least = l->read[0].of;
        for (uint32_t i = 1; i < READS; i++)
            l->read[i - 1] = l->read[i];
        l->nreads--;
    }
    l->read[l->nreads++] = (struct stale_reader){.by = me, .of = of, .mask = mask};
}

/* --- reads --- */

struct stale_options {
    const struct stale_write *at[WRITES];
    uint32_t n;
};

/* The position of the oldest write that earlier reads permit a read of these bytes to return. */
static uint64_t least_of(const struct stale_location *l, uint8_t mask, const struct pf_view *v,
                         bool seq_cst)
{
    uint64_t least = l->least;
    for (uint32_t i = 0; i < l->nreads; i++)
        if (l->read[i].mask & mask && l->read[i].of > least &&
            pf_view_is_known(&l->read[i].by, v, seq_cst))
            least = l->read[i].of;
    return least;
}

/* Writes of the same value are one option, unless an acquire tells them apart. The option is
 * the oldest of them, because it leaves the most options to later reads. */
static void add_option(struct stale_options *o, const struct stale_write *w, uint8_t mask,
                       bool atomic)
{
    for (uint32_t i = 0; i < o->n; i++)
        if (same_bytes(o->at[i]->bytes, w->bytes, mask) &&
            !(atomic && (o->at[i]->message || w->message))) {
            o->at[i] = w;
            return;
        }
    o->at[o->n++] = w;
}

/* The writes that the read may return, the newest one first. No options: the bytes come from
 * several writes, and the read returns what is in memory. */
static void find_options(const struct stale_location *l, uint8_t mask, const struct pf_view *v,
                         unsigned order, struct stale_options *o)
{
    bool seq_cst = order == PF_SEQ_CST;
    uint64_t least = least_of(l, mask, v, seq_cst);
    bool newest = true;
    o->n = 0;
    for (uint32_t i = l->nwrites; i-- > 0;) {
        const struct stale_write *w = &l->write[i];
        if (!(w->mask & mask))
            continue;
        if (w->by.position < least)
            return;
        bool covers = (w->mask & mask) == mask;
        if (newest && !covers)
            return;
        newest = false;
        if (covers)
            add_option(o, w, mask, order != PF_ORDER_PLAIN);
        if (pf_view_is_known(&w->by, v, seq_cst))
            return;
    }
}

/* For `bound` of struct pf_memory_settings: the write that the thread has read, if the granule was
 * not written since. */
static const struct stale_write *bound(const struct stale_location *l, uint8_t mask)
{
    for (uint32_t i = 0; i < l->nreads; i++) {
        const struct stale_reader *r = &l->read[i];
        if (r->by.thread != pf_running->number || r->mask != mask ||
            r->by.position < l->write[l->nwrites - 1].by.position)
            continue;
        for (uint32_t k = 0; k < l->nwrites; k++)
            if (l->write[k].by.position == r->of)
                return &l->write[k];
    }
    return NULL;
}

static const struct stale_write *choose(const struct stale_location *l, uintptr_t addr,
                                        unsigned size, const struct stale_options *o, uint32_t site)
{
    const struct stale_write *same =
        pf_channel_get()->memory.bound ? bound(l, mask_of(addr, size)) : NULL;
    if (same)
        return same;
    if (o->n < 2 || !pf_memory_choice_wanted(addr, size))
        return o->at[0];
    uint32_t *repeats = pf_memory_repeat(&history->repeats[pf_running->number], l->granule, site);
    uint32_t chosen = *repeats < PF_MEMORY_REPEATS ? pf_memory_choose(o->n) : 0;
    *repeats = chosen ? *repeats + 1 : 0;
    return o->at[chosen];
}

static void acquire_message(struct pf_view_thread *t, const struct stale_write *w, unsigned order)
{
    if (order == PF_ORDER_PLAIN || !w->message)
        return;
    bool acquires = order != PF_RELAXED && order != PF_RELEASE;
    pf_view_join(acquires ? &t->now : &t->acquired, &history->message[w->message]);
}

/* The read returns the value of w. */
static void note_read(struct stale_location *l, struct pf_view_thread *t,
                      const struct stale_write *w, uint8_t mask, unsigned order)
{
    bool seq_cst = order == PF_SEQ_CST;
    if (seq_cst || pf_channel_get()->memory.bound || !pf_view_happened_before(&w->by, &t->now))
        add_reader(l, mask, w->by.position, seq_cst);
    acquire_message(t, w, order);
}

void pf_stale_read(uintptr_t addr, unsigned size, unsigned order, uint32_t site)
{
    uint64_t granule = addr / 8;
    struct pf_view_thread *t = pf_view_self();
    struct stale_location *l = t && fits(addr, size) ? history_of(granule) : NULL;
    struct stale_options o;
    uint8_t mask = mask_of(addr, size), now[8];
    if (!l)
        return;
    find_options(l, mask, &t->now, order, &o);
    if (!o.n)
        return;
    const struct stale_write *w = choose(l, addr, size, &o, site);
    load_granule(now, granule);
    if (!same_bytes(now, w->bytes, mask)) {
        lent.granule = granule;
        for (unsigned i = 0; i < 8; i++)
            lent.bytes[i] = now[i];
        store_bytes(granule, w->bytes, mask);
        pf_stale_lent = true;
    }
    note_read(l, t, w, mask, order);
}

void pf_stale_restore(void)
{
    if (!pf_stale_lent)
        return;
    pf_stale_lent = false;
    store_bytes(lent.granule, lent.bytes, 0xff);
}

/* --- writes --- */

void pf_stale_write(uintptr_t addr, uint64_t size, const uint8_t *bytes)
{
    if (!pf_view_self() || pf_contexts() < 2)
        return;
    if (size > RANGE_MAX || !bytes) {
        pf_stale_forget(addr, size);
        return;
    }
    for (uint64_t done = 0, n; done < size; done += n) {
        uintptr_t at = addr + done;
        n = 8 - at % 8 < size - done ? 8 - at % 8 : size - done;
        struct stale_location *l = begin_history(at / 8);
        struct stale_write *w = add_write(l, mask_of(at, n), false);
        for (uint64_t i = 0; i < n; i++)
            w->bytes[at % 8 + i] = bytes[done + i];
    }
}

void pf_stale_update_begin(uintptr_t addr, unsigned size)
{
    if (pf_view_self() && pf_contexts() > 1 && fits(addr, size))
        begin_history(addr / 8);
}

/* The view that the write carries; 0: none. before: the newest write before it. */
static uint32_t make_message(struct pf_view_thread *t, const struct stale_write *before,
                             unsigned order, bool reads)
{
    bool releases = order == PF_RELEASE || order == PF_ACQ_REL || order == PF_SEQ_CST;
    /* C++11: later writes of the same thread are also part of the release sequence */
    bool continues =
        before->message && (reads || (before->atomic && before->by.thread == pf_running->number));
    if (!releases && !continues && !t->has_released)
        return 0;
    if (!nfree) {
        drop_all();
        return 0;
    }
    uint32_t m = history->free_message[--nfree];
    struct pf_view *v = &history->message[m];
    pf_zero(v, sizeof *v);
    if (t->has_released)
        pf_view_join(v, &t->released);
    if (releases)
        pf_view_join(v, &t->now);
    if (continues)
        pf_view_join(v, &history->message[before->message]);
    return m;
}

void pf_stale_update_end(uintptr_t addr, unsigned size, unsigned order, bool reads, bool wrote)
{
    struct pf_view_thread *t = pf_view_self();
    struct stale_location *l = t && fits(addr, size) ? find(addr / 8, false) : NULL;
    uint8_t mask = mask_of(addr, size);
    if (!l || !l->nwrites)
        return;
    struct stale_write *before = &l->write[l->nwrites - 1];
    while (before > l->write && !(before->mask & mask))
        before--;
    if (reads && wrote)
        acquire_message(t, before, order);
    else if (reads)
        note_read(l, t, before, mask, order);
    if (!wrote)
        return;
    uint32_t message = make_message(t, before, order, reads);
    l = find(addr / 8, false);
    if (!l || !l->nwrites) /* the tables were full */
        return;
    struct stale_write *w = add_write(l, mask, order == PF_SEQ_CST);
    load_granule(w->bytes, addr / 8);
    w->atomic = true;
    w->message = message;
    if (message)
        pf_view_tick(t);
}

void pf_stale_forget(uintptr_t addr, uint64_t size)
{
    uint64_t first = addr / 8, last = size ? (addr + size - 1) / 8 : first;
    if (last - first > 4096) {
        for (uint32_t i = 0; i < LOCATIONS; i++)
            if (history->at[i].granule >= first && history->at[i].granule <= last)
                drop(&history->at[i]);
        return;
    }
    for (uint64_t g = first; g <= last && size; g++) {
        struct stale_location *l = find(g, false);
        if (l)
            drop(l);
    }
}
