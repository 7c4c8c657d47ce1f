/*
 * symbolic.h - symbolic runs: labels of values and memory, expressions, the expression log.
 *
 * Model:   pf_symbolic.h. A label names a node in a table; the table also has the node's value in
 *          this run. The label plane has an entry for each byte of memory: a label and which byte
 *          of its value this is.
 *
 *              31            3 2    0
 *             +---------------+------+
 *             |     label     | byte |      0: concrete
 *             +---------------+------+
 *
 *          Code without events may overwrite memory without changing its labels. So a label is used
 *          only if the memory still has the value of its node; if not, it is cleared and the loss
 *          is counted. Conditions are therefore always true in the run itself.
 * Memory:  the planes are mapped at fixed addresses when a symbolic run starts.
 * Threads: the target's one kernel thread.
 * Errors:  when no more nodes fit, values become concrete, which is counted.
 */
#ifndef PF_RT_SYMBOLIC_H
#define PF_RT_SYMBOLIC_H

#include "pf_abi.h"
#include "pf_symbolic.h"
#include <stdbool.h>
#include <stddef.h>

extern bool pf_symbolic_on; /* this is a symbolic run */

/* A value, zero-extended, with its label. */
struct pf_expression_operand {
    uint32_t label;
    uint64_t value;
};

/* symbolic_input.c: decides whether this is a symbolic run, before any symbolic body runs: the
 * program's own malloc may run early. */
void pf_symbolic_choose_mode(void);
/* Creates the leaves of the inputs that the channel names. argv and environment are those that the
 * kernel passed. */
void pf_symbolic_init(char **argv, char **environment);
/* A system call of the target has returned. */
void pf_symbolic_after_syscall(long number, const long a[6], long result);
/* The label of a byte of a source; 0 if it is beyond the source's limit or does not have this
 * value. */
uint32_t pf_symbolic_leaf(uint32_t source, uint64_t offset, uint8_t value);
/* An argument or a variable of the environment is a word: its last byte is a 0, and another input
 * may have a longer word. beyond: the leaf of a byte after the end of a word; its value in this run
 * is 0. */
bool pf_symbolic_is_word(uint32_t source);
uint32_t pf_symbolic_leaf_beyond(uint32_t source, uint64_t offset);
/* The length of a word without its 0, or of a regular file. False: it is not known. */
bool pf_symbolic_length(uint32_t source, struct pf_expression_operand *out);
/* True if a source has delivered bytes since the last call. */
bool pf_symbolic_was_read(void);
/* The source and the offset of the next byte that a descriptor delivers. False: not a source. */
bool pf_symbolic_position(int fd, uint32_t *source, uint64_t *offset);

/* A node for pf_expression_make. It is stored in whole words: loads of words from bytes that were
 * just stored one by one took half of the time of symbolic code. */
static inline struct pf_symbolic_record pf_expression_record(unsigned op, unsigned bits, uint32_t a,
                                                             uint32_t b, uint32_t c, uint64_t x,
                                                             uint64_t y)
{
    struct pf_symbolic_record r;
    uint64_t words[] = {PF_SYMBOLIC_NODE | (op & 0xff) << 8 | bits << 16 | (uint64_t)a << 32,
                        b | (uint64_t)c << 32, x, y};
    __builtin_memcpy(&r, words, sizeof r);
    return r;
}
/* expression.c: the label of a node; 0 if its value does not depend on a label. */
uint32_t pf_expression_make(const struct pf_symbolic_record *node);
/* The same with fewer arguments. */
uint32_t pf_expression_two(enum pf_symbolic_op op, unsigned bits, unsigned c,
                           struct pf_expression_operand a, struct pf_expression_operand b);
uint32_t pf_expression_resize(uint32_t label, unsigned bits, bool sign);
uint32_t pf_expression_extract(uint32_t label, unsigned low, unsigned bits);
uint64_t pf_expression_value(uint32_t label);
const struct pf_symbolic_record *pf_expression_node(uint32_t label);
bool pf_expression_init(void); /* false: there is no memory */

/* label_memory.c: labels in memory. load: the label of 1 to 8 bytes, after their values were
 * verified. */
bool pf_label_memory_init(void); /* false: there is no memory */
bool pf_label_memory_any(const void *at, size_t n); /* false: no byte has a label */
uint64_t pf_label_memory_changes(void); /* the word at PF_LABEL_CHANGES */
bool pf_label_memory_has(const void *at); /* this byte has a label, verified or not */
uint32_t pf_label_memory_load(const void *at, unsigned size);
uint32_t pf_label_memory_byte(const void *at);
/* The byte and its label as they were before code without events overwrote the byte. Clears the
 * label in that case. */
struct pf_expression_operand pf_label_memory_overwritten(void *at);
void pf_label_memory_store(void *at, unsigned size, uint32_t label, uint64_t value);
void pf_label_memory_copy(void *to, const void *from, size_t n);
void pf_label_memory_fill(void *at, uint32_t label, size_t n);

/* symbolic_log.c: the records of the stream. */
void pf_symbolic_put(const struct pf_symbolic_record *r, const void *bytes, size_t n);
/* A condition at a site of the function on top of the shadow stack. */
void pf_symbolic_condition(enum pf_symbolic_reason why, uint32_t label, bool value, uint32_t site,
                           uint32_t alternative);
/* A piece of a source was compared with a text of another length (PF_SYMBOLIC_TEXT). */
void pf_symbolic_text(uint32_t source, uint64_t offset, size_t old, const void *text, size_t n,
                      uint32_t site);
void pf_symbolic_address(uint32_t label, uint64_t address, uint32_t size, bool write, bool event);
void pf_symbolic_lose(enum pf_symbolic_loss why, const char *name);

/* symbolic_table.c: the value at an address with a label, if it is in a table: of <ctype.h>, or of
 * the executable. *is_variable: of the executable. False: it is in none. */
bool pf_symbolic_table(const void *at, unsigned size, uint32_t address, bool *is_variable,
                       struct pf_expression_operand *out);

/* symbolic_model.c: the effect of a library function, after it has returned. Returns the label of
 * its result. */
uint32_t pf_symbolic_model(const struct pf_symbolic_call *call);

#endif
