/* hunt_paths.c - see hunt_paths.h. */
#define _GNU_SOURCE
#include "hunt_paths.h"
#include "apply_values.h"
#include "clip.h"
#include "compared_text.h"
#include "hash_mix.h"
#include "hunt_direction.h"
#include "hunt_loss.h"
#include "hunt_order.h"
#include "solve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_FLIP 12 /* conditions after a flip */
#define NEAR_END 2 /* last conditions of a run */
#define ADDRESSES_MAX 4096 /* accesses of one run that are considered for meetings */
#define MEETINGS_MAX 256 /* pairs of accesses of one run that are asked to meet */

struct path {
    uint32_t run, reached;
    struct pf_expression_log log;
    struct pf_path_run solving;
    struct pf_input_bytes input;
    bool at_limit; /* a question about it was not answered in time */
    uint32_t first_new; /* see note_taken */
    uint32_t depth; /* how many flips it is away from a run that did something new */
    uint32_t flipped; /* 1 + the condition whose flip led to it; 0: none */
};

/* A question that led to a run: its condition, and the depth of the run that it was asked for. */
struct flip {
    uint32_t condition, depth;
};

struct pf_hunt_paths {
    struct pf_path_solver solver;
    PF_VEC(struct path *) paths;
    struct pf_hunt_order order; /* the questions that may still be asked */
    struct pf_hash_map asked; /* keys of paths that were taken or asked for; all values are 0 */
    uint64_t predicted, followed, wrong;
    struct pf_hunt_losses losses;
    PF_VEC(char *) words; /* that the program passes to library functions */
    uint32_t reached; /* sites that the next run reached */
    struct pf_hunt_event stored; /* where the next run has stored a new value */
    uint64_t flip; /* the key of the question that led to the next run; 0: none */
    PF_VEC(struct flip) flips;
    struct pf_hash_map flip_at; /* key of a question: index in `flips` */
    uint32_t arguments; /* the number of the first argument that may be added; 0: none may */
    const struct pf_hunt_open *restored; /* the run that is added next; NULL: it is new */
    struct pf_hash_map left; /* the keys of `restored`; all values are 0 */
    struct pf_hunt_paths_news news;
    bool news_read; /* the caller has read `news` */
    bool (*stopped)(void *arg); /* NULL: never */
    void *stopped_arg;
};

struct pf_hunt_paths *pf_hunt_paths_new(const char *worker, uint64_t limit_ms)
{
    struct pf_hunt_paths *p = pf_mem_zero(1, sizeof *p);
    pf_path_solver_init(&p->solver, worker, limit_ms);
    return p;
}

static void path_free(struct path *x)
{
    pf_path_run_release(&x->solving);
    pf_expression_log_release(&x->log);
    pf_input_bytes_release(&x->input);
    free(x);
}

void pf_hunt_paths_free(struct pf_hunt_paths *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->paths.len; i++)
        path_free(p->paths.at[i]);
    pf_vec_release(&p->paths);
    pf_hunt_losses_release(&p->losses);
    for (size_t i = 0; i < p->words.len; i++)
        free(p->words.at[i]);
    pf_vec_release(&p->words);
    pf_hunt_order_release(&p->order);
    pf_hash_map_release(&p->asked);
    pf_hash_map_release(&p->left);
    pf_hash_map_release(&p->flip_at);
    pf_vec_release(&p->flips);
    pf_vec_release(&p->news.tried);
    pf_vec_release(&p->news.taken);
    pf_path_solver_release(&p->solver);
    free(p);
}

/* --- adding a run --- */

static bool add_key(struct pf_hash_map *m, uint64_t key)
{
    if (pf_hash_map_find(m, key) != PF_HASH_NONE)
        return false;
    pf_hash_map_add(m, key, 0);
    return true;
}

static uint64_t extend(uint64_t key, const struct pf_expression_log *log, uint32_t label,
                       bool holds)
{
    return pf_hash_mix(pf_hash_mix(key, log->hashes.at[label]), holds ? 1 : 2);
}

/* The conditions of one execution of a switch: whether its value is the first case, the second one,
 * and so on, also those after the case that was taken. */
struct switch_group {
    uint32_t first; /* condition */
    uint64_t way; /* of the path to the next condition, if no case before it is taken */
};

/* Moves on to condition i, which continues the switch of condition i - 1 or begins a new group. */
static void follow_switch(struct switch_group *g, const struct pf_expression_log *log, uint32_t i,
                          uint64_t way)
{
    const struct pf_log_condition *c = &log->conditions.at[i], *last = i ? c - 1 : NULL;
    if (c->reason == PF_REASON_SWITCH && last && last->reason == PF_REASON_SWITCH &&
        last->site == c->site && last->thread == c->thread && last->alternative < c->alternative)
        g->way = pf_hash_mix(g->way, pf_hunt_direction(log, last, false));
    else
        *g = (struct switch_group){.first = i, .way = way};
}

/* True for the conditions after the flip that led to the run, and for the last ones: the program
 * may have given up there, because the rest of the input does not fit the new value. */
static bool is_near(const struct path *x, uint32_t condition)
{
    return (x->flipped && condition >= x->flipped && condition < x->flipped + NEAR_FLIP) ||
           condition + NEAR_END >= x->log.conditions.len;
}

static void add_question(struct pf_hunt_paths *p, struct pf_hunt_question *q)
{
    q->run = p->paths.at[q->path]->run;
    q->reached = p->paths.at[q->path]->reached;
    q->depth =
        is_near(p->paths.at[q->path], q->condition) ? p->paths.at[q->path]->depth : PF_HUNT_FAR;
    if (pf_hash_map_find(p->restored ? &p->left : &p->asked, q->key) ==
        (p->restored ? 0 : PF_HASH_NONE))
        pf_hunt_order_add(&p->order, q);
}

/* --- news --- */

static void clear_read_news(struct pf_hunt_paths *p)
{
    if (p->news_read) {
        pf_vec_clear(&p->news.tried);
        pf_vec_clear(&p->news.taken);
    }
    p->news_read = false;
}

static void tell_tried(struct pf_hunt_paths *p, uint64_t key)
{
    clear_read_news(p);
    pf_vec_push(&p->news.tried, key);
}

static unsigned took(struct pf_hunt_paths *p, uint64_t direction, uint64_t branch, uint64_t own)
{
    unsigned new = pf_hunt_order_took(&p->order, direction, branch, own);
    if (new) {
        clear_read_news(p);
        pf_vec_push(&p->news.taken, direction);
        pf_vec_push(&p->news.taken, branch);
        pf_vec_push(&p->news.taken, own);
    }
    return new;
}

void pf_hunt_paths_news(struct pf_hunt_paths *p, struct pf_hunt_paths_news *out)
{
    clear_read_news(p);
    p->news_read = true;
    *out = p->news;
}

/* --- the questions of a run --- */

/* Notes the directions that the run took. Returns the first condition with a direction that is new,
 * or else with one that was never taken so often, or not by its thread; PF_HUNT_NOTHING_NEW: there
 * is none. */
static uint32_t note_taken(struct pf_hunt_paths *p, const struct pf_expression_log *log,
                           pf_hunt_keys *branches, bool *new_direction)
{
    struct pf_hash_map counts = {0};
    uint32_t first[3] = {0, PF_HUNT_NOTHING_NEW, PF_HUNT_NOTHING_NEW};
    for (uint32_t i = 0; i < log->conditions.len; i++) {
        const struct pf_log_condition *c = &log->conditions.at[i];
        uint64_t direction = pf_hunt_direction(log, c, c->holds);
        uint64_t branch = pf_hunt_branch(direction, pf_hunt_count(&counts, direction));
        unsigned new = took(p, direction, branch, pf_hunt_own(direction, c));
        if (new && c->reason != PF_REASON_ASSUMED && first[new] == PF_HUNT_NOTHING_NEW)
            first[new] = i;
        pf_vec_push(branches, branch);
    }
    pf_hash_map_release(&counts);
    *new_direction = first[2] != PF_HUNT_NOTHING_NEW;
    return *new_direction ? first[2] : first[1];
}

/* Adds a question for each condition; `new`: see note_taken. Returns true if the run took the
 * predicted way. */
static bool add_flips(struct pf_hunt_paths *p, uint32_t path, uint64_t schedule, uint64_t predicted,
                      uint32_t new)
{
    const struct pf_expression_log *log = &p->paths.at[path]->log;
    /* hashes of the path so far: of its expressions, and of its directions. With a new input, the
     * expressions may differ although the directions are the same: a number may have more digits */
    uint64_t key = schedule, way = schedule;
    bool followed = false;
    struct switch_group group = {0};
    struct pf_hash_map counts = {0}; /* per direction: how often the run has taken it */
    struct pf_hash_map fixed = {0}; /* hashes of conditions so far; all values are 0 */
    for (uint32_t i = 0; i < log->conditions.len; i++) {
        const struct pf_log_condition *c = &log->conditions.at[i];
        uint32_t count = pf_hunt_count(&counts, pf_hunt_direction(log, c, c->holds));
        uint64_t turned = pf_hunt_direction(log, c, !c->holds);
        /* if the condition depends on a length, one byte more is not progress */
        bool by_length = pf_slicer_has_length(&p->paths.at[path]->solving.slicer, c->label);
        uint32_t before = by_length ? PF_HASH_NONE : pf_hash_map_find(&counts, turned);
        before = before == PF_HASH_NONE ? 1 : before + 1;
        uint64_t other = extend(key, log, c->label, !c->holds);
        key = extend(key, log, c->label, c->holds);
        follow_switch(&group, log, i, way);
        uint64_t other_way = pf_hash_mix(c->holds ? way : group.way, turned);
        uint64_t branch = pf_hunt_branch(turned, before);
        if (c->reason == PF_REASON_ASSUMED) { /* what happens if it is violated is unknown */
            other_way = 0;
            branch = pf_hunt_branch(pf_hunt_direction(log, c, c->holds), count);
        }
        if (c->reason != PF_REASON_ASSUMED) /* an assumption is not a direction of the program */
            way = pf_hash_mix(way, pf_hunt_direction(log, c, c->holds));
        followed |= way == predicted;
        (void)add_key(&p->asked, key);
        uint32_t distance = new == PF_HUNT_NOTHING_NEW ? new : i > new ? i - new : new - i;
        if (!add_key(&fixed, log->hashes.at[c->label]))
            continue; /* the run had this condition before; both have the same value */
        add_question(p, &(struct pf_hunt_question){.path = path,
                                                   .condition = i,
                                                   .kept = c->holds ? i : group.first,
                                                   .key = other,
                                                   .taken = key,
                                                   .way = other_way,
                                                   .direction = turned,
                                                   .branch = branch,
                                                   .own = pf_hunt_own(turned, c),
                                                   .reason = c->reason,
                                                   .distance = distance});
    }
    pf_hash_map_release(&counts);
    pf_hash_map_release(&fixed);
    return followed;
}

/* Adds a question for each pair of accesses of different threads, one of them a write, whose
 * addresses depend on the input and differ in this run. */
static void add_meetings(struct pf_hunt_paths *p, uint32_t path, uint64_t schedule)
{
    const struct pf_expression_log *log = &p->paths.at[path]->log;
    size_t added = 0;
    size_t n = log->addresses.len < ADDRESSES_MAX ? log->addresses.len : ADDRESSES_MAX;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i && added < MEETINGS_MAX; k++) {
            const struct pf_log_address *a = &log->addresses.at[k], *b = &log->addresses.at[i];
            uint64_t x = log->hashes.at[a->label], y = log->hashes.at[b->label];
            if (a->thread == b->thread || !a->is_event || !b->is_event ||
                !(a->writes || b->writes) || a->address == b->address || x == y)
                continue;
            uint64_t key = pf_hash_mix(pf_hash_mix(schedule, x ^ y), x + y);
            if (pf_hash_map_find(&p->asked, key) != PF_HASH_NONE)
                continue;
            add_question(p, &(struct pf_hunt_question){.path = path,
                                                       .condition = (uint32_t)b->conditions,
                                                       .kept = (uint32_t)b->conditions,
                                                       .first = a->label,
                                                       .second = b->label,
                                                       .key = key,
                                                       .direction = key,
                                                       .branch = key});
            added++;
        }
}

static bool is_word(const struct pf_hunt_paths *p, const struct pf_log_text *t)
{
    for (size_t i = 0; i < p->words.len; i++)
        if (strlen(p->words.at[i]) == t->n && !memcmp(p->words.at[i], t->bytes, t->n))
            return true;
    return false;
}

/* True if no session had the word: it counts as a direction. */
static bool add_word(struct pf_hunt_paths *p, const struct pf_log_text *t)
{
    uint64_t word = ~(uint64_t)0;
    if (is_word(p, t))
        return false;
    pf_vec_push(&p->words, pf_mem_copy_n((const char *)t->bytes, t->n));
    for (uint32_t k = 0; k < t->n; k++)
        word = pf_hash_mix(word, t->bytes[k]);
    return took(p, word, word, 0) == 2;
}

/* The text, as a direction. Texts at one site that are part of the input itself, and not words of
 * the program, count as one direction: otherwise each new input would have new texts. */
static uint64_t text_direction(const struct pf_hunt_paths *p, const struct path *x,
                               const struct pf_log_text *t, uint64_t text)
{
    bool is_input = false;
    for (size_t i = 0; i < x->input.sources.len && t->old; i++)
        is_input |=
            memmem(x->input.sources.at[i].bytes, x->input.sources.at[i].n, t->bytes, t->n) != NULL;
    return is_input && !is_word(p, t) ? x->log.sites.at[t->site].hash : text;
}

/* Adds a question for each text that a piece of a source may become, or that may be a further
 * argument. True if the program used a word for the first time: it has reached a new place. */
static bool add_texts(struct pf_hunt_paths *p, uint32_t path, uint64_t schedule)
{
    const struct pf_expression_log *log = &p->paths.at[path]->log;
    bool new = false;
    for (uint32_t i = 0; i < log->texts.len; i++) {
        const struct pf_log_text *t = &log->texts.at[i];
        new |= !t->old &&add_word(p, t);
        if (!t->old && (!t->site || !p->arguments))
            continue;
        uint64_t text = log->sites.at[t->site].hash;
        for (uint32_t k = 0; k < t->n; k++)
            text = pf_hash_mix(text, t->bytes[k]);
        uint64_t direction = text_direction(p, p->paths.at[path], t, text);
        uint64_t key = pf_hash_mix(pf_hash_mix(schedule, text), t->offset);
        /* the same text in another input is another question */
        key = pf_hash_mix(key, pf_input_bytes_hash(&p->paths.at[path]->input));
        add_question(p, &(struct pf_hunt_question){.path = path,
                                                   .condition = (uint32_t)t->conditions,
                                                   .text = 1 + i,
                                                   .key = key,
                                                   .direction = direction,
                                                   .branch = direction});
    }
    return new;
}

/* Counts conditions and addresses that do not have their value under the input of the run itself:
 * each is an error of the symbolic run. */
static uint64_t count_wrong(struct path *x)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < x->log.conditions.len; i++)
        wrong += pf_evaluate(&x->solving.values, x->log.conditions.at[i].label) !=
                 x->log.conditions.at[i].holds;
    for (size_t i = 0; i < x->log.addresses.len; i++)
        wrong += pf_evaluate(&x->solving.values, x->log.addresses.at[i].label) !=
                 x->log.addresses.at[i].address;
    return wrong;
}

pf_status pf_hunt_paths_add(struct pf_hunt_paths *p, const char *file, uint32_t run,
                            const struct pf_input_bytes *input, uint64_t schedule,
                            uint64_t predicted, const pf_source_aliases *aliases,
                            pf_hunt_keys *branches, bool *new, struct pf_error *e)
{
    struct pf_clip clip;
    unsigned char *bytes = NULL;
    size_t n = 0;
    pf_status s = pf_clip_open(&clip, file, e);
    if (s != PF_OK)
        return s;
    s = pf_clip_stream(&clip, PF_STREAM_SYMBOLIC, &bytes, &n, e);
    pf_clip_release(&clip);
    if (s != PF_OK)
        return s;
    struct path *x = pf_mem_zero(1, sizeof *x);
    x->run = run;
    x->reached = p->reached;
    s = pf_expression_log_read(&x->log, file, bytes, n, aliases, e);
    free(bytes);
    if (s == PF_OK)
        pf_compared_texts(&x->log);
    pf_path_run_init(&x->solving, &x->log);
    pf_input_bytes_copy(&x->input, input);
    for (size_t i = 0; i < x->log.sources.len; i++) {
        const struct pf_log_source *from = &x->log.sources.at[i];
        if (pf_input_is_late(from->name) && !pf_input_bytes_find(input, from->name))
            pf_input_bytes_set(&x->input, from->name, from->bytes, from->n);
    }
    if (s != PF_OK) {
        path_free(x);
        return s;
    }
    pf_vec_push(&p->paths, x);
    x->first_new = note_taken(p, &x->log, branches, new);
    if (x->first_new == PF_HUNT_NOTHING_NEW && p->stored.number)
        x->first_new = pf_hunt_condition_after(&x->log, p->stored);
    if (p->restored)
        x->first_new = p->restored->first_new;
    uint32_t at = p->flip ? pf_hash_map_find(&p->flip_at, p->flip) : PF_HASH_NONE;
    if (at != PF_HASH_NONE) {
        x->flipped = 1 + p->flips.at[at].condition;
        x->depth = x->first_new == PF_HUNT_NOTHING_NEW ? 1 + p->flips.at[at].depth : 0;
    }
    bool followed = add_flips(p, (uint32_t)p->paths.len - 1, schedule, predicted, x->first_new);
    p->predicted += predicted != 0;
    p->followed += predicted && followed;
    add_meetings(p, (uint32_t)p->paths.len - 1, schedule);
    *new |= add_texts(p, (uint32_t)p->paths.len - 1, schedule);
    pf_hunt_losses_add(&p->losses, &x->log);
    p->wrong += count_wrong(x);
    return PF_OK;
}

/* --- asking --- */

/* Asks with all conditions before the goal. If that gives no solution, for whatever reason, and
 * nothing like the goal was reached yet, asks for the goal alone: the path before it may also lead
 * there with other values. Such a new input is a guess, and so is one that does not keep the path:
 * then *sure is false. */
static enum pf_solve_outcome ask_goal(struct pf_hunt_paths *p, struct path *x,
                                      const struct pf_hunt_question *q, struct pf_wanted goal,
                                      pf_leaf_values *values, bool *sure)
{
    pf_wanted_list goals = {.at = &goal, .len = 1, .cap = 1};
    enum pf_solve_outcome o = pf_solve(&p->solver, &x->solving, q->kept, &goals, values);
    *sure = o == PF_SOLVE_YES && pf_solution_keeps_path(&x->solving, q->kept, goal, values);
    x->at_limit |= o == PF_SOLVE_LIMIT;
    if (o == PF_SOLVE_YES || !q->kept || !pf_hunt_order_is_new(&p->order, q))
        return o;
    return pf_solve(&p->solver, &x->solving, 0, &goals, values);
}

static enum pf_solve_outcome ask(struct pf_hunt_paths *p, struct path *x,
                                 const struct pf_hunt_question *q, pf_leaf_values *values,
                                 bool *sure)
{
    if (!q->first) {
        const struct pf_log_condition *c = &x->log.conditions.at[q->condition];
        return ask_goal(p, x, q, (struct pf_wanted){c->label, !c->holds}, values, sure);
    }
    const char *why;
    struct pf_symbolic_record equal = {.kind = PF_SYMBOLIC_NODE,
                                       .op = PF_EXPR_EQ,
                                       .bits = 1,
                                       .a = q->first,
                                       .b = q->second,
                                       .c = 64};
    struct pf_wanted goal = {pf_expression_log_add(&x->log, &equal, &why), true};
    return goal.label ? ask_goal(p, x, q, goal, values, sure) : PF_SOLVE_FAILED;
}

/* The input of the question's answer. False: it has none. */
static bool answer(struct pf_hunt_paths *p, struct path *x, const struct pf_hunt_question *q,
                   struct pf_hunt_answer *out)
{
    pf_leaf_values values = {0};
    bool sure = false, found = true;
    if (q->text) {
        const struct pf_log_text *t = &x->log.texts.at[q->text - 1];
        pf_input_bytes_copy(&out->input, &x->input);
        if (!t->old &&
            !(found = pf_input_bytes_add_option(&out->input, p->arguments, t->bytes, t->n)))
            pf_input_bytes_release(&out->input);
        if (t->old)
            pf_input_bytes_replace(&out->input, x->log.sources.at[t->source].name, t->offset,
                                   t->old, t->bytes, t->n);
    } else if ((found = ask(p, x, q, &values, &sure) == PF_SOLVE_YES)) {
        pf_input_bytes_apply(&out->input, &x->input, &x->log, &values);
    }
    out->predicted = sure ? q->way : 0;
    pf_vec_release(&values);
    return found;
}

bool pf_hunt_paths_next(struct pf_hunt_paths *p, bool (*wanted)(void *arg, uint32_t run), void *arg,
                        struct pf_hunt_answer *out)
{
    const struct pf_hunt_question *q;
    while (!(p->stopped && p->stopped(p->stopped_arg)) &&
           (q = pf_hunt_order_next(&p->order, wanted, arg))) {
        struct path *x = p->paths.at[q->path];
        memset(out, 0, sizeof *out);
        if (!add_key(&p->asked, q->key))
            continue; /* another run took this path meanwhile */
        tell_tried(p, q->key);
        if (q->taken) /* later runs need not ask for it either */
            tell_tried(p, q->taken);
        uint64_t limits = p->solver.counts.limit;
        bool found = answer(p, x, q, out);
        if (found || p->solver.counts.limit > limits)
            pf_hunt_order_answered(&p->order, q);
        if (!found)
            continue;
        out->run = x->run;
        out->key = q->key;
        pf_hash_map_add(&p->flip_at, q->key, (uint32_t)p->flips.len);
        pf_vec_push(&p->flips, (struct flip){q->condition, x->depth});
        if (q->text) /* it is no longer new, so other questions come first */
            (void)took(p, q->direction, q->branch, 0);
        return true;
    }
    return false;
}

void pf_hunt_paths_restore(struct pf_hunt_paths *p, const struct pf_hunt_open *o)
{
    p->restored = o;
    pf_hash_map_clear(&p->left);
    for (size_t i = 0; o && i < o->keys.len; i++)
        (void)add_key(&p->left, o->keys.at[i]);
}

void pf_hunt_paths_open(const struct pf_hunt_paths *p, uint64_t unfinished,
                        struct pf_hunt_open *runs)
{
    pf_hunt_order_left(&p->order, &p->asked, unfinished, runs);
    for (size_t i = 0; i < p->paths.len; i++)
        runs[p->paths.at[i]->run].first_new = p->paths.at[i]->first_new;
}

void pf_hunt_paths_reached(struct pf_hunt_paths *p, uint32_t sites, struct pf_hunt_event stored,
                           uint64_t flip)
{
    p->reached = sites;
    p->stored = stored;
    p->flip = flip;
}

void pf_hunt_paths_arguments(struct pf_hunt_paths *p, uint32_t first) { p->arguments = first; }

void pf_hunt_paths_stop(struct pf_hunt_paths *p, bool (*stopped)(void *arg), void *arg)
{
    p->stopped = stopped;
    p->stopped_arg = arg;
}

void pf_hunt_paths_skip(struct pf_hunt_paths *p, uint64_t key) { (void)add_key(&p->asked, key); }

void pf_hunt_paths_took(struct pf_hunt_paths *p, uint64_t direction, uint64_t branch, uint64_t own)
{
    (void)pf_hunt_order_took(&p->order, direction, branch, own);
}

bool pf_hunt_paths_obstacle(const struct pf_hunt_paths *p, uint32_t run, char *to, size_t room)
{
    for (size_t i = 0; i < p->paths.len; i++) {
        const struct path *x = p->paths.at[i];
        if (x->run == run && x->at_limit) {
            snprintf(to, room, "the solver reached its limit");
            return true;
        }
        if (x->run == run && pf_hunt_losses_describe(&x->log, to, room))
            return true;
    }
    return false;
}

void pf_hunt_paths_counts(const struct pf_hunt_paths *p, struct pf_hunt_paths_counts *out)
{
    const struct pf_solve_counts *c = &p->solver.counts;
    *out = (struct pf_hunt_paths_counts){.questions = c->questions,
                                         .solved = c->solved,
                                         .impossible = c->impossible,
                                         .limit = c->limit,
                                         .failed = c->failed,
                                         .cached = c->cached,
                                         .quick = c->bytes + c->inverted,
                                         .z3 = c->z3,
                                         .cpu_ms = c->cpu_us / 1000,
                                         .worker_ms = pf_z3_host_now_us(&p->solver.z3) / 1000,
                                         .below_20_ms = c->below_20_ms,
                                         .taken = p->order.directions.len,
                                         .predicted = p->predicted,
                                         .followed = p->followed,
                                         .wrong = p->wrong,
                                         .open = pf_hunt_order_open(&p->order)};
}

const char *pf_hunt_paths_word(const struct pf_hunt_paths *p, size_t i)
{
    return i < p->words.len ? p->words.at[i] : NULL;
}

const struct pf_hunt_losses *pf_hunt_paths_losses(const struct pf_hunt_paths *p)
{
    return &p->losses;
}
