/*
 * text_read.c - the reader of the text form: splits the text into tokens and builds one event at a
 * time.
 */
#include "trace_text.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

struct text_open_call {
    uint32_t thread, call, name;
};
struct text_reader {
    struct pf_trace *t;
    const char *file, *at, *end;
    uint32_t line;
    const char *tok; /* the current token; tok_len is 0 at the end of the text */
    size_t tok_len;
    struct pf_error *e;
    PF_VEC(struct text_open_call) open;
    uint32_t last_label;
};

/* Writes the message; returns false. */
static bool fail(struct text_reader *r, const char *fmt, ...)
{
    char text[240];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return pf_fail(r->e, PF_BAD, "%s:%u: %s", r->file, r->line, text) == PF_OK;
}

/* The current token is not what was expected. Returns false. */
static bool expected(struct text_reader *r, const char *what)
{
    return fail(r, "expected %s, found '%.*s'", what, (int)(r->tok_len < 40 ? r->tok_len : 40),
                r->tok);
}

static void next(struct text_reader *r)
{
    for (;;) {
        while (r->at < r->end && isspace((unsigned char)*r->at))
            r->line += *r->at++ == '\n';
        if (r->at < r->end && *r->at == '#')
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        else
            break;
    }
    r->tok = r->at;
    if (r->at < r->end && (*r->at == '{' || *r->at == '}'))
        r->at++;
    else
        while (r->at < r->end && !isspace((unsigned char)*r->at) && *r->at != '{' && *r->at != '}')
            r->at++;
    r->tok_len = (size_t)(r->at - r->tok);
}

static bool is(const struct text_reader *r, const char *word)
{
    return r->tok_len == strlen(word) && !memcmp(r->tok, word, r->tok_len);
}

/* Parses a number at *p, before `end`: decimal (possibly negative) or 0x. Moves *p past it. */
static bool number(const char **p, const char *end, uint64_t *out)
{
    const char *s = *p;
    bool minus = s < end && *s == '-';
    s += minus;
    uint64_t v = 0;
    const char *digits = s;
    if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        for (digits = s += 2; s < end && isxdigit((unsigned char)*s); s++)
            v = v * 16 + (uint64_t)(isdigit((unsigned char)*s) ? *s - '0' : (*s | 32) - 'a' + 10);
        if (s - digits > 16)
            return false;
    } else
        for (; s < end && isdigit((unsigned char)*s); s++) {
            if (__builtin_mul_overflow(v, 10u, &v) ||
                __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
                return false;
        }
    if (s == digits)
        return false;
    *p = s;
    *out = minus ? -v : v;
    return true;
}

static bool is_name(const char *s, size_t len)
{
    if (!len || !(isalpha((unsigned char)*s) || *s == '_'))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("_.$-*[]", s[i]))
            return false;
    return true;
}

/* Consumes the current token, which must be a plain name. */
static bool name(struct text_reader *r, const char *what, uint32_t *out)
{
    if (!is_name(r->tok, r->tok_len))
        return expected(r, what);
    *out = pf_trace_name(r->t, r->tok, r->tok_len);
    next(r);
    return true;
}

struct place_value {
    uint64_t addr, size, value, old;
    uint32_t name;
    bool has_size, has_value, has_old;
};

/* Consumes a place with an optional value: NAME[+OFFSET][:SIZE][=VALUE] or 0xADDR[:SIZE][=VALUE];
 * for rmw =OLD->NEW. */
static bool place_value(struct text_reader *r, struct place_value *s)
{
    const char *p = r->tok, *end = r->tok + r->tok_len;
    memset(s, 0, sizeof *s);
    s->size = 8;
    s->name = PF_NONE;
    uint64_t v;
    if (r->tok_len && isdigit((unsigned char)*p)) {
        if (!number(&p, end, &s->addr))
            goto bad;
    } else {
        const char *q = p;
        while (q < end && !strchr("+:=", *q))
            q++;
        if (!is_name(p, (size_t)(q - p)))
            goto bad;
        s->name = pf_trace_name(r->t, p, (size_t)(q - p));
        s->addr = pf_trace_variable(r->t, s->name);
        p = q;
        if (p < end && *p == '+') {
            p++;
            if (!number(&p, end, &v) || __builtin_add_overflow(s->addr, v, &s->addr))
                goto bad;
        }
    }
    if (p < end && *p == ':') {
        p++;
        if (!number(&p, end, &s->size) || !s->size || s->size > 1ull << 40)
            goto bad;
        s->has_size = true;
    }
    if (s->size > UINT64_MAX - s->addr)
        return expected(r, "a place below address 0xffffffffffffffff");
    if (p < end && *p == '=') {
        p++;
        if (!number(&p, end, &s->value))
            goto bad;
        s->has_value = true;
        if (end - p > 2 && p[0] == '-' && p[1] == '>') {
            p += 2;
            s->old = s->value;
            s->has_old = true;
            if (!number(&p, end, &s->value))
                goto bad;
        }
    }
    if (p != end)
        goto bad;
    next(r);
    return true;
bad:
    return expected(r, "a place such as x, x+4:2=7 or 0x1000:8");
}

static uint64_t truncate_value(uint64_t value, uint64_t size)
{
    return size < 8 ? value & ((1ull << 8 * size) - 1) : value;
}

static void ordering(struct text_reader *r, struct pf_event *e)
{
    static const struct {
        const char *word;
        uint8_t flags;
    } order[] = {
        {"relaxed", PF_EF_RELAXED}, {"acquire", PF_EF_ACQUIRE}, {"release", PF_EF_RELEASE}};
    for (size_t i = e->kind == PF_EV_FENCE; i < sizeof order / sizeof *order; i++)
        if (is(r, order[i].word)) {
            e->flags |= order[i].flags;
            next(r);
            return;
        }
}

static bool access_event(struct text_reader *r, struct pf_event *e)
{
    struct place_value s;
    if (!place_value(r, &s))
        return false;
    if (e->kind == PF_EV_ALLOC || e->kind == PF_EV_FREE) {
        if (s.has_value)
            return fail(r, "%s takes no value", pf_event_word[e->kind]);
        uint64_t first, size;
        if (e->kind == PF_EV_FREE && !s.has_size &&
            pf_trace_block_at(r->t, s.addr, &first, &size) && first == s.addr)
            s.size = size;
        e->what = e->kind == PF_EV_ALLOC ? pf_trace_new_block(r->t, s.addr, s.size)
                                         : pf_trace_place(r->t, s.addr, s.size);
        if (e->kind == PF_EV_ALLOC && is(r, "writes")) {
            e->flags |= PF_EF_CREATES;
            next(r);
        }
        return true;
    }
    e->what = pf_trace_place(r->t, s.addr, s.size);
    e->value = truncate_value(s.value, s.size);
    if (!s.has_value)
        e->flags |= PF_EF_UNKNOWN;
    if (e->kind == PF_EV_RMW) {
        if (s.has_value && !s.has_old)
            return fail(r, "expected the old and the new value, as in x=1->2");
        e->link = (uint32_t)r->t->olds.len;
        pf_vec_push(&r->t->olds, truncate_value(s.old, s.size));
    } else if (s.has_old)
        return fail(r, "only rmw has an old value");
    if (pf_event_atomic(e)) {
        ordering(r, e);
    } else if (is(r, e->kind == PF_EV_READ ? "checks" : "acts")) {
        e->flags |= e->kind == PF_EV_READ ? PF_EF_CHECK : PF_EF_ACT;
        next(r);
    }
    return true;
}

static bool find_label(struct text_reader *r, uint32_t label, uint32_t *event)
{
    size_t lo = 0, hi = r->t->labels.len; /* labels are sorted */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (r->t->labels.at[mid] < label)
            lo = mid + 1;
        else
            hi = mid;
    }
    *event = (uint32_t)lo;
    return (lo < r->t->labels.len && r->t->labels.at[lo] == label) ||
           fail(r, "no event %u before this one", label);
}

static bool wake_event(struct text_reader *r, struct pf_event *e, uint32_t index)
{
    uint32_t by = PF_NONE;
    if (is(r, "timeout"))
        e->flags |= PF_EF_TIMEOUT;
    else if (is(r, "by")) {
        next(r);
        const char *p = r->tok;
        uint64_t v;
        if (!number(&p, r->tok + r->tok_len, &v) || p != r->tok + r->tok_len || v > UINT32_MAX)
            return fail(r, "expected the number of the waking event after 'by'");
        if (!find_label(r, (uint32_t)v, &by))
            return false;
    } else if (!is(r, "spurious"))
        return true;
    next(r);
    pf_vec_push(&r->t->wakers, index);
    pf_vec_push(&r->t->wakers, by);
    return true;
}

/* Consumes the token "=LABEL": the call reaches the same set as the call with this label. */
static bool same_reach(struct text_reader *r, struct pf_event *e)
{
    const char *p = r->tok + 1, *end = r->tok + r->tok_len;
    uint64_t label;
    uint32_t call;
    if (!number(&p, end, &label) || p != end || label > UINT32_MAX)
        return expected(r, "the number of a call after '='");
    if (!find_label(r, (uint32_t)label, &call))
        return false;
    if (r->t->events.at[call].kind != PF_EV_CALL)
        return fail(r, "event %u is not a call", (uint32_t)label);
    e->link = pf_trace_reach_refresh(r->t, r->t->events.at[call].link);
    next(r);
    return is(r, "}") || fail(r, "expected '}' after the number of a call");
}

static bool call_event(struct text_reader *r, struct pf_event *e, uint32_t index)
{
    uint32_t what;
    if (!name(r, "the name of a function", &what))
        return false;
    e->what = pf_trace_role_number(r->t, PF_ROLE_CALL, what);
    r->t->has_calls = true;
    if (e->kind == PF_EV_RET) {
        size_t i = r->open.len;
        while (i > 0 && r->open.at[i - 1].thread != e->thread)
            i--;
        if (!i || r->open.at[i - 1].name != what)
            return fail(r, "'ret %s' without a matching call", pf_trace_text(r->t, what));
        e->link = r->open.at[i - 1].call;
        memmove(r->open.at + i - 1, r->open.at + i, (r->open.len - i) * sizeof *r->open.at);
        r->open.len--;
        return true;
    }
    pf_vec_push(&r->open, (struct text_open_call){e->thread, index, what});
    bool has_set = is(r, "{");
    if (has_set)
        next(r);
    if (has_set && r->tok_len && *r->tok == '=') {
        if (!same_reach(r, e))
            return false;
        next(r);
        return true;
    }
    e->link = pf_trace_reach(r->t);
    while (has_set && !is(r, "}")) {
        struct place_value s;
        if (!r->tok_len)
            return fail(r, "expected '}', found the end of the file");
        if (!place_value(r, &s))
            return false;
        pf_trace_reach_add(r->t, s.name, pf_trace_place(r->t, s.addr, s.size));
    }
    if (has_set)
        next(r);
    return true;
}

static bool site(struct text_reader *r, struct pf_event *e, uint32_t label)
{
    if (!r->tok_len || *r->tok != '@') {
        e->site = pf_trace_site(r->t, pf_trace_name(r->t, "", 0), label);
        return true;
    }
    const char *colon = memrchr(r->tok, ':', r->tok_len), *end = r->tok + r->tok_len;
    uint64_t line;
    const char *p = colon ? colon + 1 : end;
    if (!colon || colon == r->tok + 1 || !number(&p, end, &line) || p != end || line > UINT32_MAX)
        return expected(r, "@FILE:LINE");
    e->site = pf_trace_site(r->t, pf_trace_name(r->t, r->tok + 1, (size_t)(colon - r->tok - 1)),
                            (uint32_t)line);
    next(r);
    return true;
}

static bool event(struct text_reader *r)
{
    uint64_t label = r->last_label + 1;
    if (isdigit((unsigned char)*r->tok)) {
        const char *p = r->tok;
        if (!number(&p, r->tok + r->tok_len, &label) || p != r->tok + r->tok_len ||
            label > INT32_MAX || label <= r->last_label) {
            char what[48];
            snprintf(what, sizeof what, "an event number above %u", r->last_label);
            return expected(r, what);
        }
        next(r);
    }
    r->last_label = (uint32_t)label;
    uint32_t thread_name;
    if (!name(r, "the name of a thread", &thread_name))
        return false;
    uint32_t thread = pf_trace_role_number(r->t, PF_ROLE_THREAD, thread_name);
    if (thread > UINT16_MAX)
        return fail(r, "more than %u threads", UINT16_MAX + 1);
    int kind = 0;
    bool inner = r->tok_len > 1 && r->tok[r->tok_len - 1] == '~';
    r->tok_len -= inner;
    bool decided = r->tok_len > 1 && r->tok[r->tok_len - 1] == '?';
    r->tok_len -= decided;
    while (kind < PF_EV_KINDS && !is(r, pf_event_word[kind]))
        kind++;
    if (kind == PF_EV_KINDS)
        return expected(r, "an operation");
    next(r);
    /* Built in a local variable, because parsing operands may move the event array. */
    struct pf_event e = {.kind = (uint8_t)kind,
                         .flags = decided ? PF_EF_DECIDED : 0,
                         .thread = (uint16_t)thread,
                         .what = PF_NONE,
                         .link = PF_NONE};
    uint32_t index = (uint32_t)r->t->events.len, n;
    static const enum pf_role role[] = {
        [PF_OPERAND_LOCK] = PF_ROLE_LOCK,      [PF_OPERAND_COND] = PF_ROLE_COND,
        [PF_OPERAND_COND_LOCK] = PF_ROLE_COND, [PF_OPERAND_BARRIER] = PF_ROLE_BARRIER,
        [PF_OPERAND_THREAD] = PF_ROLE_THREAD,  [PF_OPERAND_SYNC] = PF_ROLE_SYNC};
    switch (pf_event_operand[kind]) {
    case PF_OPERAND_NONE:
        if (kind == PF_EV_FENCE)
            ordering(r, &e);
        break;
    case PF_OPERAND_PLACE:
        if (!access_event(r, &e))
            return false;
        break;
    case PF_OPERAND_CALL:
        if (!call_event(r, &e, index))
            return false;
        break;
    default:
        if (!name(r, "a name", &n))
            return false;
        e.what = pf_trace_role_number(r->t, role[pf_event_operand[kind]], n);
        if (pf_event_operand[kind] == PF_OPERAND_COND_LOCK) {
            if (!name(r, "the mutex of the condition variable", &n))
                return false;
            e.link = pf_trace_role_number(r->t, PF_ROLE_LOCK, n);
            if (kind == PF_EV_WAKE && !wake_event(r, &e, index))
                return false;
        }
    }
    if (!site(r, &e, (uint32_t)label))
        return false;
    r->t->has_branches |= kind == PF_EV_BRANCH || decided;
    *pf_trace_add(r->t, kind, thread) = e;
    pf_vec_push(&r->t->labels, (uint32_t)label);
    if (inner)
        pf_trace_set_inner(r->t, index);
    return true;
}

pf_status pf_trace_read_text(struct pf_trace *t, const char *file, const char *text, size_t len,
                             struct pf_error *e)
{
    struct text_reader r = {.t = t, .file = file, .at = text, .end = text + len, .line = 1, .e = e};
    bool ok = true;
    if (memchr(text, 0, len))
        ok = fail(&r, "not a text trace: contains zero bytes");
    for (next(&r); ok && r.tok_len;) {
        if (is(&r, "recorded")) {
            t->has_unrecorded_code = true;
            next(&r);
            if (is(&r, "cut")) {
                t->recorded.cut = true;
                next(&r);
            }
        } else if (is(&r, "init")) {
            struct place_value s;
            next(&r);
            ok = place_value(&r, &s) && (s.has_value || fail(&r, "expected a value after 'init'"));
            if (ok)
                pf_vec_push(&t->initials, (struct pf_initial){pf_trace_place(t, s.addr, s.size),
                                                              truncate_value(s.value, s.size)});
        } else
            ok = event(&r);
    }
    pf_vec_release(&r.open);
    if (ok)
        pf_trace_seal(t);
    return ok ? PF_OK : PF_BAD;
}

enum pf_trace_form pf_trace_sniff(const char *text, size_t len)
{
    size_t probe = len < 4096 ? len : 4096;
    for (size_t i = 0; i < probe; i++)
        if (iscntrl((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            return PF_FORM_BINARY;
    if (probe && (unsigned char)*text >= 0x80) /* such as the first byte of a recording */
        return PF_FORM_BINARY;
    const char *p = text, *end = text + len;
    while (p < end) { /* the first line that is neither empty nor a comment decides */
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        eol = eol ? eol : end;
        while (p < eol && isspace((unsigned char)*p))
            p++;
        if (p < eol && *p != '#')
            return memchr(p, '|', (size_t)(eol - p)) ? PF_FORM_STD : PF_FORM_TEXT;
        p = eol < end ? eol + 1 : end;
    }
    return PF_FORM_TEXT;
}
