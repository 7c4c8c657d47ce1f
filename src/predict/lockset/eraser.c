/*
 * eraser.c - the lockset discipline of Eraser: a shared, modified cell needs a lock that every
 * access to it holds (held for writing, when the access writes).
 *
 * Claims candidates only: it knows nothing of order. Atomics are not subject to the discipline.
 */
#include "analysis.h"
#include "locksets.h"

enum state { VIRGIN, EXCLUSIVE, SHARED, MODIFIED };
struct var {
    uint8_t state;
    uint16_t owner;
    uint32_t common;      /* locks common to the accesses since it became shared */
    uint32_t last, other; /* last access; last access by a thread other than that one's */
    uint32_t last_write, other_write;
};

static void note(uint32_t *last, uint32_t *other, const struct pf_trace *t, uint32_t i)
{
    if (*last != PF_NONE && t->events.at[*last].thread != t->events.at[i].thread)
        *other = *last;
    *last = i;
}

/* The newest of the two by another thread than that of event i. */
static uint32_t foreign(const struct pf_trace *t, uint32_t last, uint32_t other, uint32_t i)
{
    return last != PF_NONE && t->events.at[last].thread != t->events.at[i].thread ? last : other;
}

void pf_analysis_lockset(const struct pf_trace *t, const struct pf_limits *limits,
                         struct pf_result *out)
{
    struct pf_locksets ls;
    struct pf_seen seen = {0};
    pf_locksets_init(&ls, t);
    struct var *vars = pf_mem_zero(t->cells.len, sizeof *vars);
    for (size_t c = 0; c < t->cells.len; c++)
        vars[c].last = vars[c].other = vars[c].last_write = vars[c].other_write = PF_NONE;
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_stop_at(limits->stop, i, t->events.len)) {
            out->stopped = true;
            break;
        }
        pf_locksets_step(&ls, e);
        if (!pf_event_is_access(e) || pf_event_atomic(e))
            continue;
        const struct pf_range *p = &t->places.at[e->what];
        bool writes = pf_event_writes(e);
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
            struct var *v = &vars[c];
            uint32_t held = ls.held[e->thread];
            if (v->state == VIRGIN) {
                v->state = EXCLUSIVE;
                v->owner = e->thread;
            } else if (v->state != EXCLUSIVE || v->owner != e->thread) {
                bool first = v->state == EXCLUSIVE;
                v->common = pf_lockset_common(&ls, first ? held : v->common, held, writes);
                v->state = writes || v->state == MODIFIED ? MODIFIED : SHARED;
                uint32_t a = writes ? foreign(t, v->last, v->other, i)
                                    : foreign(t, v->last_write, v->other_write, i);
                if (v->state == MODIFIED && !v->common && a != PF_NONE &&
                    (limits->all_pairs || pf_seen_add(&seen, t->events.at[a].site, e->site)))
                    pf_vec_push(&out->races, (struct pf_race){.a = a, .b = i});
            }
            note(&v->last, &v->other, t, i);
            if (writes)
                note(&v->last_write, &v->other_write, t, i);
        }
    }
    free(vars);
    pf_locksets_release(&ls);
    pf_seen_release(&seen);
    pf_result_sort(out);
}
