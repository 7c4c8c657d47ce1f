/* suppress.c - see suppress.h. A finding is matched once, so simple backtracking is fast enough. */
#include "suppress.h"

#define ARROW " <- "
#define ANY_FRAMES "..."
#define GENERATED_FRAMES 4 /* most frames that a generated line names */

static const char *const words[] = {
#define PF_SUPPRESS(name, word, help) word,
#include "suppress.def"
#undef PF_SUPPRESS
};

bool pf_pattern_match(const char *pattern, const char *s)
{
    if (!s)
        return false;
    const char *p = pattern + (*pattern == '^'), *end = p + pf_str_len(p);
    bool to_end = end > p && end[-1] == '$';
    end -= to_end;
    /* Where matching resumes after a mismatch: after the last `*`, one character further on. */
    const char *star = p > pattern ? NULL : p, *retry = s;
    for (;;) {
        if (p == end && (!to_end || !*s))
            return true;
        if (p < end && *p == '*') {
            star = ++p;
            retry = s;
        } else if (p < end && *s && *p == *s) {
            p++, s++;
        } else if (star && *retry) {
            p = star;
            s = ++retry;
        } else {
            return false;
        }
    }
}

void pf_suppressions_init(struct pf_suppressions *s)
{
    *s = (struct pf_suppressions){.end = &s->first};
}

static const char *find_arrow(const char *s)
{
    for (; *s; s++)
        if (pf_str_starts(s, ARROW))
            return s;
    return NULL;
}

/* Splits `pattern` at the arrows. Returns NULL, or what is wrong with it. */
static const char *split_frames(struct pf_suppression *item, struct pf_pool *pool,
                                const char *pattern)
{
    size_t n = 1;
    for (const char *p = pattern; (p = find_arrow(p)); p += sizeof ARROW - 1)
        n++;
    const char **frames = pf_pool_get(pool, n * sizeof *frames);
    if (!frames)
        return "out of memory";
    for (size_t i = 0; i < n; i++) {
        const char *end = find_arrow(pattern);
        size_t len = end ? (size_t)(end - pattern) : pf_str_len(pattern);
        while (len && pattern[0] == ' ')
            pattern++, len--;
        while (len && pattern[len - 1] == ' ')
            len--;
        if (len == 0)
            return n == 1 ? "the pattern is empty" : "a frame of the pattern is empty";
        frames[i] = pf_pool_text(pool, pattern, len);
        if (!frames[i])
            return "out of memory";
        pattern = end ? end + sizeof ARROW - 1 : NULL;
    }
    item->frames = frames;
    item->nframes = n;
    return NULL;
}

static bool all_any(const struct pf_suppression *item)
{
    for (size_t i = 0; i < item->nframes; i++)
        if (!pf_str_same(item->frames[i], ANY_FRAMES))
            return false;
    return true;
}

static const char *parse_line(struct pf_suppression *item, struct pf_pool *pool)
{
    const char *colon = item->line;
    while (*colon && *colon != ':')
        colon++;
    if (!*colon)
        return "expected type:pattern";
    size_t len = (size_t)(colon - item->line);
    int type = -1;
    for (int i = 0; i < PF_SUPPRESS_TYPES; i++)
        if (pf_str_len(words[i]) == len && pf_bytes_same(words[i], item->line, len))
            type = i;
    if (type < 0)
        return "unknown type (known:"
#define PF_SUPPRESS(name, word, help) " " word
#include "suppress.def"
#undef PF_SUPPRESS
               ")";
    item->type = (enum pf_suppress_type)type;
    const char *wrong = split_frames(item, pool, colon + 1);
    if (wrong)
        return wrong;
    if (item->nframes > 1 &&
        (item->type == PF_SUPPRESS_RACE_TOP || item->type == PF_SUPPRESS_CALLED_FROM_LIB))
        return "race_top: and called_from_lib: take a pattern of one frame";
    if (all_any(item))
        return "the pattern would suppress everything";
    return NULL;
}

bool pf_suppressions_parse(struct pf_suppressions *s, struct pf_pool *pool, const char *text,
                           size_t n, struct pf_suppress_error *error)
{
    const char *end = text + n;
    *error = (struct pf_suppress_error){.reason = "out of memory"};
    for (uint32_t number = 1; text < end; number++) {
        const char *line = text, *stop = text;
        while (stop < end && *stop != '\n')
            stop++;
        text = stop + 1;
        while (line < stop && (*line == ' ' || *line == '\t'))
            line++;
        while (stop > line && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
            stop--;
        if (line == stop || *line == '#')
            continue;
        struct pf_suppression *item = pf_pool_get(pool, sizeof *item);
        if (!item || !(item->line = pf_pool_text(pool, line, (size_t)(stop - line))))
            return false;
        const char *wrong = parse_line(item, pool);
        if (wrong) {
            *error = (struct pf_suppress_error){number, wrong, item->line};
            return false;
        }
        *s->end = item;
        s->end = &item->next;
        s->n++;
    }
    return true;
}

static bool match_place(const char *pattern, const struct pf_stack_frame *p)
{
    return pf_pattern_match(pattern, p->function) || pf_pattern_match(pattern, p->file) ||
           pf_pattern_match(pattern, p->module);
}

/* Matches the pattern's frames against the stack from #0. Frames further out are ignored. */
static bool match_frames(const char *const *frames, size_t n, const struct pf_backtrace *t)
{
    size_t f = 0, at = 0, any = SIZE_MAX, retry = 0;
    while (f < n) {
        if (pf_str_same(frames[f], ANY_FRAMES)) {
            any = ++f;
            retry = at;
        } else if (at < t->n && match_place(frames[f], &t->at[at])) {
            f++, at++;
        } else if (any != SIZE_MAX && retry < t->n) {
            f = any;
            at = ++retry;
        } else {
            return false;
        }
    }
    return true;
}

static bool match_any_frame(const char *pattern, const struct pf_backtrace *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (match_place(pattern, &t->at[i]))
            return true;
    return false;
}

static bool match_stack(const struct pf_suppression *s, const struct pf_backtrace *t)
{
    if (s->nframes > 1)
        return match_frames(s->frames, s->nframes, t);
    switch (s->type) {
    case PF_SUPPRESS_RACE_TOP:
        return t->n && match_place(s->frames[0], t->at);
    case PF_SUPPRESS_CALLED_FROM_LIB: /* #0 is a function of the C library, which has no file */
        return t->n > 1 && !t->at[0].file && pf_pattern_match(s->frames[0], t->at[1].module);
    default:
        return match_any_frame(s->frames[0], t);
    }
}

static bool match_name(const struct pf_suppression *s, const struct pf_finding *f)
{
    if (s->type != PF_SUPPRESS_RACE || s->nframes != 1)
        return false;
    bool match = pf_pattern_match(s->frames[0], f->location.name);
    for (size_t i = 0; i < f->naccesses; i++)
        match |= pf_pattern_match(s->frames[0], f->accesses[i].variable);
    return match;
}

/* The type of the lines that suppress findings of this kind. */
static const enum pf_suppress_type types[PF_KINDS] = {
#define PF_KIND(name, json, title, suppression, option) PF_SUPPRESS_##suppression,
#include "finding.def"
#undef PF_KIND
};

static bool is_for(const struct pf_suppression *s, enum pf_kind kind)
{
    bool race = s->type == PF_SUPPRESS_RACE_TOP || s->type == PF_SUPPRESS_CALLED_FROM_LIB;
    return types[kind] == (race ? PF_SUPPRESS_RACE : s->type);
}

struct pf_suppression *pf_suppressions_match(struct pf_suppressions *s, const struct pf_finding *f,
                                             bool *by_name)
{
    for (struct pf_suppression *i = s->first; i; i = i->next) {
        if (!is_for(i, f->kind))
            continue;
        bool by_stack = false;
        for (size_t k = 0; k < f->naccesses; k++)
            by_stack |= match_stack(i, &f->accesses[k].stack);
        if (by_stack || match_name(i, f)) {
            *by_name = !by_stack;
            i->hits++;
            return i;
        }
    }
    return NULL;
}

static void add_place(struct pf_text *t, const struct pf_backtrace *stack)
{
    const struct pf_stack_frame *p = pf_backtrace_source(stack);
    if (!p)
        return;
    pf_text_name(t, p->function ? p->function : "??");
    if (p->file) {
        pf_text_char(t, ' ');
        pf_text_name(t, pf_str_base(p->file));
        pf_text_char(t, ':');
        pf_text_u64(t, p->line);
    }
}

void pf_suppression_text(struct pf_text *t, const struct pf_finding *f)
{
    const struct pf_backtrace *stack = pf_finding_stack(f);
    pf_text_add(t, "# ");
    pf_text_add(t, pf_kind_name(f->kind));
    if (f->location.name) {
        pf_text_add(t, " on ");
        pf_text_name(t, f->location.name);
    }
    pf_text_add(t, ": ");
    for (size_t i = 0; i < f->naccesses; i++) {
        pf_text_add(t, i ? " / " : "");
        add_place(t, &f->accesses[i].stack);
    }
    if (types[f->kind] == PF_SUPPRESS_NONE) {
        pf_text_add(t, ": failures cannot be suppressed\n");
        return;
    }
    if (!stack) {
        pf_text_add(t, ": no stack to match\n");
        return;
    }
    pf_text_char(t, '\n');
    pf_text_add(t, words[types[f->kind]]);
    pf_text_char(t, ':');
    for (size_t i = 0; i < stack->n && i < GENERATED_FRAMES; i++) {
        pf_text_add(t, i ? ARROW "^" : "^");
        pf_text_name(t, stack->at[i].function ? stack->at[i].function : "*");
        pf_text_char(t, '$');
    }
    pf_text_char(t, '\n');
}
