/* solve.c - see solve.h. */
#include "solve.h"
#include "hash_mix.h"
#include "inverse.h"
#include "z3_message.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

void pf_path_solver_init(struct pf_path_solver *s, const char *program, uint64_t limit_ms)
{
    memset(s, 0, sizeof *s);
    pf_z3_host_init(&s->z3, program, limit_ms);
}

void pf_path_solver_release(struct pf_path_solver *s)
{
    pf_z3_host_release(&s->z3);
    pf_hash_map_release(&s->by_question);
    pf_vec_release(&s->cached);
    pf_vec_release(&s->cached_values);
}

void pf_path_run_init(struct pf_path_run *r, const struct pf_expression_log *log)
{
    memset(r, 0, sizeof *r);
    r->log = log;
    pf_slicer_init(&r->slicer, log);
    pf_evaluation_init(&r->values, log);
    for (size_t i = 0; i < log->sources.len; i++) {
        const struct pf_log_source *s = &log->sources.at[i];
        /* the log has the 0 after a word, an input does not: a longer word overwrites it */
        bool ends = pf_input_is_word(s->name) && s->n && !s->bytes[s->n - 1];
        pf_input_bytes_set(&r->input, s->name, s->bytes, s->n - ends);
    }
}

void pf_path_run_release(struct pf_path_run *r)
{
    pf_slicer_release(&r->slicer);
    pf_evaluation_release(&r->values);
    pf_input_bytes_release(&r->input);
}

/* --- checking a solution --- */

static const struct pf_input_source *source_of(const struct pf_path_run *r,
                                               const struct pf_input_bytes *in, uint32_t leaf)
{
    return pf_input_bytes_find(in, r->log->sources.at[r->log->leaves.at[leaf].source].name);
}

static bool has_value(const pf_leaf_values *values, uint32_t leaf)
{
    for (size_t i = 0; i < values->len; i++)
        if (values->at[i].leaf == leaf)
            return true;
    return false;
}

/* The bytes of a word in the log include its terminating 0. */
static size_t length_of(const struct pf_input_source *s)
{
    return pf_input_is_word(s->name) ? strlen((const char *)s->bytes) : s->n;
}

/* A number or a length changes other bytes of its source, too: takes all bytes and lengths of such
 * sources from the new input. */
static void set_moved(struct pf_path_run *r, const pf_leaf_values *values)
{
    struct pf_input_bytes now;
    pf_input_bytes_apply(&now, &r->input, r->log, values);
    for (uint32_t i = 0; i < r->log->leaves.len; i++) {
        const struct pf_leaf *leaf = &r->log->leaves.at[i];
        const struct pf_input_source *new = source_of(r, &now, i),
                                     *old = source_of(r, &r->input, i);
        if (leaf->op == PF_EXPR_INPUT)
            pf_evaluation_set(&r->values, i, leaf->offset < new->n ? new->bytes[leaf->offset] : 0);
        else if (leaf->op == PF_EXPR_LENGTH && !has_value(values, i))
            pf_evaluation_set(&r->values, i, leaf->value + new->n - length_of(old));
    }
    pf_input_bytes_release(&now);
}

static bool satisfies(struct pf_path_run *r, const pf_wanted_list *wanted)
{
    for (size_t i = wanted->len; i-- > 0;) /* the goals are last, and fail most often */
        if (pf_evaluate(&r->values, wanted->at[i].label) != wanted->at[i].holds)
            return false;
    return true;
}

/* True if the wanted values result from the bytes that these values of leaves give. */
static bool is_solution(struct pf_path_run *r, const pf_wanted_list *wanted,
                        const pf_leaf_values *values)
{
    bool moves = false;
    pf_evaluation_reset(&r->values);
    for (size_t i = 0; i < values->len; i++) {
        const struct pf_leaf *leaf = &r->log->leaves.at[values->at[i].leaf];
        if (leaf->op == PF_EXPR_LENGTH && values->at[i].value > PF_LENGTH_MAX &&
            values->at[i].value > leaf->value)
            return false; /* such long inputs are not made */
        pf_evaluation_set(&r->values, values->at[i].leaf, values->at[i].value);
        moves |= leaf->op != PF_EXPR_INPUT;
    }
    if (moves)
        set_moved(r, values);
    return satisfies(r, wanted);
}

/* Drops the values that the leaves have anyway. */
static void keep_changes(const struct pf_path_run *r, pf_leaf_values *values)
{
    size_t keep = 0;
    for (size_t i = 0; i < values->len; i++)
        if (values->at[i].value != r->log->leaves.at[values->at[i].leaf].value)
            values->at[keep++] = values->at[i];
    values->len = keep;
}

#define NEEDED_MAX 256 /* a solution with more values is taken as it is */

/* Replaces a number by the first of a few values that also solves the question: it may be a count
 * of threads. */
static void make_small(struct pf_path_run *r, const pf_wanted_list *wanted,
                       const pf_leaf_values *values, uint64_t *number)
{
    static const uint16_t small[] = {0,  1,  2,  3,   4,   5,   8,    10,
                                     16, 32, 64, 100, 128, 256, 1000, 1024};
    uint64_t found = *number;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        *number = small[i];
        if (is_solution(r, wanted, values))
            return;
    }
    *number = found;
}

/* Z3 also chooses values for leaves that could stay as they are. Drops the values that are not
 * needed, so that the new input stays close to that of the run. */
static void keep_needed(struct pf_path_run *r, const pf_wanted_list *wanted, pf_leaf_values *values)
{
    keep_changes(r, values);
    for (size_t i = values->len < NEEDED_MAX ? values->len : 0; i-- > 0;) {
        struct pf_leaf_value dropped = values->at[i];
        values->at[i] = values->at[--values->len];
        if (is_solution(r, wanted, values))
            continue;
        values->at[values->len++] = values->at[i];
        values->at[i] = dropped;
    }
    for (size_t i = 0; i < values->len; i++)
        if (r->log->leaves.at[values->at[i].leaf].op == PF_EXPR_NUMBER)
            make_small(r, wanted, values, &values->at[i].value);
}

/* --- the ways to an answer --- */

static uint64_t question_hash(const struct pf_path_run *r, const pf_wanted_list *wanted,
                              uint64_t seed)
{
    uint64_t h = seed;
    for (size_t i = 0; i < wanted->len; i++)
        h = pf_hash_mix(h, r->log->hashes.at[wanted->at[i].label] + wanted->at[i].holds);
    return h;
}

/* The structural hash of a leaf, which is the same in all runs. */
static uint64_t leaf_hash(const struct pf_path_run *r, uint32_t leaf)
{
    const struct pf_leaf *l = &r->log->leaves.at[leaf];
    uint64_t h = pf_hash_mix((uint64_t)l->op << 16 | l->bits, l->offset);
    for (const char *p = r->log->sources.at[l->source].name; *p; p++)
        h = pf_hash_mix(h, (unsigned char)*p);
    return h;
}

static bool from_cache(struct pf_path_solver *s, struct pf_path_run *r,
                       const pf_wanted_list *wanted, uint64_t first, uint64_t second,
                       pf_leaf_values *out, enum pf_solve_outcome *outcome)
{
    struct pf_hash_walk w = pf_hash_map_walk(&s->by_question, first);
    while (pf_hash_map_next(&s->by_question, &w)) {
        const struct pf_path_solver_cache_entry *c = &s->cached.at[w.value];
        if (c->second != second)
            continue;
        out->len = 0;
        for (size_t i = 0; i < c->n; i++)
            for (uint32_t k = 0; k < r->log->leaves.len; k++)
                if (leaf_hash(r, k) == s->cached_values.at[c->first + i].leaf)
                    pf_vec_push(out,
                                (struct pf_leaf_value){k, s->cached_values.at[c->first + i].value});
        *outcome = c->outcome;
        return c->outcome != PF_SOLVE_YES || is_solution(r, wanted, out);
    }
    return false;
}

static void remember(struct pf_path_solver *s, const struct pf_path_run *r, uint64_t first,
                     uint64_t second, const pf_leaf_values *values, enum pf_solve_outcome outcome)
{
    struct pf_path_solver_cache_entry c = {
        .second = second, .outcome = outcome, .first = s->cached_values.len, .n = values->len};
    for (size_t i = 0; i < values->len; i++)
        pf_vec_push(&s->cached_values, (struct pf_path_solver_cache_value){
                                           leaf_hash(r, values->at[i].leaf), values->at[i].value});
    pf_hash_map_add(&s->by_question, first, (uint32_t)s->cached.len);
    pf_vec_push(&s->cached, c);
}

/* If everything depends on a single byte, all its values are tried. */
static bool try_byte(struct pf_path_run *r, const pf_wanted_list *wanted, pf_leaf_values *out,
                     enum pf_solve_outcome *outcome)
{
    uint32_t leaf = PF_NO_LEAF;
    for (size_t i = 0; i < wanted->len; i++) {
        size_t n;
        const uint32_t *leaves = pf_slicer_leaves(&r->slicer, wanted->at[i].label, &n);
        if (n > 1 || (n && leaf != PF_NO_LEAF && leaves[0] != leaf))
            return false;
        leaf = n ? leaves[0] : leaf;
    }
    if (leaf == PF_NO_LEAF || r->log->leaves.at[leaf].op != PF_EXPR_INPUT)
        return false;
    *outcome = PF_SOLVE_NO;
    for (unsigned k = 0; k < 256 && *outcome == PF_SOLVE_NO; k++) {
        /* characters of text first: they are easier to read, and other code may expect them */
        unsigned value = (k + ' ') & 0xff;
        out->len = 0;
        pf_vec_push(out, (struct pf_leaf_value){leaf, value});
        if (is_solution(r, wanted, out))
            *outcome = PF_SOLVE_YES;
    }
    return true;
}

static bool try_inverse(struct pf_path_run *r, const pf_wanted_list *wanted, size_t ngoals,
                        pf_leaf_values *out)
{
    for (size_t i = wanted->len - ngoals; i < wanted->len; i++)
        for (unsigned way = 0; way < PF_INVERSE_WAYS; way++)
            if (pf_inverse(r->log, wanted->at[i].label, wanted->at[i].holds, way, out) &&
                is_solution(r, wanted, out))
                return true;
    return false;
}

static enum pf_solve_outcome answer(struct pf_path_solver *s, struct pf_path_run *r,
                                    const pf_wanted_list *wanted, size_t ngoals,
                                    pf_leaf_values *out)
{
    enum pf_solve_outcome outcome;
    if (try_byte(r, wanted, out, &outcome)) {
        s->counts.bytes++;
        return outcome;
    }
    if (try_inverse(r, wanted, ngoals, out)) {
        s->counts.inverted++;
        return PF_SOLVE_YES;
    }
    s->counts.z3++;
    outcome = pf_z3_host_ask(&s->z3, r->log, wanted, out);
    if (outcome == PF_SOLVE_YES && !is_solution(r, wanted, out)) {
        s->counts.wrong++;
        return PF_SOLVE_FAILED;
    }
    if (outcome == PF_SOLVE_YES)
        keep_needed(r, wanted, out);
    return outcome;
}

static void count(struct pf_solve_counts *c, enum pf_solve_outcome outcome)
{
    c->questions++;
    c->solved += outcome == PF_SOLVE_YES;
    c->impossible += outcome == PF_SOLVE_NO;
    c->limit += outcome == PF_SOLVE_LIMIT;
    c->failed += outcome == PF_SOLVE_FAILED;
}

/* CPU time of this thread and of the workers. */
static uint64_t cpu_us(const struct pf_path_solver *s)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000 + pf_z3_host_cpu_us(&s->z3);
}

enum pf_solve_outcome pf_solve(struct pf_path_solver *s, struct pf_path_run *r, size_t n,
                               const pf_wanted_list *goals, pf_leaf_values *out)
{
    pf_wanted_list wanted = {0};
    enum pf_solve_outcome outcome;
    uint64_t began = cpu_us(s);
    if (r->values.nodes < r->log->nodes.len) { /* nodes were added since */
        pf_evaluation_release(&r->values);
        pf_evaluation_init(&r->values, r->log);
    }
    out->len = 0;
    pf_slice(&r->slicer, n, goals, &wanted);
    uint64_t first = question_hash(r, &wanted, 1), second = question_hash(r, &wanted, 2);
    if (from_cache(s, r, &wanted, first, second, out, &outcome)) {
        s->counts.cached++;
    } else {
        outcome = answer(s, r, &wanted, goals->len, out);
        if (outcome != PF_SOLVE_YES)
            out->len = 0;
        if (outcome != PF_SOLVE_FAILED)
            remember(s, r, first, second, out, outcome);
    }
    keep_changes(r, out);
    count(&s->counts, outcome);
    uint64_t used = cpu_us(s) - began;
    s->counts.cpu_us += used;
    s->counts.below_20_ms += used < 20000;
    pf_vec_release(&wanted);
    return outcome;
}

enum pf_solve_outcome pf_solve_flip(struct pf_path_solver *s, struct pf_path_run *r, size_t n,
                                    pf_leaf_values *out)
{
    struct pf_wanted goal = {r->log->conditions.at[n].label, !r->log->conditions.at[n].holds};
    pf_wanted_list goals = {.at = &goal, .len = 1, .cap = 1};
    return pf_solve(s, r, n, &goals, out);
}

bool pf_solution_keeps_path(struct pf_path_run *r, size_t n, struct pf_wanted goal,
                            const pf_leaf_values *values)
{
    (void)is_solution(r, &(pf_wanted_list){0}, values);
    set_moved(r, values);
    for (size_t i = 0; i < n; i++)
        if (pf_evaluate(&r->values, r->log->conditions.at[i].label) !=
            r->log->conditions.at[i].holds)
            return false;
    for (size_t i = 0; i < r->log->addresses.len; i++) {
        const struct pf_log_address *a = &r->log->addresses.at[i];
        if (a->conditions <= n && pf_evaluate(&r->values, a->label) != a->address)
            return false;
    }
    return pf_evaluate(&r->values, goal.label) == goal.holds;
}
