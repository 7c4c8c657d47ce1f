/*
 * pattern.c - the parser of the pattern language, and the built-in patterns.
 */
#include "pattern.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LABEL_MAX 24

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
static const char builtin[] = {
#embed "builtin.pattern"
};
#pragma clang diagnostic pop

struct sequence {
    char label[PF_PATTERN_MAX][LABEL_MAX];
    unsigned n, line; /* line 0: not given */
};

struct parser {
    const char *path, *at, *end;
    unsigned line;
    struct pf_error *error;
    struct sequence seq[5];
    char next[PF_PATTERN_MAX][2][LABEL_MAX]; /* pairs of events */
    unsigned nnext, next_line[PF_PATTERN_MAX];
    bool kinded;
    unsigned began; /* line of `pattern` */
    struct pf_pattern p;
};
enum { E, T, SV, AR, AT };
static const char *const words[] = {"E", "T", "SV", "AR", "AT"};
static const char *const kinds[] = {"race", "atomicity", "atomic-set"};

/* Writes the message; returns false. */
static bool fail(struct parser *p, unsigned line, const char *fmt, ...)
{
    char text[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return pf_fail(p->error, PF_BAD, "%s:%u: %s", p->path, line, text) == PF_OK;
}

static void skip(struct parser *p)
{
    for (; p->at < p->end && (isspace((unsigned char)*p->at) || *p->at == '#'); p->at++) {
        if (*p->at == '#')
            while (p->at < p->end && *p->at != '\n')
                p->at++;
        if (p->at == p->end)
            return;
        p->line += *p->at == '\n';
    }
}

/* Length of the word at the current position: letters, digits, `_` and `'`; with `dashes` also `-`,
 * but not as first character. 0 if there is none. */
static size_t peek(struct parser *p, bool dashes)
{
    skip(p);
    size_t n = 0;
    while (p->at + n < p->end && (isalnum((unsigned char)p->at[n]) || p->at[n] == '_' ||
                                  p->at[n] == '\'' || (dashes && n && p->at[n] == '-')))
        n++;
    return n;
}

static bool word(struct parser *p, bool dashes, char *out, size_t room, const char *what)
{
    size_t n = peek(p, dashes);
    if (!n && p->at == p->end)
        return fail(p, p->line, "expected %s, found the end of the file", what);
    if (!n)
        return fail(p, p->line, "expected %s, found '%c'", what, *p->at);
    if (n >= room)
        return fail(p, p->line, "'%.30s...' is too long (at most %zu characters)", p->at, room - 1);
    memcpy(out, p->at, n);
    out[n] = 0;
    p->at += n;
    return true;
}

static bool sequence(struct parser *p, int which)
{
    struct sequence *s = &p->seq[which];
    if (s->line)
        return fail(p, p->line, "%s is already given in line %u", words[which], s->line);
    s->line = p->line;
    do {
        if (s->n == PF_PATTERN_MAX)
            return fail(p, p->line, "%s is too long (at most %d)", words[which], PF_PATTERN_MAX);
        if (!word(p, false, s->label[s->n++], LABEL_MAX, "a label"))
            return false;
        skip(p);
    } while (p->at < p->end && *p->at == '-' && p->at++);
    return true;
}

/* Numbers the labels in order of appearance; returns the number of different ones. */
static uint8_t number(const struct sequence *s, uint8_t *out)
{
    uint8_t count = 0;
    for (unsigned i = 0; i < s->n; i++) {
        unsigned k = 0;
        while (strcmp(s->label[k], s->label[i]))
            k++;
        out[i] = k < i ? out[k] : count++;
    }
    return count;
}

static int event_of(const struct sequence *s, const char *label)
{
    for (unsigned i = 0; i < s->n; i++)
        if (!strcmp(s->label[i], label))
            return (int)i;
    return -1;
}

static bool finish_next(struct parser *p)
{
    for (unsigned k = 0; k < p->nnext; k++) {
        int a = event_of(&p->seq[E], p->next[k][0]), b = event_of(&p->seq[E], p->next[k][1]);
        if (a < 0 || b < 0)
            return fail(p, p->next_line[k], "next: '%s' is not an event of this pattern",
                        p->next[k][a < 0 ? 0 : 1]);
        if (b != a + 1)
            return fail(p, p->next_line[k], "next: '%s' does not directly follow '%s' in E",
                        p->next[k][1], p->next[k][0]);
        if (b + 1 != (int)p->seq[E].n)
            return fail(p, p->next_line[k], "next: only the last two events are allowed");
        p->p.next[b] = true;
    }
    return true;
}

static bool finish(struct parser *p, pf_patterns *out)
{
    struct pf_pattern *q = &p->p;
    if (!p->kinded)
        return fail(p, p->began, "pattern %s has no kind", q->name);
    for (int k = E; k <= AT; k++) {
        if (!p->seq[k].line)
            return fail(p, p->began, "pattern %s has no %s", q->name, words[k]);
        if (p->seq[k].n != p->seq[E].n)
            return fail(p, p->seq[k].line, "%s has %u entries, E has %u", words[k], p->seq[k].n,
                        p->seq[E].n);
    }
    uint8_t events[PF_PATTERN_MAX];
    q->n = (uint8_t)p->seq[E].n;
    if (number(&p->seq[E], events) != q->n)
        return fail(p, p->seq[E].line, "an event appears twice in E");
    q->nthreads = number(&p->seq[T], q->thread);
    q->nvars = number(&p->seq[SV], q->var);
    q->nregions = number(&p->seq[AR], q->region);
    if (q->nthreads < 2)
        return fail(p, p->seq[T].line, "an anomaly needs at least two threads");
    for (unsigned i = 0; i < q->n; i++) {
        const char *type = p->seq[AT].label[i];
        if (strcmp(type, "r") && strcmp(type, "w"))
            return fail(p, p->seq[AT].line, "AT: expected 'r' or 'w', found '%s'", type);
        q->write[i] = *type == 'w';
        for (unsigned k = 0; k < i; k++)
            if (q->region[k] == q->region[i] && q->thread[k] != q->thread[i])
                return fail(p, p->seq[AR].line, "region '%s' belongs to two threads",
                            p->seq[AR].label[i]);
    }
    if (!finish_next(p))
        return false;
    for (size_t i = 0; i < out->len; i++)
        if (!strcmp(out->at[i].name, q->name))
            return fail(p, p->began, "pattern %s is already defined", q->name);
    pf_vec_push(out, *q);
    return true;
}

static bool begin(struct parser *p)
{
    memset(p->seq, 0, sizeof p->seq);
    p->p = (struct pf_pattern){0};
    p->nnext = 0;
    p->kinded = false;
    p->began = p->line;
    return word(p, true, p->p.name, sizeof p->p.name, "the name of the pattern");
}

static bool kind(struct parser *p)
{
    char text[LABEL_MAX];
    if (!word(p, true, text, sizeof text, "a kind"))
        return false;
    for (uint8_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(text, kinds[k])) {
            p->p.kind = k;
            return p->kinded = true;
        }
    return fail(p, p->line, "kind: expected race, atomicity or atomic-set, found '%s'", text);
}

static bool next_pair(struct parser *p)
{
    if (p->nnext == PF_PATTERN_MAX)
        return fail(p, p->line, "next: too many");
    p->next_line[p->nnext] = p->line;
    if (!word(p, false, p->next[p->nnext][0], LABEL_MAX, "an event") ||
        !word(p, false, p->next[p->nnext][1], LABEL_MAX, "an event"))
        return false;
    p->nnext++;
    return true;
}

static bool item(struct parser *p, const char *key)
{
    if (!strcmp(key, "kind"))
        return kind(p);
    if (!strcmp(key, "next"))
        return next_pair(p);
    for (int k = E; k <= AT; k++)
        if (!strcmp(key, words[k]))
            return sequence(p, k);
    return fail(p, p->line, "expected pattern, kind, E, T, SV, AR, AT or next, found '%s'", key);
}

static bool parse(pf_patterns *out, struct parser *p)
{
    bool inside = false;
    for (skip(p); p->at < p->end; skip(p)) {
        char key[LABEL_MAX];
        if (!word(p, false, key, sizeof key, "a keyword"))
            return false;
        if (strcmp(key, "pattern")) {
            if (!inside)
                return fail(p, p->line, "expected 'pattern', found '%s'", key);
            if (!item(p, key))
                return false;
            continue;
        }
        if ((inside && !finish(p, out)) || !begin(p))
            return false;
        inside = true;
    }
    if (!inside)
        return fail(p, p->line, "no pattern in the file");
    return finish(p, out);
}

pf_status pf_patterns_parse(pf_patterns *out, const char *path, const char *text, size_t len,
                            struct pf_error *e)
{
    struct parser p = {.path = path, .at = text, .end = text + len, .line = 1, .error = e};
    return parse(out, &p) ? PF_OK : PF_BAD;
}

void pf_patterns_builtin(pf_patterns *out)
{
    struct pf_error e;
    size_t first = out->len;
    if (pf_patterns_parse(out, "builtin.pattern", builtin, sizeof builtin, &e) != PF_OK) {
        fprintf(stderr, "pf: %s\n", e.text); /* a bug in pf */
        abort();
    }
    for (size_t i = first; i < out->len; i++)
        out->at[i].builtin = true;
}
