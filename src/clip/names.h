/*
 * names.h - reads stream `name` into the tables of events.h; private to src/clip.
 */
#ifndef PF_CLIP_NAMES_H
#define PF_CLIP_NAMES_H

#include "events.h"
#include "name_code.h"

/* Fills the tables of *n. Also stores the kind and size of each site in code->site, which has
 * *ncode entries and grows as needed (pf_names_table). */
PF_MUST_USE pf_status pf_names_read(struct pf_names *n, struct pf_code *code, size_t *ncode,
                                    const unsigned char *bytes, size_t size, const char *path,
                                    struct pf_error *e);
void pf_names_release(struct pf_names *n);
/* Enlarges a table of `had` bytes, NULL if 0, to n bytes; the new ones are zero. Of a large table,
 * only pages in use take memory: a damaged file may have large numbers, and calloc would clear all
 * pages. A small one is on the heap: to map and unmap memory takes longer than to read a short
 * recording. */
void *pf_names_table(void *table, size_t had, size_t n);
void pf_names_table_free(void *table, size_t n); /* n: its bytes */

#endif
