/* run_output.c - see run_output.h. */
#define _GNU_SOURCE
#include "run_output.h"
#include "output_record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pf_output_stream *stream_of(struct pf_run_output *o, int fd)
{
    size_t i = 0;
    while (i < o->streams.len && o->streams.at[i].fd < fd)
        i++;
    if (i < o->streams.len && o->streams.at[i].fd == fd)
        return &o->streams.at[i];
    pf_vec_push(&o->streams, (struct pf_output_stream){0});
    memmove(&o->streams.at[i + 1], &o->streams.at[i],
            (o->streams.len - 1 - i) * sizeof *o->streams.at);
    o->streams.at[i] = (struct pf_output_stream){.fd = fd, .kept = true};
    return &o->streams.at[i];
}

static int by_position(const void *a, const void *b)
{
    const struct pf_output_part *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->written > y->written) - (x->written < y->written);
}

static int by_time(const void *a, const void *b)
{
    const struct pf_output_part *x = a, *y = b;
    return (x->written > y->written) - (x->written < y->written);
}

/* Sorts the parts by position and joins those in a row. If parts overlap, the order in which they
 * were written matters, and is kept. */
static void order_parts(struct pf_output_stream *k)
{
    size_t n = 0;
    bool overlap = false;
    if (!k->parts.len)
        return;
    qsort(k->parts.at, k->parts.len, sizeof *k->parts.at, by_position);
    for (size_t i = 1; i < k->parts.len; i++)
        overlap |= k->parts.at[i - 1].at + k->parts.at[i - 1].length > k->parts.at[i].at;
    if (overlap) {
        qsort(k->parts.at, k->parts.len, sizeof *k->parts.at, by_time);
        return;
    }
    for (size_t i = 1; i < k->parts.len; i++) {
        struct pf_output_part *last = &k->parts.at[n], *p = &k->parts.at[i];
        if (last->at + last->length == p->at) {
            last->hash = pf_output_hash_join(last->hash, p->hash, p->length);
            last->length += p->length;
        } else {
            k->parts.at[++n] = *p;
        }
    }
    k->parts.len = n + 1;
}

static void add_piece(struct pf_output_stream *k, const struct pf_output_record *r,
                      const unsigned char *kept)
{
    uint64_t hash = pf_output_hash_join(k->hash, r->hash, r->length);
    pf_vec_push(&k->pieces, (struct pf_output_piece){k->length, hash, k->written, r->context});
    k->kept &= r->kept == r->length;
    for (uint32_t i = 0; k->kept && i < r->kept; i++)
        pf_vec_push(&k->bytes, (char)kept[i]);
    k->length += r->length;
    k->hash = hash;
}

pf_status pf_run_output_read(struct pf_run_output *o, const struct pf_clip *clip,
                             struct pf_error *e)
{
    unsigned char *bytes = NULL;
    const unsigned char *kept;
    size_t n = 0, at = 0;
    struct pf_output_record r;
    int64_t position;
    bool internal;
    *o = (struct pf_run_output){0};
    pf_status s = pf_clip_stream(clip, PF_STREAM_OUTPUT, &bytes, &n, e);
    while (s == PF_OK && pf_output_record_next(bytes, n, &at, &r, &internal, &position, &kept)) {
        if (internal) /* the program writes to itself */
            continue;
        struct pf_output_stream *k = stream_of(o, r.fd);
        if (position < 0)
            add_piece(k, &r, kept);
        else
            pf_vec_push(&k->parts, (struct pf_output_part){(uint64_t)position, r.length, r.hash,
                                                           k->written, r.context});
        k->written += r.length;
    }
    for (size_t i = 0; i < o->streams.len; i++)
        order_parts(&o->streams.at[i]);
    free(bytes);
    return s;
}

static void release_stream(struct pf_output_stream *k)
{
    pf_vec_release(&k->bytes);
    pf_vec_release(&k->removed);
    pf_vec_release(&k->pieces);
    pf_vec_release(&k->parts);
}

void pf_run_output_release(struct pf_run_output *o)
{
    for (size_t i = 0; i < o->streams.len; i++)
        release_stream(&o->streams.at[i]);
    pf_vec_release(&o->streams);
}

/* --- comparison --- */

/* The first part that differs; the number of parts if none does. */
static size_t differing_part(const struct pf_output_stream *a, const struct pf_output_stream *b)
{
    size_t i = 0;
    while (i < a->parts.len && i < b->parts.len && a->parts.at[i].at == b->parts.at[i].at &&
           a->parts.at[i].length == b->parts.at[i].length &&
           a->parts.at[i].hash == b->parts.at[i].hash)
        i++;
    return i;
}

bool pf_output_stream_same(const struct pf_output_stream *a, const struct pf_output_stream *b)
{
    if (a->fd != b->fd || a->length != b->length || a->parts.len != b->parts.len ||
        differing_part(a, b) < a->parts.len)
        return false;
    if (a->kept && b->kept)
        return !a->length || !memcmp(a->bytes.at, b->bytes.at, a->length);
    return a->hash == b->hash;
}

static const struct pf_output_stream *find_stream(const struct pf_run_output *o, int fd)
{
    for (size_t i = 0; i < o->streams.len; i++)
        if (o->streams.at[i].fd == fd)
            return &o->streams.at[i];
    return NULL;
}

uint64_t pf_run_output_differing(const struct pf_run_output *a, const struct pf_run_output *b,
                                 uint64_t *all)
{
    uint64_t differing = 0;
    *all = 0;
    for (int fd = 0; fd < 64; fd++) {
        const struct pf_output_stream *x = find_stream(a, fd), *y = find_stream(b, fd);
        if (!x && !y)
            continue;
        *all |= 1ull << fd;
        if (!x || !y || !pf_output_stream_same(x, y))
            differing |= 1ull << fd;
    }
    return differing;
}

void pf_run_output_drop(struct pf_run_output *o, uint64_t bits)
{
    size_t kept = 0;
    for (size_t i = 0; i < o->streams.len; i++) {
        struct pf_output_stream *k = &o->streams.at[i];
        if (k->fd >= 0 && k->fd < 64 && bits >> k->fd & 1) {
            release_stream(k);
        } else {
            o->streams.at[kept++] = *k;
        }
    }
    o->streams.len = kept;
}

bool pf_run_output_same(const struct pf_run_output *a, const struct pf_run_output *b)
{
    bool same = a->streams.len == b->streams.len;
    for (size_t i = 0; same && i < a->streams.len; i++)
        same = pf_output_stream_same(&a->streams.at[i], &b->streams.at[i]);
    return same;
}

struct output_line {
    const char *at;
    size_t n;
};
typedef PF_VEC(struct output_line) line_list;

static int by_line(const void *a, const void *b)
{
    const struct output_line *x = a, *y = b;
    int order = memcmp(x->at, y->at, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

static void split_lines(const struct pf_output_stream *s, line_list *out)
{
    for (size_t at = 0; at < s->bytes.len;) {
        const char *end = memchr(s->bytes.at + at, '\n', s->bytes.len - at);
        size_t n = end ? (size_t)(end - s->bytes.at) + 1 - at : s->bytes.len - at;
        pf_vec_push(out, (struct output_line){s->bytes.at + at, n});
        at += n;
    }
    if (out->len)
        qsort(out->at, out->len, sizeof *out->at, by_line);
}

static bool permuted_stream(const struct pf_output_stream *a, const struct pf_output_stream *b)
{
    line_list x = {0}, y = {0};
    if (pf_output_stream_same(a, b))
        return true;
    if (a->fd != b->fd || a->length != b->length || !a->kept || !b->kept || a->parts.len ||
        b->parts.len)
        return false;
    split_lines(a, &x);
    split_lines(b, &y);
    bool same = x.len == y.len;
    for (size_t i = 0; same && i < x.len; i++)
        same = !by_line(&x.at[i], &y.at[i]);
    pf_vec_release(&x);
    pf_vec_release(&y);
    return same;
}

bool pf_run_output_permuted(const struct pf_run_output *a, const struct pf_run_output *b)
{
    bool same = a->streams.len == b->streams.len;
    for (size_t i = 0; same && i < a->streams.len; i++)
        same = permuted_stream(&a->streams.at[i], &b->streams.at[i]);
    return same;
}

/* --- the first difference --- */

/* The offset in what the program has written. */
static uint64_t written_offset(const struct pf_output_stream *s, uint64_t at)
{
    uint64_t more = 0;
    for (size_t i = 0; s && i < s->removed.len && s->removed.at[i].at < at; i++)
        more += s->removed.at[i].n;
    return at + more;
}

/* Sets who wrote the byte at this offset of the stream, and how many bytes came before. */
static void find_writer(const struct pf_output_stream *s, uint64_t at, uint32_t *thread,
                        uint64_t *written)
{
    bool within = s && at < s->length;
    at = written_offset(s, at);
    *thread = PF_NO_THREAD;
    *written = at;
    for (size_t i = 0; within && i < s->pieces.len && s->pieces.at[i].at <= at; i++) {
        *thread = s->pieces.at[i].thread;
        *written = s->pieces.at[i].written + at - s->pieces.at[i].at;
    }
}

static void line_at(const struct pf_output_stream *s, uint64_t at, char *to, size_t room)
{
    *to = 0;
    if (!s || at >= s->length || !s->kept)
        return;
    size_t from = at, end = at;
    while (from && s->bytes.at[from - 1] != '\n' && at - from < room / 2)
        from--;
    while (end < s->bytes.len && s->bytes.at[end] != '\n' && end - from < room - 1)
        end++;
    for (size_t i = from; i < end; i++)
        *to++ = s->bytes.at[i] >= ' ' && s->bytes.at[i] != 127 ? s->bytes.at[i] : '?';
    *to = 0;
}

/* The largest offset at which a piece of each stream ends and up to which both are equal. */
static uint64_t common_pieces(const struct pf_output_stream *x, const struct pf_output_stream *y)
{
    uint64_t at = 0;
    for (size_t i = 0, k = 0; i < x->pieces.len && k < y->pieces.len;) {
        uint64_t p = i + 1 < x->pieces.len ? x->pieces.at[i + 1].at : x->length;
        uint64_t q = k + 1 < y->pieces.len ? y->pieces.at[k + 1].at : y->length;
        if (p == q && x->pieces.at[i].hash != y->pieces.at[k].hash)
            break;
        if (p == q)
            at = p;
        i += p <= q;
        k += q <= p;
    }
    return at;
}

/* For streams that are equal except for the bytes that pwrite has written. */
static void describe_parts(const struct pf_output_stream *x, const struct pf_output_stream *y,
                           struct pf_output_difference *d)
{
    const struct pf_output_stream *both[2] = {x, y};
    size_t i = differing_part(x, y);
    d->kept = false;
    d->at = UINT64_MAX;
    for (unsigned k = 0; k < 2; k++) {
        const struct pf_output_part *p = i < both[k]->parts.len ? &both[k]->parts.at[i] : NULL;
        d->thread[k] = p ? p->thread : PF_NO_THREAD;
        d->written[k] = p ? p->written : both[k]->written;
        if (p && p->at < d->at)
            d->at = p->at;
    }
}

static void describe_difference(const struct pf_output_stream *x, const struct pf_output_stream *y,
                                struct pf_output_difference *d)
{
    uint64_t n = x && y ? (x->length < y->length ? x->length : y->length) : 0;
    *d = (struct pf_output_difference){.fd = x ? x->fd : y->fd,
                                       .kept = (!x || x->kept) && (!y || y->kept)};
    if (x && y && x->length == y->length && x->hash == y->hash) {
        describe_parts(x, y, d);
        return;
    }
    while (x && y && d->kept && d->at < n && x->bytes.at[d->at] == y->bytes.at[d->at])
        d->at++;
    if (x && y && !d->kept)
        d->at = common_pieces(x, y);
    line_at(x, d->at, d->text[0], sizeof d->text[0]);
    line_at(y, d->at, d->text[1], sizeof d->text[1]);
    find_writer(x, d->at, &d->thread[0], &d->written[0]);
    find_writer(y, d->at, &d->thread[1], &d->written[1]);
    d->at = written_offset(x ? x : y, d->at);
}

bool pf_run_output_difference(const struct pf_run_output *a, const struct pf_run_output *b,
                              struct pf_output_difference *d)
{
    size_t i = 0, k = 0;
    while (i < a->streams.len || k < b->streams.len) {
        const struct pf_output_stream *x = i < a->streams.len ? &a->streams.at[i] : NULL;
        const struct pf_output_stream *y = k < b->streams.len ? &b->streams.at[k] : NULL;
        int fd = x && (!y || x->fd <= y->fd) ? x->fd : y->fd;
        x = find_stream(a, fd);
        y = find_stream(b, fd);
        i += x != NULL;
        k += y != NULL;
        if (x && y && pf_output_stream_same(x, y))
            continue;
        describe_difference(x, y, d);
        return true;
    }
    return false;
}
