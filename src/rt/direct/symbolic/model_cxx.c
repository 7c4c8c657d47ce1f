/*
 * model_cxx.c - functions of libstdc++ that its headers do not define: istreams that read strings
 * and numbers, and std::string. The layouts are those of its ABI, which does not change.
 *
 * The buffer of a stream has the labels of its bytes: the kernel stored them there, or the model of
 * the constructor of a stringstream. std::cin has no buffer of its own, as long as it shares that
 * of stdin; then the bytes before the position of stdin were read.
 */
#include "symbolic_model.h"
#include "textbuf.h"
#include <stddef.h>
#include <stdio.h>

#define STATE_AT 32 /* in std::ios_base */
#define BUFFER_AT 232 /* in std::ios */
#define STATE_END 2u
#define STATE_FAILED 4u

struct cxx_string {
    char *at;
    size_t n;
};

struct cxx_buffer {
    void *functions;
    uint8_t *first, *now, *end; /* the bytes that can be read; the next one is at `now` */
};

/* What a call has read from a stream. */
struct cxx_read {
    const struct cxx_buffer *buffer;
    uint32_t state; /* of the stream */
};

static struct cxx_read stream_of(uint64_t word)
{
    const char *s = (const char *)word;
    const char *ios = s + (*(const ptrdiff_t *const *)s)[-3]; /* a virtual base */
    struct cxx_read r = {.buffer = *(struct cxx_buffer *const *)(ios + BUFFER_AT)};
    __builtin_memcpy(&r.state, ios + STATE_AT, sizeof r.state);
    return r;
}

/* Gives n bytes at `to`, which have no labels, those of the bytes that the stream has delivered
 * before its last `after` ones. *last: the label of the byte behind them. False: they are not
 * known. */
static bool label_read(const struct cxx_read *r, char *to, size_t n, size_t after, uint32_t *last)
{
    const struct cxx_buffer *b = r->buffer;
    uint32_t source;
    uint64_t end;
    *last = 0;
    if (b && b->now) {
        const uint8_t *from = b->now - after - n;
        if ((size_t)(b->now - b->first) < after + n || __builtin_memcmp(from, to, n))
            return false;
        pf_label_memory_copy(to, from, n);
        *last = after ? pf_model_byte(from + n).label : 0;
        return true;
    }
    if (!pf_stream_position(stdin, &source, &end) || end < n + after)
        return false;
    for (size_t i = 0; i < n; i++)
        pf_label_memory_fill(to + i, pf_symbolic_leaf(source, end - after - n + i, (uint8_t)to[i]),
                             1);
    return true;
}

/* getline: each byte is assumed to be the delimiter, or not to be it, as in this run. */
static bool read_line(const struct pf_symbolic_call *c)
{
    struct cxx_read r = stream_of(c->word[0]);
    const struct cxx_string *s = (const struct cxx_string *)c->word[1];
    struct pf_expression_operand end = pf_model_constant(c->n > 2 ? (uint8_t)c->word[2] : '\n');
    uint32_t last;
    pf_label_memory_fill(s->at, 0, s->n + 1);
    if (r.state & STATE_FAILED && !s->n)
        return true; /* there was no line */
    if (!label_read(&r, s->at, s->n, !(r.state & STATE_END), &last))
        return false;
    for (size_t i = 0; i < s->n; i++)
        pf_model_assume(c, PF_EXPR_EQ, 8, pf_model_byte(s->at + i), end);
    pf_model_assume(c, PF_EXPR_EQ, 8, (struct pf_expression_operand){last, end.value}, end);
    return true;
}

/* stream >> string: no byte of the word may become a space. */
static bool read_word(const struct pf_symbolic_call *c)
{
    struct cxx_read r = stream_of(c->word[0]);
    const struct cxx_string *s = (const struct cxx_string *)c->word[1];
    uint32_t last;
    pf_label_memory_fill(s->at, 0, s->n + 1);
    if (r.state & STATE_FAILED)
        return true;
    if (!label_read(&r, s->at, s->n, 0, &last))
        return false;
    for (size_t i = 0; i < s->n; i++)
        pf_model_assume(c, PF_EXPR_UGT, 8, pf_model_byte(s->at + i), pf_model_constant(' '));
    return true;
}

static bool is_digit(uint8_t b) { return b >= '0' && b <= '9'; }

/* stream >> number. */
static bool read_number(const struct pf_symbolic_call *c, unsigned bytes)
{
    struct cxx_read r = stream_of(c->word[0]);
    const struct cxx_buffer *b = r.buffer;
    if (!b || !b->now)
        return false;
    if (r.state & STATE_FAILED) { /* another input may have a digit here */
        if (b->now < b->end)
            pf_number_begins(c, b->now, 0);
        return true;
    }
    const uint8_t *s = b->now;
    while (s > b->first && is_digit(s[-1]))
        s--;
    if (s > b->first && (s[-1] == '-' || s[-1] == '+'))
        s--;
    uint64_t value = 0;
    pf_number_begins(c, s, (size_t)(b->now - s));
    __builtin_memcpy(&value, (void *)c->word[1], bytes);
    uint32_t label = pf_number_leaf(c, s, (size_t)(b->now - s), 10, 8 * bytes, value);
    pf_label_memory_store((void *)c->word[1], bytes, label, value);
    return true;
}

/* The constructor of a stringstream has copied the string into the buffer. */
static bool fill_stream(const struct pf_symbolic_call *c)
{
    struct cxx_read r = stream_of(c->word[0]);
    const struct cxx_string *s = (const struct cxx_string *)c->word[1];
    if (!r.buffer || r.buffer->first == NULL || (size_t)(r.buffer->end - r.buffer->first) != s->n)
        return false;
    pf_label_memory_copy(r.buffer->first, s->at, s->n);
    return true;
}

/* A string was copied to the end of another one, which may have moved. */
static void append(const struct cxx_string *to, const char *from, size_t n)
{
    if (n <= to->n)
        pf_label_memory_copy(to->at + to->n - n, from, n);
    pf_label_memory_fill(to->at + to->n, 0, 1);
}

bool pf_model_cxx(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    (void)pf_stream_was_read();
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_cxx_getline:
    case PF_MODEL_cxx_getline_to:
        return read_line(c);
    case PF_MODEL_cxx_read_word:
        return read_word(c);
    case PF_MODEL_cxx_read_int:
    case PF_MODEL_cxx_read_unsigned:
        return read_number(c, 4);
    case PF_MODEL_cxx_read_long:
    case PF_MODEL_cxx_read_unsigned_long:
        return read_number(c, 8);
    case PF_MODEL_cxx_istringstream:
    case PF_MODEL_cxx_stringstream:
        return fill_stream(c);
    case PF_MODEL_cxx_assign: {
        const struct cxx_string *from = (const struct cxx_string *)w[1];
        append((const struct cxx_string *)w[0], from->at, from->n);
        return true;
    }
    default: /* append */
        append((const struct cxx_string *)w[0], (const char *)w[1], w[2]);
        return true;
    }
}
