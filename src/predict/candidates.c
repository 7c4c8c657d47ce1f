/*
 * candidates.c - see candidates.h. One pass over the trace with locksets and with clocks that
 * ignore locks; each access is compared with the bounded histories of its cells.
 */
#include "candidates.h"
#include "clocks.h"
#include "locksets.h"

struct distinct_access {
    uint32_t event, epoch, lockset, site;
    uint16_t thread;
    uint8_t writes, atomic;
    uint32_t older; /* equivalent older accesses that it represents */
};
typedef PF_VEC(struct distinct_access) history; /* newest last */

/* Appends the entry, which then represents an equivalent older one. Returns true if the history was
 * full and a different entry was dropped. */
static bool remember(history *h, struct distinct_access e, uint32_t max)
{
    size_t gone = h->len;
    for (size_t k = h->len; k-- > 0;)
        if (h->at[k].thread == e.thread && h->at[k].lockset == e.lockset &&
            h->at[k].site == e.site && h->at[k].writes == e.writes && h->at[k].atomic == e.atomic) {
            gone = k;
            break;
        }
    bool lost = gone == h->len && h->len == max;
    if (gone < h->len)
        e.older = h->at[gone].older + 1;
    if (lost)
        gone = 0;
    if (gone < h->len) {
        for (size_t k = gone; k + 1 < h->len; k++)
            h->at[k] = h->at[k + 1];
        h->len--;
    }
    pf_vec_push(h, e);
    return lost;
}

void pf_candidates_each(const struct pf_trace *t, const struct pf_limits *limits,
                        struct pf_result *out, pf_candidate_fn *f, void *arg)
{
    struct pf_locksets ls;
    struct pf_clocks o;
    pf_locksets_init(&ls, t);
    pf_clocks_init(&o, t, 0);
    history *cells = pf_mem_zero(t->cells.len, sizeof *cells);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_stop_poll_loop(limits->stop, i, t->events.len)) {
            out->stopped = true;
            break;
        }
        pf_clocks_enter(&o, i);
        pf_locksets_step(&ls, e);
        const struct pf_range *p = pf_event_is_access(e) ? &t->places.at[e->what] : NULL;
        struct distinct_access now = {i,
                                      pf_clocks_epoch(&o, e->thread),
                                      ls.held[e->thread],
                                      e->site,
                                      e->thread,
                                      pf_event_writes(e),
                                      pf_event_atomic(e),
                                      0};
        for (uint32_t c = p ? p->cell0 : 0; p && c < p->cell0 + p->ncells; c++) {
            if (!t->cells.at[c].shared || !t->cells.at[c].written)
                continue;
            history *h = &cells[c];
            for (size_t k = h->len; k-- > 0;) {
                const struct distinct_access *a = &h->at[k];
                if (a->thread != now.thread && (a->writes || now.writes) &&
                    !(a->atomic && now.atomic) &&
                    !pf_clocks_seen(&o, e->thread, a->thread, a->epoch) &&
                    !pf_locksets_exclude(&ls, a->lockset, now.lockset))
                    f(arg, a->event, i, a->older);
            }
            out->dropped += remember(h, now, limits->history);
        }
        pf_clocks_leave(&o, i);
    }
    for (size_t c = 0; c < t->cells.len; c++)
        pf_vec_release(&cells[c]);
    free(cells);
    pf_clocks_release(&o);
    pf_locksets_release(&ls);
}
