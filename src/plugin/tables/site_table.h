/*
 * site_table.h - builds site tables. A site table is one object: the sites of some functions, then
 * their scopes, then the strings they use.
 *
 * Model:   strings are in the same object as the sites, so every reference is a constant distance
 *          and needs no relocation. All sites of a module are in one table, in a section that is
 *          not loaded (PF_SITES_SECTION). Names of functions and variables are in tables in the
 *          loaded section pf_site: one for the module, and one for each comdat group, which the
 *          linker keeps or drops together with the group's functions; a group whose functions lie
 *          far apart may have several (_get looks only at the last 7 tables). If the sites are
 *          loaded (pf_unit.loads_sites), they are in these tables, too.
 *
 *             +--------+--------+-----+---------+-----+---------------------------+
 *             | site 0 | site 1 | ... | scope 0 | ... | "file.c\0main\0counter\0" |
 *             +--------+--------+-----+---------+-----+---------------------------+
 *
 * Memory:  owned by the unit. A string number is 1 + the string's offset; 0 means no string.
 */
#ifndef PF_SITE_TABLE_H
#define PF_SITE_TABLE_H

#include "plugin.h"
#include <llvm-c/Comdat.h>

/* Records of one size. Equal records of one function are stored once. */
struct pf_site_records {
    char *all;
    size_t n, room;
    size_t first; /* the first record of the current function */
    uint32_t *seen; /* hash set of the current function's records: 1 + index from `first` */
    size_t seen_size;
};

struct pf_site_table {
    bool in_file; /* it is not loaded */
    LLVMComdatRef comdat; /* NULL: the table of the module */
    struct pf_site_records sites, scopes; /* references are numbers until the table is written */
    char *text;
    size_t ntext, text_cap;
    uint32_t *strings; /* hash set of string numbers */
    size_t strings_size, nstrings;
    LLVMValueRef global; /* set by _write; of a table that is not loaded: a declaration */
};

struct pf_site_table *pf_site_table_get(struct pf_unit *u, LLVMComdatRef comdat);
/* The table for the sites of functions of this group. */
struct pf_site_table *pf_site_table_of_sites(struct pf_unit *u, LLVMComdatRef comdat);
uint32_t pf_site_table_string(struct pf_site_table *b, const char *s); /* 0 for NULL and "" */
/* Starts a new function: its records are deduplicated among themselves. */
void pf_site_table_begin(struct pf_site_table *b);
/* Adds a scope; returns its number in the table. */
uint32_t pf_site_table_scope(struct pf_site_table *b, const struct pf_scope *scope);
/* Adds a site; returns its index among the sites of the function. */
uint32_t pf_site_table_site(struct pf_site_table *b, const struct pf_site *site);
/* Writes the table as a global. Nothing can be added afterwards. */
void pf_site_table_write(struct pf_unit *u, struct pf_site_table *b);
/* The offset of a string in the global; string 1 is the first byte after sites and scopes. */
static inline uint64_t pf_site_table_offset(const struct pf_site_table *b, uint32_t string)
{
    return b->sites.n * sizeof(struct pf_site) + b->scopes.n * sizeof(struct pf_scope) + string - 1;
}
void pf_site_tables_release(struct pf_unit *u);

#endif
