/*
 * schedule_stream.c - see schedule_stream.h.
 */
#include "schedule_stream.h"
#include "spin_yield.h"
#include "stream_ring.h"

#define MORE 128u

static uint8_t *varint_put(uint8_t *at, uint64_t v)
{
    while (v >= MORE) {
        *at++ = (uint8_t)(v | MORE);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

/* The unread bytes of the stream, and the position in them. */
struct unread {
    const uint8_t *bytes;
    size_t n, at;
};

static bool varint_get(struct unread *r, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->n; shift += 7) {
        uint8_t b = r->bytes[r->at++];
        *v |= (uint64_t)(b & (MORE - 1)) << shift;
        if (!(b & MORE))
            return true;
    }
    return false;
}

static bool is_segment(uint8_t end) { return end <= PF_END_FINAL; }
static bool has_thread(uint8_t end) { return end != PF_END_TIME && end != PF_END_STUCK; }

void pf_schedule_put(const struct pf_segment *s)
{
    uint8_t bytes[24], *at = varint_put(bytes, s->n << 3 | s->end);
    if (has_thread(s->end))
        at = varint_put(at, s->thread);
    if (is_segment(s->end))
        *at++ = s->hash;
    pf_ring_put(PF_STREAM_SCHEDULE, bytes, (size_t)(at - bytes));
}

bool pf_schedule_get(struct pf_segment *s)
{
    uint64_t v, thread = 0;
    struct unread r = {0};
    r.bytes = pf_ring_remaining(PF_STREAM_SCHEDULE, &r.n);
    if (!r.bytes || !varint_get(&r, &v))
        return false;
    *s = (struct pf_segment){.n = v >> 3, .end = v & 7};
    if (has_thread(s->end) && !varint_get(&r, &thread))
        return false;
    s->thread = (uint32_t)thread;
    if (is_segment(s->end)) {
        if (r.at == r.n)
            return false;
        s->hash = r.bytes[r.at++];
    }
    pf_ring_skip(PF_STREAM_SCHEDULE, r.at);
    return true;
}

void pf_schedule_put_spin(const struct pf_spin_record *s)
{
    struct pf_segment mark = {.end = PF_END_STUCK, .n = PF_STUCK_SPIN};
    if (pf_direct.mode != PF_DIRECT_RECORD)
        return;
    pf_schedule_put(&mark);
    pf_ring_put(PF_STREAM_SCHEDULE, s, sizeof *s);
}

bool pf_schedule_get_spin(struct pf_spin_record *s)
{
    const void *bytes = pf_ring_get(PF_STREAM_SCHEDULE, sizeof *s);
    if (bytes)
        __builtin_memcpy(s, bytes, sizeof *s);
    return bytes != NULL;
}
