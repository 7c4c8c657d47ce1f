/*
 * kept_reader.h - reads what pf-bodies needs from a linked object: the IR that its modules keep
 * (plugin/tables/kept_ir.c), the function records that want an event body, its symbols.
 *
 * Memory:  pf_kept_open maps the file; everything else points into it or belongs to the struct.
 *          pf_kept_close frees it.
 * Errors:  PF_BAD or PF_IO, with the path and the reason.
 */
#ifndef PF_BODIES_KEPT_READER_H
#define PF_BODIES_KEPT_READER_H

#include "event_module.h"
#include "status.h"
#include "vector.h"

/* What one module keeps: the addresses of its global values, and its IR, compressed. */
struct pf_kept_module {
    const uint64_t *address;
    size_t naddresses;
    const unsigned char *packed;
    size_t packed_size, size;
};

struct pf_kept_symbol {
    const char *name;
    uint64_t address;
    bool is_local;
};

/* Where a symbol for code is, and where its section ends. */
struct pf_kept_code {
    uint64_t start, section_end;
    bool replaced;
};

struct pf_kept_file {
    const char *path;
    unsigned char *data;
    size_t size;
    unsigned char *unpacked; /* the section with the IR, if the linker has compressed it */
    PF_VEC(struct pf_kept_module) modules;
    PF_VEC(struct pf_wanted_body) wanted; /* by address of the function */
    PF_VEC(struct pf_kept_symbol) symbols; /* by name */
    PF_VEC(struct pf_kept_code) code; /* by address */
};

/* _open maps the file; then the build id can be read. _read reads the rest. */
PF_MUST_USE pf_status pf_kept_open(struct pf_kept_file *f, const char *path, struct pf_error *e);
PF_MUST_USE pf_status pf_kept_read(struct pf_kept_file *f, struct pf_error *e);
void pf_kept_close(struct pf_kept_file *f);
/* Adds a symbol that a module defines. Call _sort_symbols after the last one. */
void pf_kept_add_symbol(struct pf_kept_file *f, const char *name, uint64_t address);
void pf_kept_sort_symbols(struct pf_kept_file *f);
/* The address of a symbol; 0: it is not defined in the object, or ambiguous. */
uint64_t pf_kept_find_symbol(const struct pf_kept_file *f, const char *name);
struct pf_wanted_body *pf_kept_find_wanted(const struct pf_kept_file *f, uint64_t entry);
/* True if the function at this address can become a jump: nothing else begins within that jump. A
 * second call for the same function returns false. */
bool pf_kept_replace(struct pf_kept_file *f, uint64_t entry);
/* Finds the build id; returns its size, 0 if there is none. */
size_t pf_kept_build_id(const struct pf_kept_file *f, const unsigned char **id);

#endif
