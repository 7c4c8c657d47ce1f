/*
 * hbvc.c - happens-before with the last access of every thread to every cell.
 *
 * Exact: each access is compared with the last conflicting access of every other thread, and
 *        reported with those that are not ordered before it. (If an earlier access of that thread
 *        is unordered with it, so is the last one.) An allocation (pf_event_creates) is
 *        represented by the first write of its thread to the cell, if there is one.
 */
#include "analysis.h"
#include "clocks.h"
#include <string.h>

struct hbvc_stamp {
    uint32_t epoch, event;
};
enum { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE, ALLOCATION, KINDS };

/* conflict[k][l]: accesses of kinds k and l conflict. */
static const bool conflict[KINDS][KINDS] = {
    [PLAIN_READ] = {[PLAIN_WRITE] = true, [ATOMIC_WRITE] = true, [ALLOCATION] = true},
    [PLAIN_WRITE] = {true, true, true, true, true},
    [ATOMIC_READ] = {[PLAIN_WRITE] = true},
    [ATOMIC_WRITE] = {[PLAIN_READ] = true, [PLAIN_WRITE] = true},
};

static int kind_of(const struct pf_event *e)
{
    return pf_event_creates(e) ? ALLOCATION : 2 * pf_event_atomic(e) + pf_event_writes(e);
}

void pf_analysis_hbvc(const struct pf_trace *t, const struct pf_limits *limits,
                      struct pf_result *out)
{
    struct pf_clocks o;
    struct pf_pair_set seen = {0};
    pf_clocks_init(&o, t, PF_CLOCKS_LOCKS | PF_CLOCKS_ATOMICS);
    struct hbvc_stamp **last = pf_mem_zero(t->cells.len, sizeof *last);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_stop_poll_loop(limits->stop, i, t->events.len)) {
            out->stopped = true;
            break;
        }
        pf_clocks_enter(&o, i);
        bool examined = pf_event_is_access(e) || pf_event_creates(e);
        const struct pf_range *p = examined ? &t->places.at[e->what] : NULL;
        for (uint32_t c = p ? p->cell0 : 0; p && c < p->cell0 + p->ncells; c++) {
            if (!pf_cell_can_race(&t->cells.at[c]))
                continue;
            if (!last[c])
                last[c] = pf_mem_zero((size_t)KINDS * o.nt, sizeof **last);
            int kind = kind_of(e);
            for (uint32_t u = 0; u < o.nt; u++)
                for (int k = 0; k < KINDS && u != e->thread; k++) {
                    struct hbvc_stamp *s = &last[c][u * KINDS + k];
                    if (s->epoch && conflict[kind][k] &&
                        !pf_clocks_seen(&o, e->thread, u, s->epoch) &&
                        (limits->all_pairs ||
                         pf_pair_set_add(&seen, t->events.at[s->event].site, e->site)))
                        pf_vec_push(&out->races, (struct pf_race){.a = s->event, .b = i});
                }
            struct hbvc_stamp *mine = &last[c][e->thread * KINDS];
            if (pf_event_writes(e))
                mine[ALLOCATION].epoch = 0;
            mine[kind] = (struct hbvc_stamp){pf_clocks_epoch(&o, e->thread), i};
        }
        pf_clocks_leave(&o, i);
    }
    for (size_t c = 0; c < t->cells.len; c++)
        free(last[c]);
    free(last);
    pf_clocks_release(&o);
    pf_pair_set_release(&seen);
    pf_result_sort(out);
}
