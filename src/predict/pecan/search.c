/*
 * search.c - see search.h. Backtracking over the regions of a pattern; equivalent units and cells
 * are searched only a few times each.
 */
#include "search.h"
#include "hash_mix.h"
#include <string.h>

#define TRIES 6          /* matches of classes tried per tuple of sites, up to NEAR times each */
#define NEAR 3           /* pairs of instances tried per pair of classes */
#define INSTANCES_SCANNED 4096       /* instances scanned to find the nearest ones */
#define SAME_CODE_CELLS                                                                            \
    4 /* cells used by the same code that are searched, for patterns with one variable */
#define SAME_CODE_CLASSES 64       /* classes of the same code from which a search starts */
#define STEPS_PER_CLASS 4096
#define STEPS_MIN 4000000
#define STEPS_PER_TRY 64 /* steps that one schedule counts for */

struct tried_sites {
    uint8_t count;
    bool done;
    bool undecided;   /* the caller could not decide one of its matches */
    bool grouped;     /* `skipped` contains the cells that its code also uses */
    uint64_t skipped; /* alternatives that were not examined; they matter unless it is done */
};

struct pattern_search {
    const struct pf_units *w;
    const struct pf_partial_order *g;
    struct pf_locksets *locks;
    const pf_patterns *patterns;
    struct pf_stop *stop;
    struct pf_region_rules rules;
    enum pf_match_answer (*f)(void *, const struct pf_pattern_match *);
    void *arg;
    struct pf_pattern_search_result *out;
    PF_VEC(struct tried_sites) tried;
    struct pf_hash_map by_sites; /* indices into `tried` */
    /* per cell: number of earlier cells with the same uses; with uses by the same code */
    uint8_t *use_rank, *code_rank;
    uint32_t *code_group;    /* per cell: the first cell with uses by the same code */
    uint32_t *group_skipped; /* per such first cell: cells of its group that are not searched */
    /* the pattern that is being matched */
    uint32_t number;
    const struct pf_pattern *p;
    uint64_t steps;
    bool reversed; /* accept only races in the order opposite to the trace */
    uint32_t cell[PF_PATTERN_MAX]; /* per variable; PF_NONE: unbound */
    uint32_t class[PF_PATTERN_MAX]; /* per region */
    uint32_t thread[PF_PATTERN_MAX]; /* per thread of the pattern; PF_NONE: unbound */
    uint32_t entry[PF_PATTERN_MAX]; /* per event: the access of its class */
    pf_unit_accesses seen;
    struct pf_pattern_match match;
};

/* --- tuples of sites --- */

static struct tried_sites *find(struct pattern_search *s, uint64_t key)
{
    uint32_t i = pf_hash_map_put(&s->by_sites, key, (uint32_t)s->tried.len);
    if (i == s->tried.len)
        pf_vec_push(&s->tried, (struct tried_sites){0});
    return &s->tried.at[i];
}

static uint64_t sites_key(const struct pattern_search *s)
{
    const struct pf_pattern *p = s->p;
    const struct pf_unit_access *e = s->w->accesses.at;
    if (p->kind == PF_PATTERN_RACE && p->n == 2) { /* a race is the same in either order */
        uint64_t a = e[s->entry[0]].site, b = e[s->entry[1]].site;
        return pf_hash_mix(pf_hash_mix(1, a < b ? a : b), a < b ? b : a);
    }
    uint64_t h = pf_hash_mix(2, s->number);
    for (unsigned i = 0; i < p->n; i++)
        h = pf_hash_mix(h, e[s->entry[i]].site);
    return h;
}

/* --- the mutation condition --- */

/* True if partial order allows the events in the pattern's order. */
static bool order_allows(const struct pattern_search *s, const uint32_t *event)
{
    const struct pf_pattern *p = s->p;
    for (unsigned j = 1; j < p->n; j++) {
        for (unsigned i = 0; i < j; i++) /* same thread: program order */
            if (event[j] == event[i] || pf_partial_order_before(s->g, event[j], event[i]))
                return false;
        if (p->next[j] && pf_partial_order_before(s->g, event[j - 1], event[j]))
            return false;
    }
    return true;
}

/* True if locks allow the pattern. Locks are the same for all instances of a class. */
static bool locks_allow(const struct pattern_search *s)
{
    const struct pf_pattern *p = s->p;
    const struct pf_unit_access *e[PF_PATTERN_MAX];
    for (unsigned i = 0; i < p->n; i++)
        e[i] = &s->w->accesses.at[s->entry[i]];
    for (unsigned j = 1; j < p->n; j++)
        if (p->next[j] && ((e[j]->atomic && e[j - 1]->atomic) ||
                           pf_locksets_exclude(s->locks, e[j - 1]->held, e[j]->held)))
            return false;
    /* An event between two events of a region must not need the lock held throughout the region. */
    for (unsigned q = 0; q < p->n; q++)
        for (unsigned r = 0; r < p->nregions; r++) {
            bool before = false, after = false;
            for (unsigned i = 0; i < p->n; i++)
                if (p->region[i] == r)
                    *(i < q ? &before : &after) = true;
            if (p->region[q] != r && before && after &&
                pf_locksets_exclude(s->locks, s->w->classes.at[s->class[r]].outer, e[q]->held))
                return false;
        }
    return true;
}

/* --- from classes to events --- */

static void events_of(struct pattern_search *s, const uint32_t *instance, uint32_t *events)
{
    for (unsigned r = 0; r < s->p->nregions; r++) {
        const struct pf_unit_class *c = &s->w->classes.at[s->class[r]];
        const struct pf_unit_instance *x = &s->w->instances.at[instance[r]];
        if (x->begin != x->end)
            pf_units_read_instance(s->w, x, &s->seen);
        for (unsigned i = 0; i < s->p->n; i++)
            if (s->p->region[i] == r)
                events[i] =
                    x->begin == x->end ? x->begin : s->seen.at[s->entry[i] - c->first].event;
    }
}

/* True if the first two regions of the pattern belong to one thread. */
static bool share_thread(const struct pattern_search *s)
{
    const struct pf_unit_class *c = s->w->classes.at;
    return c[s->class[0]].thread == c[s->class[1]].thread;
}

/* The number of pairs of instances of two classes that can match the first two regions (can_match).
 * Both lists go from the newest instance to the oldest. For one instance of a, the list of b has
 * three parts: instances after it, instances not ordered with it, instances before it. The middle
 * part is counted; in one thread, the first part too. As the instance of a gets older, both borders
 * move to older instances, so one walk over b is enough. */
static uint64_t count_pairs(const struct pattern_search *s, uint32_t a, uint32_t b)
{
    const struct pf_unit_instance *x = s->w->instances.at;
    /* `first`: the newest one that is not after a; in one thread, b. `end`: the newest before a */
    uint32_t first = b, end = b;
    uint64_t first_at = 0, end_at = 0, n = 0;
    bool together = share_thread(s), itself = a == b; /* do not count it with itself */
    for (unsigned k = 0; a != PF_NONE; k++, a = x[a].older) {
        if (k == INSTANCES_SCANNED)
            return n + 1; /* there may be more */
        for (; !together && first != PF_NONE &&
               pf_partial_order_before(s->g, x[a].end, x[first].begin);
             first = x[first].older)
            first_at++;
        for (; end != PF_NONE &&
               (end_at < first_at || !pf_partial_order_before(s->g, x[end].end, x[a].begin));
             end = x[end].older)
            end_at++;
        n += end_at - first_at - itself;
    }
    return n;
}

/* Instances of the first two regions that are close to each other and can match. */
struct near_instances {
    uint32_t a, b, gap;
};

/* Instances of different threads must not be ordered. In one thread, the second region must
 * not end before the first begins. */
static bool can_match(const struct pattern_search *s, uint32_t a, uint32_t b)
{
    const struct pf_unit_instance *x = &s->w->instances.at[a], *y = &s->w->instances.at[b];
    return a != b && !pf_partial_order_before(s->g, y->end, x->begin) &&
           (share_thread(s) || !pf_partial_order_before(s->g, x->end, y->begin));
}

static unsigned nearest(const struct pattern_search *s, uint32_t a, uint32_t b,
                        struct near_instances *out)
{
    const struct pf_unit_instance *x = s->w->instances.at;
    unsigned n = 0;
    for (unsigned k = 0; k < INSTANCES_SCANNED && a != PF_NONE && b != PF_NONE; k++) {
        uint32_t p = x[a].begin, q = x[b].begin, gap = p < q ? q - p : p - q;
        if ((n < NEAR || gap < out[NEAR - 1].gap) && can_match(s, a, b)) {
            unsigned at = n < NEAR ? n++ : NEAR - 1;
            for (; at > 0 && out[at - 1].gap > gap; at--)
                out[at] = out[at - 1];
            out[at] = (struct near_instances){a, b, gap};
        }
        if (p >= q) /* equal: the same instance */
            a = x[a].older;
        else
            b = x[b].older;
    }
    return n;
}

static void use_steps(struct pattern_search *s, uint64_t steps)
{
    s->steps -= s->steps < steps ? s->steps : steps;
}

/* Stops the search if requested, by setting the remaining steps to 0. */
static void poll_stop(struct pattern_search *s)
{
    if (pf_stop_poll(s->stop, "patterns", s->number, s->patterns->len)) {
        s->out->stopped = true;
        s->steps = 0;
    }
}

/* Counts the combinations of instances that were not examined: pairs beyond the `n` nearest ones,
 * and older instances of further regions. */
static void count_skipped(const struct pattern_search *s, struct tried_sites *t, unsigned n)
{
    uint32_t instance[PF_PATTERN_MAX];
    for (unsigned r = 0; r < s->p->nregions; r++)
        instance[r] = s->w->classes.at[s->class[r]].instance;
    uint64_t pairs = count_pairs(s, instance[0], instance[1]);
    t->skipped += pairs > n ? pairs - n : 0;
    for (unsigned r = 2; r < s->p->nregions; r++)
        t->skipped += n && s->w->instances.at[instance[r]].older != PF_NONE;
}

/* Counts the cells that the same code uses in the same way and that are not searched. */
static void count_group(const struct pattern_search *s, struct tried_sites *t)
{
    if (s->p->nvars == 1 && !t->grouped)
        t->skipped += s->group_skipped[s->code_group[s->cell[0]]];
    t->grouped = true;
}

/* Sums, over the tuples of sites without an accepted match, the matches that were not examined or
 * not decided. */
static void sum_skipped(struct pattern_search *s)
{
    for (size_t i = 0; i < s->tried.len; i++) {
        s->out->skipped += s->tried.at[i].done ? 0 : s->tried.at[i].skipped;
        s->out->undecided += !s->tried.at[i].done && s->tried.at[i].undecided;
    }
    s->out->skipped += s->w->skipped;
}

static void try_match(struct pattern_search *s)
{
    struct tried_sites *t = find(s, sites_key(s));
    use_steps(s, (uint64_t)s->p->n * s->p->nregions);
    if (t->done || !locks_allow(s))
        return;
    count_group(s, t);
    if (t->count == TRIES) {
        t->skipped++;
        return;
    }
    uint32_t instance[PF_PATTERN_MAX], *events = s->match.event;
    s->match.pattern = s->number;
    for (unsigned r = 0; r < s->p->nregions; r++)
        instance[r] = s->w->classes.at[s->class[r]].instance;
    struct near_instances near[NEAR];
    unsigned n = nearest(s, instance[0], instance[1], near), tried = 0;
    for (unsigned k = 0; k < n && !t->done; k++) {
        instance[0] = near[k].a;
        instance[1] = near[k].b;
        events_of(s, instance, events);
        if (!order_allows(s, events) || (s->reversed && events[s->p->n - 2] < events[s->p->n - 1]))
            continue;
        s->match.evidence = pf_region_rules_weigh(&s->rules, s->p, s->class, s->entry, events);
        if (s->match.evidence == PF_EVIDENCE_NONE)
            continue;
        for (unsigned r = 0; r < 2; r++) {
            const struct pf_unit_instance *x = &s->w->instances.at[instance[r]];
            /* if the instance contains the act of a check-then-act, the region begins at the
             * check */
            const struct pf_unit_instance *pair =
                x->pair ? NULL : pf_units_pair_acting(s->w, x->begin, x->end);
            x = pair ? pair : x;
            s->match.region[r] = (struct pf_match_region){x->begin, x->end, x->pair};
        }
        tried++;
        use_steps(s, STEPS_PER_TRY);
        poll_stop(s);
        enum pf_match_answer answer = s->f(s->arg, &s->match);
        t->done = answer == PF_MATCH_ACCEPTED;
        t->undecided |= answer == PF_MATCH_UNDECIDED;
    }
    if (tried && !s->reversed)
        s->out->matches += !t->count++;
    if (!t->done && !s->reversed)
        count_skipped(s, t, n);
    s->out->matches += t->done && s->reversed;
    s->out->accepted += t->done;
}

/* --- matching --- */

static bool kind_matches(const struct pattern_search *s, unsigned i, const struct pf_unit_access *e)
{
    return s->p->write[i] ? e->writes : e->reads;
}

/* True if this cell may be bound to an unbound variable of the pattern. */
static bool can_bind(const struct pattern_search *s, uint32_t cell)
{
    if (s->use_rank[cell] >= s->p->nvars ||
        (s->p->nvars == 1 && s->code_rank[cell] >= SAME_CODE_CELLS))
        return false;
    for (unsigned v = 0; v < s->p->nvars; v++)
        if (s->cell[v] == cell)
            return false;
    return true;
}

static void match_region(struct pattern_search *s, unsigned r);

/* Matches event i and the later events of its region, from access k on; `last` is the event matched
 * before. */
static void match_events(struct pattern_search *s, unsigned r, unsigned i, uint32_t k,
                         uint32_t last)
{
    const struct pf_pattern *p = s->p;
    const struct pf_unit_class *c = &s->w->classes.at[s->class[r]];
    while (i < p->n && p->region[i] != r)
        i++;
    if (i == p->n) {
        match_region(s, r + 1);
        return;
    }
    uint32_t *cell = &s->cell[p->var[i]], bound = *cell;
    while (k < c->first + c->n && s->steps) {
        const struct pf_unit_access *e = &s->w->accesses.at[k];
        if (!(--s->steps & 1023))
            poll_stop(s);
        if ((bound == PF_NONE ? can_bind(s, e->cell) : e->cell == bound) && kind_matches(s, i, e) &&
            (last == PF_NONE || e->event > last)) {
            s->entry[i] = k;
            *cell = e->cell;
            match_events(s, r, i + 1, k + 1, e->event);
            *cell = bound;
        }
        if (bound != PF_NONE && e->cell == bound) {
            if (e->same == PF_NONE)
                return;
            k = e->same;
        } else
            k++;
    }
}

static void match_class(struct pattern_search *s, unsigned r, uint32_t class, uint32_t from)
{
    const struct pf_pattern *p = s->p;
    const struct pf_unit_class *c = &s->w->classes.at[class];
    unsigned events = 0, first = p->n;
    for (unsigned i = p->n; i-- > 0;)
        if (p->region[i] == r)
            events++, first = i;
    if (events > 1 && !c->region)
        return;
    uint32_t *thread = &s->thread[p->thread[first]], bound = *thread;
    if (bound != PF_NONE && bound != c->thread)
        return;
    for (unsigned u = 0; u < p->nthreads && bound == PF_NONE; u++)
        if (s->thread[u] == c->thread)
            return;
    *thread = c->thread;
    s->class[r] = class;
    match_events(s, r, first, from, PF_NONE);
    *thread = bound;
}

/* Matches region r with the classes that use the cell. `leads`: the cell is the variable of the
 * region's first event. */
static void match_uses(struct pattern_search *s, unsigned r, uint32_t cell, bool leads)
{
    for (uint32_t u = s->w->use_at[cell]; u != PF_NONE && s->steps; u = s->w->uses.at[u].next) {
        const struct pf_cell_use *x = &s->w->uses.at[u];
        if (s->p->nvars == 1 ? x->cell_rank < PF_CELL_RANK_MAX : x->class_rank < PF_CLASS_RANK_MAX)
            match_class(s, r, x->class, leads ? x->entry : s->w->classes.at[x->class].first);
        else
            s->out->skipped++;
    }
}

static void match_region(struct pattern_search *s, unsigned r)
{
    const struct pf_pattern *p = s->p;
    if (r == p->nregions) {
        try_match(s);
        return;
    }
    uint32_t cell = PF_NONE;
    bool leads = false; /* the bound variable is that of the region's first event */
    for (unsigned i = 0, seen = 0; i < p->n && cell == PF_NONE; i++)
        if (p->region[i] == r) {
            cell = s->cell[p->var[i]];
            leads = !seen++;
        }
    if (cell != PF_NONE)
        match_uses(s, r, cell, leads);
    else if (p->nvars == 1)
        for (uint32_t c = 0; c < s->g->t->cells.len && s->steps; c++) {
            if (!can_bind(s, c))
                continue;
            s->cell[0] = c;
            match_uses(s, r, c, true);
            s->cell[0] = PF_NONE;
        }
    else
        for (uint32_t c = 0; c < s->w->classes.len && s->steps; c++)
            if (s->w->classes.at[c].code_rank < SAME_CODE_CLASSES)
                match_class(s, r, c, s->w->classes.at[c].first);
            else
                s->out->skipped++;
}

/* --- equivalent cells --- */

static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x != *y ? (*x < *y ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Sets the rank of each cell among those with the same uses (`by_code`: with uses by the same
 * code), and the first of these. */
static void rank_cells(const struct pattern_search *s, uint8_t *rank, uint32_t *group, bool by_code)
{
    const struct pf_units *w = s->w;
    size_t cells = s->g->t->cells.len;
    uint64_t *keys = pf_mem_resize(NULL, 2 * cells + 2, sizeof *keys);
    for (size_t c = 0; c < cells; c++) {
        uint64_t sum = 0;
        for (uint32_t u = w->use_at[c]; u != PF_NONE; u = w->uses.at[u].next) {
            const struct pf_unit_class *k = &w->classes.at[w->uses.at[u].class];
            uint64_t h =
                by_code ? pf_hash_mix(k->thread, k->outer) : pf_hash_mix(3, w->uses.at[u].class);
            for (uint32_t i = w->uses.at[u].entry; i != PF_NONE; i = w->accesses.at[i].same) {
                const struct pf_unit_access *e = &w->accesses.at[i];
                h = pf_hash_mix(pf_hash_mix(h, (uint64_t)e->site << 32 | e->held),
                                e->reads * 2u + e->writes);
            }
            sum += h;
        }
        keys[2 * c] = sum;
        keys[2 * c + 1] = c;
    }
    qsort(keys, cells, 2 * sizeof *keys, by_key);
    for (size_t i = 0, run = 0; i < cells; i++) {
        run = i && keys[2 * i] == keys[2 * i - 2] ? run + 1 : 0;
        rank[keys[2 * i + 1]] = run < 255 ? (uint8_t)run : 255;
        group[keys[2 * i + 1]] = (uint32_t)keys[2 * (i - run) + 1];
    }
    free(keys);
}

void pf_pattern_search(const struct pf_units *w, const pf_patterns *patterns, struct pf_stop *stop,
                       enum pf_match_answer (*f)(void *arg, const struct pf_pattern_match *match),
                       void *arg, struct pf_pattern_search_result *out)
{
    struct pattern_search s = {
        .w = w, .g = w->g, .patterns = patterns, .stop = stop, .f = f, .arg = arg, .out = out};
    s.locks = (struct pf_locksets *)&w->g->locks; /* only its cache changes */
    pf_region_rules_init(&s.rules, w);
    s.use_rank = pf_mem_zero(w->g->t->cells.len + 1, 1);
    s.code_rank = pf_mem_zero(w->g->t->cells.len + 1, 1);
    s.code_group = pf_mem_zero(w->g->t->cells.len + 1, sizeof *s.code_group);
    s.group_skipped = pf_mem_zero(w->g->t->cells.len + 1, sizeof *s.group_skipped);
    rank_cells(&s, s.use_rank, s.code_group, false);
    rank_cells(&s, s.code_rank, s.code_group, true);
    for (size_t c = 0; c < w->g->t->cells.len; c++)
        s.group_skipped[s.code_group[c]] += !s.use_rank[c] && s.code_rank[c] >= SAME_CODE_CELLS;
    for (int reversed = 1; reversed >= 0; reversed--)
        for (uint32_t k = 0; k < patterns->len; k++) {
            s.number = k;
            s.p = &patterns->at[k];
            s.reversed = reversed;
            if (reversed && !s.p->next[s.p->n - 1])
                continue;
            s.steps = (uint64_t)w->classes.len * STEPS_PER_CLASS + STEPS_MIN;
            memset(s.cell, 0xff, sizeof s.cell);
            memset(s.thread, 0xff, sizeof s.thread);
            if (!out->stopped)
                match_region(&s, 0);
            out->cut += !reversed && !s.steps && !out->stopped;
        }
    sum_skipped(&s);
    pf_vec_release(&s.seen);
    pf_vec_release(&s.tried);
    pf_hash_map_release(&s.by_sites);
    pf_region_rules_release(&s.rules);
    free(s.use_rank);
    free(s.code_rank);
    free(s.code_group);
    free(s.group_skipped);
}
