/* z3_host.c - see z3_host.h. */
#define _GNU_SOURCE
#include "z3_host.h"
#include "command.h"
#include "duration.h"
#include "z3_message.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OVERTIME_MS 500 /* how much later Z3 may stop by itself */
#define BUSY 8 /* on a busy machine, CPU time may take this many times as long */
#define POLL_MS 50 /* how often the CPU time is looked at */

void pf_z3_host_init(struct pf_z3_host *h, const char *program, uint64_t limit_ms)
{
    *h = (struct pf_z3_host){.program = program, .limit_ms = limit_ms, .fd = -1};
}

uint64_t pf_z3_host_now_us(const struct pf_z3_host *h)
{
    clockid_t clock;
    struct timespec t;
    if (!h->pid || clock_getcpuclockid(h->pid, &clock) || clock_gettime(clock, &t))
        return 0;
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t pf_z3_host_cpu_us(const struct pf_z3_host *h)
{
    return h->ended_us + pf_z3_host_now_us(h);
}

void pf_z3_host_release(struct pf_z3_host *h)
{
    if (h->pid) {
        h->ended_us = pf_z3_host_cpu_us(h);
        kill(h->pid, SIGKILL);
        while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        close(h->fd);
    }
    h->pid = 0;
    h->fd = -1;
}

/* In the child: the socket becomes its standard input and output. */
static pf_status connect_socket(const void *arg, struct pf_error *e)
{
    int fd = *(const int *)arg;
    return dup2(fd, 0) < 0 || dup2(fd, 1) < 0
               ? pf_fail(e, PF_IO, "pf-z3: its socket: %s", strerror(errno))
               : PF_OK;
}

static bool start(struct pf_z3_host *h)
{
    struct pf_error e;
    int ends[2];
    sigset_t mask;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return false;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    struct pf_command c = {.path = h->program,
                           .argv = (char *[]){"pf-z3", NULL},
                           .prepare = connect_socket,
                           .arg = &ends[1]};
    struct pf_command_setup how = {.mask = &mask, .output = -1, .on_child = SIG_DFL};
    bool started = pf_command_spawn(&c, &how, &h->pid, &e) == PF_OK;
    close(ends[1]);
    if (!started) {
        h->pid = 0;
        close(ends[0]);
        return false;
    }
    h->fd = ends[0];
    return true;
}

static bool put(struct pf_z3_host *h, const void *from, size_t n)
{
    const char *p = from;
    for (ssize_t k; n; p += k, n -= (size_t)k)
        if ((k = send(h->fd, p, n, MSG_NOSIGNAL)) <= 0) {
            if (k < 0 && errno == EINTR)
                k = 0;
            else
                return false;
        }
    return true;
}

/* When a question ends: in elapsed time, and in CPU time of the worker. */
struct z3_limit {
    uint64_t ms, cpu_us;
};

static enum pf_solve_outcome get(struct pf_z3_host *h, void *to, size_t n,
                                 const struct z3_limit *until)
{
    char *p = to;
    while (n) {
        struct pollfd f = {.fd = h->fd, .events = POLLIN};
        if (poll(&f, 1, POLL_MS) <= 0) {
            if (pf_now_ms() >= until->ms || pf_z3_host_now_us(h) >= until->cpu_us)
                return PF_SOLVE_LIMIT;
            continue;
        }
        ssize_t k = read(h->fd, p, n);
        if (k <= 0)
            return PF_SOLVE_FAILED;
        p += k;
        n -= (size_t)k;
    }
    return PF_SOLVE_YES;
}

/* --- the question --- */

struct cone {
    const struct pf_expression_log *log;
    uint32_t *number; /* by label: its number in the question, from 1; 0: not in it */
    PF_VEC(struct pf_symbolic_record) nodes;
    pf_vec_u32 leaf_number; /* by leaf: several nodes of one leaf become one node */
    pf_vec_u32 leaf; /* by number - 1: the leaf of the node */
    pf_vec_u32 stack;
};

static bool missing(struct cone *c, uint32_t label)
{
    if (!label || c->number[label])
        return false;
    pf_vec_push(&c->stack, label);
    return true;
}

static void add_node(struct cone *c, uint32_t label)
{
    struct pf_symbolic_record n = c->log->nodes.at[label];
    uint32_t leaf = c->log->leaf_of.at[label];
    if (leaf != PF_NO_LEAF && c->leaf_number.at[leaf]) {
        c->number[label] = c->leaf_number.at[leaf];
        return;
    }
    if (pf_op_has_first(n.op))
        n.a = c->number[n.a];
    if (pf_op_has_second(n.op))
        n.b = c->number[n.b];
    if (n.op == PF_EXPR_SELECT)
        n.c = c->number[n.c];
    pf_vec_push(&c->nodes, n);
    pf_vec_push(&c->leaf, leaf);
    c->number[label] = (uint32_t)c->nodes.len;
    if (leaf != PF_NO_LEAF)
        c->leaf_number.at[leaf] = (uint32_t)c->nodes.len;
}

/* Adds the node and everything that it depends on, operands first. */
static void add_cone(struct cone *c, uint32_t label)
{
    (void)missing(c, label);
    while (c->stack.len) {
        uint32_t at = c->stack.at[c->stack.len - 1];
        const struct pf_symbolic_record *n = &c->log->nodes.at[at];
        bool waits = pf_op_has_first(n->op) && missing(c, n->a);
        waits |= pf_op_has_second(n->op) && missing(c, n->b);
        waits |= n->op == PF_EXPR_SELECT && missing(c, n->c);
        if (waits)
            continue;
        c->stack.len--;
        if (!c->number[at])
            add_node(c, at);
    }
}

static enum pf_solve_outcome exchange(struct pf_z3_host *h, const struct cone *c,
                                      const struct pf_z3_wanted *wanted, size_t nwanted,
                                      pf_leaf_values *out)
{
    struct pf_z3_request head = {.nodes = (uint32_t)c->nodes.len,
                                 .wanted = (uint32_t)nwanted,
                                 .limit_ms = (uint32_t)(BUSY * h->limit_ms)};
    struct pf_z3_reply r;
    const struct z3_limit limit = {pf_now_ms() + BUSY * h->limit_ms + OVERTIME_MS,
                                   pf_z3_host_now_us(h) + h->limit_ms * 1000};
    const struct z3_limit *until = &limit;
    if (!put(h, &head, sizeof head) || !put(h, c->nodes.at, c->nodes.len * sizeof *c->nodes.at) ||
        !put(h, wanted, nwanted * sizeof *wanted))
        return PF_SOLVE_FAILED;
    enum pf_solve_outcome o = get(h, &r, sizeof r, until);
    for (uint32_t i = 0; o == PF_SOLVE_YES && i < r.values; i++) {
        struct pf_z3_value v;
        o = get(h, &v, sizeof v, until);
        if (o == PF_SOLVE_YES &&
            (!v.node || v.node > c->nodes.len || c->leaf.at[v.node - 1] == PF_NO_LEAF))
            o = PF_SOLVE_FAILED;
        if (o == PF_SOLVE_YES)
            pf_vec_push(out, (struct pf_leaf_value){c->leaf.at[v.node - 1], v.value});
    }
    if (o != PF_SOLVE_YES)
        return o;
    return r.outcome == PF_Z3_SOLVED       ? PF_SOLVE_YES
           : r.outcome == PF_Z3_IMPOSSIBLE ? PF_SOLVE_NO
                                           : PF_SOLVE_LIMIT;
}

enum pf_solve_outcome pf_z3_host_ask(struct pf_z3_host *h, const struct pf_expression_log *log,
                                     const pf_wanted_list *wanted, pf_leaf_values *out)
{
    struct cone c = {.log = log};
    PF_VEC(struct pf_z3_wanted) values = {0};
    enum pf_solve_outcome o = PF_SOLVE_FAILED;
    c.number = pf_mem_zero(log->nodes.len + 1, sizeof *c.number);
    for (size_t i = 0; i < log->leaves.len; i++)
        pf_vec_push(&c.leaf_number, 0);
    for (size_t i = 0; i < wanted->len; i++) {
        add_cone(&c, wanted->at[i].label);
        pf_vec_push(&values,
                    (struct pf_z3_wanted){c.number[wanted->at[i].label], wanted->at[i].holds});
    }
    out->len = 0;
    if (h->pid || start(h))
        o = exchange(h, &c, values.at, values.len, out);
    if (o == PF_SOLVE_LIMIT || o == PF_SOLVE_FAILED)
        pf_z3_host_release(h); /* its state is unknown */
    free(c.number);
    pf_vec_release(&c.nodes);
    pf_vec_release(&c.leaf_number);
    pf_vec_release(&c.leaf);
    pf_vec_release(&c.stack);
    pf_vec_release(&values);
    return o;
}
