/*
 * trace.h - a trace in memory: one total order of events with values.
 *
 * Model:   an event is one step of one thread. An access touches a place (address, size, block
 *          generation); places are cut into cells, the largest runs of bytes that every place
 *          covers wholly or not at all, so that partly overlapping accesses share exactly the
 *          cells they have in common. Memory handed out again by `alloc` is a new generation: its
 *          places share no cell with the old ones. Locks, condition variables, barriers and
 *          message objects are numbered per kind.
 * Memory:  the trace owns all; pf_trace_release twice is fine.
 * Threads: built by one thread, then read by any.
 * Errors:  the builder trusts its caller; readers check what they read (text.h, std.h), and
 *          selfcheck.h says whether the trace agrees with itself.
 */
#ifndef PF_TRACE_H
#define PF_TRACE_H

#include "pf_event.h"
#include "vec.h"
#include <stdbool.h>

enum pf_event_class {
    PF_CLASS_ACCESS,
    PF_CLASS_MEMORY,
    PF_CLASS_ACQUIRE,
    PF_CLASS_RELEASE,
    PF_CLASS_TEST,
    PF_CLASS_NOTIFY,
    PF_CLASS_BARRIER,
    PF_CLASS_MESSAGE,
    PF_CLASS_THREAD,
    PF_CLASS_CALL,
    PF_CLASS_BRANCH,
    PF_CLASS_REGION,
    PF_CLASS_FENCE
};
enum pf_event_operand {
    PF_OPERAND_NONE,
    PF_OPERAND_PLACE,
    PF_OPERAND_LOCK,
    PF_OPERAND_COND,
    PF_OPERAND_COND_LOCK,
    PF_OPERAND_BARRIER,
    PF_OPERAND_THREAD,
    PF_OPERAND_SYNC,
    PF_OPERAND_CALL
};
extern const char *const pf_event_word[PF_EV_KINDS];
extern const uint8_t pf_event_class[PF_EV_KINDS];
extern const uint8_t pf_event_operand[PF_EV_KINDS];

#define PF_NONE UINT32_MAX

/* Why a trace could not be read or is refused: where, what was expected, what was found. */
struct pf_trace_error {
    char text[240];
};

struct pf_event {
    uint8_t kind;
    uint8_t flags;
    uint16_t thread;
    uint32_t site;
    uint32_t what;  /* by the kind's operand: place, lock, cond, barrier, thread, sync, call */
    uint32_t link;  /* wait/wake: the mutex; wake: see waker; rmw: index of the old value;
                       arrive/depart: generation; call: its set; ret: the call event */
    uint64_t value; /* read: seen; write: stored; rmw: stored */
};

struct pf_range {
    uint64_t addr;
    uint64_t size;
    uint32_t block;         /* generation: 0 outside of known blocks */
    uint32_t cell0, ncells; /* after pf_trace_seal */
};

struct pf_cell {
    uint64_t addr, size;
    uint64_t initial;       /* value before the first event, when known */
    bool initial_known;
    bool shared, written;   /* by two threads or more; at all */
};

/* What a missing call can reach (RDIT's D). An item is a cell, or an object (a lock, a condition
 * variable, a barrier, a message object, a thread): object k has the item number ncells + k. */
struct pf_reach {
    uint32_t item0, nitems; /* range in reach_items, sorted, after pf_trace_seal */
};

struct pf_name {
    char *text;
    uint64_t addr;
};

struct pf_site_info {
    uint32_t file; /* name */
    uint32_t line;
    uint32_t func; /* name; PF_NONE: not known */
    uint32_t column;
    uint32_t begins; /* first line of the function; 0: not known */
};

/* A variable of a recorded program. Those of the text form have their address in struct pf_name. */
struct pf_variable {
    uint64_t addr, size;
    uint32_t name;
};

struct pf_recorded_trail {
    uint32_t first, n; /* in trail_sites: sites, innermost first */
};

/* What only a recording has; in a trace from text all is empty but `cut`. */
struct pf_recorded {
    PF_VEC(struct pf_variable) variables; /* by address */
    pf_vec_u32 index; /* of each event among those of its thread (its name in schedules) */
    pf_vec_u32 stack; /* of each event: a number of `trails` */
    pf_vec_u32 thread; /* of each thread: its number in the recording */
    PF_VEC(struct pf_recorded_trail) trails;
    pf_vec_u32 trail_sites;
    bool present;
    bool cut; /* the recording ended early, or only its first events were read */
    uint32_t limit; /* asked for by who reads it: events at most; 0: PF_RECORDED_MAX */
    bool limited; /* there were more */
};

struct pf_initial {
    uint32_t place;
    uint64_t value;
};

struct pf_trace {
    PF_VEC(struct pf_event) events;
    PF_VEC(struct pf_range) places;
    PF_VEC(struct pf_cell) cells;
    PF_VEC(struct pf_site_info) sites;
    PF_VEC(struct pf_reach) reaches;
    PF_VEC(struct pf_initial) initials;
    pf_vec_u32 reach_items;
    PF_VEC(uint64_t) olds; /* values that rmw events saw */
    pf_vec_u32 wakers; /* pairs (wake event, notify event); sorted by wake */
    PF_VEC(struct pf_name) names; /* of variables, locks, files ...; see pf_trace_name */
    pf_vec_u32 reuses; /* pairs (new block, older block it overlaps), by new block */
    pf_vec_u32 labels; /* the number a person gave to event i; empty: i + 1 */
    pf_vec_u32 threads, locks, conds, barriers, syncs, calls; /* name of each */
    struct pf_recorded recorded;
    bool has_branches; /* else every read counts as a branch: pf_event_decided */
    bool has_calls;
    bool has_orphans; /* reads that no observed write explains (selfcheck.h) */
    bool
        unwatched; /* of a program that has code without events too: values may come out of nowhere */
    bool sealed;
    struct pf_trace_tables *tables; /* interning, private */
};

void pf_trace_init(struct pf_trace *t);
void pf_trace_release(struct pf_trace *t);

/* Interning. Names are shared by all tables; a name used for the first time in a role gets the
 * next number of that role. */
uint32_t pf_trace_name(struct pf_trace *t, const char *text, size_t len);
const char *pf_trace_text(const struct pf_trace *t, uint32_t name);
enum pf_role {
    PF_ROLE_THREAD,
    PF_ROLE_LOCK,
    PF_ROLE_COND,
    PF_ROLE_BARRIER,
    PF_ROLE_SYNC,
    PF_ROLE_CALL,
    PF_ROLES
};
uint32_t pf_trace_number(struct pf_trace *t, enum pf_role role, uint32_t name);
size_t pf_trace_nobjects(const struct pf_trace *t, enum pf_role role);
/* Where that object lies, for pf_trace_reach_range. */
void pf_trace_object_at(struct pf_trace *t, enum pf_role role, uint32_t number, uint64_t addr);
/* The name of that number. */
uint32_t pf_trace_role_name(const struct pf_trace *t, enum pf_role role, uint32_t number);
#define PF_NAMED_STRIDE 0x10000ull /* bytes between two named variables */
/* The address of a named variable; a new one when unseen. */
uint64_t pf_trace_variable(struct pf_trace *t, uint32_t name);
uint32_t pf_trace_place(struct pf_trace *t, uint64_t addr, uint64_t size);
uint32_t pf_trace_site(struct pf_trace *t, uint32_t file, uint32_t line);
/* The same with a function (PF_NONE: none) and a column. */
uint32_t pf_trace_position(struct pf_trace *t, uint32_t file, uint32_t line, uint32_t func,
                           uint32_t column);

/* A new heap block: later places inside it belong to it. Returns its place. */
uint32_t pf_trace_block(struct pf_trace *t, uint64_t addr, uint64_t size);

/* The block that covers addr: its first address, size and place; false if there is none. */
bool pf_trace_block_at(const struct pf_trace *t, uint64_t addr, uint64_t *first, uint64_t *size);

/* A new reach set, and one item more in the newest: a name in any role, and a place. */
uint32_t pf_trace_reach(struct pf_trace *t);
void pf_trace_reach_add(struct pf_trace *t, uint32_t name, uint32_t place);
/* A range of addresses more: all that ever was there, blocks and objects (pf_trace_object_at). Overlapping
 * ranges have an item in common also where no event ever was. */
void pf_trace_reach_range(struct pf_trace *t, uint64_t addr, uint64_t size);
/* A new set, the same as an earlier one. */
uint32_t pf_trace_reach_again(struct pf_trace *t, uint32_t earlier);
/* The same, and what lies at the places of the earlier set by now is added to both. */
uint32_t pf_trace_reach_anew(struct pf_trace *t, uint32_t earlier);
/* What is added from now on is added to the earlier set, as all have it that are the same as that. */
void pf_trace_reach_grow(struct pf_trace *t, uint32_t earlier);

/* Appends; the caller fills in what the kind needs. */
struct pf_event *pf_trace_add(struct pf_trace *t, enum pf_event_kind kind, uint32_t thread);

/* Cuts places into cells, finds nesting of locks, generations of barriers, wakers, values left
 * out, initial values, what else atomics order (fences, release sequences). After this the trace does not change. O(n log n). */
void pf_trace_seal(struct pf_trace *t);

static inline bool pf_event_is_access(const struct pf_event *e)
{
    return pf_event_class[e->kind] == PF_CLASS_ACCESS;
}
/* Stores into its cells. */
static inline bool pf_event_writes(const struct pf_event *e)
{
    return e->kind == PF_EV_WRITE || e->kind == PF_EV_AWRITE || e->kind == PF_EV_RMW ||
           e->kind == PF_EV_FREE;
}
/* Depends on what its cells hold. */
static inline bool pf_event_reads(const struct pf_event *e)
{
    return e->kind == PF_EV_READ || e->kind == PF_EV_AREAD || e->kind == PF_EV_RMW;
}
static inline bool pf_event_atomic(const struct pf_event *e)
{
    return e->kind == PF_EV_AREAD || e->kind == PF_EV_AWRITE || e->kind == PF_EV_RMW;
}
/* Must all reads of its thread before it have seen the right values, for it to happen? */
static inline bool pf_event_decided(const struct pf_trace *t, const struct pf_event *e)
{
    return !t->has_branches || e->kind == PF_EV_BRANCH || (e->flags & PF_EF_DECIDED);
}
/* Check-then-act, as the compiler saw it (src/predict/pecan/check_act.h). */
static inline bool pf_event_checks(const struct pf_event *e)
{
    return e->kind == PF_EV_READ && (e->flags & PF_EF_CHECK);
}
static inline bool pf_event_acts(const struct pf_event *e)
{
    return e->kind == PF_EV_WRITE && (e->flags & PF_EF_ACT);
}
/* Takes or gives back a lock, seen from outside (inner levels of a recursive lock do neither). */
static inline bool pf_event_acquires(const struct pf_event *e)
{
    return pf_event_class[e->kind] == PF_CLASS_ACQUIRE && !(e->flags & PF_EF_NESTED);
}
static inline bool pf_event_releases(const struct pf_event *e)
{
    return pf_event_class[e->kind] == PF_CLASS_RELEASE && !(e->flags & PF_EF_NESTED);
}
/* The lock of an acquire, release or failed attempt. */
static inline uint32_t pf_event_lock(const struct pf_event *e)
{
    return pf_event_operand[e->kind] == PF_OPERAND_COND_LOCK ? e->link : e->what;
}
static inline bool pf_event_shared(const struct pf_event *e)
{
    return e->kind == PF_EV_RDLOCK || e->kind == PF_EV_RDUNLOCK;
}
/* Two accesses that touch a common cell, one of them storing, not both atomic, of two threads. */
bool pf_trace_conflict(const struct pf_trace *t, const struct pf_event *a,
                       const struct pf_event *b);

/* The part of the value that lies in cell c; false when it is not known. `old`: of an rmw, the
 * value seen instead of the one stored. */
bool pf_trace_cell_value(const struct pf_trace *t, const struct pf_event *e, uint32_t cell,
                         bool old, uint64_t *value);
/* The notify event that woke this wake, or PF_NONE: spurious or timed out. */
uint32_t pf_trace_waker(const struct pf_trace *t, uint32_t wake);
/* The number a person sees for event i. */
uint32_t pf_trace_label(const struct pf_trace *t, uint32_t i);

/* The items (see struct pf_reach) that event i touches: [*first, *first + result), and one more in
 * *other (PF_NONE if none). */
uint32_t pf_trace_items(const struct pf_trace *t, uint32_t i, uint32_t *first, uint32_t *other);
uint32_t pf_trace_nitems(const struct pf_trace *t);
/* Is the item in the set? */
bool pf_trace_reaches(const struct pf_trace *t, const struct pf_reach *d, uint32_t item);

#endif
