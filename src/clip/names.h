/*
 * names.h - reads the stream of names; private to src/clip (events.h has the tables).
 */
#ifndef PF_CLIP_NAMES_H
#define PF_CLIP_NAMES_H

#include "events.h"
#include "name_code.h"

/* Fills the tables, and the kind and size of each site into the books of the event reader (*ncode:
 * how many sites those have). */
PF_MUST_USE pf_status pf_names_read(struct pf_names *n, struct pf_code *code, size_t *ncode,
                                    const unsigned char *bytes, size_t size, const char *path,
                                    struct pf_error *e);
void pf_names_release(struct pf_names *n);

#endif
