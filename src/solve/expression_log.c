/* expression_log.c - see expression_log.h. Every record is checked before it is used: the log was
 * written by a process that may have crashed. */
#include "expression_log.h"
#include "hash_mix.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITE_GAP_MAX 4096 /* a larger gap between numbers of sites is a sign of a damaged log */
#define SOURCE_BYTES_MAX ((uint64_t)1 << 24) /* a larger offset is a sign of a damaged log */

void pf_expression_log_release(struct pf_expression_log *log)
{
    for (size_t i = 0; i < log->sources.len; i++) {
        free(log->sources.at[i].name);
        free(log->sources.at[i].bytes);
    }
    for (size_t i = 0; i < log->sites.len; i++) {
        free(log->sites.at[i].function);
        free(log->sites.at[i].file);
    }
    for (size_t i = 0; i < log->losses.len; i++)
        free(log->losses.at[i].name);
    for (size_t i = 0; i < log->texts.len; i++)
        free(log->texts.at[i].bytes);
    pf_vec_release(&log->texts);
    pf_vec_release(&log->nodes);
    pf_vec_release(&log->hashes);
    pf_vec_release(&log->leaf_of);
    pf_vec_release(&log->leaves);
    pf_hash_map_release(&log->leaf_index);
    pf_vec_release(&log->sources);
    pf_vec_release(&log->sites);
    pf_vec_release(&log->conditions);
    pf_vec_release(&log->addresses);
    pf_vec_release(&log->outputs);
    pf_vec_release(&log->losses);
}

/* --- nodes --- */

static bool is_leaf(uint8_t op)
{
    return op == PF_EXPR_INPUT || op == PF_EXPR_NUMBER || op == PF_EXPR_LENGTH;
}

static bool compares(uint8_t op) { return op >= PF_EXPR_EQ && op <= PF_EXPR_SGE; }

bool pf_op_has_first(uint8_t op) { return !is_leaf(op); }

bool pf_op_has_second(uint8_t op)
{
    return (op >= PF_EXPR_ADD && op <= PF_EXPR_SGE) || op == PF_EXPR_CONCAT || op == PF_EXPR_SELECT;
}

unsigned pf_node_width_first(const struct pf_symbolic_record *node)
{
    switch (node->op) {
    case PF_EXPR_ZEXT:
    case PF_EXPR_SEXT:
    case PF_EXPR_EXTRACT:
        return node->c;
    case PF_EXPR_CONCAT:
        return node->bits - node->c;
    default:
        return compares(node->op) ? node->c : node->bits;
    }
}

unsigned pf_node_width_second(const struct pf_symbolic_record *node)
{
    return compares(node->op) || node->op == PF_EXPR_CONCAT ? node->c : node->bits;
}

/* Why the widths of the node cannot be right; NULL: they can. */
static const char *wrong_widths(const struct pf_symbolic_record *n)
{
    bool narrow = compares(n->op) || n->op == PF_EXPR_ZEXT || n->op == PF_EXPR_SEXT ||
                  n->op == PF_EXPR_EXTRACT || n->op == PF_EXPR_CONCAT;
    if (!n->bits || n->bits > 64)
        return "a width from 1 to 64";
    if (narrow && (!n->c || n->c > 64))
        return "an operand width from 1 to 64";
    if (compares(n->op) && n->bits != 1)
        return "a comparison of 1 bit";
    if ((n->op == PF_EXPR_ZEXT || n->op == PF_EXPR_SEXT) && n->c > n->bits)
        return "an extension to more bits";
    if (n->op == PF_EXPR_EXTRACT && (uint64_t)n->b + n->bits > n->c)
        return "an extract within its operand";
    if (n->op == PF_EXPR_CONCAT && n->c >= n->bits)
        return "two parts of a concatenation";
    if (n->op == PF_EXPR_BSWAP && n->bits % 8)
        return "a byte swap of whole bytes";
    if (n->op == PF_EXPR_INPUT && n->bits != 8)
        return "an input byte of 8 bits";
    return NULL;
}

static bool operand_fits(const struct pf_expression_log *log, uint32_t label, unsigned width)
{
    return !label || (label < log->nodes.len && log->nodes.at[label].bits == width);
}

static uint32_t leaf_of(struct pf_expression_log *log, const struct pf_symbolic_record *n)
{
    struct pf_leaf leaf = {.op = n->op,
                           .bits = n->bits,
                           .source = n->a,
                           .offset = n->op == PF_EXPR_LENGTH ? 0 : n->x,
                           .bytes = n->op == PF_EXPR_NUMBER ? n->b : 0,
                           .base = n->op == PF_EXPR_NUMBER ? n->c : 0,
                           .value = n->y & pf_bits_mask(n->bits)};
    uint64_t h = pf_hash_mix((uint64_t)leaf.op << 32 | leaf.source, leaf.offset);
    h = pf_hash_mix(h, (uint64_t)leaf.bytes << 32 | leaf.base << 16 | leaf.bits);
    struct pf_hash_walk w = pf_hash_map_walk(&log->leaf_index, h);
    while (pf_hash_map_next(&log->leaf_index, &w)) {
        const struct pf_leaf *old = &log->leaves.at[w.value];
        if (old->op == leaf.op && old->source == leaf.source && old->offset == leaf.offset &&
            old->bits == leaf.bits && old->bytes == leaf.bytes && old->base == leaf.base)
            return w.value;
    }
    pf_hash_map_add(&log->leaf_index, h, (uint32_t)log->leaves.len);
    pf_vec_push(&log->leaves, leaf);
    return (uint32_t)log->leaves.len - 1;
}

static uint64_t hash_of(const struct pf_expression_log *log, const struct pf_symbolic_record *n)
{
    uint64_t h = pf_hash_mix(n->op, n->bits);
    if (is_leaf(n->op)) {
        for (const char *p = log->sources.at[n->a].name; *p; p++)
            h = pf_hash_mix(h, (unsigned char)*p);
        h = pf_hash_mix(h, n->op == PF_EXPR_LENGTH ? 0 : n->x);
        return n->op == PF_EXPR_NUMBER ? pf_hash_mix(h, (uint64_t)n->b << 32 | n->c) : h;
    }
    h = pf_hash_mix(h, n->a ? log->hashes.at[n->a] : ~n->x);
    if (pf_op_has_second(n->op))
        h = pf_hash_mix(h, n->b ? log->hashes.at[n->b] : ~n->y);
    if (n->op == PF_EXPR_EXTRACT)
        h = pf_hash_mix(h, n->b);
    return pf_hash_mix(h, n->op == PF_EXPR_SELECT ? log->hashes.at[n->c] : n->c);
}

uint32_t pf_expression_log_add(struct pf_expression_log *log, const struct pf_symbolic_record *n,
                               const char **why)
{
    if (!log->nodes.len) { /* label 0 */
        pf_vec_push(&log->nodes, (struct pf_symbolic_record){0});
        pf_vec_push(&log->hashes, 0);
        pf_vec_push(&log->leaf_of, PF_NO_LEAF);
    }
    *why = n->op == PF_EXPR_NONE || n->op >= PF_EXPRS ? "an operator" : wrong_widths(n);
    if (!*why && is_leaf(n->op) && n->a >= log->sources.len)
        *why = "a source that was described before";
    if (!*why && pf_op_has_first(n->op) && !operand_fits(log, n->a, pf_node_width_first(n)))
        *why = "a first operand of the right width";
    if (!*why && pf_op_has_second(n->op) && !operand_fits(log, n->b, pf_node_width_second(n)))
        *why = "a second operand of the right width";
    if (!*why && n->op == PF_EXPR_SELECT && (!n->c || !operand_fits(log, n->c, 1)))
        *why = "a condition of 1 bit";
    if (*why)
        return 0;
    pf_vec_push(&log->leaf_of, is_leaf(n->op) ? leaf_of(log, n) : PF_NO_LEAF);
    pf_vec_push(&log->hashes, hash_of(log, n));
    struct pf_symbolic_record node = *n;
    if (pf_op_has_first(n->op) && !n->a) /* a constant */
        node.x &= pf_bits_mask(pf_node_width_first(n));
    if (pf_op_has_second(n->op) && !n->b)
        node.y &= pf_bits_mask(pf_node_width_second(n));
    pf_vec_push(&log->nodes, node);
    return (uint32_t)log->nodes.len - 1;
}

/* In the log, operands are distances: n is the node whose label is lower by n. */
static bool find_operand(const struct pf_expression_log *log, uint32_t *operand)
{
    uint32_t label = log->nodes.len ? (uint32_t)log->nodes.len : 1;
    if (*operand >= label)
        return false;
    *operand = *operand ? label - *operand : 0;
    return true;
}

static const char *read_node(struct pf_expression_log *log, const struct pf_symbolic_record *r)
{
    struct pf_symbolic_record n = *r;
    const char *why = NULL;
    bool known = !pf_op_has_first(n.op) || find_operand(log, &n.a);
    if (pf_op_has_second(n.op))
        known &= find_operand(log, &n.b);
    if (n.op == PF_EXPR_SELECT)
        known &= find_operand(log, &n.c);
    if (!known)
        return "operands that came before";
    (void)pf_expression_log_add(log, &n, &why);
    return why;
}

/* --- the other records --- */

static const char *read_source(struct pf_expression_log *log, const struct pf_symbolic_record *r,
                               const unsigned char *text, const pf_source_aliases *aliases)
{
    if (r->op >= PF_SOURCES)
        return "a type of source";
    if (r->a != log->sources.len)
        return "the next number of a source";
    struct pf_log_source s = {.type = r->op, .index = r->c};
    s.name = pf_mem_copy_n((const char *)text, r->b);
    for (size_t i = 0; i < aliases->len; i++)
        if (!strcmp(aliases->at[i].actual, s.name)) {
            free(s.name);
            s.name = pf_mem_copy(aliases->at[i].name);
            break;
        }
    pf_vec_push(&log->sources, s);
    return NULL;
}

static const char *read_data(struct pf_expression_log *log, const struct pf_symbolic_record *r,
                             const unsigned char *bytes)
{
    if (r->a >= log->sources.len)
        return "a source that was described before";
    if (r->x > SOURCE_BYTES_MAX)
        return "an offset in the source";
    struct pf_log_source *s = &log->sources.at[r->a];
    size_t end = (size_t)r->x + r->b;
    if (end > s->n) {
        s->bytes = pf_mem_resize(s->bytes, end, 1);
        memset(s->bytes + s->n, 0, end - s->n);
        s->n = end;
    }
    if (r->b)
        memcpy(s->bytes + r->x, bytes, r->b);
    return NULL;
}

static const char *read_condition(struct pf_expression_log *log, const struct pf_symbolic_record *r)
{
    if (!r->a || !operand_fits(log, r->a, 1))
        return "a condition of 1 bit";
    if (r->b >= log->sites.len || !log->sites.at[r->b].file)
        return "a site that was described before";
    pf_vec_push(&log->conditions, (struct pf_log_condition){.label = r->a,
                                                            .holds = r->bits & 1,
                                                            .reason = r->op,
                                                            .site = r->b,
                                                            .thread = r->c,
                                                            .events = r->x,
                                                            .alternative = r->y});
    return NULL;
}

static const char *read_address(struct pf_expression_log *log, const struct pf_symbolic_record *r)
{
    if (!r->a || !operand_fits(log, r->a, 64))
        return "an address of 64 bits";
    pf_vec_push(&log->addresses, (struct pf_log_address){.label = r->a,
                                                         .address = r->y,
                                                         .size = r->b,
                                                         .thread = r->c,
                                                         .writes = r->op,
                                                         .is_event = r->bits,
                                                         .events = r->x,
                                                         .conditions = log->conditions.len});
    return NULL;
}

static const char *read_site(struct pf_expression_log *log, const struct pf_symbolic_record *r,
                             const unsigned char *text)
{
    const char *function = (const char *)text, *end = memchr(text, 0, r->c);
    const char *file = end ? end + 1 : NULL;
    if (!file || !memchr(file, 0, r->c - (size_t)(file - function)))
        return "the names of a function and a file";
    if (r->a > log->sites.len + SITE_GAP_MAX)
        return "the number of a site";
    while (log->sites.len <= r->a)
        pf_vec_push(&log->sites, (struct pf_log_site){0});
    struct pf_log_site *s = &log->sites.at[r->a];
    free(s->function);
    free(s->file);
    *s = (struct pf_log_site){.function = pf_mem_copy(function),
                              .file = pf_mem_copy(file),
                              .line = r->b,
                              .column = r->x,
                              .hash = pf_hash_mix(pf_hash_mix(r->y, r->b), r->x)};
    return NULL;
}

static const char *read_loss(struct pf_expression_log *log, const struct pf_symbolic_record *r,
                             const unsigned char *text)
{
    if (r->op >= PF_LOSSES)
        return "a reason of a loss";
    for (size_t i = 0; i < log->losses.len; i++) {
        struct pf_log_loss *old = &log->losses.at[i];
        if (old->reason == r->op && strlen(old->name) == r->b && !memcmp(old->name, text, r->b)) {
            old->count = r->x;
            return NULL;
        }
    }
    pf_vec_push(&log->losses,
                (struct pf_log_loss){.reason = r->op,
                                     .count = r->x,
                                     .name = pf_mem_copy_n((const char *)text, r->b)});
    return NULL;
}

static const char *read_output(struct pf_expression_log *log, const struct pf_symbolic_record *r)
{
    if (!r->a || r->a >= log->nodes.len)
        return "a value that is printed";
    pf_vec_push(&log->outputs, (struct pf_log_output){.label = r->a,
                                                      .part = r->b,
                                                      .fd = (int)r->c,
                                                      .at = r->x,
                                                      .format = r->y,
                                                      .conditions = log->conditions.len});
    return NULL;
}

static const char *read_text(struct pf_expression_log *log, const struct pf_symbolic_record *r,
                             const unsigned char *text)
{
    if (r->c && (r->a >= log->sources.len || r->x > log->sources.at[r->a].n ||
                 r->c > log->sources.at[r->a].n - r->x))
        return "a piece of a source";
    if ((r->c || r->y) && (r->y >= log->sites.len || !log->sites.at[r->y].file))
        return "a site that was described before";
    pf_vec_push(&log->texts,
                (struct pf_log_text){.source = r->a,
                                     .site = (uint32_t)r->y,
                                     .offset = r->x,
                                     .old = r->c,
                                     .n = r->b,
                                     .bytes = (void *)pf_mem_copy_n((const char *)text, r->b),
                                     .conditions = log->conditions.len});
    return NULL;
}

/* The number of bytes that follow the record. */
static uint32_t payload(const struct pf_symbolic_record *r)
{
    switch (r->kind) {
    case PF_SYMBOLIC_SOURCE:
    case PF_SYMBOLIC_DATA:
    case PF_SYMBOLIC_LOST:
    case PF_SYMBOLIC_TEXT:
        return r->b;
    case PF_SYMBOLIC_SITE:
        return r->c;
    default:
        return 0;
    }
}

/* Returns what was expected instead; NULL: the record is good. */
static const char *read_record(struct pf_expression_log *log, const struct pf_symbolic_record *r,
                               const unsigned char *text, const pf_source_aliases *aliases)
{
    switch (r->kind) {
    case PF_SYMBOLIC_NODE:
        return read_node(log, r);
    case PF_SYMBOLIC_SOURCE:
        return read_source(log, r, text, aliases);
    case PF_SYMBOLIC_DATA:
        return read_data(log, r, text);
    case PF_SYMBOLIC_CONDITION:
        return read_condition(log, r);
    case PF_SYMBOLIC_ADDRESS:
        return read_address(log, r);
    case PF_SYMBOLIC_SITE:
        return read_site(log, r, text);
    case PF_SYMBOLIC_LOST:
        return read_loss(log, r, text);
    case PF_SYMBOLIC_OUTPUT:
        return read_output(log, r);
    case PF_SYMBOLIC_TEXT:
        return read_text(log, r, text);
    default:
        return "a kind from 2 to 10";
    }
}

pf_status pf_expression_log_read(struct pf_expression_log *log, const char *path,
                                 const unsigned char *bytes, size_t n,
                                 const pf_source_aliases *aliases, struct pf_error *e)
{
    struct pf_symbolic_record r;
    memset(log, 0, sizeof *log);
    for (size_t at = 0; at < n;) {
        if (n - at < sizeof r)
            return pf_fail(e, PF_BAD,
                           "%s: expression log, offset %zu: expected a record, found %zu bytes",
                           path, at, n - at);
        memcpy(&r, bytes + at, sizeof r);
        uint64_t more = PF_SYMBOLIC_PADDED(payload(&r));
        if (more > n - at - sizeof r)
            return pf_fail(e, PF_BAD,
                           "%s: expression log, offset %zu: expected %" PRIu64
                           " bytes after the record, found %zu",
                           path, at, more, n - at - sizeof r);
        const char *why = read_record(log, &r, bytes + at + sizeof r, aliases);
        if (why)
            return pf_fail(e, PF_BAD,
                           "%s: expression log, offset %zu: expected %s, found kind %u, operator "
                           "%u, width %u, operands %u, %u, %u",
                           path, at, why, r.kind, r.op, r.bits, r.a, r.b, r.c);
        at += sizeof r + more;
    }
    return PF_OK;
}
