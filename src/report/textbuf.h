/*
 * textbuf.h - text that grows in a pool, and the few string functions that this folder needs.
 *
 * Model:   one contiguous buffer, so that a whole report can be written with one system call.
 * Memory:  from the pool; only appending moves the buffer.
 * Threads: one user at a time.
 * Errors:  `failed` is set when the pool is out of memory, and the text is then cut short. Check it
 *          before using the text.
 *
 * The string functions are needed because the C library's are interposed in the target.
 */
#ifndef PF_REPORT_TEXTBUF_H
#define PF_REPORT_TEXTBUF_H

#include "pool.h"
#include <stdbool.h>
#include <stdint.h>

struct pf_text {
    struct pf_pool *pool;
    char *at;
    size_t n, cap;
    bool failed;
};

void pf_text_init(struct pf_text *t, struct pf_pool *pool);
void pf_text_bytes(struct pf_text *t, const char *s, size_t n);
void pf_text_add(struct pf_text *t, const char *s); /* NULL adds nothing */
/* Adds a name that pf has not chosen (of a function, file, variable, thread, test, ...), with
 * control characters replaced by \n, \t or \xNN: they could otherwise forge a line of a report or
 * control the terminal. */
void pf_text_name(struct pf_text *t, const char *s);
/* The same for n bytes of a source line, in which tabs stay. */
void pf_text_line(struct pf_text *t, const char *s, size_t n);
void pf_text_char(struct pf_text *t, char c);
void pf_text_u64(struct pf_text *t, uint64_t v);
void pf_text_i64(struct pf_text *t, int64_t v);
void pf_text_hex(struct pf_text *t, uint64_t v, unsigned digits); /* pads with zeros to `digits` */
/* 0x and 12 digits, like ThreadSanitizer */
void pf_text_address(struct pf_text *t, uint64_t v);
/* Appends a JSON string with its quotes; NULL is written as null. Bytes that are not UTF-8
 * become U+FFFD. */
void pf_text_json(struct pf_text *t, const char *s);
void pf_text_json_bytes(struct pf_text *t, const char *s, size_t n);

size_t pf_str_len(const char *s);
bool pf_str_same(const char *a, const char *b); /* NULL equals only NULL */
bool pf_str_starts(const char *s, const char *prefix);
void pf_bytes_copy(char *to, const char *from, size_t n);
bool pf_bytes_same(const char *a, const char *b, size_t n);
/* The part of the path after the last '/'. */
const char *pf_str_base(const char *path);

#endif
