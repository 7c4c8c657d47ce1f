/*
 * store_buffer.c - see store_buffer.h. It is enough to drain as late as possible: every run of the
 * model is equivalent to such a run, because a drain can be moved behind all operations that do not
 * depend on it.
 *
 * For each granule with a buffered store, a base has the bytes that threads without such a store
 * see. If memory differs from what the running thread should see, a write happened that the runtime
 * did not notice; it goes to the base.
 */
#include "store_buffer.h"
#include "context.h"
#include "memory_choice.h"
#include "stream_ring.h"
#include "sys.h"

#define THREADS 64 /* with more threads, stores are not buffered */
#define STORES 32 /* of a thread; a further one drains the oldest */
#define BASES (THREADS * STORES + 1)
#define RANGE_MAX 64 /* bytes; larger writes are not buffered */

struct buffered_store {
    uint64_t granule; /* address / 8 */
    uint64_t issued; /* number of the store in the run */
    uint8_t bytes[8];
    uint8_t mask; /* which of the bytes it writes */
};
struct store_buffer {
    uint32_t n;
    struct buffered_store at[STORES]; /* oldest first */
};
struct buffer_base {
    uint64_t granule;
    uint32_t uses; /* buffered stores of the granule */
    uint8_t bytes[8];
};
static struct {
    struct store_buffer of[THREADS];
    struct buffer_base base[BASES];
    struct pf_memory_repeats repeats[THREADS];
} *buffers;
static uint32_t nbases;
static uint64_t issued;

bool pf_buffer_init(void)
{
    buffers = pf_sys_map(NULL, sizeof *buffers);
    return buffers != NULL;
}

static bool is_off(void) { return pf_contexts() > THREADS; }
static uint32_t threads(void) { return pf_contexts() < THREADS ? pf_contexts() : THREADS; }
static struct store_buffer *own(void) { return &buffers->of[pf_running->number]; }

/* --- what a thread sees --- */

static struct buffer_base *find_base(uint64_t granule)
{
    for (uint32_t i = 0; i < nbases; i++)
        if (buffers->base[i].granule == granule)
            return &buffers->base[i];
    return NULL;
}

static void seen_by(uint32_t thread, const struct buffer_base *b, uint8_t *out)
{
    const struct store_buffer *q = &buffers->of[thread];
    for (unsigned i = 0; i < 8; i++)
        out[i] = b->bytes[i];
    for (uint32_t k = 0; k < q->n; k++)
        for (unsigned i = 0; q->at[k].granule == b->granule && i < 8; i++)
            if (q->at[k].mask >> i & 1)
                out[i] = q->at[k].bytes[i];
}

static volatile uint8_t *memory_of(uint64_t granule) { return (volatile uint8_t *)(granule * 8); }

static void show(uint32_t thread, const struct buffer_base *b)
{
    uint8_t bytes[8];
    seen_by(thread, b, bytes);
    for (unsigned i = 0; i < 8; i++)
        if (memory_of(b->granule)[i] != bytes[i])
            memory_of(b->granule)[i] = bytes[i];
}

/* Copies writes of the running thread that the runtime did not notice to the bases. */
static void take_unseen(void)
{
    for (uint32_t k = 0; k < nbases; k++) {
        struct buffer_base *b = &buffers->base[k];
        uint8_t bytes[8];
        seen_by(pf_running->number, b, bytes);
        for (unsigned i = 0; i < 8; i++)
            if (memory_of(b->granule)[i] != bytes[i])
                b->bytes[i] = memory_of(b->granule)[i];
    }
}

/* --- draining --- */

static struct buffer_base *use_base(uint64_t granule)
{
    struct buffer_base *b = find_base(granule);
    if (!b) {
        b = &buffers->base[nbases++];
        b->granule = granule;
        b->uses = 0;
        for (unsigned i = 0; i < 8; i++)
            b->bytes[i] = memory_of(granule)[i];
    }
    b->uses++;
    return b;
}

static void leave_base(struct buffer_base *b)
{
    if (--b->uses == 0)
        *b = buffers->base[--nbases];
}

static void drain_one(uint32_t thread)
{
    struct store_buffer *q = &buffers->of[thread];
    struct buffered_store s = q->at[0];
    struct buffer_base *b = find_base(s.granule);
    for (unsigned i = 0; i < 8; i++)
        if (s.mask >> i & 1)
            b->bytes[i] = s.bytes[i];
    for (uint32_t i = 1; i < q->n; i++)
        q->at[i - 1] = q->at[i];
    q->n--;
    show(pf_running->number, b);
    leave_base(b);
}

/* Drains the store that was issued first, of all threads. */
static void drain_first(void)
{
    uint32_t first = THREADS;
    for (uint32_t i = 0; i < threads(); i++)
        if (buffers->of[i].n &&
            (first == THREADS || buffers->of[i].at[0].issued < buffers->of[first].at[0].issued))
            first = i;
    if (first < THREADS)
        drain_one(first);
}

/* True if another thread than `thread` has a buffered store to these bytes. */
static bool others_store(uint32_t thread, uint64_t granule, uint8_t mask)
{
    for (uint32_t i = 0; i < threads(); i++)
        for (uint32_t k = 0; i != thread && k < buffers->of[i].n; k++)
            if (buffers->of[i].at[k].granule == granule && buffers->of[i].at[k].mask & mask)
                return true;
    return false;
}

/* True if a store of the thread and one of another thread are to the same bytes. */
static bool conflicts(uint32_t thread, bool *wanted)
{
    const struct store_buffer *q = &buffers->of[thread];
    bool any = false;
    for (uint32_t k = 0; k < q->n; k++)
        if (others_store(thread, q->at[k].granule, q->at[k].mask)) {
            any = true;
            *wanted |= pf_memory_choice_wanted(q->at[k].granule * 8, 8);
        }
    return any;
}

/* Chooses what happens next. 0: as if no store were buffered; 1: go on; otherwise a store of
 * another thread than `except` was drained. */
static uint32_t choose_drain(uint32_t except)
{
    uint32_t able[THREADS], n = 0;
    for (uint32_t i = 0; i < threads(); i++)
        if (buffers->of[i].n && i != except)
            able[n++] = i;
    uint32_t chosen = pf_memory_choose(2 + n);
    if (chosen > 1)
        drain_one(able[chosen - 2]);
    return chosen;
}

void pf_buffer_drain_of(uint32_t thread)
{
    struct store_buffer *q = &buffers->of[thread];
    bool wanted = false;
    if (is_off() || !q->n)
        return;
    take_unseen();
    while (q->n && conflicts(thread, &wanted)) {
        uint32_t chosen = wanted ? choose_drain(thread) : 0;
        if (chosen == 1)
            break;
        while (!chosen && q->n)
            drain_first();
    }
    while (q->n)
        drain_one(thread);
}

void pf_buffer_drain(void) { pf_buffer_drain_of(pf_running->number); }

static void drain_all(void)
{
    take_unseen();
    while (nbases)
        drain_first();
}

/* --- accesses --- */

/* A read of bytes of one granule. */
static void read_part(uint64_t granule, uint8_t mask, uint32_t site)
{
    uint32_t *repeats = NULL, me = pf_running->number;
    bool unused = false;
    if (!others_store(me, granule, mask))
        return;
    take_unseen();
    bool wanted = pf_memory_choice_wanted(granule * 8, 8);
    if (wanted) {
        repeats = pf_memory_repeat(&buffers->repeats[me], granule, site);
        wanted = *repeats < PF_MEMORY_REPEATS;
    }
    while (others_store(me, granule, mask)) {
        uint32_t chosen = wanted ? choose_drain(conflicts(me, &unused) ? THREADS : me) : 0;
        if (chosen == 1) {
            ++*repeats;
            return;
        }
        while (!chosen && others_store(me, granule, mask))
            drain_first();
    }
    if (repeats)
        *repeats = 0;
}

static uint8_t mask_of(uintptr_t addr, uint64_t size)
{
    return (uint8_t)(((1u << size) - 1) << addr % 8);
}

void pf_buffer_read(uintptr_t addr, uint64_t size, uint32_t site)
{
    for (uint64_t done = 0, n; nbases && done < size; done += n) {
        uintptr_t at = addr + done;
        n = 8 - at % 8 < size - done ? 8 - at % 8 : size - done;
        read_part(at / 8, mask_of(at, n), site);
    }
}

static void add_store(uint64_t granule, uint8_t mask, const uint8_t *bytes)
{
    struct store_buffer *q = own();
    if (q->n == STORES) {
        take_unseen();
        drain_one(pf_running->number);
        pf_channel_note_forgotten();
    }
    use_base(granule);
    struct buffered_store *s = &q->at[q->n++];
    s->granule = granule;
    s->issued = ++issued;
    s->mask = mask;
    for (unsigned i = 0; i < 8; i++)
        s->bytes[i] = mask >> i & 1 ? bytes[i] : 0;
}

void pf_buffer_write(uintptr_t addr, uint64_t size, const uint8_t *bytes)
{
    if (is_off() || pf_contexts() < 2)
        return;
    if (!bytes || size > RANGE_MAX) {
        if (nbases)
            drain_all();
        return;
    }
    for (uint64_t done = 0, n; done < size; done += n) {
        uintptr_t at = addr + done;
        uint8_t whole[8] = {0};
        n = 8 - at % 8 < size - done ? 8 - at % 8 : size - done;
        for (uint64_t i = 0; i < n; i++)
            whole[at % 8 + i] = bytes[done + i];
        add_store(at / 8, mask_of(at, n), whole);
    }
}

void pf_buffer_store_begin(uintptr_t addr, unsigned size)
{
    if (is_off() || pf_contexts() < 2)
        return;
    if (addr % 8 + size > 8)
        drain_all();
    else
        use_base(addr / 8); /* has the value before the store */
}

void pf_buffer_store_end(uintptr_t addr, unsigned size)
{
    uint8_t now[8];
    if (is_off() || pf_contexts() < 2 || addr % 8 + size > 8)
        return;
    for (unsigned i = 0; i < 8; i++)
        now[i] = memory_of(addr / 8)[i];
    add_store(addr / 8, mask_of(addr, size), now);
    leave_base(find_base(addr / 8));
}

void pf_buffer_switch(const struct pf_context *to)
{
    if (!nbases)
        return;
    if (is_off()) {
        drain_all();
        return;
    }
    take_unseen();
    for (uint32_t i = 0; i < nbases; i++)
        show(to->number, &buffers->base[i]);
}
