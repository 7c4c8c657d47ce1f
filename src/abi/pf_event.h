/*
 * pf_event.h - the kinds of events, for recordings and for traces in memory.
 */
#ifndef PF_EVENT_H
#define PF_EVENT_H

enum pf_event_kind {
#define PF_EVENT(name, word, operand, class) PF_EV_##name,
#include "pf_event.def"
#undef PF_EVENT
    PF_EV_KINDS
};

enum pf_event_flags {
    PF_EF_NESTED = 1,   /* of a lock: an inner level of a recursive one, no effect on others */
    PF_EF_ORPHAN = 1,   /* of a read: its value no observed write explains (selfcheck.h) */
    PF_EF_RELAXED = 2,  /* an atomic that orders nothing */
    PF_EF_ACQUIRE = 4,  /* an atomic or fence that only acquires (or only releases) */
    PF_EF_RELEASE = 8,
    PF_EF_CHECK = 4,    /* of a read: it decides about a later write of the place */
    PF_EF_ACT = 8,      /* of a write: such a one */
    PF_EF_UNKNOWN = 16, /* the value is not known */
    PF_EF_TIMEOUT = 32, /* a wake by time-out */
    PF_EF_MISSING = 64, /* a read whose value may come from inside a missing call (selfcheck.h) */
    PF_EF_DECIDED = 128, /* the thread may have decided, by what it read, to make this event */
};

#endif
