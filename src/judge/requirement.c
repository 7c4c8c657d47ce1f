/* requirement.c - see requirement.h. */
#include "requirement.h"
#include "adhoc_sync.h"
#include "output_event.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
    [PF_REQUIRE_LT] = "<",  [PF_REQUIRE_LE] = "<=", [PF_REQUIRE_EQ] = "==",
    [PF_REQUIRE_NE] = "!=", [PF_REQUIRE_GE] = ">=", [PF_REQUIRE_GT] = ">",
};

bool pf_requirement_parse(struct pf_requirement *r, const char *text)
{
    char op[3] = "", *end = NULL;
    size_t n = strcspn(text, " <>=!"), k = 0;
    if (!n || n >= sizeof r->variable)
        return false;
    memcpy(r->variable, text, n);
    r->variable[n] = 0;
    text += n + strspn(text + n, " ");
    while (k < 2 && *text && strchr("<>=!", *text))
        op[k++] = *text++;
    text += strspn(text, " ");
    int found = -1;
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        found = strcmp(words[i], op) ? found : i;
    r->op = (enum pf_requirement_op)found;
    errno = 0;
    r->value = strtoll(text, &end, 0);
    return found >= 0 && end != text && !*end && !errno;
}

static bool satisfies(const struct pf_requirement *r, int64_t v)
{
    switch (r->op) {
    case PF_REQUIRE_LT:
        return v < r->value;
    case PF_REQUIRE_LE:
        return v <= r->value;
    case PF_REQUIRE_EQ:
        return v == r->value;
    case PF_REQUIRE_NE:
        return v != r->value;
    case PF_REQUIRE_GE:
        return v >= r->value;
    default:
        return v > r->value;
    }
}

static const struct pf_variable *find_variable(const struct pf_trace *t, const char *name)
{
    for (size_t i = 0; i < t->recorded.variables.len; i++)
        if (!strcmp(pf_trace_text(t, t->recorded.variables.at[i].name), name))
            return &t->recorded.variables.at[i];
    return NULL;
}

/* The bytes of the variable as far as they are known. */
struct tracked_value {
    uint64_t addr, size;
    uint8_t byte[8];
    bool known[8];
};

static void take_access(struct tracked_value *v, const struct pf_trace *t, const struct pf_event *e)
{
    const struct pf_range *p = &t->places.at[e->what];
    bool known = !(e->flags & PF_EF_UNKNOWN) && p->size <= 8;
    for (uint64_t i = 0; i < v->size; i++) {
        uint64_t at = v->addr + i;
        if (at < p->addr || at >= p->addr + p->size)
            continue;
        v->known[i] = known;
        v->byte[i] = (uint8_t)(e->value >> 8 * (at - p->addr));
    }
}

static bool value_of(const struct tracked_value *v, int64_t *out)
{
    uint64_t bits = 0;
    for (uint64_t i = 0; i < v->size; i++) {
        if (!v->known[i])
            return false;
        bits |= (uint64_t)v->byte[i] << 8 * i;
    }
    unsigned unused = 64 - 8 * (unsigned)v->size;
    *out = (int64_t)(bits << unused) >> unused;
    return true;
}

static bool is_synchronisation(const struct pf_event *e)
{
    switch (pf_event_class[e->kind]) {
    case PF_CLASS_ACQUIRE:
    case PF_CLASS_RELEASE:
    case PF_CLASS_NOTIFY:
    case PF_CLASS_BARRIER:
    case PF_CLASS_MESSAGE:
    case PF_CLASS_THREAD:
        return true;
    default:
        return false;
    }
}

bool pf_requirement_holds(const struct pf_requirement *r, const struct pf_trace *t, bool *known,
                          char *why, size_t room)
{
    const struct pf_variable *x = find_variable(t, r->variable);
    *known = x && x->size && x->size <= 8;
    if (!*known)
        return true;
    struct tracked_value v = {.addr = x->addr, .size = x->size};
    for (uint32_t i = 0; i <= t->events.len; i++) {
        const struct pf_event *e = i < t->events.len ? &t->events.at[i] : NULL;
        int64_t now;
        if (e && pf_event_is_access(e) && e->kind != PF_EV_FREE)
            take_access(&v, t, e);
        if ((!e || is_synchronisation(e) || pf_output_event(t, i)) && value_of(&v, &now) &&
            !satisfies(r, now)) {
            char at[200] = "the end of the program";
            if (e && t->sites.at[e->site].line)
                pf_adhoc_sync_position(t, i, at, sizeof at);
            else if (e)
                snprintf(at, sizeof at, "%s of T%u", e->kind == PF_EV_END ? "the end" : "a call",
                         t->recorded.thread.at[e->thread]);
            snprintf(why, room, "requirement violated: %s is %lld at %s, required: %s %s %lld",
                     r->variable, (long long)now, at, r->variable, words[r->op],
                     (long long)r->value);
            return false;
        }
    }
    return true;
}

const char *pf_requirements_parse(struct pf_requirement *list, size_t room, const char *text,
                                  size_t *n)
{
    while (*text) {
        size_t length = strcspn(text, ";");
        char *one = pf_mem_copy_n(text, length);
        bool ok = *n < room && pf_requirement_parse(&list[(*n)++], one);
        free(one);
        if (!ok)
            return text;
        text += length + (text[length] == ';');
        text += strspn(text, " ");
    }
    return NULL;
}
