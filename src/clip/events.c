/*
 * events.c - see events.h. Three columns are unpacked chunk by chunk, side by side; behind the bytes of
 * each stand zeros, so that a short event can be decoded without asking how many bytes are left, and
 * is looked at afterwards.
 */
#define _GNU_SOURCE
#include "events.h"
#include "names.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 32     /* zeros behind a column; more than the short form takes */
#define LONGEST 2048 /* bytes of a column that one event of the long form may take */
#define THREADS (1u << 16)

struct column {
    unsigned stream;
    unsigned char *bytes;
    const unsigned char *at, *end;
    const unsigned char *low; /* beyond it more is wanted; nowhere when there is no more */
    size_t size;  /* of bytes */
    size_t chunk; /* the next one */
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
};

/* Makes room behind what is left and unpacks chunks until there are more than `want` bytes, or no more. */
static __attribute__((noinline)) pf_status refill(struct pf_events *r, struct column *c,
                                                  size_t want, struct pf_error *e)
{
    size_t left = (size_t)(c->end - c->at), n = left;
    size_t chunk = c->chunk, chunks = r->clip->stream[c->stream].n;
    const struct pf_clip_chunk *list = r->clip->stream[c->stream].chunk;
    while (chunk < chunks && n <= want)
        n += list[chunk++].raw;
    bool over = chunk == chunks;
    if (n == left) {
        c->low = (const unsigned char *)UINTPTR_MAX;
        return PF_OK;
    }
    if (n + SLACK > c->size) {
        unsigned char *more = malloc(n + SLACK);
        if (!more)
            return pf_fail(e, PF_NOMEM, "%s: out of memory", r->clip->path);
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
    c->low = over ? (const unsigned char *)UINTPTR_MAX : c->end - (n < LONGEST ? n : LONGEST);
    return s;
}

pf_status pf_events_open(struct pf_events **out, const struct pf_clip *clip, struct pf_error *e)
{
    struct pf_events *r = calloc(1, sizeof *r);
    if (r) {
        r->code = calloc(1, sizeof *r->code);
        r->thread = calloc(THREADS, sizeof *r->thread);
    }
    if (!r || !r->code || !r->thread) {
        pf_events_free(r);
        return pf_fail(e, PF_NOMEM, "%s: out of memory", clip->path);
    }
    r->clip = clip;
    r->head.stream = PF_STREAM_EVENT;
    r->addr.stream = PF_STREAM_ADDRESS;
    r->value.stream = PF_STREAM_VALUE;
    struct column names = {.stream = PF_STREAM_NAME}, *columns[] = {&r->head, &r->addr, &r->value};
    for (int i = 0; i < 3; i++) {
        if (!(columns[i]->bytes = calloc(1, SLACK))) {
            pf_events_free(r);
            return pf_fail(e, PF_NOMEM, "%s: out of memory", clip->path);
        }
        columns[i]->size = SLACK;
        columns[i]->at = columns[i]->end = columns[i]->bytes;
    }
    pf_status s = refill(r, &names, SIZE_MAX, e);
    if (s == PF_OK)
        s = pf_names_read(&r->names, r->code, &r->ncode, names.at, (size_t)(names.end - names.at),
                          clip->path, e);
    free(names.bytes);
    if (s == PF_OK && !r->ncode && !(r->code->site = calloc(r->ncode = 1, sizeof *r->code->site)))
        s = pf_fail(e, PF_NOMEM, "%s: out of memory", clip->path);
    if (s == PF_OK)
        *out = r;
    else
        pf_events_free(r);
    return s;
}

const struct pf_names *pf_events_names(const struct pf_events *r) { return &r->names; }
bool pf_events_cut(const struct pf_events *r) { return r->cut; }

void pf_events_free(struct pf_events *r)
{
    if (!r)
        return;
    pf_names_release(&r->names);
    if (r->code)
        free(r->code->site);
    free(r->code);
    free(r->thread);
    free(r->head.bytes);
    free(r->addr.bytes);
    free(r->value.bytes);
    free(r);
}

static bool nonsense(struct pf_events *r, const char *what, pf_status *s, struct pf_error *e)
{
    *s = pf_fail(e, PF_BAD, "%s: event %" PRIu64 ": %s", r->clip->path, r->count + 1, what);
    return false;
}

/* More bytes than the column has are zeros; who took them finds out by `at`. */
static uint64_t varint(struct column *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned char b = c->at < c->end + SLACK ? *c->at : 0;
        c->at++;
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            break;
    }
    return v;
}

/* The columns hold less than the event needs: good up to the event before. */
static bool stop(struct pf_events *r)
{
    r->cut = true;
    r->head.at = r->head.end;
    r->head.chunk = r->clip->stream[PF_STREAM_EVENT].n;
    return false;
}

static inline bool in_bounds(const struct pf_events *r)
{
    return r->addr.at <= r->addr.end && r->value.at <= r->value.end;
}

static bool know_site(struct pf_events *r, uint64_t site)
{
    return site < r->names.nsites && r->names.site[site].known;
}

static bool take_long(struct pf_events *r, unsigned kind, struct pf_record *out, pf_status *s,
                      struct pf_error *e)
{
    struct pf_code_thread *t = r->now;
    unsigned char has = *r->addr.at++;
    uint64_t site = (uint64_t)(t->site + pf_code_unzigzag(varint(&r->addr)));
    if (!in_bounds(r) || !know_site(r, site))
        return in_bounds(r) && r->clip->ended ? nonsense(r, "its site is not known", s, e)
                                              : stop(r);
    struct pf_code_site *books = &r->code->site[site];
    pf_code_take_site(r->code, t, (uint32_t)site);
    *out = (struct pf_record){.kind = (uint8_t)kind,
                              .thread = (uint32_t)(t - r->thread),
                              .site = (uint32_t)site,
                              .attached = has & PF_HAS_NO_INDEX,
                              .has_value = has & PF_HAS_VALUE,
                              .has_old = has & PF_HAS_OLD};
    if (has & PF_HAS_OPERAND)
        books->addr = out->what = books->addr + (uint64_t)pf_code_unzigzag(varint(&r->addr));
    if (has & PF_HAS_SECOND)
        out->more = varint(&r->addr);
    if (has & PF_HAS_FLAGS)
        out->flags = *r->addr.at++;
    if (has & PF_HAS_VALUE)
        out->value = varint(&r->value);
    if (has & PF_HAS_OLD)
        out->old = varint(&r->value);
    if (has & PF_HAS_BYTES) {
        uint64_t n = varint(&r->value);
        if (n > 1024)
            return nonsense(r, "it has more bytes than an event can have", s, e);
        out->nbytes = (uint32_t)n;
        out->bytes = r->value.at;
        r->value.at += n;
    }
    if (!in_bounds(r))
        return stop(r);
    out->index = t->index += !out->attached;
    return true;
}

static bool take_other(struct pf_events *r, unsigned what, pf_status *s, struct pf_error *e)
{
    uint64_t n = varint(&r->addr);
    if (!in_bounds(r))
        return stop(r);
    if (what == PF_CODE_THREAD && n >= THREADS)
        return nonsense(r, "its thread has no number", s, e);
    if (what == PF_CODE_THREAD)
        r->now = &r->thread[n];
    else if (r->now)
        r->now->index = n;
    return true;
}

bool pf_events_next(struct pf_events *r, struct pf_record *out, pf_status *s, struct pf_error *e)
{
    *s = PF_OK;
    for (;;) {
        if (__builtin_expect(r->head.at == r->head.end, 0) &&
            (*s = refill(r, &r->head, 1, e)) != PF_OK)
            return false;
        if (__builtin_expect(r->addr.at >= r->addr.low, 0) &&
            (*s = refill(r, &r->addr, LONGEST, e)) != PF_OK)
            return false;
        if (__builtin_expect(r->value.at >= r->value.low, 0) &&
            (*s = refill(r, &r->value, LONGEST, e)) != PF_OK)
            return false;
        if (r->head.at == r->head.end)
            return false;
        unsigned head = *r->head.at++, code = head & 3;
        struct pf_code_thread *t = r->now;
        if (__builtin_expect(code == PF_CODE_OTHER, 0)) {
            unsigned what = head >> 2;
            if (what < PF_CODE_EVENT) {
                if (!take_other(r, what, s, e))
                    return false;
                continue;
            }
            if (!t || what >= PF_CODE_EVENT + PF_EV_KINDS)
                return nonsense(r, t ? "unknown kind" : "no thread made it", s, e);
            bool ok = take_long(r, what - PF_CODE_EVENT, out, s, e);
            r->count += ok;
            return ok;
        }
        if (!t)
            return nonsense(r, "no thread made it", s, e);
        uint64_t site = code == PF_CODE_SITE
                            ? (uint64_t)(t->site + pf_code_unzigzag(varint(&r->addr)))
                            : r->code->site[t->site].next[code];
        if (__builtin_expect(site >= r->ncode || !r->code->site[site].size, 0))
            return r->clip->ended ? nonsense(r, "its site is not known", s, e) : stop(r);
        pf_code_take_site(r->code, t, (uint32_t)site);
        *out = (struct pf_record){.kind = r->code->site[site].kind,
                                  .has_value = true,
                                  .thread = (uint32_t)(t - r->thread),
                                  .site = (uint32_t)site,
                                  .more = r->code->site[site].size};
        pf_code_take(&r->code->site[site], r->code->memory, &t->pointer, head, &out->what,
                     &out->value, &r->addr.at, &r->value.at);
        out->index = ++t->index;
        if (__builtin_expect(!in_bounds(r), 0))
            return stop(r);
        r->count++;
        return true;
    }
}

/* An event that begins before this ends in the column, or is the first that does not. */
static const unsigned char *whole(const struct column *c)
{
    return c->low < c->end ? c->low : c->end + 1;
}

/* The short form again, with everything that changes in registers: reading is mostly this. */
static size_t take_short(struct pf_events *r, struct pf_record *out, size_t max)
{
    struct pf_code_thread t = *r->now;
    const unsigned char *h = r->head.at, *a = r->addr.at, *v = r->value.at;
    const unsigned char *alow = whole(&r->addr), *vlow = whole(&r->value);
    struct pf_code_site *site = r->code->site, *before = &site[t.site];
    struct pf_code_memory *memory = r->code->memory;
    uint32_t thread = (uint32_t)(r->now - r->thread);
    if (max > (size_t)(r->head.end - h))
        max = (size_t)(r->head.end - h);
    size_t n = 0;
    for (; n < max && a < alow && v < vlow; n++) {
        unsigned head = h[n], how = head & 3;
        if (how > PF_CODE_NEXT2) /* the site is spelled out, or no access */
            break;
        uint32_t number = before->next[how], other = before->next[how ^ 1];
        struct pf_code_site *s = &site[number];
        if (!s->size)
            break;
        before->next[0] = number;
        before->next[1] = other;
        before = s;
        struct pf_record *o = &out[n];
        o->kind = s->kind;
        o->flags = 0;
        o->attached = o->has_old = false;
        o->has_value = true;
        o->thread = thread;
        o->site = number;
        o->index = t.index + n + 1;
        o->more = s->size;
        o->old = 0;
        o->bytes = NULL;
        o->nbytes = 0;
        pf_code_take(s, memory, &t.pointer, head, &o->what, &o->value, &a, &v);
    }
    t.site = (uint32_t)(before - site);
    t.index += n;
    *r->now = t;
    r->head.at = h + n;
    r->addr.at = a;
    r->value.at = v;
    if (n && !in_bounds(r)) { /* only the last can have gone too far */
        n--;
        stop(r);
    }
    r->count += n;
    return n;
}

size_t pf_events_read(struct pf_events *r, struct pf_record *out, size_t max, pf_status *s,
                      struct pf_error *e)
{
    size_t n = 0;
    *s = PF_OK;
    while (n < max) {
        if (r->now)
            n += take_short(r, &out[n], max - n);
        if (n == max || !pf_events_next(r, &out[n], s, e))
            break;
        if (out[n++].nbytes) /* its bytes are good until the next one only */
            break;
    }
    return n;
}
