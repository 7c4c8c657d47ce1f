/*
 * bodies_cache.h - the event bodies of a program that keeps IR instead of them (pf cc --on-demand):
 * where they are cached, and how they are compiled before the first directed run.
 *
 * Model:   pf-bodies writes the bodies into the cache folder, under the program's build id. The
 *          runtime loads them from there (rt/start/event_bodies.h), and compiles bodies that
 *          are missing, such as those of a library, in the same way.
 * Errors:  PF_BAD or PF_IO; pf-bodies has printed the reason.
 */
#ifndef PF_PROCESS_BODIES_CACHE_H
#define PF_PROCESS_BODIES_CACHE_H

#include "status.h"

struct pf_channel;

/* Stores the cache folder and the path of pf-bodies in the channel. */
PF_MUST_USE pf_status pf_bodies_cache_settings(struct pf_channel *c, struct pf_error *e);
/* Compiles the program's event bodies if it needs them and they are not in the cache. Does nothing
 * for a program that it has seen before. */
PF_MUST_USE pf_status pf_bodies_cache_prepare(const struct pf_channel *c, const char *program,
                                              struct pf_error *e);

#endif
