/*
 * std_format.c - reader and writer of RAPID's STD form: one event per line,
 * THREAD|OP(OPERAND)|LOCATION.
 */
#include "trace_text.h"
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

static const struct {
    const char *word;
    uint8_t kind;
} ops[] = {
    {"r", PF_EV_READ},      {"w", PF_EV_WRITE},   {"acq", PF_EV_LOCK},
    {"rel", PF_EV_UNLOCK},  {"fork", PF_EV_FORK}, {"join", PF_EV_JOIN},
    {"begin", PF_EV_BEGIN}, {"end", PF_EV_END},   {"branch", PF_EV_BRANCH},
};

static pf_status bad(struct pf_error *err, const char *file, uint32_t line, const char *fmt, ...)
{
    char text[240];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return pf_fail(err, PF_BAD, "%s:%u: %s", file, line, text);
}

static pf_status read_line(struct pf_trace *t, const char *file, uint32_t line, const char *p,
                           const char *end, struct pf_error *err)
{
    const char *bar = memchr(p, '|', (size_t)(end - p));
    if (!bar || bar == p)
        return bad(err, file, line, "expected THREAD|OP(OPERAND)|LOCATION");
    const char *op = bar + 1, *stop = memchr(op, '|', (size_t)(end - op));
    const char *loc = stop ? stop + 1 : NULL;
    stop = stop ? stop : end;
    const char *open = memchr(op, '(', (size_t)(stop - op));
    const char *word_end = open ? open : stop;
    size_t k = 0, nops = sizeof ops / sizeof *ops;
    while (k < nops && (strlen(ops[k].word) != (size_t)(word_end - op) ||
                        memcmp(ops[k].word, op, (size_t)(word_end - op))))
        k++;
    if (k == nops)
        return bad(err, file, line, "unknown operation '%.*s'",
                   (int)(word_end - op < 40 ? word_end - op : 40), op);
    uint32_t thread =
        pf_trace_role_number(t, PF_ROLE_THREAD, pf_trace_name(t, p, (size_t)(bar - p)));
    if (thread > UINT16_MAX)
        return bad(err, file, line, "more than %u threads", UINT16_MAX + 1);
    uint32_t what = PF_NONE, operand = pf_event_operand[ops[k].kind];
    if (operand != PF_OPERAND_NONE) {
        if (!open || stop - open < 3 || stop[-1] != ')')
            return bad(err, file, line, "expected '%s(NAME)'", ops[k].word);
        uint32_t name = pf_trace_name(t, open + 1, (size_t)(stop - open - 2));
        what = operand == PF_OPERAND_PLACE
                   ? pf_trace_place(t, pf_trace_variable(t, name), 8)
                   : pf_trace_role_number(
                         t, operand == PF_OPERAND_LOCK ? PF_ROLE_LOCK : PF_ROLE_THREAD, name);
    }
    uint64_t where = 0;
    for (; loc && loc < end && isdigit((unsigned char)*loc); loc++)
        where = where * 10 + (uint64_t)(*loc - '0');
    struct pf_event *e = pf_trace_add(t, ops[k].kind, thread);
    e->what = what;
    e->flags = operand == PF_OPERAND_PLACE ? PF_EF_UNKNOWN : 0;
    t->has_branches |= e->kind == PF_EV_BRANCH;
    uint32_t s = pf_trace_site(t, pf_trace_name(t, "loc", 3), (uint32_t)where);
    t->events.at[t->events.len - 1].site = s;
    return PF_OK;
}

pf_status pf_trace_read_std(struct pf_trace *t, const char *file, const char *text, size_t len,
                            struct pf_error *err)
{
    uint32_t line = 1;
    if (memchr(text, 0, len))
        return bad(err, file, line, "not an STD trace: contains zero bytes");
    for (const char *p = text, *end = text + len; p < end; line++) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        eol = eol ? eol : end;
        const char *last = eol;
        while (last > p && isspace((unsigned char)last[-1]))
            last--;
        pf_status s = last > p && *p != '#' ? read_line(t, file, line, p, last, err) : PF_OK;
        if (s != PF_OK)
            return s;
        p = eol + 1;
    }
    pf_trace_seal(t);
    return PF_OK;
}

pf_status pf_trace_write_std(const struct pf_trace *t, FILE *out, struct pf_error *err)
{
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        size_t k = 0, nops = sizeof ops / sizeof *ops;
        while (k < nops && ops[k].kind != e->kind)
            k++;
        if (k == nops)
            return pf_fail(err, PF_BAD, "event %u: STD cannot express '%s'", pf_trace_label(t, i),
                           pf_event_word[e->kind]);
        char operand[160] = "";
        if (pf_event_operand[e->kind] == PF_OPERAND_PLACE)
            pf_trace_place_text(t, e->what, operand, sizeof operand);
        else if (pf_event_operand[e->kind] != PF_OPERAND_NONE)
            snprintf(
                operand, sizeof operand, "%s",
                pf_trace_text(t, pf_trace_role_name(t,
                                                    e->kind == PF_EV_FORK || e->kind == PF_EV_JOIN
                                                        ? PF_ROLE_THREAD
                                                        : PF_ROLE_LOCK,
                                                    e->what)));
        fprintf(out, "%s|%s", pf_trace_text(t, pf_trace_role_name(t, PF_ROLE_THREAD, e->thread)),
                ops[k].word);
        if (*operand)
            fprintf(out, "(%s)", operand);
        fprintf(out, "|%u\n", t->sites.at[e->site].line);
    }
    return PF_OK;
}
