/* output_numbers.c - see output_numbers.h. */
#include "output_numbers.h"
#include "fnv.h"
#include <string.h>

/* A number that was replaced counts as a number, so that the others keep their positions. */
static bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '#'; }

/* Where a walk over the bytes of a stream is. */
struct output_position {
    uint32_t line, number;
};

static void pass(struct output_position *p, char c)
{
    if (c == '\n')
        *p = (struct output_position){.line = p->line + 1};
}

static size_t digits_at(const struct pf_output_stream *s, size_t at)
{
    size_t n = 0;
    while (at + n < s->bytes.len && is_digit(s->bytes.at[at + n]))
        n++;
    return n;
}

static bool add_stream(struct pf_output_numbers *m, const struct pf_output_stream *a,
                       const struct pf_output_stream *b)
{
    struct output_position p = {0};
    size_t i = 0, k = 0;
    while (i < a->bytes.len && k < b->bytes.len) {
        size_t x = digits_at(a, i), y = digits_at(b, k);
        if (!x || !y) {
            if (a->bytes.at[i] != b->bytes.at[k++])
                return false;
            pass(&p, a->bytes.at[i++]);
            continue;
        }
        if (x != y || memcmp(a->bytes.at + i, b->bytes.at + k, x) != 0) {
            if (m->n == PF_OUTPUT_NUMBERS)
                return false;
            m->at[m->n++] = (struct pf_output_number){a->fd, p.line, p.number};
        }
        p.number++;
        i += x;
        k += y;
    }
    return i == a->bytes.len && k == b->bytes.len;
}

bool pf_output_numbers_add(struct pf_output_numbers *m, const struct pf_run_output *a,
                           const struct pf_run_output *b)
{
    unsigned before = m->n;
    bool same = a->streams.len == b->streams.len;
    for (size_t i = 0; same && i < a->streams.len; i++) {
        const struct pf_output_stream *x = &a->streams.at[i], *y = &b->streams.at[i];
        if (pf_output_stream_same(x, y))
            continue;
        same = x->fd == y->fd && x->kept && y->kept && !x->parts.len && !y->parts.len &&
               add_stream(m, x, y);
    }
    if (!same)
        m->n = before;
    return same;
}

static bool is_hidden(const struct pf_output_numbers *m, int fd, struct output_position p)
{
    for (unsigned i = 0; i < m->n; i++)
        if (m->at[i].fd == fd && m->at[i].line == p.line && m->at[i].number == p.number)
            return true;
    return false;
}

void pf_output_numbers_hide(const struct pf_output_numbers *m, struct pf_run_output *o)
{
    for (size_t i = 0; m->n && i < o->streams.len; i++) {
        struct pf_output_stream *s = &o->streams.at[i];
        struct output_position p = {0};
        size_t to = 0;
        for (size_t at = 0; s->kept && at < s->bytes.len;) {
            size_t n = digits_at(s, at);
            if (n && is_hidden(m, s->fd, p)) {
                pf_vec_push(&s->removed, (struct pf_output_removed){to, n - 1});
                s->bytes.at[to++] = '#';
                at += n;
            } else {
                for (size_t end = at + (n ? n : 1); at < end; at++) {
                    pass(&p, s->bytes.at[at]);
                    s->bytes.at[to++] = s->bytes.at[at];
                }
            }
            p.number += n > 0;
        }
        if (s->removed.len) {
            s->length = s->bytes.len = to;
            s->hash = pf_fnv_bytes(PF_FNV_START, s->bytes.at, to);
        }
    }
}
