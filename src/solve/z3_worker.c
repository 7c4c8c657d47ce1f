/*
 * z3_worker.c - the program pf-z3: answers questions about bit vectors with Z3.
 *
 * Reads requests from standard input and writes replies to standard output (z3_message.h). It is a
 * program of its own, because Z3 cannot always be stopped from inside, because it may run out of
 * memory, and because pf starts faster without it.
 */
#include "allocation.h"
#include "z3_message.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <z3.h>

#define SMALL_BITS 21
#define KEEP_MS 100 /* for a solution that is closer to the input of the run */

struct z3_question {
    Z3_context z;
    Z3_solver solver;
    const struct pf_symbolic_record *nodes; /* nodes[0] is the first node, number 1 */
    uint32_t count;
    Z3_ast *at; /* by number */
};

static bool receive(void *to, size_t n)
{
    char *p = to;
    for (ssize_t k; n; p += k, n -= (size_t)k)
        if ((k = read(0, p, n)) <= 0)
            return false;
    return true;
}

static void reply(const void *from, size_t n)
{
    const char *p = from;
    for (ssize_t k; n; p += k, n -= (size_t)k)
        if ((k = write(1, p, n)) <= 0)
            exit(0); /* pf has ended */
}

static Z3_ast constant(struct z3_question *q, uint64_t value, unsigned bits)
{
    return Z3_mk_unsigned_int64(q->z, value, Z3_mk_bv_sort(q->z, bits));
}

static Z3_ast bit(struct z3_question *q, Z3_ast condition)
{
    return Z3_mk_ite(q->z, condition, constant(q, 1, 1), constant(q, 0, 1));
}

static Z3_ast slice(struct z3_question *q, Z3_ast a, unsigned low, unsigned bits)
{
    return Z3_mk_extract(q->z, low + bits - 1, low, a);
}

/* The number of bits that are 1, or of zeros before the first 1 from one end. */
static Z3_ast count_bits(struct z3_question *q, uint8_t op, Z3_ast a, unsigned bits)
{
    Z3_ast sum = op == PF_EXPR_CTPOP ? constant(q, 0, bits) : constant(q, bits, bits);
    for (unsigned i = 0; i < bits; i++) {
        /* the last assignment wins: it tests the end from which zeros are counted */
        unsigned at = op == PF_EXPR_CTTZ ? bits - 1 - i : i;
        Z3_ast is_set = Z3_mk_eq(q->z, slice(q, a, at, 1), constant(q, 1, 1));
        if (op == PF_EXPR_CTPOP)
            sum = Z3_mk_bvadd(q->z, sum,
                              Z3_mk_ite(q->z, is_set, constant(q, 1, bits), constant(q, 0, bits)));
        else
            sum = Z3_mk_ite(q->z, is_set,
                            constant(q, op == PF_EXPR_CTTZ ? at : bits - 1 - at, bits), sum);
    }
    return sum;
}

static Z3_ast reverse(struct z3_question *q, Z3_ast a, unsigned bits, unsigned step)
{
    Z3_ast out = slice(q, a, 0, step);
    for (unsigned i = step; i < bits; i += step)
        out = Z3_mk_concat(q->z, out, slice(q, a, i, step));
    return out;
}

static Z3_ast unary(struct z3_question *q, const struct pf_symbolic_record *n, Z3_ast a)
{
    switch (n->op) {
    case PF_EXPR_ZEXT:
        return Z3_mk_zero_ext(q->z, n->bits - n->c, a);
    case PF_EXPR_SEXT:
        return Z3_mk_sign_ext(q->z, n->bits - n->c, a);
    case PF_EXPR_EXTRACT:
        return slice(q, a, n->b, n->bits);
    case PF_EXPR_BSWAP:
        return reverse(q, a, n->bits, 8);
    case PF_EXPR_BITREVERSE:
        return reverse(q, a, n->bits, 1);
    default:
        return count_bits(q, n->op, a, n->bits);
    }
}

static Z3_ast compare(struct z3_question *q, uint8_t op, Z3_ast a, Z3_ast b)
{
    switch (op) {
    case PF_EXPR_EQ:
        return Z3_mk_eq(q->z, a, b);
    case PF_EXPR_NE:
        return Z3_mk_not(q->z, Z3_mk_eq(q->z, a, b));
    case PF_EXPR_ULT:
        return Z3_mk_bvult(q->z, a, b);
    case PF_EXPR_ULE:
        return Z3_mk_bvule(q->z, a, b);
    case PF_EXPR_UGT:
        return Z3_mk_bvugt(q->z, a, b);
    case PF_EXPR_UGE:
        return Z3_mk_bvuge(q->z, a, b);
    case PF_EXPR_SLT:
        return Z3_mk_bvslt(q->z, a, b);
    case PF_EXPR_SLE:
        return Z3_mk_bvsle(q->z, a, b);
    case PF_EXPR_SGT:
        return Z3_mk_bvsgt(q->z, a, b);
    default:
        return Z3_mk_bvsge(q->z, a, b);
    }
}

static Z3_ast arithmetic(struct z3_question *q, uint8_t op, Z3_ast a, Z3_ast b)
{
    switch (op) {
    case PF_EXPR_ADD:
        return Z3_mk_bvadd(q->z, a, b);
    case PF_EXPR_SUB:
        return Z3_mk_bvsub(q->z, a, b);
    case PF_EXPR_MUL:
        return Z3_mk_bvmul(q->z, a, b);
    case PF_EXPR_UDIV:
        return Z3_mk_bvudiv(q->z, a, b);
    case PF_EXPR_SDIV:
        return Z3_mk_bvsdiv(q->z, a, b);
    case PF_EXPR_UREM:
        return Z3_mk_bvurem(q->z, a, b);
    case PF_EXPR_SREM:
        return Z3_mk_bvsrem(q->z, a, b);
    case PF_EXPR_SHL:
        return Z3_mk_bvshl(q->z, a, b);
    case PF_EXPR_LSHR:
        return Z3_mk_bvlshr(q->z, a, b);
    case PF_EXPR_ASHR:
        return Z3_mk_bvashr(q->z, a, b);
    case PF_EXPR_AND:
        return Z3_mk_bvand(q->z, a, b);
    case PF_EXPR_OR:
        return Z3_mk_bvor(q->z, a, b);
    default:
        return Z3_mk_bvxor(q->z, a, b);
    }
}

/* A path ends at a division by 0, and the result of too large a shift is undefined: solutions must
 * avoid both. */
static void require_defined(struct z3_question *q, const struct pf_symbolic_record *n, Z3_ast b)
{
    if (!n->b)
        return;
    if (n->op >= PF_EXPR_UDIV && n->op <= PF_EXPR_SREM)
        Z3_solver_assert(q->z, q->solver,
                         Z3_mk_not(q->z, Z3_mk_eq(q->z, b, constant(q, 0, n->bits))));
    if (n->op >= PF_EXPR_SHL && n->op <= PF_EXPR_ASHR && n->bits > 1)
        Z3_solver_assert(q->z, q->solver, Z3_mk_bvult(q->z, b, constant(q, n->bits, n->bits)));
}

static bool is_leaf(uint8_t op)
{
    return op == PF_EXPR_INPUT || op == PF_EXPR_NUMBER || op == PF_EXPR_LENGTH;
}

/* The value that a leaf had in the run. */
static uint64_t run_value(const struct pf_symbolic_record *leaf)
{
    return leaf->bits >= 64 ? leaf->y : leaf->y & (((uint64_t)1 << leaf->bits) - 1);
}

static Z3_ast translate(struct z3_question *q, uint32_t number)
{
    const struct pf_symbolic_record *n = &q->nodes[number - 1];
    bool compares = n->op >= PF_EXPR_EQ && n->op <= PF_EXPR_SGE;
    bool binary = compares || (n->op >= PF_EXPR_ADD && n->op <= PF_EXPR_XOR);
    if (is_leaf(n->op)) {
        Z3_ast v =
            Z3_mk_const(q->z, Z3_mk_int_symbol(q->z, (int)number), Z3_mk_bv_sort(q->z, n->bits));
        if (n->op == PF_EXPR_LENGTH)
            Z3_solver_assert(q->z, q->solver,
                             Z3_mk_bvule(q->z, v, constant(q, PF_LENGTH_MAX, n->bits)));
        return v;
    }
    unsigned width = compares ? n->c : n->bits;
    if (n->op == PF_EXPR_CONCAT) {
        Z3_ast high = n->a ? q->at[n->a] : constant(q, n->x, n->bits - n->c);
        return Z3_mk_concat(q->z, high, n->b ? q->at[n->b] : constant(q, n->y, n->c));
    }
    if (!binary && n->op != PF_EXPR_SELECT) {
        bool narrow = n->op == PF_EXPR_ZEXT || n->op == PF_EXPR_SEXT || n->op == PF_EXPR_EXTRACT;
        return unary(q, n, n->a ? q->at[n->a] : constant(q, n->x, narrow ? n->c : n->bits));
    }
    Z3_ast a = n->a ? q->at[n->a] : constant(q, n->x, width);
    Z3_ast b = n->b ? q->at[n->b] : constant(q, n->y, width);
    if (n->op == PF_EXPR_SELECT)
        return Z3_mk_ite(q->z, Z3_mk_eq(q->z, q->at[n->c], constant(q, 1, 1)), a, b);
    if (compares)
        return bit(q, compare(q, n->op, a, b));
    require_defined(q, n, b);
    return arithmetic(q, n->op, a, b);
}

static void answer(struct z3_question *q, Z3_model model)
{
    struct pf_z3_value *values = pf_mem_zero(q->count, sizeof *values);
    struct pf_z3_reply head = {.outcome = PF_Z3_SOLVED};
    for (uint32_t i = 1; i <= q->count; i++) {
        Z3_ast value = NULL;
        uint64_t number;
        /* without completion: a leaf that does not matter has no value */
        if (is_leaf(q->nodes[i - 1].op) && Z3_model_eval(q->z, model, q->at[i], false, &value) &&
            Z3_get_numeral_uint64(q->z, value, &number))
            values[head.values++] = (struct pf_z3_value){.node = i, .value = number};
    }
    reply(&head, sizeof head);
    reply(values, head.values * sizeof *values);
    free(values);
}

/* Small numbers are preferred. They are easier to read, and large ones often satisfy a question
 * only because a signed operation overflows. */
static Z3_ast is_small(struct z3_question *q, uint32_t number)
{
    unsigned bits = q->nodes[number - 1].bits;
    if (bits <= SMALL_BITS)
        return Z3_mk_true(q->z);
    Z3_ast limit = constant(q, (uint64_t)1 << (SMALL_BITS - 1), bits);
    Z3_ast both[] = {Z3_mk_bvslt(q->z, q->at[number], limit),
                     Z3_mk_bvsgt(q->z, q->at[number], Z3_mk_bvneg(q->z, limit))};
    return Z3_mk_and(q->z, 2, both);
}

/* --- staying close to the input of the run --- */

/* Looks for a solution in which as many leaves as possible keep the values of the run: a byte that
 * changes without need may be a size or an offset, which moves all that follows. */
struct z3_keep {
    Z3_ast *names; /* names[0]: small numbers; names[i]: a leaf keeps its value */
    uint32_t *node; /* by name: the number of its leaf; 0: of none */
    bool *kept;
    uint32_t count;
    Z3_ast *assumed; /* room for all names */
    uint64_t until_ms;
};

/* CPU time: a busy machine must not make answers worse. */
static uint64_t used_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void add_name(struct z3_question *q, struct z3_keep *k, uint32_t node, Z3_ast meaning)
{
    uint32_t i = k->count++;
    k->names[i] =
        Z3_mk_const(q->z, Z3_mk_int_symbol(q->z, (int)(q->count + 1 + i)), Z3_mk_bool_sort(q->z));
    k->node[i] = node;
    k->kept[i] = true;
    Z3_solver_assert(q->z, q->solver, Z3_mk_implies(q->z, k->names[i], meaning));
}

static Z3_lbool check_kept(struct z3_question *q, struct z3_keep *k)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < k->count; i++)
        if (k->kept[i])
            k->assumed[n++] = k->names[i];
    return Z3_solver_check_assumptions(q->z, q->solver, n, k->assumed);
}

/* Drops the names of leaves that are in the core of the last check. False: it has none. */
static bool drop_core(struct z3_question *q, struct z3_keep *k)
{
    Z3_ast_vector core = Z3_solver_get_unsat_core(q->z, q->solver);
    Z3_ast_vector_inc_ref(q->z, core);
    bool dropped = false;
    for (unsigned c = 0, n = Z3_ast_vector_size(q->z, core); c < n; c++)
        for (uint32_t i = 1; i < k->count; i++)
            if (Z3_is_eq_ast(q->z, k->names[i], Z3_ast_vector_get(q->z, core, c))) {
                k->kept[i] = false;
                dropped = true;
            }
    Z3_ast_vector_dec_ref(q->z, core);
    return dropped;
}

static bool has_old_value(struct z3_question *q, Z3_model model, uint32_t node)
{
    const struct pf_symbolic_record *leaf = &q->nodes[node - 1];
    Z3_ast value = NULL;
    uint64_t number;
    return Z3_model_eval(q->z, model, q->at[node], true, &value) &&
           Z3_get_numeral_uint64(q->z, value, &number) && number == run_value(leaf);
}

static void take_model(struct z3_question *q, Z3_model *model)
{
    Z3_model new = Z3_solver_get_model(q->z, q->solver);
    Z3_model_inc_ref(q->z, new);
    if (*model)
        Z3_model_dec_ref(q->z, *model);
    *model = new;
}

/* Replaces the model by one that is closer to the run, if one is found in time. */
static void keep_values(struct z3_question *q, struct z3_keep *k, Z3_model *model)
{
    Z3_lbool found = Z3_L_FALSE;
    while (found == Z3_L_FALSE && used_ms() < k->until_ms) {
        found = check_kept(q, k);
        if (found == Z3_L_FALSE && !drop_core(q, k))
            break;
    }
    if (found == Z3_L_TRUE)
        take_model(q, model);
    /* a core also has names that can stay if others of it are dropped */
    for (uint32_t i = 1; found == Z3_L_TRUE && i < k->count && used_ms() < k->until_ms; i++) {
        if (k->kept[i])
            continue;
        k->kept[i] = true;
        if (has_old_value(q, *model, k->node[i]))
            continue;
        if (check_kept(q, k) == Z3_L_TRUE)
            take_model(q, model);
        else
            k->kept[i] = false;
    }
}

static void set_limit(struct z3_question *q, uint32_t ms)
{
    Z3_params params = Z3_mk_params(q->z);
    Z3_params_inc_ref(q->z, params);
    Z3_params_set_uint(q->z, params, Z3_mk_string_symbol(q->z, "timeout"), ms);
    Z3_solver_set_params(q->z, q->solver, params);
    Z3_params_dec_ref(q->z, params);
}

static void ask(struct z3_question *q, const struct pf_z3_wanted *wanted, uint32_t n,
                uint32_t limit_ms)
{
    struct z3_keep k = {.until_ms = used_ms() + (limit_ms < KEEP_MS ? limit_ms : KEEP_MS)};
    Z3_model model = NULL;
    k.names = pf_mem_zero(q->count + 1, sizeof *k.names);
    k.node = pf_mem_zero(q->count + 1, sizeof *k.node);
    k.kept = pf_mem_zero(q->count + 1, sizeof *k.kept);
    k.assumed = pf_mem_zero(q->count + 1, sizeof *k.assumed);
    for (uint32_t i = 1; i <= q->count; i++)
        q->at[i] = translate(q, i);
    for (uint32_t i = 0; i < n; i++)
        Z3_solver_assert(q->z, q->solver,
                         Z3_mk_eq(q->z, q->at[wanted[i].node], constant(q, wanted[i].holds, 1)));
    Z3_ast small = Z3_mk_true(q->z);
    for (uint32_t i = 1; i <= q->count; i++)
        if (q->nodes[i - 1].op == PF_EXPR_NUMBER)
            small = Z3_mk_and(q->z, 2, (Z3_ast[]){small, is_small(q, i)});
    add_name(q, &k, 0, small);
    Z3_lbool found = check_kept(q, &k);
    if (found != Z3_L_TRUE && small != Z3_mk_true(q->z)) {
        k.kept[0] = false;
        found = Z3_solver_check(q->z, q->solver);
    }
    if (found == Z3_L_TRUE) {
        take_model(q, &model);
        for (uint32_t i = 1; i <= q->count; i++)
            if (is_leaf(q->nodes[i - 1].op))
                add_name(q, &k, i,
                         Z3_mk_eq(q->z, q->at[i],
                                  constant(q, run_value(&q->nodes[i - 1]), q->nodes[i - 1].bits)));
        set_limit(q, KEEP_MS);
        if (k.count > 2) /* a single leaf must change */
            keep_values(q, &k, &model);
        answer(q, model);
        Z3_model_dec_ref(q->z, model);
    } else {
        struct pf_z3_reply head = {.outcome =
                                       found == Z3_L_FALSE ? PF_Z3_IMPOSSIBLE : PF_Z3_UNKNOWN};
        reply(&head, sizeof head);
    }
    free(k.names);
    free(k.node);
    free(k.kept);
    free(k.assumed);
}

static void serve(const struct pf_z3_request *r)
{
    struct z3_question q = {.count = r->nodes};
    struct pf_symbolic_record *nodes = pf_mem_zero(r->nodes, sizeof *nodes);
    struct pf_z3_wanted *wanted = pf_mem_zero(r->wanted, sizeof *wanted);
    if (!receive(nodes, r->nodes * sizeof *nodes) || !receive(wanted, r->wanted * sizeof *wanted))
        exit(0);
    Z3_config config = Z3_mk_config();
    q.nodes = nodes;
    q.z = Z3_mk_context(config); /* frees all its terms with the context */
    q.at = pf_mem_zero(q.count + 1, sizeof *q.at);
    q.solver = Z3_mk_solver_for_logic(q.z, Z3_mk_string_symbol(q.z, "QF_BV"));
    Z3_solver_inc_ref(q.z, q.solver);
    set_limit(&q, r->limit_ms);
    ask(&q, wanted, r->wanted, r->limit_ms);
    Z3_solver_dec_ref(q.z, q.solver);
    Z3_del_context(q.z);
    Z3_del_config(config);
    free(q.at);
    free(nodes);
    free(wanted);
}

int main(void)
{
    struct pf_z3_request r;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* from the terminal: pf decides when the search ends */
    while (receive(&r, sizeof r))
        serve(&r);
    return 0;
}
