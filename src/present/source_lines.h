/*
 * source_lines.h - lines of the user's sources, for reports.
 *
 * Model:   a name in a finding is as the compiler was given it. It is looked for from this folder, then
 *          in the folders given, then from the folder of the program. Only plain files of up to 16 MiB
 *          are read, each once. A line that is not there is NULL: the report goes on without it.
 * Memory:  the cache owns the texts.
 */
#ifndef PF_CLI_SOURCES_H
#define PF_CLI_SOURCES_H

#include "pool.h"
#include <stddef.h>
#include <stdint.h>

struct pf_source_file;

struct pf_sources {
    const char *folder; /* --source; NULL: none */
    struct pf_source_file *files;
    struct pf_pool pool;
};

void pf_sources_init(struct pf_sources *s, const char *folder);
void pf_sources_release(struct pf_sources *s);
/* Line `line` (from 1) of the file, *n bytes; NULL when it is not there. `module`: the program it was
 * built into, or NULL. Constant time after the first line of a file. */
const char *pf_sources_line(struct pf_sources *s, const char *file, const char *module,
                            uint32_t line, size_t *n);

#endif
