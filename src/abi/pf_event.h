/*
 * pf_event.h - kinds and flags of events, for recordings and for traces in memory.
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
    /* lock events: an inner level of a recursive lock, without effect on other threads */
    PF_EF_NESTED = 1,
    PF_EF_ORPHAN = 1,   /* reads: no observed write explains the value (selfcheck.h) */
    PF_EF_RELAXED = 2,  /* an atomic access that orders nothing */
    PF_EF_ACQUIRE = 4,  /* an atomic access or fence that only acquires (or only releases) */
    PF_EF_RELEASE = 8,
    PF_EF_CHECK = 4,    /* reads: decides about a later write of the same memory */
    PF_EF_ACT = 8,      /* writes: such a later write */
    PF_EF_UNKNOWN = 16, /* the value is unknown */
    PF_EF_TIMEOUT = 32, /* the wait ended by time-out */
    PF_EF_COMPARES = 32, /* an atomic access that is a compare-and-swap */
    PF_EF_CREATES = 32, /* alloc: by code with checks; counts as a write of the block */
    /* reads: the value may have been written inside a missing call (selfcheck.h) */
    PF_EF_MISSING = 64,
    PF_EF_DECIDED = 128, /* whether this event happens may depend on what the thread read before */
};

/* The runtime's own memory for objects, such as clocks without an address of the program: of a
 * descriptor, a message, a signal. Events name such a clock by its address. */
#define PF_STORE_BASE 0x160000000000ull
#define PF_STORE_SIZE (1ull << 36)

#endif
