/*
 * tracer.c - see tracer.h. The guesses are those of event_code.h; here are the rings and the books.
 *
 * Room is asked for once in BATCH events, for the longest they can be, so an event costs no check but
 * a count. The heads of the rings move with every event, that of the event stream last: a target
 * killed anywhere leaves whole events.
 */
#include "tracer.h"
#include "event_call.h"
#include "event_code.h"
#include "log.h"
#include "reach_events.h"
#include "stack.h"
#include "store.h"
#include "sys.h"

#define BATCH 2048u
#define LONG 16u /* an event of the long form takes the room of so many of the short one */
#define SITES (1u << PF_ID_BITS)
#define THREADS (1u << 16)

struct column {
    unsigned char *base;
    struct pf_ring *ring;
    uint64_t at, mask, called;
};

static struct {
    struct pf_code code;
    struct pf_code_thread *thread; /* by number */
    struct column head, addr, value;
    struct pf_thread *self; /* who made the last event */
    struct pf_code_thread *now;
    uint32_t left; /* events for which there is room */
} tracer;

static bool open_column(struct column *c, enum pf_log_stream s)
{
    c->ring = pf_log_ring(s, &c->base);
    if (!c->ring || c->ring->use != PF_RING_WRITE)
        return false;
    c->at = c->called = c->ring->head;
    c->mask = c->ring->size - 1;
    return true;
}

static bool begin(void)
{
    tracer.code.site = pf_sys_map(NULL, SITES * sizeof(struct pf_code_site));
    tracer.thread = pf_sys_map(NULL, THREADS * sizeof(struct pf_code_thread));
    return tracer.code.site && tracer.thread && open_column(&tracer.head, PF_STREAM_EVENT) &&
           open_column(&tracer.addr, PF_STREAM_ADDRESS) &&
           open_column(&tracer.value, PF_STREAM_VALUE);
}

static bool make_room(struct column *c, enum pf_log_stream s, size_t n)
{
    if (c->at - c->called >= c->ring->chunk) {
        c->called = c->at;
        pf_log_call();
    }
    return pf_log_room(s, n);
}

/* Room for a batch; false: tracing is over. */
static __attribute__((noinline)) bool refill(void)
{
    if ((tracer.thread || begin()) && make_room(&tracer.head, PF_STREAM_EVENT, BATCH) &&
        make_room(&tracer.addr, PF_STREAM_ADDRESS, BATCH * PF_CODE_MOST_ADDRESS) &&
        make_room(&tracer.value, PF_STREAM_VALUE, BATCH * PF_CODE_MOST_VALUE)) {
        tracer.left = BATCH;
        return true;
    }
    pf_direct.tracing = false;
    return false;
}

static inline unsigned char *place(const struct column *c) { return c->base + (c->at & c->mask); }

static inline void publish(struct column *c, size_t n)
{
    c->at += n;
    __atomic_store_n(&c->ring->head, c->at, __ATOMIC_RELEASE);
}

static void put_other(unsigned what, uint64_t number)
{
    unsigned char *a = place(&tracer.addr);
    *place(&tracer.head) = (unsigned char)(PF_CODE_OTHER | what << 2);
    publish(&tracer.addr, (size_t)(pf_code_varint(a, number) - a));
    publish(&tracer.head, 1);
    tracer.left--;
}

static __attribute__((noinline)) void change_thread(struct pf_thread *t)
{
    uint32_t number = pf_context_number(pf_context_self());
    if (number >= THREADS)
        number = THREADS - 1;
    tracer.self = t;
    tracer.now = &tracer.thread[number];
    if (!tracer.now->reserved) {
        tracer.now->reserved = 1;
        pf_trace_name_thread(number, t);
    }
    put_other(PF_CODE_THREAD, number);
}

/* What must be said before an event: who makes it, and which of its thread's it is. */
static inline bool prepare(uint32_t room, bool attached, uint64_t index)
{
    if (__builtin_expect(tracer.left < room + 4, 0) && !refill())
        return false;
    tracer.left -= room;
    struct pf_thread *t = __pf_tls.thread;
    if (__builtin_expect(t != tracer.self, 0))
        change_thread(t);
    if (__builtin_expect(index != tracer.now->index + !attached, 0)) {
        tracer.now->index = index - !attached;
        put_other(PF_CODE_INDEX, tracer.now->index);
    }
    return true;
}

uint64_t pf_trace_records(void) { return tracer.head.at; }

void pf_trace_access(uint32_t site, uint64_t addr, uint32_t size, bool write, uint64_t value,
                     uint64_t index)
{
    if (!prepare(1, false, index))
        return;
    struct pf_code_site *s = &tracer.code.site[site];
    unsigned kind = write ? PF_EV_WRITE : PF_EV_READ;
    if (__builtin_expect(pf_kept_any, 0))
        pf_kept_access(addr, size, write, value);
    if (__builtin_expect(s->size != size || s->kind != kind, 0)) {
        if (s->size || (size & (size - 1)) || size > 8) { /* not always the same: the long form */
            pf_trace_event(&(struct pf_traced){.kind = (uint8_t)kind,
                                               .site = site,
                                               .what = addr,
                                               .more = size,
                                               .has_value = true,
                                               .value = value});
            return;
        }
        s->size = (uint8_t)size;
        s->kind = (uint8_t)kind;
        pf_trace_name_site(site, kind, size);
    }
    unsigned char *a = place(&tracer.addr), *a0 = a, *v = place(&tracer.value), *v0 = v;
    *place(&tracer.head) = pf_code_put(&tracer.code, tracer.now, site, addr, value, &a, &v);
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.value, (size_t)(v - v0));
    publish(&tracer.head, 1);
}

/* Without vector registers; for a few bytes a string instruction takes longer to begin. */
static inline unsigned char *put_bytes(unsigned char *to, const unsigned char *from, uint32_t n)
{
    for (; n >= 8; n -= 8, to += 8, from += 8)
        *(pf_code_u64 *)to = *(const pf_code_u64 *)from;
    for (; n; n--)
        *to++ = *(const volatile unsigned char *)from++;
    return to;
}

/* Named once; a plain access from here names it again. */
static inline void name_site(struct pf_code_site *s, uint32_t site)
{
    if (__builtin_expect(!s->size && !s->reserved[0], 0)) {
        s->reserved[0] = 1;
        pf_trace_name_site(site, PF_EV_KINDS, 0);
    }
}

void pf_trace_wide(uint32_t site, uint64_t addr, uint64_t size, bool write, const void *bytes,
                   uint32_t n, uint64_t index)
{
    if (__builtin_expect(pf_kept_any, 0)) {
        pf_trace_event(&(struct pf_traced){.kind = write ? PF_EV_WRITE : PF_EV_READ,
                                           .site = site,
                                           .what = addr,
                                           .more = size,
                                           .bytes = bytes,
                                           .nbytes = n});
        return;
    }
    if (!prepare(LONG, false, index))
        return;
    struct pf_code_site *s = &tracer.code.site[site];
    name_site(s, site);
    unsigned char *a = place(&tracer.addr), *a0 = a, *v = place(&tracer.value), *v0 = v;
    *a++ = PF_HAS_OPERAND | PF_HAS_SECOND | PF_HAS_BYTES;
    a = pf_code_varint(a, pf_code_zigzag((int64_t)site - tracer.now->site));
    pf_code_take_site(&tracer.code, tracer.now, site);
    a = pf_code_varint(a, pf_code_zigzag((int64_t)(addr - s->addr)));
    s->addr = addr;
    a = pf_code_varint(a, size);
    v = put_bytes(pf_code_varint(v, n), bytes, n);
    *place(&tracer.head) =
        (unsigned char)(PF_CODE_OTHER | (PF_CODE_EVENT + (write ? PF_EV_WRITE : PF_EV_READ)) << 2);
    tracer.now->index++;
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.value, (size_t)(v - v0));
    publish(&tracer.head, 1);
}

void pf_trace_event(const struct pf_traced *e)
{
    if (e->kind != PF_EV_RET && !(e->attached && e->kind == PF_EV_ENDREGION))
        pf_call_settle();
    if (!prepare(LONG, e->attached, pf_context_events(pf_context_self())))
        return;
    struct pf_code_site *s = &tracer.code.site[e->site];
    name_site(s, e->site);
    if (__builtin_expect(pf_kept_any, 0))
        pf_kept_event(e);
    uint32_t nbytes = e->nbytes < PF_TRACED_BYTES ? e->nbytes : PF_TRACED_BYTES;
    unsigned char *a = place(&tracer.addr), *a0 = a, *v = place(&tracer.value), *v0 = v;
    *a++ = (unsigned char)((e->what ? PF_HAS_OPERAND : 0) | (e->more ? PF_HAS_SECOND : 0) |
                           (e->has_value ? PF_HAS_VALUE : 0) | (e->has_old ? PF_HAS_OLD : 0) |
                           (e->flags ? PF_HAS_FLAGS : 0) | (nbytes ? PF_HAS_BYTES : 0) |
                           (e->attached ? PF_HAS_NO_INDEX : 0));
    a = pf_code_varint(a, pf_code_zigzag((int64_t)e->site - tracer.now->site));
    pf_code_take_site(&tracer.code, tracer.now, e->site);
    if (e->what) {
        a = pf_code_varint(a, pf_code_zigzag((int64_t)(e->what - s->addr)));
        s->addr = e->what;
    }
    if (e->more)
        a = pf_code_varint(a, e->more);
    if (e->flags)
        *a++ = e->flags;
    if (e->has_value)
        v = pf_code_varint(v, e->value);
    if (e->has_old)
        v = pf_code_varint(v, e->old);
    if (nbytes) {
        v = pf_code_varint(v, nbytes);
        v = put_bytes(v, e->bytes, nbytes);
    }
    *place(&tracer.head) = (unsigned char)(PF_CODE_OTHER | (PF_CODE_EVENT + e->kind) << 2);
    tracer.now->index += !e->attached;
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.value, (size_t)(v - v0));
    publish(&tracer.head, 1);
}
