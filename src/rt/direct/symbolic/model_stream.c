/*
 * model_stream.c - read and stdio. Bytes get labels where the kernel stores them, usually in the
 * buffer of a FILE. The models here give labels to the copies that the function has made. The
 * position in the source is the position of the descriptor minus the unread bytes of the FILE's
 * buffer.
 */
#include "symbolic_model.h"
#include "textbuf.h"
#include <stdio.h>

bool pf_stream_position(FILE *f, uint32_t *source, uint64_t *offset)
{
    if (!f || !pf_symbolic_position(f->_fileno, source, offset))
        return false;
    uint64_t unread = (uint64_t)(f->_IO_read_end - f->_IO_read_ptr);
    if (unread > *offset)
        return false;
    *offset -= unread;
    return true;
}

/* The last n bytes that a FILE has delivered are at `at`. */
static void label_bytes(FILE *f, char *at, size_t n)
{
    uint32_t source;
    uint64_t end;
    pf_label_memory_fill(at, 0, n);
    if (!pf_stream_position(f, &source, &end) || end < n)
        return;
    for (size_t i = 0; i < n; i++)
        pf_label_memory_fill(at + i, pf_symbolic_leaf(source, end - n + i, (uint8_t)at[i]), 1);
}

static uint32_t one_character(FILE *f, uint32_t result)
{
    uint32_t source;
    uint64_t end;
    if (result > 255 || !pf_stream_position(f, &source, &end) || !end)
        return 0;
    return pf_expression_resize(pf_symbolic_leaf(source, end - 1, (uint8_t)result), 32, false);
}

/* The sources that have delivered fewer bytes than were wanted. Whatever the length, nothing is
 * left after that. */
static bool *ended(uint32_t source)
{
    static bool all[256], other;
    other = false;
    return source < sizeof all / sizeof *all ? &all[source] : &other;
}

/* `n` of `wanted` bytes up to the position `end` were delivered. Returns the label of n. If the
 * source has ended before `wanted` bytes, n depends on its length. If all were delivered, the
 * condition that the source is long enough is recorded, and n has the label of `wanted`. */
static uint32_t delivered_label(const struct pf_symbolic_call *c, uint32_t source, uint64_t end,
                                uint64_t n, struct pf_expression_operand wanted)
{
    bool in_order = c->model != PF_MODEL_pread;
    struct pf_expression_operand length, start = {0, end - n};
    struct pf_expression_operand most = {pf_expression_two(PF_EXPR_ADD, 64, 0, start, wanted),
                                         start.value + wanted.value};
    bool known = end >= n && pf_symbolic_length(source, &length) && length.value >= end;
    if (n == wanted.value) {
        if (known)
            pf_model_condition(c, PF_EXPR_ULT, 64, length, most);
        return wanted.label;
    }
    if (!known)
        return 0;
    if (length.value != end || (!n && in_order && *ended(source)))
        return 0;
    *ended(source) |= in_order;
    if (start.value)
        pf_model_assume(c, PF_EXPR_UGE, 64, length, start);
    pf_model_condition(c, PF_EXPR_ULT, 64, length, most);
    return pf_expression_two(PF_EXPR_SUB, 64, 0, length, start);
}

static uint32_t read_label(const struct pf_symbolic_call *c)
{
    uint32_t source;
    uint64_t end;
    if ((int64_t)c->result < 0 || !pf_symbolic_position((int)c->word[0], &source, &end))
        return 0;
    if (c->model == PF_MODEL_pread)
        end = c->word[3] + c->result;
    return delivered_label(c, source, end, c->result,
                           (struct pf_expression_operand){c->label[2], c->word[2]});
}

/* size: the argument with the size of an item; the number of items and the FILE follow it. */
static uint32_t fread_label(const struct pf_symbolic_call *c, unsigned size)
{
    const uint64_t *w = c->word + size;
    uint32_t source;
    uint64_t end;
    label_bytes((FILE *)w[2], (char *)c->word[0], c->result * w[0]);
    if (!pf_stream_position((FILE *)w[2], &source, &end))
        return 0;
    struct pf_expression_operand item = {c->label[size], w[0]}, count = {c->label[size + 1], w[1]};
    struct pf_expression_operand wanted = {pf_expression_two(PF_EXPR_MUL, 64, 0, item, count),
                                           w[0] * w[1]};
    uint32_t label = delivered_label(c, source, end, c->result * w[0], wanted);
    return c->result == w[1] ? count.label : w[0] == 1 && !item.label ? label : 0;
}

/* The n bytes of a source before `end` are those at s. */
static bool are_source(uint32_t source, uint64_t end, const char *s, size_t n)
{
    while (n && pf_symbolic_leaf(source, end - n, (uint8_t)*s))
        n--, s++;
    return !n;
}

/* How many bytes fgets has stored at s, which has room for `room`. The line may contain zeros. */
static size_t line_length(FILE *f, const char *s, size_t room)
{
    uint32_t source;
    uint64_t end;
    size_t n = pf_str_len(s);
    if ((n && s[n - 1] == '\n') || !pf_stream_position(f, &source, &end))
        return n;
    for (size_t k = n ? n : 1; k < room && k <= end; k++)
        if (!s[k] && (s[k - 1] == '\n' || k + 1 == room || feof_unlocked(f)) &&
            are_source(source, end, s, k))
            return k;
    return n;
}

/* n bytes of text, of which only the last one may be `delimiter`, and a 0 were stored at s. In
 * another input the delimiter may be elsewhere, so the model assumes of each byte whether it is the
 * delimiter. */
static void label_line(const struct pf_symbolic_call *c, FILE *f, char *s, size_t n, int delimiter)
{
    struct pf_expression_operand end = {0, (uint8_t)delimiter};
    label_bytes(f, s, n);
    pf_label_memory_fill(s + n, 0, 1);
    for (size_t i = 0; i < n; i++)
        pf_model_assume(c, PF_EXPR_EQ, 8, pf_model_byte(s + i), end);
}

bool pf_stream_was_read(void)
{
    static const char *last; /* the position in the buffer of stdin */
    const char *now = stdin->_IO_read_ptr;
    uint32_t source;
    uint64_t offset;
    bool moved = now != last && pf_symbolic_position(stdin->_fileno, &source, &offset);
    last = now;
    return pf_symbolic_was_read() || moved;
}

uint32_t pf_model_stream(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    bool checked = c->model == PF_MODEL___fgets_chk || c->model == PF_MODEL___fread_chk;
    (void)pf_stream_was_read();
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_fgets:
    case PF_MODEL___fgets_chk:
        if (c->result)
            label_line(
                c, (FILE *)w[2 + checked], (char *)c->result,
                line_length((FILE *)w[2 + checked], (char *)c->result, (size_t)(int)w[1 + checked]),
                '\n');
        return 0;
    case PF_MODEL_fread:
    case PF_MODEL___fread_chk:
        return fread_label(c, 1 + checked);
    case PF_MODEL_getline:
        if ((int64_t)c->result > 0)
            label_line(c, (FILE *)w[2], *(char **)w[0], c->result, '\n');
        return 0;
    case PF_MODEL_getdelim:
    case PF_MODEL___getdelim:
        if ((int64_t)c->result > 0)
            label_line(c, (FILE *)w[3], *(char **)w[0], c->result, (int)w[2]);
        return 0;
    case PF_MODEL_getc:
    case PF_MODEL_fgetc:
    case PF_MODEL___uflow: /* called by the macro getc_unlocked when the buffer is empty */
        return one_character((FILE *)w[0], (uint32_t)c->result);
    case PF_MODEL_getchar:
        return one_character(stdin, (uint32_t)c->result);
    default: /* read, pread, recv: the bytes have their labels since the system call returned */
        return read_label(c);
    }
}
