/*
 * cache_limit.h - keeps the cache of compiled bodies (bodies_cache.h) below a size.
 *
 * Model:   the cache has a folder for each build of pf-bodies, with shared objects in it. pf-bodies
 *          updates the time of a file that it finds. The files that were not used for the longest
 *          time are removed first, whichever folder they are in.
 * Errors:  none: what cannot be removed stays.
 */
#ifndef PF_PROCESS_CACHE_LIMIT_H
#define PF_PROCESS_CACHE_LIMIT_H

/* Removes files from the folders next to `folder`, and from it, until all take at most PF_CACHE_MB
 * (an environment variable, in MiB; default 1024). Files that were used in the last minute stay.
 * Folders that are empty, and what a killed pf-bodies has left, are removed, too. */
void pf_cache_trim(const char *folder);

#endif
