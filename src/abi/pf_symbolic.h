/*
 * pf_symbolic.h - the expression log of a symbolic run: expressions over input bytes, and the
 * conditions of the path that the run took. docs/format/symbolic.md is normative.
 *
 * Model:   every value that depends on a chosen input has a label, a number from 1. A label names a
 *          node: an operator and its operands. Label 0 means that the value is concrete: it does
 *          not depend on the input, or the dependence was dropped and counted (PF_SYMBOLIC_LOST).
 *          Nodes only refer to lower labels.
 * Memory:  a stream of a clip; a record has 32 bytes, and some have text or bytes after them.
 * Threads: the target writes it, one thread at a time.
 */
#ifndef PF_SYMBOLIC_H
#define PF_SYMBOLIC_H

#include <stdint.h>

/* The label plane has 4 bytes for each byte of memory. The taint map, which is tested first, has
 * one byte for each 64 aligned bytes: how many of them have a label. Both are indexed by the low
 * PF_APP_BITS bits of the address (pf_shadow.h), and exist only in symbolic runs. */
#define PF_LABEL_PLANE 0x568000000000ull
#define PF_TAINT_MAP 0x154000000000ull
#define PF_TAINT_SHIFT 6
/* A 64-bit word: how often a byte of the taint map has changed from 0, plus 1. It is in the part of
 * the map for the lowest addresses, which programs do not use. */
#define PF_LABEL_CHANGES PF_TAINT_MAP

/* A call of a function that may have no symbolic body, for __pf_symbolic_called. */
#define PF_SYMBOLIC_WORDS 8
struct pf_symbolic_call {
    void *callee;
    uint32_t model; /* enum pf_symbolic_model; 0: none */
    uint32_t n; /* arguments; the first PF_SYMBOLIC_WORDS of them follow */
    uint64_t word[PF_SYMBOLIC_WORDS]; /* values, zero-extended; 0 if they are not scalar */
    uint32_t label[PF_SYMBOLIC_WORDS];
    uint64_t result;
    uint32_t site;
    uint32_t dropped; /* labels of arguments that are not in `label`, combined */
};

/* Library functions whose effect on labels is known. */
enum pf_symbolic_model {
    PF_MODEL_NONE,
#define PF_MODEL(name, by) PF_MODEL_##name,
#include "pf_model.def"
#undef PF_MODEL
    PF_MODELS
};

struct pf_symbolic_record {
    uint8_t kind; /* enum pf_symbolic_kind */
    uint8_t op; /* of a node: enum pf_symbolic_op; of others: see the kinds */
    uint16_t bits; /* of a node: width of its value, 1 to 64 */
    uint32_t a, b, c;
    uint64_t x, y;
};
_Static_assert(sizeof(struct pf_symbolic_record) == 32, "as in docs/format/symbolic.md");

#define PF_SYMBOLIC_CHECK_X 0x9e3779b97f4a7c15ull
#define PF_SYMBOLIC_CHECK_Y 0xd6e8feb86659fd93ull

/* After a record that has `n` bytes of text or data, the stream is padded to a multiple of 32. */
#define PF_SYMBOLIC_PADDED(n) (((uint64_t)(n) + 31) & ~31ull)

enum pf_symbolic_kind {
    /* An input source. op: enum pf_symbolic_source; a: its number, from 0 in order of these
     * records; b: bytes of its name, which follow; c: for ARGUMENT and ENVIRONMENT its index. The
     * name is the SPEC of `pf record --input` that selects it: "argv[1]", "stdin", "env:HOME",
     * "file:in.txt". */
    PF_SYMBOLIC_SOURCE = 2,
    /* Bytes of a source as they arrived. a: the source; b: their number; x: their offset in the
     * source. The bytes follow. */
    PF_SYMBOLIC_DATA,
    /* A condition of the path. op: enum pf_symbolic_reason; a: the label of a 1-bit node; bits:
     * its value in this run, 0 or 1, plus twice a check of the values of its operands, which tests
     * compare with their own: (x * PF_SYMBOLIC_CHECK_X + y * PF_SYMBOLIC_CHECK_Y) >> 49; b: the
     * site of the branch (see SITE); c: the thread, in order of creation; x: how many events the
     * thread has performed; y: which alternative of the branch: the number of the case of a
     * switch, else 0. */
    PF_SYMBOLIC_CONDITION,
    /* An access through an address that depends on the input. An input that gives another
     * address may take another path. A solver may drop this condition.
     * a: the label of the 64-bit address; y: the address in this run; b: size in bytes; op: 0 read,
     * 1 write; bits: 1 if the access is an event; c: the thread; x: how many events the thread has
     * performed, including this access. */
    PF_SYMBOLIC_ADDRESS,
    /* Describes site `a`, before its first use. b: line; c: bytes of text that follow: function and
     * file, each with a terminating 0; x: the column; y: hash of the function's code. */
    PF_SYMBOLIC_SITE,
    /* A dependence on the input that was dropped. op: enum pf_symbolic_loss; x: how often so far
     * (written at 1, 2, 4, ...); b: bytes of text that follow: the function called, or empty. The
     * last record with this text and reason counts. */
    PF_SYMBOLIC_LOST,
    /* A value that the program prints to standard output or standard error. a: its label; c: the
     * descriptor. If y is 0, the value is the byte at offset x of the output of the descriptor.
     * Otherwise the value is an argument of a call with a format. y: hash of the format; x: offset
     * of the first byte that the call has printed; b: the number of the argument, plus, for a byte
     * of a string, 256 times its index in the string. */
    PF_SYMBOLIC_OUTPUT,
    /* A library function compared a piece of a source with a text of another length, so no change
     * of its bytes makes them equal. a: the source; x: the offset of the piece; c: its bytes; b:
     * bytes of the text, which follows; y: the site of the call. If c is 0, there is no piece: the
     * program has passed this constant text to a library function, so input may contain it; or, if
     * y is not 0, the text is an option that the program accepts as a further argument. */
    PF_SYMBOLIC_TEXT,
    /* A node. Its label is the number of node records up to and including this one. `a` and `b`
     * name its operands: 0 is the constant `x` or `y`, n > 0 the node whose label is lower by n.
     * Then `x` or `y` is the value that the operand had in this run, zero-extended, XOR the value
     * of that node: 0, unless the engine is wrong. c of a select names a node in the same way. */
    PF_SYMBOLIC_NODE, /* 1 was a node of version 1 of the format */
};

enum pf_symbolic_source {
#define PF_SOURCE(name, text) PF_SOURCE_##name,
#include "pf_symbolic.def"
#undef PF_SOURCE
    PF_SOURCES
};

/* The operators; pf_symbolic.def has their meaning. */
enum pf_symbolic_op {
    PF_EXPR_NONE,
#define PF_EXPR(name, text) PF_EXPR_##name,
#include "pf_symbolic.def"
#undef PF_EXPR
    PF_EXPRS
};

/* Where a condition comes from. */
enum pf_symbolic_reason {
#define PF_REASON(name, text) PF_REASON_##name,
#include "pf_symbolic.def"
#undef PF_REASON
    PF_REASONS
};

enum pf_symbolic_loss {
#define PF_LOSS(name, text) PF_LOSS_##name,
#include "pf_symbolic.def"
#undef PF_LOSS
    PF_LOSSES
};

#endif
