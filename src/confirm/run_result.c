/* run_result.c - see run_result.h. */
#define _GNU_SOURCE
#include "run_result.h"
#include "run_output.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX 65536 /* bytes that are compared; the others count as unknown */

void pf_run_result_init(struct pf_run_result *r)
{
    memset(r, 0, sizeof *r);
    pf_trace_init(&r->now);
}

static void release_lines(struct pf_run_result *r)
{
    for (size_t i = 0; i < r->lines.len; i++)
        free(r->lines.at[i]);
    pf_vec_release(&r->lines);
}

void pf_run_result_release(struct pf_run_result *r)
{
    release_lines(r);
    pf_trace_release(&r->now);
}

/* --- output --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_line(struct pf_run_result *r, const char *text, size_t n)
{
    char *line = pf_mem_zero(n + 1, 1);
    memcpy(line, text, n);
    pf_vec_push(&r->lines, line);
}

static void add_lines(struct pf_run_result *r, const char *text, size_t n)
{
    while (n) {
        const char *end = memchr(text, '\n', n);
        size_t length = end ? (size_t)(end - text) + 1 : n;
        add_line(r, text, length);
        text += length;
        n -= length;
    }
}

/* Adds the output to a descriptor whose bytes are not kept, as one line for each range. */
static void add_ranges(struct pf_run_result *r, const struct pf_output_stream *k)
{
    char line[120];
    if (!k->kept)
        add_line(r, line,
                 (size_t)snprintf(line, sizeof line, "%d: %" PRIu64 " bytes, %" PRIx64, k->fd,
                                  k->length, k->hash));
    for (size_t i = 0; i < k->parts.len; i++) {
        const struct pf_output_part *p = &k->parts.at[i];
        add_line(r, line,
                 (size_t)snprintf(line, sizeof line,
                                  "%d: %" PRIu64 " bytes at %" PRIu64 ", %" PRIx64, k->fd,
                                  p->length, p->at, p->hash));
    }
}

bool pf_run_result_read_output(struct pf_run_result *r, const char *clip)
{
    struct pf_clip c;
    struct pf_error e;
    struct pf_run_output o = {0};
    if (pf_clip_open(&c, clip, &e) != PF_OK)
        return false;
    bool ok = pf_run_output_read(&o, &c, &e) == PF_OK;
    for (size_t i = 0; ok && i < o.streams.len; i++) {
        const struct pf_output_stream *k = &o.streams.at[i];
        if (k->kept)
            add_lines(r, k->bytes.at, k->bytes.len);
        add_ranges(r, k);
    }
    if (r->lines.len)
        qsort(r->lines.at, r->lines.len, sizeof *r->lines.at, by_text);
    pf_run_output_release(&o);
    pf_clip_release(&c);
    return ok;
}

static bool same_output(const struct pf_run_result *a, const struct pf_run_result *b)
{
    bool same = a->lines.len == b->lines.len;
    for (size_t i = 0; i < a->lines.len && same; i++)
        same = !strcmp(a->lines.at[i], b->lines.at[i]);
    return same;
}

/* --- memory --- */

typedef PF_VEC(uint64_t) addresses;

/* Adds the bytes of shared memory that the regions of the run wrote. */
static void add_written(const struct pf_run_result *r, addresses *out)
{
    const struct pf_trace *t = &r->now;
    for (unsigned k = 0; k < 2; k++)
        for (uint32_t i = r->begin[k]; i <= r->last[k]; i++) {
            const struct pf_event *e = &t->events.at[i];
            if (e->thread != t->events.at[r->begin[k]].thread || !pf_event_is_access(e) ||
                !pf_event_writes(e) || e->kind == PF_EV_FREE)
                continue;
            const struct pf_range *p = &t->places.at[e->what];
            if (!t->cells.at[p->cell0].shared)
                continue;
            for (uint64_t b = 0; b < p->size && out->len < BYTES_MAX; b++)
                pf_vec_push(out, p->addr + b);
        }
}

static int by_address(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_addresses(addresses *v)
{
    size_t n = 0;
    if (v->len)
        qsort(v->at, v->len, sizeof *v->at, by_address);
    for (size_t i = 0; i < v->len; i++)
        if (!i || v->at[i] != v->at[n - 1])
            v->at[n++] = v->at[i];
    v->len = n;
}

enum { UNKNOWN_BYTE = 256, NEW_BLOCK = 257 }; /* values of a byte beyond 0 to 255 */

/* True if the value is an address in a block that was allocated since the first region began. */
static bool points_to_new_block(const struct pf_trace *t, uint64_t value, uint32_t from,
                                uint32_t to)
{
    for (uint32_t i = from; i <= to; i++)
        if (t->events.at[i].kind == PF_EV_ALLOC) {
            const struct pf_range *p = &t->places.at[t->events.at[i].what];
            if (value >= p->addr && value < p->addr + p->size)
                return true;
        }
    return false;
}

/* The value of each byte when both regions have ended. */
static void read_bytes(const struct pf_run_result *r, const addresses *bytes, uint16_t *out)
{
    const struct pf_trace *t = &r->now;
    uint32_t to = r->last[0] > r->last[1] ? r->last[0] : r->last[1];
    uint32_t from = r->begin[0] < r->begin[1] ? r->begin[0] : r->begin[1];
    for (size_t i = 0; i < bytes->len; i++)
        out[i] = UNKNOWN_BYTE;
    for (uint32_t i = 0; i <= to; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (!pf_event_is_access(e))
            continue;
        const struct pf_range *p = &t->places.at[e->what];
        bool known = !(e->flags & PF_EF_UNKNOWN) && p->size <= 8 && e->kind != PF_EV_FREE;
        bool is_new = false, asked = false;
        size_t lo = 0, hi = bytes->len;
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (bytes->at[mid] < p->addr)
                lo = mid + 1;
            else
                hi = mid;
        }
        for (; lo < bytes->len && bytes->at[lo] - p->addr < p->size; lo++) {
            if (!pf_event_writes(e) && out[lo] != UNKNOWN_BYTE)
                continue;
            if (!asked++ && known && p->size == 8)
                is_new = points_to_new_block(t, e->value, from, to);
            out[lo] = !known   ? UNKNOWN_BYTE
                      : is_new ? NEW_BLOCK
                               : (uint16_t)(e->value >> 8 * (bytes->at[lo] - p->addr) & 255);
        }
    }
}

bool pf_run_result_same_memory(const struct pf_run_result *a, const struct pf_run_result *b)
{
    addresses bytes = {0};
    bool same = true;
    add_written(a, &bytes);
    add_written(b, &bytes);
    sort_addresses(&bytes);
    uint16_t *x = pf_mem_zero(bytes.len, sizeof *x), *y = pf_mem_zero(bytes.len, sizeof *y);
    read_bytes(a, &bytes, x);
    read_bytes(b, &bytes, y);
    for (size_t i = 0; i < bytes.len; i++)
        same &= x[i] == y[i] || x[i] == UNKNOWN_BYTE || y[i] == UNKNOWN_BYTE;
    free(x);
    free(y);
    pf_vec_release(&bytes);
    return same;
}

bool pf_run_result_same_end(const struct pf_clip_end *a, const struct pf_clip_end *b)
{
    return a->wait == b->wait && a->outcome == b->outcome;
}

const char *pf_run_result_difference(const struct pf_run_result *a, const struct pf_run_result *b)
{
    if (!pf_run_result_same_memory(a, b))
        return "the shared memory";
    if (!pf_run_result_same_end(&a->end, &b->end))
        return "the end of the program";
    return same_output(a, b) ? NULL : "the output";
}
