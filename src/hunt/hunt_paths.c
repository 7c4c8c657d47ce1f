/* hunt_paths.c - see hunt_paths.h. */
#include "hunt_paths.h"
#include "clip.h"
#include "solve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_EXACT 16
#define MEETINGS_MAX 256 /* pairs of accesses of one run that are asked to meet */

struct path {
    uint32_t run;
    struct pf_expression_log log;
    struct pf_path_run solving;
    struct pf_input_bytes input;
    bool at_limit; /* a question about it was not answered in time */
};

/* A question that is still to be asked: flip a condition, or let two accesses meet. */
struct question {
    uint32_t path;
    uint32_t condition; /* or the number of conditions before the accesses */
    uint32_t first, second; /* labels of two addresses; 0: a flip */
    uint64_t key; /* of the path that is asked for */
    uint64_t way; /* hash of the directions that the new run should take; 0: unknown */
    uint64_t branch; /* what is asked for, as in branch_of */
    bool asked;
};

struct loss {
    uint8_t reason;
    char *name;
    uint64_t count;
};

struct pf_hunt_paths {
    struct pf_path_solver solver;
    PF_VEC(struct path *) paths;
    PF_VEC(struct question) questions;
    struct pf_hash_map asked; /* keys of paths that were taken or asked for; all values are 0 */
    struct pf_hash_map directions; /* of branches that runs took; all values are 0 */
    struct pf_hash_map taken; /* the same with counts (branch_of); all values are 0 */
    uint64_t predicted, followed, wrong;
    PF_VEC(struct loss) losses;
    uint32_t shard, shards; /* the part of the flips that is tried; shards 0: all */
};

static const char *const loss_text[] = {
#define PF_LOSS(name, text) text,
#include "pf_symbolic.def"
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
    for (size_t i = 0; i < p->losses.len; i++)
        free(p->losses.at[i].name);
    pf_vec_release(&p->paths);
    pf_vec_release(&p->questions);
    pf_vec_release(&p->losses);
    pf_hash_map_release(&p->asked);
    pf_hash_map_release(&p->directions);
    pf_hash_map_release(&p->taken);
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

/* The direction of a branch: its site, alternative and value. */
static uint64_t direction_of(const struct pf_expression_log *log, const struct pf_log_condition *c,
                             bool holds)
{
    uint64_t h = pf_expression_hash(log->sites.at[c->site].hash, c->alternative);
    return pf_expression_hash(h, holds ? 1 : 2);
}

/* The direction, and how often the run has taken it so far: a loop that compares one byte more is
 * progress. Above COUNT_EXACT, counts with the same number of bits are equal. */
static uint64_t branch_of(uint64_t direction, uint32_t count)
{
    uint32_t rank =
        count <= COUNT_EXACT ? count : COUNT_EXACT + 32 - (uint32_t)__builtin_clz(count);
    return pf_expression_hash(direction, rank);
}

static uint64_t extend(uint64_t key, const struct pf_expression_log *log, uint32_t label,
                       bool holds)
{
    return pf_expression_hash(pf_expression_hash(key, log->hashes.at[label]), holds ? 1 : 2);
}

static uint32_t count_direction(struct pf_hash_map *counts, uint64_t direction)
{
    struct pf_hash_walk w = pf_hash_map_walk(counts, direction);
    if (!pf_hash_map_next(counts, &w)) {
        pf_hash_map_add(counts, direction, 1);
        return 1;
    }
    pf_hash_map_set(counts, &w, w.value + 1);
    return w.value + 1;
}

static bool depends_on_length(struct path *x, uint32_t label)
{
    pf_vec_u32 leaves = {0};
    bool any = false;
    pf_slicer_leaves(&x->solving.slicer, label, &leaves);
    for (size_t i = 0; i < leaves.len; i++)
        any |= x->log.leaves.at[leaves.at[i]].op == PF_EXPR_LENGTH;
    pf_vec_release(&leaves);
    return any;
}

/* Adds a question for each condition. Returns true if the run took the predicted way. */
static bool add_flips(struct pf_hunt_paths *p, uint32_t path, uint64_t schedule, uint64_t predicted,
                      pf_hunt_keys *branches)
{
    const struct pf_expression_log *log = &p->paths.at[path]->log;
    uint64_t key = schedule, way = schedule;
    bool followed = false;
    struct pf_hash_map counts = {0}; /* per direction: how often the run has taken it */
    for (uint32_t i = 0; i < log->conditions.len; i++) {
        const struct pf_log_condition *c = &log->conditions.at[i];
        uint32_t count = count_direction(&counts, direction_of(log, c, c->holds));
        uint64_t turned = direction_of(log, c, !c->holds);
        /* if the condition depends on a length, one byte more is not progress */
        bool by_length = depends_on_length(p->paths.at[path], c->label);
        uint32_t before = by_length ? PF_HASH_NONE : pf_hash_map_find(&counts, turned);
        before = before == PF_HASH_NONE ? 1 : before + 1;
        uint64_t other = extend(key, log, c->label, !c->holds);
        key = extend(key, log, c->label, c->holds);
        /* with a new input, expressions may differ although the directions are the same: a number
         * may have more digits */
        uint64_t other_way = pf_expression_hash(way, turned);
        uint64_t branch = branch_of(turned, before);
        if (c->reason == PF_REASON_ASSUMED) { /* unknown effect of inputs that violate it */
            other_way = 0;
            branch = branch_of(direction_of(log, c, c->holds), count);
        }
        way = pf_expression_hash(way, direction_of(log, c, c->holds));
        followed |= way == predicted;
        (void)add_key(&p->directions, direction_of(log, c, c->holds));
        pf_vec_push(branches, branch_of(direction_of(log, c, c->holds), count));
        (void)add_key(&p->taken, branches->at[branches->len - 1]);
        (void)add_key(&p->asked, key);
        if (pf_hash_map_find(&p->asked, other) == PF_HASH_NONE)
            pf_vec_push(&p->questions, (struct question){.path = path,
                                                         .condition = i,
                                                         .key = other,
                                                         .way = other_way,
                                                         .branch = branch});
    }
    pf_hash_map_release(&counts);
    return followed;
}

/* Adds a question for each pair of accesses of different threads whose addresses depend on the
 * input and differ in this run. */
static void add_meetings(struct pf_hunt_paths *p, uint32_t path, uint64_t schedule)
{
    const struct pf_expression_log *log = &p->paths.at[path]->log;
    size_t added = 0;
    for (size_t i = 0; i < log->addresses.len; i++)
        for (size_t k = 0; k < i && added < MEETINGS_MAX; k++) {
            const struct pf_log_address *a = &log->addresses.at[k], *b = &log->addresses.at[i];
            uint64_t x = log->hashes.at[a->label], y = log->hashes.at[b->label];
            if (a->thread == b->thread || !a->is_event || !b->is_event ||
                !(a->writes || b->writes) || a->address == b->address || x == y)
                continue;
            uint64_t key = pf_expression_hash(pf_expression_hash(schedule, x ^ y), x + y);
            if (pf_hash_map_find(&p->asked, key) != PF_HASH_NONE)
                continue;
            pf_vec_push(&p->questions, (struct question){.path = path,
                                                         .condition = (uint32_t)b->conditions,
                                                         .first = a->label,
                                                         .second = b->label,
                                                         .key = key,
                                                         .branch = key});
            added++;
        }
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

static void add_losses(struct pf_hunt_paths *p, const struct pf_expression_log *log)
{
    for (size_t i = 0; i < log->losses.len; i++) {
        const struct pf_log_loss *l = &log->losses.at[i];
        size_t k = 0;
        while (k < p->losses.len &&
               (p->losses.at[k].reason != l->reason || strcmp(p->losses.at[k].name, l->name)))
            k++;
        if (k == p->losses.len)
            pf_vec_push(&p->losses, (struct loss){l->reason, pf_mem_copy(l->name), 0});
        p->losses.at[k].count += l->count;
    }
}

pf_status pf_hunt_paths_add(struct pf_hunt_paths *p, const char *file, uint32_t run,
                            const struct pf_input_bytes *input, uint64_t schedule,
                            uint64_t predicted, const pf_source_aliases *aliases,
                            pf_hunt_keys *branches, struct pf_error *e)
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
    s = pf_expression_log_read(&x->log, file, bytes, n, aliases, e);
    free(bytes);
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
    bool followed = add_flips(p, (uint32_t)p->paths.len - 1, schedule, predicted, branches);
    p->predicted += predicted != 0;
    p->followed += predicted && followed;
    add_meetings(p, (uint32_t)p->paths.len - 1, schedule);
    add_losses(p, &x->log);
    p->wrong += count_wrong(x);
    return PF_OK;
}

/* --- asking --- */

static void describe(const struct path *x, const struct question *q, char *to, size_t room)
{
    const struct pf_expression_log *log = &x->log;
    if (q->first) {
        snprintf(to, room, "two accesses whose addresses depend on the input");
        return;
    }
    const struct pf_log_condition *c = &log->conditions.at[q->condition];
    const struct pf_log_site *site = &log->sites.at[c->site];
    snprintf(to, room, "%s:%u in %s", site->file, site->line, site->function);
}

/* True if question x comes before y. New branches come first; among them those of the newest run,
 * among the others those of the oldest. Within a run, the first condition has the smallest
 * slice. */
static bool is_better(const struct question *x, bool x_new, const struct question *y, bool y_new)
{
    if (x_new != y_new)
        return x_new;
    if (x->path != y->path)
        return x_new ? x->path > y->path : x->path < y->path;
    return x->condition < y->condition;
}

/* The best question that was not asked yet; NULL: there is none. */
static struct question *choose(struct pf_hunt_paths *p, bool (*wanted)(void *, uint32_t), void *arg)
{
    struct question *best = NULL;
    bool best_new = false;
    for (size_t i = 0; i < p->questions.len; i++) {
        struct question *q = &p->questions.at[i];
        if (q->asked || (wanted && !wanted(arg, p->paths.at[q->path]->run)) ||
            (p->shards && q->key % p->shards != p->shard))
            continue;
        if (pf_hash_map_find(&p->asked, q->key) != PF_HASH_NONE) {
            q->asked = true; /* another run took this path meanwhile */
            continue;
        }
        bool new = pf_hash_map_find(&p->taken, q->branch) == PF_HASH_NONE;
        if (!best || is_better(q, new, best, best_new)) {
            best = q;
            best_new = new;
        }
    }
    return best;
}

static enum pf_solve_outcome ask(struct pf_hunt_paths *p, struct path *x, const struct question *q,
                                 pf_leaf_values *values)
{
    if (!q->first)
        return pf_solve_flip(&p->solver, &x->solving, q->condition, values);
    const char *why;
    struct pf_symbolic_record equal = {.kind = PF_SYMBOLIC_NODE,
                                       .op = PF_EXPR_EQ,
                                       .bits = 1,
                                       .a = q->first,
                                       .b = q->second,
                                       .c = 64};
    struct pf_wanted goal = {pf_expression_log_add(&x->log, &equal, &why), true};
    pf_wanted_list goals = {.at = &goal, .len = 1, .cap = 1};
    return goal.label ? pf_solve(&p->solver, &x->solving, q->condition, &goals, values)
                      : PF_SOLVE_FAILED;
}

bool pf_hunt_paths_next(struct pf_hunt_paths *p, bool (*wanted)(void *arg, uint32_t run), void *arg,
                        struct pf_hunt_flip *out)
{
    struct question *q;
    pf_leaf_values values = {0};
    bool found = false;
    while (!found && (q = choose(p, wanted, arg))) {
        struct path *x = p->paths.at[q->path];
        q->asked = true;
        (void)add_key(&p->asked, q->key);
        enum pf_solve_outcome o = ask(p, x, q, &values);
        x->at_limit |= o == PF_SOLVE_LIMIT;
        found = o == PF_SOLVE_YES;
        if (!found)
            continue;
        memset(out, 0, sizeof *out);
        pf_input_bytes_apply(&out->input, &x->input, &x->log, &values);
        out->run = x->run;
        out->key = q->key;
        out->predicted = q->way;
        describe(x, q, out->where, sizeof out->where);
    }
    pf_vec_release(&values);
    return found;
}

void pf_hunt_paths_shard(struct pf_hunt_paths *p, uint32_t shard, uint32_t shards)
{
    p->shard = shard;
    p->shards = shards;
}

void pf_hunt_paths_skip(struct pf_hunt_paths *p, uint64_t key) { (void)add_key(&p->asked, key); }

bool pf_hunt_paths_obstacle(const struct pf_hunt_paths *p, uint32_t run, char *to, size_t room)
{
    for (size_t i = 0; i < p->paths.len; i++) {
        const struct path *x = p->paths.at[i];
        if (x->run == run && x->at_limit) {
            snprintf(to, room, "the solver reached its limit");
            return true;
        }
        if (x->run == run && x->log.losses.len) {
            const struct pf_log_loss *l = &x->log.losses.at[0];
            snprintf(to, room, "part of the path is not modelled: %s%s%s", loss_text[l->reason],
                     *l->name ? ", " : "", l->name);
            return true;
        }
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
                                         .taken = p->directions.len,
                                         .predicted = p->predicted,
                                         .followed = p->followed,
                                         .wrong = p->wrong};
    for (size_t i = 0; i < p->questions.len; i++)
        out->open += !p->questions.at[i].asked;
}

bool pf_hunt_paths_loss(const struct pf_hunt_paths *p, size_t i, const char **reason,
                        const char **name, uint64_t *count)
{
    if (i >= p->losses.len)
        return false;
    *reason = loss_text[p->losses.at[i].reason];
    *name = p->losses.at[i].name;
    *count = p->losses.at[i].count;
    return true;
}
