/*
 * events.h - the events of a recording, read one after the other, with the names that belong to them.
 *
 * Model:   docs/format/trace.md. The reader keeps the books of event_code.h. When the recording was cut
 *          it gives the events that are whole, then stops and says why.
 * Memory:  pf_events owns everything, texts included, until release. The clip must live as long.
 * Threads: one at a time.
 * Errors:  the file is untrusted: what makes no sense ends the reading with PF_BAD, file and event.
 */
#ifndef PF_CLIP_EVENTS_H
#define PF_CLIP_EVENTS_H

#include "clip.h"
#include "event_code.h"

struct pf_name_position {
    const char *file, *function, *variable; /* "" where not known */
    uint32_t line, column, begins, kind;
};

struct pf_name_site {
    const uint32_t *position; /* innermost first; numbers below npositions */
    uint32_t npositions;
    uint8_t flags; /* enum pf_site_flags */
    bool known;
};

struct pf_name_variable {
    uint64_t addr, size;
    const char *name, *file;
    uint32_t line;
};

struct pf_name_thread {
    const char *name;
    uint32_t parent, created; /* created: a site */
    bool known;
};

struct pf_names {
    struct pf_name_position *position;
    struct pf_name_site *site;
    struct pf_name_variable *variable; /* by address */
    struct pf_name_thread *thread;
    size_t npositions, nsites, nvariables, nthreads;
    struct pf_names_memory *memory; /* private */
};

struct pf_record {
    uint8_t kind, flags;
    bool attached;     /* part of the operation of the record before */
    bool has_value, has_old;
    uint32_t thread, site;
    uint64_t index;    /* of the event in its thread, from 1 */
    uint64_t what, more; /* see struct pf_trace_record: place and size, object, thread */
    uint64_t value, old;
    const unsigned char *bytes; /* valid until more is read */
    uint32_t nbytes;
};

struct pf_events;

/* Reads the names; *e also when the recording has no events. */
PF_MUST_USE pf_status pf_events_open(struct pf_events **r, const struct pf_clip *clip,
                                     struct pf_error *e);
const struct pf_names *pf_events_names(const struct pf_events *r);
/* The next record. False: no more; *s says whether that is the end (PF_OK) or an error. */
bool pf_events_next(struct pf_events *r, struct pf_record *out, pf_status *s, struct pf_error *e);
/* Up to max records at once, which is faster; 0: no more, as above. */
size_t pf_events_read(struct pf_events *r, struct pf_record *out, size_t max, pf_status *s,
                      struct pf_error *e);
/* The recording goes on, but what is there is not whole: after the last record. */
bool pf_events_cut(const struct pf_events *r);
void pf_events_free(struct pf_events *r);

/* The variable that holds addr; NULL: none. */
const struct pf_name_variable *pf_names_variable(const struct pf_names *n, uint64_t addr);

#endif
