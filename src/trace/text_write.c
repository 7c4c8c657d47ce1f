/*
 * text_write.c - the writer of the text form: one event per line.
 */
#include "hash_map.h"
#include "hash_mix.h"
#include "trace_text.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The variable that contains addr: one of the recording, or one to which the text form gave an
 * address. */
static uint32_t variable_of(const struct pf_trace *t, uint64_t addr, uint64_t *offset)
{
    uint32_t best = PF_NONE;
    if (t->recorded.present) {
        struct pf_variable v;
        if (!pf_trace_variable_at(t, addr, &v) || v.size > PF_NAMED_STRIDE)
            /* a larger one would overlap the next variable when the text is read back */
            return PF_NONE;
        *offset = addr - v.addr;
        return v.name;
    }
    for (uint32_t i = 0; i < t->names.len; i++) {
        uint64_t a = t->names.at[i].addr;
        if (a && a <= addr && addr - a < PF_NAMED_STRIDE &&
            (best == PF_NONE || a > addr - *offset)) {
            best = i;
            *offset = addr - a;
        }
    }
    return best;
}

void pf_trace_place_text(const struct pf_trace *t, uint32_t place, char *out, size_t max)
{
    const struct pf_range *p = &t->places.at[place];
    uint64_t offset = 0;
    uint32_t name = variable_of(t, p->addr, &offset);
    int n = name == PF_NONE ? snprintf(out, max, "0x%" PRIx64, p->addr)
            : offset        ? snprintf(out, max, "%s+%" PRIu64, pf_trace_text(t, name), offset)
                            : snprintf(out, max, "%s", pf_trace_text(t, name));
    if (p->size != 8 && n >= 0 && (size_t)n < max)
        snprintf(out + n, max - (size_t)n, ":%" PRIu64, p->size);
}

static const char *role(const struct pf_trace *t, enum pf_role r, uint32_t n)
{
    return pf_trace_text(t, pf_trace_role_name(t, r, n));
}

static void put_place(const struct pf_trace *t, uint32_t place, FILE *out)
{
    char text[240];
    pf_trace_place_text(t, place, text, sizeof text);
    fputs(text, out);
}

/* A reach set of more than SHORT items is written only once; later calls refer to the number of
 * that call. The calls that have been written are in a hash map, by a hash of their set. */
#define SHORT 4

static const struct pf_reach *reach_of(const struct pf_trace *t, uint32_t call)
{
    return &t->reaches.at[t->events.at[call].link];
}

/* Returns the first call with the same reach set; this call if it is the first. */
static uint32_t first_call_with_set(struct pf_hash_map *written, const struct pf_trace *t,
                                    uint32_t call)
{
    const struct pf_reach *set = reach_of(t, call);
    const uint32_t *items = t->reach_items.at;
    uint64_t hash = set->nitems;
    for (uint32_t k = set->item0; k < set->item0 + set->nitems; k++)
        hash = pf_hash_mix(hash, items[k]);
    struct pf_hash_walk w = pf_hash_map_walk(written, hash);
    while (pf_hash_map_next(written, &w)) {
        const struct pf_reach *other = reach_of(t, w.value);
        if (other->nitems == set->nitems &&
            !memcmp(items + other->item0, items + set->item0, set->nitems * sizeof *items))
            return w.value;
    }
    pf_hash_map_add(written, hash, call);
    return call;
}

static void put_reach(const struct pf_trace *t, uint32_t call, struct pf_hash_map *written,
                      FILE *out)
{
    const struct pf_reach *d = reach_of(t, call);
    uint32_t first = d->nitems > SHORT ? first_call_with_set(written, t, call) : call;
    if (first != call) {
        fprintf(out, " { =%u }", pf_trace_label(t, first));
        return;
    }
    fputs(" {", out);
    for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
        uint32_t item = t->reach_items.at[k];
        if (item < t->cells.len) {
            const struct pf_cell *c = &t->cells.at[item];
            uint64_t offset = 0;
            uint32_t name = variable_of(t, c->addr, &offset);
            if (name == PF_NONE)
                fprintf(out, " 0x%" PRIx64, c->addr);
            else if (offset)
                fprintf(out, " %s+%" PRIu64, pf_trace_text(t, name), offset);
            else
                fprintf(out, " %s", pf_trace_text(t, name));
            if (c->size != 8)
                fprintf(out, ":%" PRIu64, c->size);
        } else {
            uint32_t n = item - (uint32_t)t->cells.len;
            int r = 0;
            const pf_vec_u32 *list[] = {&t->threads, &t->locks, &t->conds, &t->barriers, &t->syncs};
            while (n >= list[r]->len)
                n -= (uint32_t)list[r++]->len;
            fprintf(out, " %s", pf_trace_text(t, list[r]->at[n]));
        }
    }
    fputs(" }", out);
}

static void put_ordering(const struct pf_event *e, FILE *out)
{
    fputs(e->flags & PF_EF_RELAXED ? " relaxed" : "", out);
    fputs(e->flags & PF_EF_ACQUIRE ? " acquire" : "", out);
    fputs(e->flags & PF_EF_RELEASE ? " release" : "", out);
}

/* Replaces characters of a path that would end a token or start a comment. */
static void put_file(const char *s, FILE *out)
{
    for (; *s; s++)
        fputc((unsigned char)*s <= ' ' || *s == 127 || strchr("#{}", *s) ? '_' : *s, out);
}

static void put_event(const struct pf_trace *t, uint32_t i, struct pf_hash_map *written, FILE *out)
{
    const struct pf_event *e = &t->events.at[i];
    fprintf(out, "%u %s %s%s%s", pf_trace_label(t, i), role(t, PF_ROLE_THREAD, e->thread),
            pf_event_word[e->kind], e->flags & PF_EF_DECIDED ? "?" : "",
            pf_trace_is_inner(t, i) ? "~" : "");
    switch (pf_event_operand[e->kind]) {
    case PF_OPERAND_PLACE:
        fputc(' ', out);
        put_place(t, e->what, out);
        if (!(e->flags & PF_EF_UNKNOWN) && e->kind != PF_EV_ALLOC && e->kind != PF_EV_FREE) {
            if (e->kind == PF_EV_RMW)
                fprintf(out, "=%" PRIu64 "->%" PRIu64, t->olds.at[e->link], e->value);
            else
                fprintf(out, "=%" PRIu64, e->value);
        }
        if (pf_event_creates(e))
            fputs(" writes", out);
        if (pf_event_atomic(e))
            put_ordering(e, out);
        if (pf_event_checks(e) || pf_event_acts(e))
            fputs(pf_event_checks(e) ? " checks" : " acts", out);
        break;
    case PF_OPERAND_LOCK:
        fprintf(out, " %s", role(t, PF_ROLE_LOCK, e->what));
        break;
    case PF_OPERAND_COND:
        fprintf(out, " %s", role(t, PF_ROLE_COND, e->what));
        break;
    case PF_OPERAND_COND_LOCK:
        fprintf(out, " %s %s", role(t, PF_ROLE_COND, e->what), role(t, PF_ROLE_LOCK, e->link));
        if (e->kind == PF_EV_WAKE) {
            uint32_t by = pf_trace_waker(t, i);
            if (by != PF_NONE)
                fprintf(out, " by %u", pf_trace_label(t, by));
            else
                fputs(e->flags & PF_EF_TIMEOUT ? " timeout" : " spurious", out);
        }
        break;
    case PF_OPERAND_BARRIER:
        fprintf(out, " %s", role(t, PF_ROLE_BARRIER, e->what));
        break;
    case PF_OPERAND_THREAD:
        fprintf(out, " %s", role(t, PF_ROLE_THREAD, e->what));
        break;
    case PF_OPERAND_SYNC:
        fprintf(out, " %s", role(t, PF_ROLE_SYNC, e->what));
        break;
    case PF_OPERAND_CALL:
        fprintf(out, " %s", role(t, PF_ROLE_CALL, e->what));
        if (e->kind == PF_EV_CALL)
            put_reach(t, i, written, out);
        break;
    default:
        if (e->kind == PF_EV_FENCE)
            put_ordering(e, out);
        break;
    }
    const struct pf_site_info *s = &t->sites.at[e->site];
    if (*pf_trace_text(t, s->file)) {
        fputs(" @", out);
        put_file(pf_trace_text(t, s->file), out);
        fprintf(out, ":%u", s->line);
    }
    fputc('\n', out);
}

void pf_trace_write_text(const struct pf_trace *t, FILE *out)
{
    struct pf_hash_map written = {0};
    if (t->has_unrecorded_code)
        fputs(t->recorded.cut ? "recorded cut\n" : "recorded\n", out);
    for (size_t i = 0; i < t->initials.len; i++) {
        fputs("init ", out);
        put_place(t, t->initials.at[i].place, out);
        fprintf(out, "=%" PRIu64 "\n", t->initials.at[i].value);
    }
    for (uint32_t i = 0; i < t->events.len; i++)
        put_event(t, i, &written, out);
    pf_hash_map_release(&written);
}
