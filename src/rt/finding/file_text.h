/*
 * file_text.h - whole files as text, for reports; the lines of /proc/self/maps.
 *
 * Memory:  the text is in the pool.
 * Threads: any; no locks inside.
 * Errors:  NULL if a file cannot be read.
 */
#ifndef PF_RT_FILE_TEXT_H
#define PF_RT_FILE_TEXT_H

#include "pool.h"
#include <stdint.h>

/* Reads a whole file, also one of /proc, and sets its size; NULL if it cannot be read. A 0 byte
 * follows the text. */
char *pf_file_text(struct pf_pool *pool, const char *path, size_t *size);
/* Parses the hexadecimal number at *s, and moves *s behind it. */
uintptr_t pf_maps_hex(const char **s);
/* The path of the file that is mapped at p, its length, and the bounds of the mapping; NULL: there
 * is none. `maps` is the text of /proc/self/maps, with lines "lo-hi rwxp offset dev inode /path";
 * NULL: unknown. */
const char *pf_maps_path(const char *maps, const void *p, size_t *length, uintptr_t range[2]);

#endif
