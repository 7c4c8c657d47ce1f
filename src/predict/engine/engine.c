/*
 * engine.c - see engine.h. Candidates are collected per pair of sites. For each pair of sites, the
 * whole trace is first searched for a sync-preserving race. If there is none, each candidate is
 * tried in growing windows; in each window the tiers of query.h follow each other, the cheapest
 * first.
 */
#include "engine.h"
#include "candidates.h"
#include "sync_preserving.h"
#include "validate.h"
#include <string.h>

#define FIRST_MARGIN 50
#define MARGIN_GROWTH 4
/* Limits of the search for sync-preserving races over the whole trace. Beyond them only windows
 * are searched: a race that needs more of the trace is missed. */
#define STAMPS_MAX (1ull << 27) /* words: one per event and thread */
#define WORK_MAX 500000000ull /* steps, see pf_sync_preserving_work */

struct pair_group {
    uint64_t key; /* the pair of sites */
    uint32_t first, count;
    uint64_t more; /* pairs that were left out because the group was full */
};
struct candidate_pair {
    uint32_t a, b, next;
    uint32_t older; /* pairs of b with accesses before a that it represents (candidates.h) */
};
struct pair_collector {
    const struct pf_trace *t;
    const struct pf_limits *limits;
    PF_VEC(struct pair_group) groups;
    PF_VEC(struct candidate_pair) pairs;
    struct pf_hash_map by_key; /* indices into `groups` */
};

static struct pair_group *group_of(struct pair_collector *c, uint64_t key)
{
    uint32_t i = pf_hash_map_put(&c->by_key, key, (uint32_t)c->groups.len);
    if (i == c->groups.len)
        pf_vec_push(&c->groups, (struct pair_group){key, PF_NONE, 0, 0});
    return &c->groups.at[i];
}

/* Keeps the nearest pairs of a group, sorted by distance. */
static void collect(void *arg, uint32_t a, uint32_t b, uint32_t older)
{
    struct pair_collector *c = arg;
    uint32_t x = c->t->events.at[a].site, y = c->t->events.at[b].site;
    uint64_t key = x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
    if (c->limits->all_pairs)
        key = (uint64_t)a << 32 | b;
    struct pair_group *k = group_of(c, key);
    uint32_t *link = &k->first, depth = 0;
    while (*link != PF_NONE && c->pairs.at[*link].b - c->pairs.at[*link].a <= b - a) {
        if (c->pairs.at[*link].a == a && c->pairs.at[*link].b == b)
            return; /* already collected: the two accesses share several cells */
        link = &c->pairs.at[*link].next;
        depth++;
    }
    if (depth >= c->limits->tries) {
        k->more += 1ull + older;
        return;
    }
    uint32_t next = *link;
    if (k->count == c->limits->tries) { /* full: the farthest pair is replaced */
        uint32_t *last = link;
        while (c->pairs.at[*last].next != PF_NONE)
            last = &c->pairs.at[*last].next;
        uint32_t cell = *last;
        *last = PF_NONE;
        next = *link;
        k->more += 1ull + c->pairs.at[cell].older;
        c->pairs.at[cell] = (struct candidate_pair){a, b, next, older};
        *link = cell;
        return;
    }
    k->count++;
    /* set now: the push below may move the array that `link` points into */
    *link = (uint32_t)c->pairs.len;
    pf_vec_push(&c->pairs, (struct candidate_pair){a, b, next, older});
}

enum pf_answer pf_engine_decide(struct pf_window *w, struct pf_query *p, uint32_t lo, uint32_t hi,
                                uint32_t a, uint32_t b, uint32_t conflicts,
                                struct pf_engine_stats *stats)
{
    stats->windows++;
    pf_window_fill(w, lo, hi);
    if (!pf_query_init(p, w, a - lo, b - lo)) {
        stats->order++;
        return PF_NO;
    }
    if (pf_query_sync_preserving(p)) {
        stats->preserve++;
        return PF_YES;
    }
    if (!pf_query_close(p)) {
        stats->close++;
        return PF_NO;
    }
    stats->solved++;
    return pf_query_solve(p, conflicts);
}

enum pf_answer pf_engine_decide_chain(struct pf_window *w, struct pf_query *p, uint32_t lo,
                                      uint32_t hi, const uint32_t *events, uint32_t n, uint32_t due,
                                      uint32_t conflicts)
{
    pf_window_fill(w, lo, hi);
    if (!pf_query_init(p, w, events[n - due] - lo, events[n - 1] - lo))
        return PF_NO;
    for (uint32_t i = 0; i + due < n; i++)
        p->chain[p->nchain++] = events[i] - lo;
    return pf_query_close(p) ? pf_query_solve(p, conflicts) : PF_NO;
}

struct engine {
    const struct pf_limits *limits;
    struct pf_trace_index x;
    struct pf_window w;
    struct pf_query p;
    struct pf_sync_preserving *whole; /* NULL: the trace is too large */
    struct pf_engine_stats *stats;
    struct pf_result *out;
};

/* What was found out about a pair. The greatest value of the pairs of a group counts, unless one of
 * them is a race. */
enum pair_result {
    RACE,
    /* must-order contains it, and so every pair of b with an earlier event of a's thread */
    ORDERED,
    INFEASIBLE, /* impossible in the whole trace */
    WINDOW, /* impossible in the largest window; or it does not fit into one */
    UNKNOWN /* a limit of the solver ended the search */
};

static enum pair_result try_pair(struct engine *g, uint32_t a, uint32_t b, uint32_t conflicts)
{
    uint32_t n = g->x.n, max = g->limits->window;
    bool unknown = false;
    for (uint64_t margin = FIRST_MARGIN;; margin *= MARGIN_GROWTH) {
        uint64_t lo = a > margin ? a - margin : 0, hi = b + margin + 1 < n ? b + margin + 1 : n;
        bool last = hi - lo >= max || (lo == 0 && hi == n);
        if (hi - lo > max) { /* shrink to the largest allowed window, or give up */
            if (b - a + 1 > max)
                return unknown ? UNKNOWN : WINDOW;
            uint64_t room = (max - (b - a + 1)) / 2;
            lo = a > room ? a - room : 0;
            hi = b + room + 1 < n ? b + room + 1 : n;
        }
        uint64_t ordered = g->stats->order;
        enum pf_answer answer =
            pf_engine_decide(&g->w, &g->p, (uint32_t)lo, (uint32_t)hi, a, b, conflicts, g->stats);
        if (answer == PF_YES) {
            struct pf_race r = {
                .a = a, .b = b, .start = (uint32_t)lo, .norder = (uint32_t)g->p.order.len};
            r.order = pf_mem_resize(NULL, r.norder, sizeof *r.order);
            for (uint32_t k = 0; k < r.norder; k++)
                r.order[k] = g->p.order.at[k] + r.start;
            pf_vec_push(&g->out->races, r);
            return RACE;
        }
        if (g->stats->order > ordered)
            return ORDERED; /* in every larger window, too */
        unknown = answer == PF_UNKNOWN; /* a larger window may decide it */
        if (last)
            return unknown ? UNKNOWN : lo == 0 && hi == n ? INFEASIBLE : WINDOW;
    }
}

/* Searches the whole trace for a sync-preserving race of the group: its own pairs first, from the
 * nearest on, then all accesses like them (same threads, sites and cell). Adds the race. If
 * a window shows the race too, its witness is preferred, because it leaves more of the trace as it
 * is. */
static bool find_in_whole(struct engine *g, const struct pair_collector *c,
                          const struct pair_group *k)
{
    struct pf_race race;
    bool found = false;
    for (int like = 0; like <= !c->limits->all_pairs; like++)
        for (uint32_t i = k->first; i != PF_NONE && !found; i = c->pairs.at[i].next) {
            const struct candidate_pair *p = &c->pairs.at[i];
            if (!g->whole || pf_sync_preserving_work(g->whole) > WORK_MAX)
                return false;
            found = like ? pf_sync_preserving_search(g->whole, p->a, p->b, &race)
                         : pf_sync_preserving_pair(g->whole, p->a, p->b, &race);
        }
    if (!found)
        return false;
    if (try_pair(g, race.a, race.b, 0) == RACE)
        free(race.order);
    else
        pf_vec_push(&g->out->races, race);
    return true;
}

static enum pf_missing_rule rule_of(enum pf_missing missing)
{
    return missing == PF_MISSING_RDIT ? PF_RULE_RDIT
           : missing == PF_MISSING_SB ? PF_RULE_SB
                                      : PF_RULE_NONE;
}

void pf_engine_run(const struct pf_trace *t, enum pf_missing missing,
                   const struct pf_limits *limits, struct pf_result *out,
                   struct pf_engine_stats *stats)
{
    struct pair_collector c = {.t = t, .limits = limits};
    struct engine g = {.limits = limits, .stats = stats, .out = out};
    pf_candidates_each(t, limits, out, collect, &c);
    pf_trace_index_init(&g.x, t, missing);
    pf_window_init(&g.w, &g.x);
    if ((uint64_t)g.x.n * t->threads.len <= STAMPS_MAX && c.groups.len)
        g.whole = pf_sync_preserving_new(&g.x);
    for (size_t i = 0; i < c.groups.len && !out->stopped; i++) {
        enum pair_result worst = find_in_whole(&g, &c, &c.groups.at[i]) ? RACE : ORDERED;
        uint64_t untried = c.groups.at[i].more;
        out->pairs += worst == RACE;
        out->stopped = pf_stop_poll(limits->stop, "pairs of sites", i, c.groups.len);
        for (uint32_t k = c.groups.at[i].first; k != PF_NONE && worst != RACE && !out->stopped;
             k = c.pairs.at[k].next) {
            enum pair_result v = try_pair(&g, c.pairs.at[k].a, c.pairs.at[k].b, limits->conflicts);
            out->pairs++;
            worst = v == RACE || v > worst ? v : worst;
            untried += v == ORDERED ? 0 : c.pairs.at[k].older;
            out->stopped = pf_stop_poll(limits->stop, "pairs of sites", i, c.groups.len);
        }
        if (out->stopped && worst != RACE)
            break; /* undecided */
        out->infeasible += worst == INFEASIBLE || worst == ORDERED;
        out->untried += worst == RACE ? 0 : untried;
        out->window += worst == WINDOW;
        out->unknown += worst == UNKNOWN;
    }
    pf_query_release(&g.p);
    pf_window_release(&g.w);
    pf_sync_preserving_free(g.whole);
    pf_trace_index_release(&g.x); /* before the validator, which needs much memory itself */
    pf_validate_result(t, rule_of(missing), limits->stop, out);
    pf_result_sort(out);
    pf_vec_release(&c.groups);
    pf_vec_release(&c.pairs);
    pf_hash_map_release(&c.by_key);
}
