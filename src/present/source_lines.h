/*
 * source_lines.h - lines of the user's sources, for reports.
 *
 * Model:   a file name in a finding is the one that the compiler was given. It is searched relative
 *          to the current folder, then to the folder given, then to the folder of the program. Only
 *          regular files of up to 16 MiB are read, each once. A line that is not found is NULL, and
 *          the report omits it.
 * Memory:  the cache owns the texts.
 */
#ifndef PF_PRESENT_SOURCE_LINES_H
#define PF_PRESENT_SOURCE_LINES_H

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
/* Line `line` (from 1) of the file, *n bytes; NULL if it is not found. `module`: the program
 * into which the file was built, or NULL. After the first line of a file: linear in
 * the number of files, constant if the last call was about the same file. */
const char *pf_sources_line(struct pf_sources *s, const char *file, const char *module,
                            uint32_t line, size_t *n);

#endif
