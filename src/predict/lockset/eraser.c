/*
 * eraser.c - the lockset discipline of Eraser: a cell that is shared and modified needs a lock that
 * every access to it holds (exclusively, if the access writes).
 *
 * Reports candidates only, because it ignores the order of events. Atomics are exempt.
 */
#include "analysis.h"
#include "locksets.h"

enum state { VIRGIN, EXCLUSIVE, SHARED, MODIFIED };
struct eraser_var {
    uint8_t state;
    uint16_t owner;
    uint32_t common;      /* locks held by all accesses since the cell became shared */
    /* the last access; the last access by any other thread than that of `last` */
    uint32_t last, other;
    uint32_t last_write, other_write;
};

static void remember(uint32_t *last, uint32_t *other, const struct pf_trace *t, uint32_t i)
{
    if (*last != PF_NONE && t->events.at[*last].thread != t->events.at[i].thread)
        *other = *last;
    *last = i;
}

/* The newer of the two that was not made by the thread of event i. */
static uint32_t by_other_thread(const struct pf_trace *t, uint32_t last, uint32_t other, uint32_t i)
{
    return last != PF_NONE && t->events.at[last].thread != t->events.at[i].thread ? last : other;
}

void pf_analysis_lockset(const struct pf_trace *t, const struct pf_limits *limits,
                         struct pf_result *out)
{
    struct pf_locksets ls;
    struct pf_pair_set seen = {0};
    pf_locksets_init(&ls, t);
    struct eraser_var *vars = pf_mem_zero(t->cells.len, sizeof *vars);
    for (size_t c = 0; c < t->cells.len; c++)
        vars[c].last = vars[c].other = vars[c].last_write = vars[c].other_write = PF_NONE;
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_stop_poll_loop(limits->stop, i, t->events.len)) {
            out->stopped = true;
            break;
        }
        pf_locksets_step(&ls, e);
        if (!pf_event_is_access(e) || pf_event_atomic(e))
            continue;
        const struct pf_range *p = &t->places.at[e->what];
        bool writes = pf_event_writes(e);
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
            struct eraser_var *v = &vars[c];
            uint32_t held = ls.held[e->thread];
            if (v->state == VIRGIN) {
                v->state = EXCLUSIVE;
                v->owner = e->thread;
            } else if (v->state != EXCLUSIVE || v->owner != e->thread) {
                bool first = v->state == EXCLUSIVE;
                v->common = pf_locksets_intersect(&ls, first ? held : v->common, held, writes);
                v->state = writes || v->state == MODIFIED ? MODIFIED : SHARED;
                uint32_t a = writes ? by_other_thread(t, v->last, v->other, i)
                                    : by_other_thread(t, v->last_write, v->other_write, i);
                if (v->state == MODIFIED && !v->common && a != PF_NONE &&
                    (limits->all_pairs || pf_pair_set_add(&seen, t->events.at[a].site, e->site)))
                    pf_vec_push(&out->races, (struct pf_race){.a = a, .b = i});
            }
            remember(&v->last, &v->other, t, i);
            if (writes)
                remember(&v->last_write, &v->other_write, t, i);
        }
    }
    free(vars);
    pf_locksets_release(&ls);
    pf_pair_set_release(&seen);
    pf_result_sort(out);
}
