/* run_output.c - see run_output.h. */
#define _GNU_SOURCE
#include "run_output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A record of stream `output` (docs/format/input.md); `kept` bytes follow. */
struct written_record {
    uint32_t context;
    int32_t fd;
    uint64_t hash;
    uint32_t length, kept;
} __attribute__((packed));

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

pf_status pf_run_output_read(struct pf_run_output *o, const struct pf_clip *clip,
                             struct pf_error *e)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    *o = (struct pf_run_output){0};
    pf_status s = pf_clip_stream(clip, PF_STREAM_OUTPUT, &bytes, &n, e);
    for (size_t at = 0; s == PF_OK && at + sizeof(struct written_record) <= n;) {
        struct written_record r;
        memcpy(&r, bytes + at, sizeof r);
        at += sizeof r;
        if (r.kept > n - at)
            break;
        if (r.fd & PF_OUTPUT_INTERNAL) { /* the program writes to itself */
            at += r.kept;
            continue;
        }
        struct pf_output_stream *k = stream_of(o, r.fd);
        uint64_t hash = (k->hash ^ r.hash) * 0x9e3779b97f4a7c15u + r.length;
        pf_vec_push(&k->pieces, (struct pf_output_piece){k->length, hash, r.context});
        k->kept &= r.kept == r.length;
        for (uint32_t i = 0; k->kept && i < r.kept; i++)
            pf_vec_push(&k->bytes, (char)bytes[at + i]);
        k->length += r.length;
        k->hash = hash;
        at += r.kept;
    }
    free(bytes);
    return s;
}

void pf_run_output_release(struct pf_run_output *o)
{
    for (size_t i = 0; i < o->streams.len; i++) {
        pf_vec_release(&o->streams.at[i].bytes);
        pf_vec_release(&o->streams.at[i].pieces);
    }
    pf_vec_release(&o->streams);
}

/* --- comparison --- */

static bool same_stream(const struct pf_output_stream *a, const struct pf_output_stream *b)
{
    if (a->fd != b->fd || a->length != b->length)
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
        if (!x || !y || !same_stream(x, y))
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
            pf_vec_release(&k->bytes);
            pf_vec_release(&k->pieces);
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
        same = same_stream(&a->streams.at[i], &b->streams.at[i]);
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
    if (same_stream(a, b))
        return true;
    if (a->fd != b->fd || a->length != b->length || !a->kept || !b->kept)
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

static uint32_t writer_at(const struct pf_output_stream *s, uint64_t at)
{
    uint32_t thread = PF_NO_THREAD;
    for (size_t i = 0; s && at < s->length && i < s->pieces.len && s->pieces.at[i].at <= at; i++)
        thread = s->pieces.at[i].thread;
    return thread;
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

static void describe_difference(const struct pf_output_stream *x, const struct pf_output_stream *y,
                                struct pf_output_difference *d)
{
    uint64_t n = x && y ? (x->length < y->length ? x->length : y->length) : 0;
    d->fd = x ? x->fd : y->fd;
    d->at = 0;
    d->kept = (!x || x->kept) && (!y || y->kept);
    while (x && y && d->kept && d->at < n && x->bytes.at[d->at] == y->bytes.at[d->at])
        d->at++;
    size_t pieces = !x || !y || d->kept             ? 0
                    : x->pieces.len < y->pieces.len ? x->pieces.len
                                                    : y->pieces.len;
    for (size_t i = 0; i < pieces && x->pieces.at[i].hash == y->pieces.at[i].hash; i++)
        d->at = i + 1 < x->pieces.len ? x->pieces.at[i + 1].at : x->length;
    line_at(x, d->at, d->text[0], sizeof d->text[0]);
    line_at(y, d->at, d->text[1], sizeof d->text[1]);
    d->thread[0] = writer_at(x, d->at);
    d->thread[1] = writer_at(y, d->at);
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
        if (x && y && same_stream(x, y))
            continue;
        describe_difference(x, y, d);
        return true;
    }
    return false;
}
