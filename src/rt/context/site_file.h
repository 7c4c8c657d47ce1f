/*
 * site_file.h - maps the sites of a loaded object from its file (PF_SITES_SECTION).
 *
 * Model:   the file is mapped when the object is loaded: later it may be replaced, or unreachable.
 *          Its pages are read when a site is first needed.
 * Memory:  _unmap releases the mapping.
 * Errors:  false if the file cannot be read, is not the loaded one, or has no such section.
 */
#ifndef PF_RT_SITE_FILE_H
#define PF_RT_SITE_FILE_H

#include "pf_abi.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_site_file {
    uintptr_t sites; /* the mapped section; 0: none */
    uintptr_t map;
    size_t size;
};
/* func to end: the records of the object, which is loaded at `bias`. */
bool pf_site_file_map(struct pf_site_file *f, const char *path, const struct pf_func *func,
                      const struct pf_func *end, uintptr_t bias);
void pf_site_file_unmap(struct pf_site_file *f);

#endif
