/*
 * names.h - reads stream `name` into the tables of events.h; private to src/clip.
 */
#ifndef PF_CLIP_NAMES_H
#define PF_CLIP_NAMES_H

#include "events.h"
#include "name_code.h"

/* Fills the tables of *n. Also stores the kind and size of each site in code->site, which has
 * *ncode entries and grows as needed. */
PF_MUST_USE pf_status pf_names_read(struct pf_names *n, struct pf_code *code, size_t *ncode,
                                    const unsigned char *bytes, size_t size, const char *path,
                                    struct pf_error *e);
void pf_names_release(struct pf_names *n);

#endif
