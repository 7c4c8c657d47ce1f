/*
 * expression_log.h - reads the expression log of a symbolic run (docs/format/symbolic.md).
 *
 * Model:   nodes by label; the sources with their bytes; the conditions of the path and the
 *          addresses that depend on the input, both in the order in which they happened. Several
 *          nodes may stand for the same piece of input; they share one leaf. A node has a
 *          structural hash: equal expressions of different runs have equal hashes.
 * Memory:  the log owns everything until release.
 * Errors:  PF_BAD names the file, the offset in the stream, what was expected and what was found.
 *          A log that was read is consistent: operands have lower labels and the widths that their
 *          operator needs, and sources and sites are described.
 */
#ifndef PF_SOLVE_EXPRESSION_LOG_H
#define PF_SOLVE_EXPRESSION_LOG_H

#include "hash_map.h"
#include "input_bytes.h"
#include "pf_symbolic.h"
#include "status.h"
#include "vector.h"

#define PF_NO_LEAF UINT32_MAX

/* A piece of the input that expressions depend on. */
struct pf_leaf {
    uint8_t op; /* PF_EXPR_INPUT, PF_EXPR_NUMBER or PF_EXPR_LENGTH */
    uint16_t bits;
    uint32_t source;
    uint64_t offset; /* in the source; 0 for a length */
    uint32_t bytes; /* of text, for a number */
    uint32_t base;  /* for a number; 0: the prefix of the text chooses it, as in strtol */
    uint64_t value; /* in this run */
};

struct pf_log_source {
    uint8_t type; /* enum pf_symbolic_source */
    uint32_t index; /* of an argument or a variable of the environment */
    char *name;
    unsigned char *bytes; /* as they arrived; bytes that never arrived are 0 */
    size_t n;
};

struct pf_log_site {
    char *function, *file;
    uint32_t line;
    uint64_t column;
    uint64_t hash; /* of function code, line and column: identifies the site in all runs */
};

struct pf_log_condition {
    uint32_t label;
    bool holds; /* the value of the node in this run */
    uint8_t reason;
    uint32_t site, thread;
    uint64_t events; /* of the thread, before the condition */
    uint64_t alternative;
};

struct pf_log_address {
    uint32_t label;
    uint64_t address; /* in this run */
    uint32_t size, thread;
    bool writes, is_event;
    uint64_t events; /* of the thread, with the access if it is an event */
    size_t conditions; /* how many conditions come before the access */
};

/* A value that the run has printed (PF_SYMBOLIC_OUTPUT). */
struct pf_log_output {
    uint32_t label, part;
    int fd;
    uint64_t at, format;
    size_t conditions; /* how many conditions come before it */
};

/* A piece of a source that was compared with a text of another length (PF_SYMBOLIC_TEXT). */
struct pf_log_text {
    uint32_t source, site;
    uint64_t offset;
    /* bytes of the piece; 0: there is none, and the text is a word of the program, or an option if
     * there is a site */
    uint32_t old;
    unsigned char *bytes;
    uint32_t n;
    size_t conditions; /* how many conditions come before it */
};

struct pf_log_loss {
    uint8_t reason;
    uint64_t count;
    char *name; /* "": none */
};

struct pf_expression_log {
    PF_VEC(struct pf_symbolic_record) nodes; /* by label; nodes.at[0] is not used */
    PF_VEC(uint64_t) hashes; /* by label: structural hash */
    pf_vec_u32 leaf_of; /* by label: its leaf; PF_NO_LEAF: it is not one */
    PF_VEC(struct pf_leaf) leaves;
    struct pf_hash_map leaf_index; /* hash of a leaf: its index in `leaves` */
    PF_VEC(struct pf_log_source) sources;
    PF_VEC(struct pf_log_site) sites;
    PF_VEC(struct pf_log_condition) conditions;
    PF_VEC(struct pf_log_address) addresses;
    PF_VEC(struct pf_log_output) outputs;
    PF_VEC(struct pf_log_text) texts;
    PF_VEC(struct pf_log_loss) losses;
};

/* Reads n bytes of the stream; `path` is used in messages. Release the log in any case. */
PF_MUST_USE pf_status pf_expression_log_read(struct pf_expression_log *log, const char *path,
                                             const unsigned char *bytes, size_t n,
                                             const pf_source_aliases *aliases, struct pf_error *e);
void pf_expression_log_release(struct pf_expression_log *log);

/* Adds a node; for logs that are built in memory. Returns its label; 0 if the record is not
 * consistent with the log, which `why` then explains. */
uint32_t pf_expression_log_add(struct pf_expression_log *log, const struct pf_symbolic_record *node,
                               const char **why);

/* True if the operator has operand `a`, or `b`, that is an expression. */
bool pf_op_has_first(uint8_t op);
bool pf_op_has_second(uint8_t op);
/* The width of the operands of a node. */
unsigned pf_node_width_first(const struct pf_symbolic_record *node);
unsigned pf_node_width_second(const struct pf_symbolic_record *node);

static inline uint64_t pf_bits_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

#endif
