/*
 * events.c - see events.h. The three columns (heads, addresses, values) are decompressed chunk by
 * chunk. Each column is followed by zeros, so that an event can be decoded without checking how
 * many bytes are left; whether it read too far is checked afterwards.
 */
#define _GNU_SOURCE
#include "events.h"
#include "allocation.h"
#include "names.h"
#include "vector.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MAX 256   /* no event takes this many bytes of a column */
#define SLACK EVENT_MAX /* zeros after a column */
#define THREADS (1u << 16)
#define ROOM 256 /* most events with bytes that one read returns */
#define SHORT_EVENTS 4096 /* the tables of a recording with fewer events are used again */
#define WORD (1u << 31) /* in pf_events.touched */

struct column {
    unsigned stream;
    unsigned char *bytes;
    const unsigned char *at, *end;
    const unsigned char *low; /* refill when `at` reaches it; highest address if there is no more */
    size_t size; /* of the buffer `bytes` */
    size_t chunk; /* index of the next chunk */
};

struct decoded_call {
    uint32_t thread, site;
    uint64_t callee;
};

struct pf_events {
    const struct pf_clip *clip;
    struct pf_names names;
    struct pf_code *code;
    size_t ncode;
    struct pf_code_thread *thread, *now;
    struct column head, addr, value;
    uint64_t count;
    bool cut;
    pf_status failed; /* the error after which nothing more can be read */
    struct pf_error why;
    PF_VEC(struct decoded_call) open; /* open calls of all threads */
    pf_vec_u32 touched; /* of a short recording: used entries of code->memory; WORD + i: of word */
    size_t nthreads; /* entries of `thread` */
    unsigned char room[ROOM + 1][PF_CODE_WIDE_MAX]; /* bytes of the events returned last */
};

/* The tables of the last short recording, all zero. Exploration reads thousands of short
 * recordings, and new pages for each of them would cost more than their events. */
static _Thread_local struct pf_code *spare;

static struct pf_code *take_code(void)
{
    struct pf_code *code = spare;
    spare = NULL;
    return code ? code : pf_names_table(NULL, 0, sizeof *code);
}

/* Notes which entries the events have used. */
static void note_touched(struct pf_events *r, const struct pf_record *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t at = out[i].what;
        uint32_t cell = (uint32_t)pf_code_cell(PF_CODE_MEMORY_BITS, at);
        pf_vec_push(&r->touched, cell);
        for (uint32_t k = 0; k < out[i].nbytes; k += 8) {
            cell = (uint32_t)pf_code_cell(PF_CODE_WORD_BITS, at + k);
            pf_vec_push(&r->touched, WORD | cell);
        }
    }
}

static void free_code(struct pf_events *r)
{
    struct pf_code *code = r->code;
    pf_names_table_free(code->site, r->ncode * sizeof *code->site);
    pf_names_table_free(code->shape, r->ncode * sizeof *code->shape);
    /* after an error or a cut, some entries may not be noted */
    if (spare || r->cut || r->failed != PF_OK || r->count > SHORT_EVENTS) {
        pf_names_table_free(code, sizeof *code);
        return;
    }
    code->site = NULL;
    code->shape = NULL;
    code->range = 0;
    for (size_t i = 0; i < r->touched.len; i++) {
        uint32_t at = r->touched.at[i];
        *(at & WORD ? &code->word[at & ~WORD] : &code->memory[at]) = (struct pf_code_memory){0};
    }
    spare = code;
}

/* Moves the remaining bytes to the start of the buffer and decompresses chunks until there are more
 * than `want` bytes, or no more chunks. */
static __attribute__((noinline)) pf_status refill(struct pf_events *r, struct column *c,
                                                  size_t want, struct pf_error *e)
{
    size_t left = (size_t)(c->end - c->at), n = left;
    size_t chunk = c->chunk, chunks = r->clip->stream[c->stream].chunks.len;
    const struct pf_clip_chunk *list = r->clip->stream[c->stream].chunks.at;
    while (chunk < chunks && n <= want)
        n += list[chunk++].raw;
    bool over = chunk == chunks;
    if (n == left) {
        c->low = (const unsigned char *)UINTPTR_MAX;
        return PF_OK;
    }
    if (n + SLACK > c->size) {
        unsigned char *more = pf_mem_resize(NULL, n + SLACK, 1);
        if (left)
            memcpy(more, c->at, left);
        free(c->bytes);
        c->bytes = more;
        c->size = n + SLACK;
    } else if (left)
        memmove(c->bytes, c->at, left);
    unsigned char *to = c->bytes + left;
    pf_status s = PF_OK;
    for (; s == PF_OK && c->chunk < chunk; to += list[c->chunk++].raw)
        s = pf_clip_unpack(r->clip, c->stream, c->chunk, to, e);
    memset(c->bytes + n, 0, SLACK);
    c->at = c->bytes;
    c->end = c->bytes + n;
    c->low = over ? (const unsigned char *)UINTPTR_MAX : c->end - (n < EVENT_MAX ? n : EVENT_MAX);
    return s;
}

pf_status pf_events_open(struct pf_events **out, const struct pf_clip *clip, struct pf_error *e)
{
    if (clip->stream[PF_STREAM_EVENT].chunks.len && clip->meta.traced != PF_CODE_VERSION)
        return pf_fail(e, PF_BAD,
                       "%s: trace format version %u, but this pf reads version %d: record again",
                       clip->path, clip->meta.traced, PF_CODE_VERSION);
    struct pf_events *r = pf_mem_zero(1, sizeof *r);
    r->code = take_code();
    r->clip = clip;
    r->head.stream = PF_STREAM_EVENT;
    r->addr.stream = PF_STREAM_ADDRESS;
    r->value.stream = PF_STREAM_VALUE;
    struct column names = {.stream = PF_STREAM_NAME}, *columns[] = {&r->head, &r->addr, &r->value};
    for (int i = 0; i < 3; i++) {
        columns[i]->bytes = pf_mem_zero(1, SLACK);
        columns[i]->size = SLACK;
        columns[i]->at = columns[i]->end = columns[i]->bytes;
    }
    pf_status s = refill(r, &names, SIZE_MAX, e);
    if (s == PF_OK)
        s = pf_names_read(&r->names, r->code, &r->ncode, names.at, (size_t)(names.end - names.at),
                          clip->path, e);
    free(names.bytes);
    if (s == PF_OK && !r->ncode)
        r->code->site = pf_names_table(NULL, 0, (r->ncode = 1) * sizeof *r->code->site);
    if (s == PF_OK) {
        r->code->shape = pf_names_table(NULL, 0, r->ncode * sizeof *r->code->shape);
        *out = r;
    } else {
        pf_events_free(r);
    }
    return s;
}

const struct pf_names *pf_events_names(const struct pf_events *r) { return &r->names; }
bool pf_events_cut(const struct pf_events *r) { return r->cut; }

void pf_events_free(struct pf_events *r)
{
    if (!r)
        return;
    pf_names_release(&r->names);
    free_code(r);
    free(r->thread);
    pf_vec_release(&r->open);
    pf_vec_release(&r->touched);
    free(r->head.bytes);
    free(r->addr.bytes);
    free(r->value.bytes);
    free(r);
}

/* --- decoding --- */

/* The state that changes with every event; kept in registers where possible. */
struct event_cursor {
    const unsigned char *h, *a, *v;
    struct pf_code_thread t;
    uint32_t thread;
    unsigned bytes; /* events of this read that have bytes */
    size_t n; /* events of this read so far */
};

/* The columns end within this event: the recording is valid up to the event before. */
static void stop_at_cut(struct pf_events *r)
{
    r->cut = true;
    r->head.at = r->head.end;
    r->head.chunk = r->clip->stream[PF_STREAM_EVENT].chunks.len;
}

static bool in_bounds(const struct pf_events *r, const unsigned char *a, const unsigned char *v)
{
    return a <= r->addr.end && v <= r->value.end;
}

/* Reports an invalid event. If the event read past the end of a column, the recording is cut
 * instead. Returns false. */
static bool bad_event(struct pf_events *r, struct event_cursor c, const char *what)
{
    if (in_bounds(r, c.a, c.v))
        r->failed = pf_fail(&r->why, PF_BAD, "%s: event %" PRIu64 ": %s", r->clip->path,
                            r->count + c.n + 1, what);
    else
        stop_at_cut(r);
    return false;
}

static bool unknown_site(struct pf_events *r, struct event_cursor c)
{
    if (r->clip->ended)
        return bad_event(r, c, "unknown site");
    stop_at_cut(r);
    return false;
}

static bool is_known(const struct pf_events *r, uint64_t site)
{
    return site < r->ncode && site < r->names.nsites && r->names.site[site].known;
}

static bool is_call(const struct pf_record *e) { return e->kind == PF_EV_CALL && !e->attached; }

/* Remembers an open call. */
static __attribute__((noinline)) bool begin_call(struct pf_events *r, const struct pf_record *e)
{
    pf_vec_push(&r->open, (struct decoded_call){e->thread, e->site, e->what});
    return true;
}

/* The RET of the thread's innermost open call. */
static bool take_return(struct pf_events *r, struct event_cursor *c, struct pf_record *out)
{
    size_t i = r->open.len;
    while (i > 0 && r->open.at[i - 1].thread != c->thread)
        i--;
    if (!i)
        return bad_event(r, *c, "return without an open call");
    struct decoded_call *over = &r->open.at[i - 1];
    *out = (struct pf_record){.kind = PF_EV_RET,
                              .attached = true,
                              .thread = c->thread,
                              .site = over->site,
                              .index = c->t.index,
                              .what = over->callee};
    memmove(over, over + 1, (r->open.len-- - i) * sizeof *over);
    return true;
}

/* A range that the preceding call reaches. Of size 0: a callback of the thread's innermost call
 * begins (1) or has ended (0). */
static bool take_range(struct pf_events *r, struct event_cursor *c, struct pf_record *out)
{
    if (!is_known(r, c->t.site))
        return unknown_site(r, *c);
    *out = (struct pf_record){.kind = PF_EV_CALL,
                              .attached = true,
                              .thread = c->thread,
                              .site = c->t.site,
                              .index = c->t.index};
    uint64_t from = pf_code_take_signed(&c->a);
    out->more = pf_code_take_varint(&c->a);
    out->what = out->more ? r->code->range + from : from;
    if (out->more)
        r->code->range = out->what + out->more;
    return true;
}

/* Values and bytes of an event in the long form. */
static inline bool take_contents(struct pf_events *r, struct event_cursor *c, unsigned has,
                                 struct pf_code_site *predictor, struct pf_record *out)
{
    uint64_t base = pf_code_base(r->code, predictor, has, out->what);
    if (has & PF_HAS_OLD)
        out->old = base += pf_code_take_signed(&c->v);
    if (has & PF_HAS_VALUE) {
        out->value = base + pf_code_take_signed(&c->v);
        pf_code_step_value(r->code, predictor, &c->t, has, out->what, out->more, out->value);
    }
    if (has & PF_HAS_BYTES) {
        uint64_t n = pf_code_take_varint(&c->v);
        if (n > PF_CODE_WIDE_MAX)
            return false;
        out->nbytes = (uint32_t)n;
        out->bytes = memcpy(r->room[c->bytes++], c->v, n);
        c->v += n;
    }
    return true;
}

static __attribute__((noinline)) bool take_long(struct pf_events *r, struct event_cursor *c,
                                                unsigned kind, struct pf_record *out)
{
    struct pf_code_thread *t = &c->t;
    unsigned has = *c->a++;
    uint64_t site = t->site + pf_code_take_signed(&c->a);
    if (!is_known(r, site))
        return unknown_site(r, *c);
    struct pf_code_site *predictor = &r->code->site[site];
    struct pf_code_shape *shape = &r->code->shape[site];
    pf_code_step_site(r->code, t, (uint32_t)site);
    *out = (struct pf_record){.kind = (uint8_t)kind,
                              .thread = c->thread,
                              .site = (uint32_t)site,
                              .attached = has & PF_HAS_NO_INDEX,
                              .has_value = has & PF_HAS_VALUE,
                              .has_old = has & PF_HAS_OLD};
    if (has & PF_HAS_OPERAND) {
        out->what = predictor->addr + pf_code_take_signed(&c->a);
        pf_code_step_address(predictor, t, out->what);
        t->operand = out->what;
    }
    if (has & PF_HAS_SECOND)
        out->more = pf_code_take_varint(&c->a);
    if (has & PF_HAS_FLAGS)
        out->flags = *c->a++;
    uint64_t skip = has & PF_HAS_SKIP ? pf_code_take_varint(&c->a) : 0;
    if (skip > UINT32_MAX)
        return bad_event(r, *c, "skips too many events");
    *shape = (struct pf_code_shape){out->more,    (uint32_t)skip, (uint8_t)kind,
                                    (uint8_t)has, out->flags,     0};
    out->index = t->index += skip + !out->attached;
    if (!take_contents(r, c, has, predictor, out))
        return bad_event(r, *c, "too many bytes");
    return !is_call(out) || begin_call(r, out);
}

/* Decodes a site and updates the prediction. Without a branch between the first two codes, because
 * the processor cannot predict which one it is. */
static inline bool take_site(struct pf_events *r, struct event_cursor *c, unsigned code,
                             uint64_t *site)
{
    struct pf_code_site *before = &r->code->site[c->t.site];
    uint64_t number = before->next[code & 1];
    uint32_t other = before->next[~code & 1];
    if (__builtin_expect(code == PF_CODE_SITE, 0)) {
        number = c->t.site + pf_code_take_signed(&c->a);
        other = before->next[number == before->next[0]];
    }
    if (__builtin_expect(number >= r->ncode, 0))
        return false;
    before->next[0] = (uint32_t)number;
    before->next[1] = other;
    c->t.site = (uint32_t)number;
    *site = number;
    return true;
}

/* A call like the last one at its site, the RET of one, or a range that it reaches. */
static bool take_call(struct pf_events *r, struct event_cursor *c, unsigned what,
                      struct pf_record *out)
{
    uint64_t site;
    if (what == PF_CODE_RETURN)
        return take_return(r, c, out);
    if (what == PF_CODE_RANGE)
        return take_range(r, c, out);
    if (what > PF_CODE_RANGE)
        return bad_event(r, *c, "unknown kind");
    if (!take_site(r, c, (what - PF_CODE_CALL) / 4, &site) ||
        !pf_code_is_call(&r->code->shape[site]))
        return unknown_site(r, *c);
    const struct pf_code_site *predictor = &r->code->site[site];
    *out = (struct pf_record){.kind = PF_EV_CALL,
                              .thread = c->thread,
                              .site = (uint32_t)site,
                              .has_value = true,
                              .what = predictor->addr,
                              .value = predictor->value};
    out->index = c->t.index += r->code->shape[site].skip + 1;
    return begin_call(r, out);
}

static inline bool take_repeat(struct pf_events *r, struct event_cursor *c, unsigned what,
                               struct pf_record *out)
{
    struct pf_code_thread *t = &c->t;
    uint64_t site;
    if (!take_site(r, c, what % 4, &site) || !(r->code->shape[site].has & PF_HAS_OPERAND) ||
        r->code->shape[site].has & PF_HAS_BYTES)
        return unknown_site(r, *c);
    struct pf_code_site *predictor = &r->code->site[site];
    const struct pf_code_shape *shape = &r->code->shape[site];
    unsigned has = shape->has;
    *out = (struct pf_record){.kind = shape->kind,
                              .flags = shape->flags,
                              .thread = c->thread,
                              .site = (uint32_t)site,
                              .more = shape->more,
                              .attached = has & PF_HAS_NO_INDEX,
                              .has_value = has & PF_HAS_VALUE,
                              .has_old = has & PF_HAS_OLD};
    out->what =
        pf_code_take_address(predictor, t, what / 4 % 8, t->operand - predictor->addr, &c->a);
    t->operand = out->what;
    out->index = t->index += shape->skip + !out->attached;
    return take_contents(r, c, has, predictor, out) &&
           (__builtin_expect(!is_call(out), 1) || begin_call(r, out));
}

/* A change of the running thread, or operations without a record. */
static bool take_other(struct pf_events *r, struct event_cursor *c, unsigned what)
{
    uint64_t n = pf_code_take_varint(&c->a);
    if (what == PF_CODE_INDEX) {
        c->t.index += (uint64_t)pf_code_unzigzag(n);
        return true;
    }
    if (n >= THREADS)
        return bad_event(r, *c, "thread number out of range");
    if (r->now)
        *r->now = c->t;
    if (n >= r->nthreads) {
        size_t more = 2 * n + 8;
        r->thread = pf_mem_resize(r->thread, more, sizeof *r->thread);
        memset(r->thread + r->nthreads, 0, (more - r->nthreads) * sizeof *r->thread);
        r->nthreads = more;
    }
    r->now = &r->thread[n];
    c->t = *r->now;
    c->thread = (uint32_t)n;
    return true;
}

/* All records that are neither in the short form nor repeats. */
static __attribute__((noinline)) bool take_rest(struct pf_events *r, struct event_cursor *c,
                                                unsigned what, struct pf_record *out)
{
    if (what < PF_CODE_EVENT)
        return take_other(r, c, what);
    if (!r->now)
        return bad_event(r, *c, "event without a thread");
    if (what >= PF_CODE_REPEAT)
        return take_call(r, c, what, out);
    if (what >= PF_CODE_EVENT + PF_EV_KINDS)
        return bad_event(r, *c, "unknown kind");
    return take_long(r, c, what - PF_CODE_EVENT, out);
}

static inline bool take_short(struct pf_events *r, struct event_cursor *c, unsigned head,
                              struct pf_record *o)
{
    uint64_t number;
    if (__builtin_expect(!take_site(r, c, head & 3, &number), 0))
        return unknown_site(r, *c);
    struct pf_code_site *s = &r->code->site[number];
    if (__builtin_expect(!s->size, 0))
        return unknown_site(r, *c);
    o->kind = s->kind;
    o->flags = 0;
    o->attached = o->has_old = false;
    o->thread = c->thread;
    o->site = (uint32_t)number;
    o->index = ++c->t.index;
    o->more = s->size;
    o->old = 0;
    if (__builtin_expect(s->size > 8, 0)) {
        unsigned char *bytes = r->room[c->bytes++];
        o->has_value = false;
        o->value = 0;
        o->bytes = bytes;
        o->nbytes = s->size;
        pf_code_take_wide(s, r->code, &c->t, head, &o->what, bytes, &c->a, &c->v);
    } else {
        o->has_value = true;
        o->bytes = NULL;
        o->nbytes = 0;
        pf_code_take(s, r->code, &c->t, head, &o->what, &o->value, &c->a, &c->v);
    }
    return true;
}

/* An event that starts before this address either ends within the column or is the first one that
 * does not. */
static const unsigned char *whole(const struct column *c)
{
    return c->low < c->end ? c->low : c->end + 1;
}

/* Decodes as many events as the columns hold. With as few branches as possible, because heads are
 * not predictable. */
static size_t take(struct pf_events *r, struct pf_record *out, size_t max)
{
    struct event_cursor c = {.h = r->head.at, .a = r->addr.at, .v = r->value.at};
    const unsigned char *hend = r->head.end, *alow = whole(&r->addr), *vlow = whole(&r->value);
    size_t before = 0;
    if (r->now) {
        c.t = *r->now;
        c.thread = (uint32_t)(r->now - r->thread);
    }
    while (c.n < max && c.h < hend && c.a < alow && c.v < vlow && c.bytes < ROOM) {
        unsigned head = *c.h++, what = head >> 2;
        bool ok;
        before = c.n;
        if (__builtin_expect((head & 3) != PF_CODE_OTHER && r->now, 1)) {
            ok = take_short(r, &c, head, &out[c.n]);
            c.n++;
        } else if ((head & 3) == PF_CODE_OTHER && what >= PF_CODE_REPEAT &&
                   what % 4 != PF_CODE_OTHER && r->now) {
            ok = take_repeat(r, &c, what, &out[c.n]);
            c.n++;
        } else { /* a copy, so that `c` itself can stay in registers */
            struct event_cursor slow = c;
            ok = take_rest(r, &slow, (head & 3) == PF_CODE_OTHER ? what : PF_CODE_EVENT, &out[c.n]);
            c = slow;
            c.n += what >= PF_CODE_EVENT;
        }
        if (__builtin_expect(!ok, 0)) {
            r->count += before;
            return before;
        }
    }
    if (r->now)
        *r->now = c.t;
    if (!in_bounds(r, c.a, c.v)) { /* only the last record can have read too far */
        stop_at_cut(r);
        c.n = before;
    } else {
        r->head.at = c.h;
        r->addr.at = c.a;
        r->value.at = c.v;
    }
    r->count += c.n;
    return c.n;
}

size_t pf_events_read(struct pf_events *r, struct pf_record *out, size_t max, pf_status *s,
                      struct pf_error *e)
{
    size_t n = 0;
    *s = PF_OK;
    while (n == 0 && max && r->failed == PF_OK) {
        if (r->head.at == r->head.end && (*s = refill(r, &r->head, 1, e)) != PF_OK)
            return 0;
        if (r->addr.at >= r->addr.low && (*s = refill(r, &r->addr, EVENT_MAX, e)) != PF_OK)
            return 0;
        if (r->value.at >= r->value.low && (*s = refill(r, &r->value, EVENT_MAX, e)) != PF_OK)
            return 0;
        if (r->head.at == r->head.end)
            return 0;
        n = take(r, out, max);
    }
    if (r->count <= SHORT_EVENTS)
        note_touched(r, out, n);
    if (n == 0 && r->failed != PF_OK) { /* the valid events were returned before the error */
        *s = r->failed;
        *e = r->why;
    }
    return n;
}

bool pf_events_next(struct pf_events *r, struct pf_record *out, pf_status *s, struct pf_error *e)
{
    return pf_events_read(r, out, 1, s, e) == 1;
}
