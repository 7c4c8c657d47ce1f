/*
 * model_output.c - what the program prints, as a function of its input: one record for each byte or
 * number with a label that goes to standard output or standard error (PF_SYMBOLIC_OUTPUT).
 *
 * A model runs when its function has returned. Its bytes are then the last ones of the stream: what
 * the descriptor has written so far, and what is in the buffer of the FILE.
 */
#include "fnv.h"
#include "symbolic_model.h"
#include "syscalls.h"
#include "textbuf.h"
#include <stdio.h>

/* Output of one call, on its way to the log. */
struct printed {
    int fd;
    uint64_t start; /* offset of its first byte in the output of the descriptor */
    uint64_t format; /* hash of the format; 0: the bytes are printed as they are */
};

static void put(const struct printed *p, uint32_t label, uint32_t part, uint64_t offset)
{
    if (label)
        pf_symbolic_put(&(struct pf_symbolic_record){.kind = PF_SYMBOLIC_OUTPUT,
                                                     .a = label,
                                                     .b = part,
                                                     .c = (uint32_t)p->fd,
                                                     .x = p->start + offset,
                                                     .y = p->format},
                        NULL, 0);
}

static void put_bytes(const struct printed *p, const char *s, size_t n, uint32_t part, bool moves)
{
    for (size_t i = 0; i < n && pf_label_memory_any(s, n); i++)
        put(p, pf_model_byte(s + i).label, part + (moves ? 0 : (uint32_t)i << 8), moves ? i : 0);
}

/* Finds where the n bytes that a call has printed begin. False: they are not standard output. */
static bool find_start(int fd, uint64_t pending, uint64_t n, struct printed *p)
{
    uint64_t end = pf_output_written(fd) + pending;
    *p = (struct printed){.fd = fd, .start = end - n};
    return pf_output_standard(fd) == fd && end >= n;
}

static bool in_stream(FILE *f, uint64_t n, struct printed *p)
{
    return f && find_start(f->_fileno, (uint64_t)(f->_IO_write_ptr - f->_IO_write_base), n, p);
}

/* --- formats --- */

/* One conversion of a format, such as %-5ld. */
struct conversion {
    const char *end; /* after it */
    bool plain; /* no width, precision or flags */
    bool star; /* takes a width or precision from the arguments */
    char type;
};

static bool is_one_of(const char *list, char c)
{
    while (*list && *list != c)
        list++;
    return c && *list;
}

static struct conversion parse(const char *p)
{
    struct conversion c = {.plain = true};
    while (*p && is_one_of("-+ #0'123456789.*", *p)) {
        c.plain = false;
        c.star |= *p++ == '*';
    }
    while (*p && is_one_of("hlzjtqL", *p))
        p++;
    c.type = *p;
    c.end = *p ? p + 1 : p;
    return c;
}

static uint64_t hash_text(const char *s)
{
    uint64_t h = pf_fnv_bytes(PF_FNV_START, s, pf_str_len(s));
    return h ? h : 1;
}

/* True if the arguments from `first` on, or the memory that %s prints, have no label, or can be
 * written to the log. */
static bool is_modelled(const struct pf_symbolic_call *c, const char *format, unsigned first)
{
    unsigned arg = first;
    for (const char *p = format; *p; p++) {
        if (*p != '%' || *++p == '%')
            continue;
        struct conversion k = parse(p);
        p = k.end - 1;
        bool labelled = arg >= PF_SYMBOLIC_WORDS ? c->dropped : c->label[arg] != 0;
        bool text = arg < PF_SYMBOLIC_WORDS && k.type == 's' && c->word[arg];
        const char *s = text ? (const char *)c->word[arg] : "";
        if (k.star || !k.type)
            return false;
        if (labelled && (arg >= PF_SYMBOLIC_WORDS || !is_one_of("diouxXcs", k.type)))
            return false;
        if (text && !k.plain && pf_label_memory_any(s, pf_str_len(s) + 1))
            return false;
        arg++;
    }
    return true;
}

/* If the input chooses which text is printed, as in puts(n > 9 ? "many" : "few"), the choice is a
 * condition. */
static void choose_text(const struct pf_symbolic_call *c, unsigned arg)
{
    pf_model_condition(c, PF_EXPR_EQ, 64,
                       (struct pf_expression_operand){c->label[arg], c->word[arg]},
                       (struct pf_expression_operand){0, c->word[arg]});
}

static bool print_format(const struct pf_symbolic_call *c, FILE *f, unsigned format_at)
{
    const char *format = (const char *)c->word[format_at];
    unsigned arg = format_at + 1;
    struct printed to;
    if ((int32_t)c->result < 0 || c->label[format_at] ||
        pf_label_memory_any(format, pf_str_len(format) + 1) || !in_stream(f, c->result, &to) ||
        !is_modelled(c, format, arg))
        return false;
    to.format = hash_text(format);
    for (const char *p = format; *p && arg < PF_SYMBOLIC_WORDS; p++) {
        if (*p != '%' || *++p == '%')
            continue;
        struct conversion k = parse(p);
        p = k.end - 1;
        if (k.type == 's' && c->word[arg]) {
            const char *s = (const char *)c->word[arg];
            choose_text(c, arg);
            put_bytes(&to, s, pf_model_length(c, s, SIZE_MAX), arg, false);
        } else {
            put(&to, c->label[arg], arg, 0);
        }
        arg++;
    }
    return true;
}

static bool print_text(const struct pf_symbolic_call *c, FILE *f, uint64_t after)
{
    const char *s = (const char *)c->word[0];
    struct printed to;
    if ((int32_t)c->result < 0)
        return false;
    choose_text(c, 0);
    size_t n = pf_str_len(s);
    if (!in_stream(f, n + after, &to))
        return false;
    put_bytes(&to, s, pf_model_length(c, s, SIZE_MAX), 0, true);
    return true;
}

static bool print_bytes(FILE *f, int fd, const char *s, uint64_t n)
{
    struct printed to;
    bool found = f ? in_stream(f, n, &to) : find_start(fd, 0, n, &to);
    if (found)
        put_bytes(&to, s, n, 0, true);
    return found;
}

static bool print_character(const struct pf_symbolic_call *c, FILE *f)
{
    struct printed to;
    if (!in_stream(f, 1, &to))
        return false;
    put(&to, pf_expression_extract(c->label[0], 0, 8), 0, 0);
    return true;
}

bool pf_model_output(const struct pf_symbolic_call *c)
{
    const uint64_t *w = c->word;
    switch ((enum pf_symbolic_model)c->model) {
    case PF_MODEL_printf:
        return print_format(c, stdout, 0);
    case PF_MODEL_fprintf:
        return print_format(c, (FILE *)w[0], 1);
    case PF_MODEL___printf_chk:
        return print_format(c, stdout, 1);
    case PF_MODEL___fprintf_chk:
        return print_format(c, (FILE *)w[0], 2);
    case PF_MODEL_puts:
        return print_text(c, stdout, 1);
    case PF_MODEL_fputs:
        return print_text(c, (FILE *)w[1], 0);
    case PF_MODEL_putchar:
        return print_character(c, stdout);
    case PF_MODEL_putc:
    case PF_MODEL_fputc:
        return print_character(c, (FILE *)w[1]);
    case PF_MODEL_fwrite:
        return !c->label[1] && !c->label[2] &&
               print_bytes((FILE *)w[3], 0, (const char *)w[0], c->result * w[1]);
    default: /* write */
        return !c->label[2] && (int64_t)c->result >= 0 &&
               print_bytes(NULL, (int)w[0], (const char *)w[1], c->result);
    }
}
