/*
 * events.h - reads the events of a recording one after the other, with the names that they refer
 * to.
 *
 * Model:   docs/format/trace.md. The reader keeps the predictor state of event_code.h. If the
 *          recording is cut, it returns all complete events and then stops.
 * Memory:  pf_events owns everything, texts included, until pf_events_free. The clip must live as
 *          long.
 * Threads: not thread-safe; the caller serialises.
 * Errors:  the file is untrusted: an invalid event ends the reading with PF_BAD, file and event
 *          number.
 */
#ifndef PF_CLIP_EVENTS_H
#define PF_CLIP_EVENTS_H

#include "clip.h"
#include "event_code.h"

struct pf_name_position {
    /* "" if unknown; all texts are NULL if the recording does not describe the position */
    const char *file, *function, *variable;
    const char
        *object; /* path of the program or library that contains the function; "" if unknown */
    const char *merged_lines; /* further lines of a merged access, such as "41, 45"; "" if none */
    uint32_t line, column, begins, kind;
    bool folded; /* also stands for deeper recursion of the same call */
};

struct pf_name_site {
    /* the stack, innermost first; each number is below pf_names.npositions */
    const uint32_t *position;
    uint32_t npositions;
    uint8_t flags; /* enum pf_site_flags */
    bool known;
};

struct pf_name_variable {
    uint64_t addr, size;
    const char *name, *file;
    uint32_t line;
};

/* A function that was called through a pointer. */
struct pf_name_callee {
    uint64_t addr;
    const char *symbol;
};

struct pf_name_thread {
    const char *name;
    uint32_t parent, created; /* created: site of the creation */
    uint64_t id; /* as the target sees it; 0: unknown */
    uint64_t stack, stack_size, tls, tls_size; /* its memory; 0: unknown */
    bool known;
};

struct pf_names {
    struct pf_name_position *position;
    struct pf_name_site *site;
    PF_VEC(struct pf_name_variable) variables; /* sorted by address */
    struct pf_name_thread *thread;
    const char **object; /* paths by number; NULL: unknown */
    PF_VEC(struct pf_name_callee) callees;
    size_t npositions, nsites, nthreads, nobjects;
    struct pf_names_memory *memory; /* private */
};

struct pf_record {
    uint8_t kind, flags;
    bool attached;     /* belongs to the operation of the previous record */
    bool has_value, has_old;
    uint32_t thread, site;
    uint64_t index;    /* number of the event in its thread, from 1 */
    /* operands, see struct pf_trace_record: address and size, object, thread */
    uint64_t what, more;
    uint64_t value, old;
    const unsigned char *bytes; /* valid until the next read */
    uint32_t nbytes;
};

struct pf_events;

/* Opens the event streams and reads all names. A recording without events is not an error. */
PF_MUST_USE pf_status pf_events_open(struct pf_events **r, const struct pf_clip *clip,
                                     struct pf_error *e);
const struct pf_names *pf_events_names(const struct pf_events *r);
/* Reads the next record. False: no more; *s is PF_OK at the end, else the error. */
bool pf_events_next(struct pf_events *r, struct pf_record *out, pf_status *s, struct pf_error *e);
/* Reads up to max records at once, which is faster. 0: no more, as above. */
size_t pf_events_read(struct pf_events *r, struct pf_record *out, size_t max, pf_status *s,
                      struct pf_error *e);
/* After the last record: true if the recording continues but its next event is incomplete. */
bool pf_events_cut(const struct pf_events *r);
void pf_events_free(struct pf_events *r);

/* The variable that contains addr; NULL: none. */
const struct pf_name_variable *pf_names_variable(const struct pf_names *n, uint64_t addr);
/* The symbol of the function that was called through a pointer; "": unknown. */
const char *pf_names_callee(const struct pf_names *n, uint64_t addr);

#endif
