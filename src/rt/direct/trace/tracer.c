/*
 * tracer.c - see tracer.h. event_code.h encodes an event: it predicts each field and stores what
 * was mispredicted. This file manages the rings and the predictor state.
 *
 * Room is reserved once for BATCH events of maximal length, so an event needs no check but a
 * counter. The heads of the rings move with every event, that of the event stream last: if the
 * target is killed at any point, the streams contain complete events only.
 */
#include "tracer.h"
#include "closure_events.h"
#include "event_code.h"
#include "missing_call.h"
#include "stack.h"
#include "store.h"
#include "stream_ring.h"
#include "sys.h"

#define BATCH 2048u /* events for which room is reserved at once */
#define LONG 16u /* a long-form event takes at most as much room as 16 short ones */
#define SITES (1u << PF_ID_BITS)
#define THREADS (1u << 16) /* further ones share one state of the encoding */

struct trace_column {
    unsigned char *base;
    struct pf_ring *ring;
    uint64_t at, mask, called;
};

static struct {
    struct pf_code code;
    struct pf_code_thread *thread; /* by thread number */
    struct trace_column head, addr, value;
    struct pf_thread *self; /* thread of the last event */
    struct pf_code_thread *now;
    uint32_t left; /* events for which room is reserved */
} tracer;

static bool open_column(struct trace_column *c, enum pf_stream s)
{
    c->ring = pf_ring_of(s, &c->base);
    if (!c->ring || c->ring->use != PF_RING_WRITE)
        return false;
    c->at = c->called = c->ring->head;
    c->mask = c->ring->size - 1;
    return true;
}

static bool begin(void)
{
    tracer.code.site = pf_sys_map(NULL, SITES * sizeof(struct pf_code_site));
    tracer.code.shape = pf_sys_map(NULL, SITES * sizeof(struct pf_code_shape));
    tracer.thread = pf_sys_map(NULL, THREADS * sizeof(struct pf_code_thread));
    return tracer.code.site && tracer.code.shape && tracer.thread &&
           open_column(&tracer.head, PF_STREAM_EVENT) &&
           open_column(&tracer.addr, PF_STREAM_ADDRESS) &&
           open_column(&tracer.value, PF_STREAM_VALUE);
}

static bool make_room(struct trace_column *c, enum pf_stream s, size_t n)
{
    if (c->at - c->called >= c->ring->chunk) {
        c->called = c->at;
        pf_channel_wake_pf();
    }
    return pf_ring_reserve(s, n);
}

/* Reserves room for a batch. Returns false if tracing has ended. */
static __attribute__((noinline)) bool refill(void)
{
    if ((tracer.thread || begin()) && make_room(&tracer.head, PF_STREAM_EVENT, BATCH) &&
        make_room(&tracer.addr, PF_STREAM_ADDRESS, BATCH * PF_CODE_ADDRESS_MAX) &&
        make_room(&tracer.value, PF_STREAM_VALUE, BATCH * PF_CODE_VALUE_MAX)) {
        tracer.left = BATCH;
        return true;
    }
    pf_direct.tracing = false;
    return false;
}

static inline unsigned char *write_position(const struct trace_column *c)
{
    return c->base + (c->at & c->mask);
}

static inline void publish(struct trace_column *c, size_t n)
{
    c->at += n;
    __atomic_store_n(&c->ring->head, c->at, __ATOMIC_RELEASE);
}

static void put_other(unsigned what, uint64_t number)
{
    unsigned char *a = write_position(&tracer.addr);
    *write_position(&tracer.head) = (unsigned char)(PF_CODE_OTHER | what << 2);
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
    if (!tracer.now->named) {
        tracer.now->named = 1;
        pf_trace_name_thread(number, t);
    }
    put_other(PF_CODE_THREAD, number);
}

/* Call before each event: reserves room and records a change of thread. The event's index in its
 * thread is written with the event. */
static inline bool prepare(uint32_t room)
{
    if (__builtin_expect(tracer.left < room + 4, 0) && !refill())
        return false;
    tracer.left -= room;
    struct pf_thread *t = __pf_tls.thread;
    if (__builtin_expect(t != tracer.self, 0))
        change_thread(t);
    return true;
}

static __attribute__((noinline)) void put_skip(uint64_t index)
{
    put_other(PF_CODE_INDEX, pf_code_zigzag((int64_t)(index - tracer.now->index - 1)));
    tracer.now->index = index - 1;
}

void pf_trace_return(void)
{
    if (!prepare(1))
        return;
    *write_position(&tracer.head) = PF_CODE_OTHER | PF_CODE_RETURN << 2;
    publish(&tracer.head, 1);
}

void pf_trace_call(uint32_t site, uint64_t callee, uint64_t number)
{
    if (!prepare(1))
        return;
    struct pf_code_site *s = &tracer.code.site[site];
    const struct pf_code_shape *last = &tracer.code.shape[site];
    uint64_t index = pf_context_events(pf_context_self());
    if (__builtin_expect(!pf_code_is_call(last) || s->addr != callee || s->value != number ||
                             index - 1 - tracer.now->index != last->skip,
                         0)) {
        pf_trace_event(&(struct pf_trace_record){
            .kind = PF_EV_CALL, .site = site, .what = callee, .has_value = true, .value = number});
        return;
    }
    unsigned char *a = write_position(&tracer.addr), *a0 = a;
    unsigned code = PF_CODE_CALL + 4 * pf_code_put_site(&tracer.code, tracer.now, site, &a);
    *write_position(&tracer.head) = (unsigned char)(PF_CODE_OTHER | code << 2);
    tracer.now->index = index;
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.head, 1);
}

void pf_trace_range(uint64_t addr, uint64_t size)
{
    if (!prepare(2))
        return;
    unsigned char *a = write_position(&tracer.addr), *a0 = a;
    *write_position(&tracer.head) = PF_CODE_OTHER | PF_CODE_RANGE << 2;
    a = pf_code_varint(a, pf_code_zigzag((int64_t)(addr - tracer.code.range)));
    a = pf_code_varint(a, size);
    tracer.code.range = addr + size;
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.head, 1);
}

void pf_trace_callback(bool begins)
{
    if (!prepare(2))
        return;
    unsigned char *a = write_position(&tracer.addr), *a0 = a;
    *write_position(&tracer.head) = PF_CODE_OTHER | PF_CODE_RANGE << 2;
    /* size 0 marks a callback; the address field says whether it begins */
    a = pf_code_varint(a, pf_code_zigzag(begins));
    a = pf_code_varint(a, 0);
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.head, 1);
}

uint64_t pf_trace_records(void) { return tracer.head.at; }

/* The first access at this site: the short form is used for its kind and size. Returns false if the
 * site already has another kind or size, or if the short form has no such size. */
static __attribute__((noinline)) bool begin_site(uint32_t site, unsigned kind, uint64_t size)
{
    struct pf_code_site *s = &tracer.code.site[site];
    if (s->size || !(pf_code_is_wide(size) || (size <= 8 && !(size & (size - 1)))))
        return false;
    s->size = (uint8_t)size;
    s->kind = (uint8_t)kind;
    pf_trace_name_site(site, kind, (unsigned)size);
    return true;
}

/* Writes an access in the short form, after begin_site. bytes: contents of a vector; NULL: use
 * value. */
static inline __attribute__((always_inline)) void
put_short(uint32_t site, uint64_t addr, const void *bytes, uint64_t value, uint64_t index)
{
    if (__builtin_expect(index != tracer.now->index + 1, 0))
        put_skip(index);
    unsigned char *a = write_position(&tracer.addr), *a0 = a, *v = write_position(&tracer.value),
                  *v0 = v;
    *write_position(&tracer.head) =
        bytes ? pf_code_put_wide(&tracer.code, tracer.now, site, addr, bytes, &a, &v)
              : pf_code_put(&tracer.code, tracer.now, site, addr, value, &a, &v);
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.value, (size_t)(v - v0));
    publish(&tracer.head, 1);
}

void pf_trace_access(uint32_t site, uint64_t addr, uint32_t size, bool write, uint64_t value,
                     uint64_t index)
{
    if (!prepare(1))
        return;
    struct pf_code_site *s = &tracer.code.site[site];
    unsigned kind = write ? PF_EV_WRITE : PF_EV_READ;
    if (__builtin_expect(pf_closure_any, 0) && pf_closure_access_matters(addr, size, write, value))
        pf_closure_on_access(addr, size, write, value);
    if (__builtin_expect(s->size != size || s->kind != kind, 0) && !begin_site(site, kind, size)) {
        pf_trace_event(&(struct pf_trace_record){.kind = (uint8_t)kind,
                                                 .site = site,
                                                 .what = addr,
                                                 .more = size,
                                                 .has_value = true,
                                                 .value = value});
        return;
    }
    put_short(site, addr, NULL, value, index);
}

void pf_trace_wide(uint32_t site, uint64_t addr, uint64_t size, bool write, const void *bytes,
                   uint32_t n, uint64_t index)
{
    struct pf_trace_record e = {.kind = write ? PF_EV_WRITE : PF_EV_READ,
                                .site = site,
                                .what = addr,
                                .more = size,
                                .bytes = bytes,
                                .nbytes = n};
    if (!prepare(LONG))
        return;
    struct pf_code_site *s = &tracer.code.site[site];
    if (__builtin_expect(s->size != size || s->kind != e.kind || n != size, 0) &&
        (n != size || !begin_site(site, e.kind, size))) {
        pf_trace_event(&e);
        return;
    }
    if (__builtin_expect(pf_closure_any, 0))
        pf_closure_on_event(&e);
    put_short(site, addr, bytes, 0, index);
}

/* Uses no vector registers; for a few bytes a string instruction would start too slowly. */
static inline unsigned char *put_bytes(unsigned char *to, const unsigned char *from, uint32_t n)
{
    for (; n >= 8; n -= 8, to += 8, from += 8)
        *(pf_code_u64 *)to = *(const pf_code_u64 *)from;
    for (; n; n--)
        *to++ = *(const volatile unsigned char *)from++;
    return to;
}

/* Writes the fields of an event. If kind, set of fields, second operand, flags and skip equal those
 * of the last long event of its site (its shape), and it has an operand and no bytes, only the site
 * and the address are coded; values follow in their own stream. */
static unsigned put_fields(const struct pf_trace_record *e, const struct pf_code_shape *now,
                           unsigned char **a)
{
    struct pf_code_site *s = &tracer.code.site[e->site];
    struct pf_code_shape *last = &tracer.code.shape[e->site];
    struct pf_code_thread *t = tracer.now;
    unsigned code;
    if (last->has == now->has && last->kind == now->kind && last->more == now->more &&
        last->flags == now->flags && last->skip == now->skip && now->has & PF_HAS_OPERAND &&
        !(now->has & PF_HAS_BYTES)) {
        code = PF_CODE_REPEAT + pf_code_put_site(&tracer.code, t, e->site, a);
        code += 4 * pf_code_put_address(s, t, e->what, t->operand, a);
        t->operand = e->what;
        return code;
    }
    *last = *now;
    *(*a)++ = now->has;
    *a = pf_code_varint(*a, pf_code_zigzag((int64_t)e->site - t->site));
    pf_code_step_site(&tracer.code, t, e->site);
    if (e->what) {
        *a = pf_code_varint(*a, pf_code_zigzag((int64_t)(e->what - s->addr)));
        pf_code_step_address(s, t, e->what);
        t->operand = e->what;
    }
    if (e->more)
        *a = pf_code_varint(*a, e->more);
    if (e->flags)
        *(*a)++ = e->flags;
    if (now->skip)
        *a = pf_code_varint(*a, now->skip);
    return PF_CODE_EVENT + e->kind;
}

void pf_trace_event(const struct pf_trace_record *e)
{
    if (!(e->attached && e->kind == PF_EV_ENDREGION))
        pf_missing_call_close();
    if (!prepare(LONG))
        return;
    struct pf_code_site *s = &tracer.code.site[e->site];
    /* Once for each site. A plain access writes the name again, with its kind and size. */
    if (__builtin_expect(!s->size && !s->named, 0)) {
        s->named = 1;
        pf_trace_name_site(e->site, PF_EV_KINDS, 0);
    }
    if (__builtin_expect(pf_closure_any, 0) && PF_CLOSURE_EVENT_KINDS >> e->kind & 1)
        pf_closure_on_event(e);
    struct pf_code_thread *t = tracer.now;
    uint64_t index = pf_context_events(pf_context_self());
    uint64_t skip = index - !e->attached - t->index;
    if (__builtin_expect(skip > UINT32_MAX, 0)) {
        put_skip(index + e->attached);
        skip = 0;
    }
    uint32_t nbytes = e->nbytes < PF_TRACE_RECORD_BYTES ? e->nbytes : PF_TRACE_RECORD_BYTES;
    unsigned has = (e->what ? PF_HAS_OPERAND : 0u) | (e->more ? PF_HAS_SECOND : 0u) |
                   (e->has_value ? PF_HAS_VALUE : 0u) | (e->has_old ? PF_HAS_OLD : 0u) |
                   (e->flags ? PF_HAS_FLAGS : 0u) | (nbytes ? PF_HAS_BYTES : 0u) |
                   (e->attached ? PF_HAS_NO_INDEX : 0u) | (skip ? PF_HAS_SKIP : 0u);
    struct pf_code_shape now = {.more = e->more,
                                .skip = (uint32_t)skip,
                                .kind = e->kind,
                                .has = (uint8_t)has,
                                .flags = e->flags};
    unsigned char *a = write_position(&tracer.addr), *a0 = a, *v = write_position(&tracer.value),
                  *v0 = v;
    *write_position(&tracer.head) = (unsigned char)(PF_CODE_OTHER | put_fields(e, &now, &a) << 2);
    uint64_t base = pf_code_base(&tracer.code, s, has, e->what);
    if (e->has_old) {
        v = pf_code_varint(v, pf_code_zigzag((int64_t)(e->old - base)));
        base = e->old;
    }
    if (e->has_value) {
        v = pf_code_varint(v, pf_code_zigzag((int64_t)(e->value - base)));
        pf_code_step_value(&tracer.code, s, t, has, e->what, e->more, e->value);
    }
    if (nbytes) {
        v = pf_code_varint(v, nbytes);
        v = put_bytes(v, e->bytes, nbytes);
    }
    t->index = index;
    publish(&tracer.addr, (size_t)(a - a0));
    publish(&tracer.value, (size_t)(v - v0));
    publish(&tracer.head, 1);
}
