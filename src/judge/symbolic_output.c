/* symbolic_output.c - see symbolic_output.h. The headers of findings cannot be used here: they
 * define the same names as those of expressions. */
#include "symbolic_output.h"
#include "clip.h"
#include "condition_ranges.h"
#include "condition_text.h"
#include "expression_import.h"
#include "solve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 6 /* conditions in the text */
#define QUESTIONS 8 /* most conditions that are asked about because only one path has them */

static const char *const loss_text[] = {
#define PF_LOSS(name, text) text,
#include "pf_symbolic.def"
};

/* The two runs in one log. */
struct joined_runs {
    struct pf_expression_log log, other;
    pf_vec_u32 map; /* labels of `other` in `log` */
    size_t first; /* conditions of the first run; those of the second one follow */
    size_t both; /* conditions of both runs; those on addresses follow */
};

static bool read_log(struct pf_symbolic_outputs *q, unsigned i, struct pf_expression_log *log)
{
    struct pf_clip clip;
    struct pf_error e;
    unsigned char *bytes = NULL;
    size_t n = 0;
    memset(log, 0, sizeof *log);
    pf_status s = pf_clip_open(&clip, q->clip[i], &e);
    if (s == PF_OK) {
        s = pf_clip_stream(&clip, PF_STREAM_SYMBOLIC, &bytes, &n, &e);
        pf_clip_release(&clip);
    }
    if (s == PF_OK)
        s = pf_expression_log_read(log, q->clip[i], bytes, n, q->aliases[i], &e);
    free(bytes);
    if (s != PF_OK)
        snprintf(q->text, sizeof q->text, "%.200s", e.text);
    return s == PF_OK;
}

/* --- conditions --- */

static uint32_t compare(struct pf_expression_log *log, uint8_t op, uint32_t a, uint32_t b,
                        uint64_t value)
{
    const char *why;
    uint16_t bits = log->nodes.at[a].bits;
    if (b && log->nodes.at[b].bits != bits)
        return 0;
    return pf_expression_log_add(
        log,
        &(struct pf_symbolic_record){
            .kind = PF_SYMBOLIC_NODE, .op = op, .bits = 1, .a = a, .b = b, .c = bits, .y = value},
        &why);
}

/* Adds a condition for each address that depends on the input: it stays as in the run. */
static void add_addresses(struct joined_runs *b)
{
    size_t n = b->log.addresses.len, m = b->other.addresses.len;
    for (size_t i = 0; i < n + m; i++) {
        const struct pf_log_address *a =
            i < n ? &b->log.addresses.at[i] : &b->other.addresses.at[i - n];
        uint32_t label = i < n ? a->label : b->map.at[a->label];
        uint32_t same = compare(&b->log, PF_EXPR_EQ, label, 0, a->address);
        if (same)
            pf_vec_push(&b->log.conditions,
                        (struct pf_log_condition){.label = same, .holds = true});
    }
}

static bool merge(struct pf_symbolic_outputs *q, struct joined_runs *b)
{
    if (!pf_expression_import(&b->log, &b->other, &b->map)) {
        snprintf(q->text, sizeof q->text, "the two orders read different inputs");
        return false;
    }
    b->first = b->log.conditions.len;
    b->both = b->first + b->other.conditions.len;
    for (size_t i = 0; i < b->other.conditions.len; i++) {
        struct pf_log_condition c = b->other.conditions.at[i];
        c.label = b->map.at[c.label];
        pf_vec_push(&b->log.conditions, c);
    }
    for (size_t i = 0; i < b->other.outputs.len; i++)
        b->other.outputs.at[i].label = b->map.at[b->other.outputs.at[i].label];
    add_addresses(b);
    return true;
}

/* --- questions --- */

static int by_place(const void *a, const void *b)
{
    const struct pf_log_output *x = a, *y = b;
    if (x->fd != y->fd)
        return x->fd < y->fd ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->format > y->format) - (x->format < y->format);
}

/* Adds the goal that x differs from y, or, if y is 0, from the value. */
static void add_goal(struct joined_runs *b, pf_wanted_list *goals, uint32_t x, uint32_t y,
                     uint64_t value)
{
    if (y && b->log.hashes.at[x] == b->log.hashes.at[y])
        return;
    uint32_t label = compare(&b->log, PF_EXPR_NE, x, y, value);
    if (label)
        pf_vec_push(goals, (struct pf_wanted){label, true});
}

/* The value of a node in the run. */
static uint64_t value_of(const struct pf_expression_log *log, uint32_t label)
{
    struct pf_evaluation v;
    pf_evaluation_init(&v, log);
    uint64_t value = pf_evaluate(&v, label);
    pf_evaluation_release(&v);
    return value;
}

/* Adds one goal for each printed value: the runs print different values there. If the value depends
 * on the input in only one of the runs, the other run prints a constant: the value of this run. */
static void find_goals(struct joined_runs *b, pf_wanted_list *goals)
{
    struct pf_log_output *x = b->log.outputs.at, *y = b->other.outputs.at;
    size_t n = b->log.outputs.len, m = b->other.outputs.len, i = 0, k = 0;
    if (n)
        qsort(x, n, sizeof *x, by_place);
    if (m)
        qsort(y, m, sizeof *y, by_place);
    while (i < n || k < m) {
        int order = i == n ? 1 : k == m ? -1 : by_place(&x[i], &y[k]);
        if (!order)
            add_goal(b, goals, x[i].label, y[k].label, 0);
        else if (order < 0)
            add_goal(b, goals, x[i].label, 0, value_of(&b->log, x[i].label));
        else
            add_goal(b, goals, y[k].label, 0, value_of(&b->log, y[k].label));
        i += order <= 0;
        k += order >= 0;
    }
}

static void release_solver(struct pf_symbolic_outputs *q, struct pf_path_solver *solver)
{
    q->limit += solver->counts.limit;
    q->failed += solver->counts.failed;
    pf_path_solver_release(solver);
}

static enum pf_outputs ask(struct pf_symbolic_outputs *q, struct joined_runs *b)
{
    struct pf_path_solver solver;
    struct pf_path_run run;
    pf_wanted_list goals = {0};
    enum pf_outputs result = PF_OUTPUTS_EQUAL;
    find_goals(b, &goals);
    pf_path_solver_init(&solver, q->worker, q->solver_ms);
    pf_path_run_init(&run, &b->log);
    for (size_t i = 0; i < goals.len && result != PF_OUTPUTS_DIFFER; i++) {
        pf_wanted_list one = {.at = &goals.at[i], .len = 1, .cap = 1};
        pf_leaf_values values = {0};
        enum pf_solve_outcome o = pf_solve(&solver, &run, b->log.conditions.len, &one, &values);
        if (o == PF_SOLVE_YES) {
            pf_input_bytes_apply(&q->other, q->input, &b->log, &values);
            q->has_other = true;
            result = PF_OUTPUTS_DIFFER;
        } else if (o != PF_SOLVE_NO) {
            snprintf(q->text, sizeof q->text, "%s",
                     o == PF_SOLVE_LIMIT ? "the solver reached its time limit"
                                         : "the solver failed");
            result = PF_OUTPUTS_UNKNOWN;
        }
        pf_vec_release(&values);
    }
    pf_path_run_release(&run);
    release_solver(q, &solver);
    pf_vec_release(&goals);
    return result;
}

/* --- paths --- */

static bool has_condition(const struct joined_runs *b, size_t from, size_t to, size_t n)
{
    const struct pf_log_condition *at = b->log.conditions.at;
    for (size_t i = from; i < to; i++)
        if (at[i].holds == at[n].holds &&
            b->log.hashes.at[at[i].label] == b->log.hashes.at[at[n].label])
            return true;
    return false;
}

/* Looks for an input that takes one of the two paths and violates condition n of the other one. */
static void ask_path(struct pf_symbolic_outputs *q, struct joined_runs *b,
                     struct pf_path_solver *solver, struct pf_path_run *run, size_t n)
{
    const struct pf_log_condition *at = b->log.conditions.at;
    bool of_second = n >= b->first;
    pf_wanted_list wanted = {0};
    pf_leaf_values values = {0};
    for (size_t i = b->first; i < b->both && !of_second; i++)
        pf_vec_push(&wanted, (struct pf_wanted){at[i].label, at[i].holds});
    pf_vec_push(&wanted, (struct pf_wanted){at[n].label, !at[n].holds});
    if (pf_solve(solver, run, of_second ? b->first : 0, &wanted, &values) == PF_SOLVE_YES) {
        pf_input_bytes_apply(&q->other, q->input, &b->log, &values);
        q->has_other = true;
    }
    pf_vec_release(&values);
    pf_vec_release(&wanted);
}

static void ask_paths(struct pf_symbolic_outputs *q, struct joined_runs *b)
{
    struct pf_path_solver solver;
    struct pf_path_run run;
    unsigned asked = 0;
    pf_path_solver_init(&solver, q->worker, q->solver_ms);
    pf_path_run_init(&run, &b->log);
    for (size_t i = 0; i < b->both && asked < QUESTIONS && !q->has_other; i++) {
        bool of_second = i >= b->first;
        if (b->log.conditions.at[i].reason == PF_REASON_ASSUMED ||
            has_condition(b, of_second ? 0 : b->first, of_second ? b->first : b->both, i))
            continue;
        ask_path(q, b, &solver, &run, i);
        asked++;
    }
    pf_path_run_release(&run);
    release_solver(q, &solver);
}

/* --- the claim --- */

/* False: an equal condition comes before it. */
static bool is_first(const struct joined_runs *b, size_t n) { return !has_condition(b, 0, n, n); }

/* Adds one more part, if there is room for it and for the number of the others. */
static bool add_part(char *to, size_t room, size_t *used, const char *part)
{
    if (!*part || *used + strlen(part) + 60 > room)
        return false;
    *used += (size_t)snprintf(to + *used, room - *used, "%s%s", *used ? " and " : "", part);
    return true;
}

/* Describes the inputs that satisfy the conditions of both paths. */
static void describe_inputs(const struct joined_runs *b, char *to, size_t room)
{
    const struct pf_expression_log *log = &b->log;
    struct pf_condition_ranges ranges = {0};
    size_t used = 0, shown = 0, hidden = 0;
    char one[160], range[300], others[SHOWN][160];
    *to = 0;
    for (size_t i = 0; i < log->conditions.len; i++) {
        const struct pf_log_condition *c = &log->conditions.at[i];
        if (!is_first(b, i))
            continue;
        bool readable = pf_condition_text(log, c->label, c->holds, one, sizeof one);
        if (readable && pf_condition_ranges_add(&ranges, one))
            continue;
        if (readable && shown < SHOWN)
            memcpy(others[shown++], one, sizeof one);
        else
            hidden++;
    }
    for (size_t i = 0; i < ranges.n; i++) {
        if (!pf_condition_range_text(&ranges.at[i], range, sizeof range))
            *range = 0;
        hidden += !add_part(to, room, &used, range);
    }
    for (size_t i = 0; i < shown; i++)
        hidden += !add_part(to, room, &used, others[i]);
    bool some = used != 0;
    if (!some)
        used += (size_t)snprintf(to, room, "input");
    if (hidden)
        snprintf(to + used, room - used, "%s%zu %scondition%s of the two paths",
                 some ? " and " : " that satisfies ", hidden, some ? "more " : "",
                 hidden == 1 ? "" : "s");
}

static bool has_losses(struct pf_symbolic_outputs *q, const struct pf_expression_log *log)
{
    if (!log->losses.len)
        return false;
    const struct pf_log_loss *l = &log->losses.at[0];
    snprintf(q->text, sizeof q->text, "part of the run is not modelled: %s%s%.80s",
             loss_text[l->reason], *l->name ? ", " : "", l->name);
    return true;
}

enum pf_outputs pf_symbolic_outputs_compare(struct pf_symbolic_outputs *q)
{
    struct joined_runs b = {0};
    char which[300];
    enum pf_outputs result = PF_OUTPUTS_UNKNOWN;
    *q->text = 0;
    q->limit = q->failed = 0;
    q->has_other = false;
    q->other = (struct pf_input_bytes){0};
    if (read_log(q, 0, &b.log) && read_log(q, 1, &b.other) && merge(q, &b))
        result = ask(q, &b);
    if (result == PF_OUTPUTS_EQUAL)
        ask_paths(q, &b);
    if (result == PF_OUTPUTS_EQUAL && (has_losses(q, &b.log) || has_losses(q, &b.other)))
        result = PF_OUTPUTS_UNKNOWN;
    if (result == PF_OUTPUTS_EQUAL) {
        describe_inputs(&b, which, sizeof which);
        snprintf(q->text, sizeof q->text,
                 "under these schedules, both orders print the same for every %s", which);
    }
    pf_expression_log_release(&b.log);
    pf_expression_log_release(&b.other);
    pf_vec_release(&b.map);
    return result;
}
