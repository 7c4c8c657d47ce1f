/*
 * site_table.h - site tables in the making. A table is one object of section pf_site: the site tables of
 * some functions, then their scopes and the strings they use.
 *
 * Model:   the strings live beside the sites, so every reference is a constant distance and needs
 *          no relocation. There is one table for the module and one for each comdat group, which the
 *          linker keeps or drops with the group's function.
 *
 *             +--------+--------+-----+---------+-----+---------------------------+
 *             | site 0 | site 1 | ... | scope 0 | ... | "file.c\0main\0counter\0" |
 *             +--------+--------+-----+---------+-----+---------------------------+
 *
 * Memory:  owned by the unit. String numbers are 1 + the offset among the strings; 0 is no string.
 */
#ifndef PF_SITE_TABLE_H
#define PF_SITE_TABLE_H

#include "plugin.h"
#include <llvm-c/Comdat.h>

/* Records of one size; equal ones of one function are stored once. */
struct pf_site_records {
    char *all;
    size_t n, room;
    size_t first; /* record of the function that is being written */
    uint32_t *seen; /* hash set of 1 + its records, counted from the first */
    size_t seen_size;
};

struct pf_site_table {
    LLVMComdatRef comdat; /* NULL: the module's */
    struct pf_site_records sites,
        scopes; /* their references are numbers until the table is written */
    char *text;
    size_t ntext, text_cap;
    uint32_t *strings; /* hash set of string numbers */
    size_t strings_size, nstrings;
    LLVMValueRef global; /* after _write */
};

struct pf_site_table *pf_site_table_get(struct pf_unit *u, LLVMComdatRef comdat);
uint32_t pf_site_table_string(struct pf_site_table *b, const char *s); /* NULL or "": 0 */
/* A new function begins. */
void pf_site_table_begin(struct pf_site_table *b);
/* The number of the scope in the table. */
uint32_t pf_site_table_scope(struct pf_site_table *b, const struct pf_scope *scope);
/* The index of the site among those of the function. */
uint32_t pf_site_table_site(struct pf_site_table *b, const struct pf_site *site);
/* Makes the global. Nothing can be added afterwards. */
void pf_site_table_write(struct pf_unit *u, struct pf_site_table *b);
/* The offset of a string in the global. */
static inline uint64_t pf_site_table_offset(const struct pf_site_table *b, uint32_t string)
{
    return b->sites.n * sizeof(struct pf_site) + b->scopes.n * sizeof(struct pf_scope) + string - 1;
}
void pf_site_tables_release(struct pf_unit *u);

#endif
