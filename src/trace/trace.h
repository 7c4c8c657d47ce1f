/*
 * trace.h - a trace in memory: one total order of events with their values.
 *
 * Model:   an event is one step of one thread. An access has a place: address, size and block
 *          generation. Places are split into cells. A cell is a maximal run of bytes that every
 *          place covers either completely or not at all, so two partly overlapping accesses share
 *          exactly the cells they have in common. When `alloc` reuses memory, it starts a new
 *          generation, whose places share no cell with those of older generations. Locks,
 *          condition variables, barriers and message objects are numbered separately per kind.
 * Memory:  the trace owns everything; calling pf_trace_release twice is fine.
 * Threads: one thread builds the trace; afterwards any thread may read it.
 * Errors:  the builder functions trust their caller. Readers check their input (trace_text.h), and
 *          selfcheck.h checks that a trace is consistent.
 */
#ifndef PF_TRACE_H
#define PF_TRACE_H

#include "pf_event.h"
#include "vector.h"
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

struct pf_event {
    uint8_t kind;
    uint8_t flags;
    uint16_t thread;
    uint32_t site;
    /* by the operand of the kind: place, lock, cond, barrier, thread, sync or call */
    uint32_t what;
    /* By kind: wait and wake: the mutex; rmw: index into `olds`; arrive and depart: barrier
     * generation; call: index into `reaches`; ret: its call event. In recordings, also: signal: the
     * thread that it wakes; post and take: the barrier whose round the message object stands
     * for. */
    uint32_t link;
    uint64_t value; /* read: the value seen; write and rmw: the value stored */
};

struct pf_range {
    uint64_t addr;
    uint64_t size;
    uint32_t block;         /* generation; 0 if outside all known blocks */
    uint32_t cell0, ncells; /* set by pf_trace_seal */
};

struct pf_cell {
    uint64_t addr, size;
    uint64_t initial;       /* value before the first event, if known */
    bool initial_known;
    bool shared, written;   /* shared: accessed by at least two threads */
    /* accessed by a thread other than the one that allocated its block (pf_event_creates) */
    bool handed_on;
};

/* What a missing call can reach (the set D of RDIT). An item is a cell or an object (lock,
 * condition variable, barrier, message object, thread). Object k has the item number ncells + k. */
struct pf_reach {
    uint32_t item0, nitems; /* range in reach_items, sorted; set by pf_trace_seal */
};

struct pf_name {
    char *text;
    uint64_t addr;
};

struct pf_site_info {
    uint32_t file; /* a name */
    uint32_t line;
    uint32_t func; /* a name; PF_NONE: unknown */
    uint32_t column;
    uint32_t begins; /* first line of the function; 0: unknown */
    bool range; /* an access at this position covers more bytes than any scalar variable has */
    uint32_t object; /* a name: the program or library; PF_NONE: unknown */
    uint32_t merged_lines; /* a name: further lines of a merged access; PF_NONE: none */
    bool folded; /* also stands for deeper recursion of the same call */
};

/* A variable of a recorded program. Variables of the text form have their address in struct
 * pf_name. */
struct pf_variable {
    uint64_t addr, size;
    uint32_t name; /* unique, and restricted to the characters of the text form */
    uint32_t symbol, file, line; /* as the object file has it; `symbol` and `file` are names */
};

struct pf_recorded_stack {
    uint32_t first, n; /* range in stack_sites: the sites, innermost first */
    uint32_t variable; /* of the access: a name; PF_NONE: unknown */
    bool locks; /* the access is the use of a lock by a function that takes it */
};

struct pf_recorded_thread {
    uint32_t name; /* a name; PF_NONE: none */
    uint32_t parent; /* its number in the recording */
    uint32_t created; /* stack of its creation; PF_NONE: unknown */
    uint64_t id; /* as the target sees it; 0: unknown */
    uint64_t stack, stack_size, tls, tls_size; /* its memory; 0: unknown */
};

/* Data that only recordings have. In a trace read from text, everything is empty except `cut`. */
struct pf_recorded {
    PF_VEC(struct pf_variable) variables; /* sorted by address */
    pf_vec_u32 index; /* per event: its number among the events of its thread; schedules use it */
    pf_vec_u32 event_stack; /* per event: index into `stacks` */
    pf_vec_u32 thread; /* per thread: its number in the recording */
    PF_VEC(struct pf_recorded_thread) threads; /* per thread */
    PF_VEC(uint64_t) lock_address; /* per lock */
    pf_vec_u32 callee; /* per call object: the name of the function; empty: not known */
    PF_VEC(struct pf_recorded_stack) stacks;
    pf_vec_u32 stack_sites;
    bool present;
    bool cut; /* the recording ended early, or only its first events were read */
    /* set by the caller of the reader: maximum number of events; 0: PF_RECORDED_MAX */
    uint32_t limit;
    bool limited; /* the recording has more events than `limit` */
    /* set by the caller: most time for a replay that makes the events, in milliseconds, elapsed and
     * fair (src/clip/fair_time.h); 0: any */
    uint64_t replay_limit_ms, replay_fair_ms;
    bool out_of_time; /* that was not enough */
    char child[100]; /* path of the forked child that was recorded; "": it is not a child */
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
    PF_VEC(uint64_t) olds; /* values read by rmw events */
    pf_vec_u32 wakers; /* pairs (wake event, notify event), sorted by wake event */
    PF_VEC(struct pf_name) names; /* names of variables, locks, files, ...; see pf_trace_name */
    pf_vec_u32 reuses; /* pairs (new block, older block that it overlaps), sorted by new block */
    /* per event: 1 if it is an inner event of a callback, see pf_trace_is_inner; may be shorter */
    PF_VEC(uint8_t) inner;
    pf_vec_u32 labels; /* the user's number of each event; empty: event i has number i + 1 */
    pf_vec_u32 threads, locks, conds, barriers, syncs, calls; /* name of each object */
    struct pf_recorded recorded;
    bool has_branches; /* false: every read counts as a branch, see pf_event_decided */
    bool has_calls;
    bool has_orphans; /* some reads see a value that no recorded write explains (selfcheck.h) */
    /* The program also runs code that is not recorded: values may change without an event. */
    bool has_unrecorded_code;
    bool sealed;
    struct pf_trace_tables *tables; /* interning tables, private to src/trace */
};

void pf_trace_init(struct pf_trace *t);
void pf_trace_release(struct pf_trace *t);

/* Interning. All tables share the names. The first use of a name in a role gives it the next number
 * of that role. */
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
uint32_t pf_trace_role_number(struct pf_trace *t, enum pf_role role, uint32_t name);
size_t pf_trace_nobjects(const struct pf_trace *t, enum pf_role role);
/* Sets the address of an object, for pf_trace_reach_range. */
void pf_trace_locate_object(struct pf_trace *t, enum pf_role role, uint32_t number, uint64_t addr);
/* The address of an object of a recording; 0: unknown. */
uint64_t pf_trace_object_address(const struct pf_trace *t, enum pf_role role, uint32_t number);
/* The name of the object with this number. */
uint32_t pf_trace_role_name(const struct pf_trace *t, enum pf_role role, uint32_t number);
#define PF_NAMED_STRIDE 0x10000ull /* bytes between two named variables */
/* The address of a named variable; assigns a new address on first use. */
uint64_t pf_trace_variable(struct pf_trace *t, uint32_t name);
uint32_t pf_trace_place(struct pf_trace *t, uint64_t addr, uint64_t size);
uint32_t pf_trace_site(struct pf_trace *t, uint32_t file, uint32_t line);
/* The same with a function (PF_NONE: none) and a column. */
uint32_t pf_trace_position(struct pf_trace *t, uint32_t file, uint32_t line, uint32_t func,
                           uint32_t column);
/* The site of an access that the compiler merged from several lines: a site of its own, different
 * from the site of unmerged accesses at the same position. */
uint32_t pf_trace_merged_site(struct pf_trace *t, uint32_t site, uint32_t merged_lines);

/* Starts a new heap block; places inside it that are created later belong to it. Returns the place
 * of the whole block. */
uint32_t pf_trace_new_block(struct pf_trace *t, uint64_t addr, uint64_t size);

/* Finds the block that covers addr and returns its first address and size; false if there is
 * none. */
bool pf_trace_block_at(const struct pf_trace *t, uint64_t addr, uint64_t *first, uint64_t *size);

/* Finds the variable of the recorded program that covers addr; false if there is none. */
bool pf_trace_variable_at(const struct pf_trace *t, uint64_t addr, struct pf_variable *v);

/* pf_trace_reach starts a new, empty reach set and returns its number. pf_trace_reach_add adds an
 * item to the newest set: the objects with this name in any role (PF_NONE: none) and a place
 * (PF_NONE: none). */
uint32_t pf_trace_reach(struct pf_trace *t);
void pf_trace_reach_add(struct pf_trace *t, uint32_t name, uint32_t place);
/* Adds an address range to the newest set: every block and every object (pf_trace_locate_object)
 * that ever was at these addresses. Overlapping ranges share an item even if no event ever accessed
 * the overlap. */
void pf_trace_reach_range(struct pf_trace *t, uint64_t addr, uint64_t size);
/* Creates a set that equals an earlier one. */
uint32_t pf_trace_reach_same(struct pf_trace *t, uint32_t earlier);
/* The same, but blocks that were allocated since then at the addresses of the earlier set are added
 * to both sets. */
uint32_t pf_trace_reach_refresh(struct pf_trace *t, uint32_t earlier);
/* From now on, additions extend the earlier set, and with it every set that was created as equal to
 * it. */
void pf_trace_reach_extend(struct pf_trace *t, uint32_t earlier);

/* Appends an event; the caller fills in the fields that the kind needs. */
struct pf_event *pf_trace_add(struct pf_trace *t, enum pf_event_kind kind, uint32_t thread);

/* Computes everything derived from the events: cells, lock nesting, barrier generations, wakers,
 * initial values. The trace is immutable afterwards. O(n log n). */
void pf_trace_seal(struct pf_trace *t);

/* The flags of all events, in which fences and release sequences are folded into the ordering of
 * atomic operations: slightly more order than C11 has, never less. The caller frees the result.
 * O(n log n). */
uint8_t *pf_trace_fold_atomic_order(const struct pf_trace *t);

static inline bool pf_event_is_access(const struct pf_event *e)
{
    return pf_event_class[e->kind] == PF_CLASS_ACCESS;
}
/* True if the event stores into its cells. */
static inline bool pf_event_writes(const struct pf_event *e)
{
    return e->kind == PF_EV_WRITE || e->kind == PF_EV_AWRITE || e->kind == PF_EV_RMW ||
           e->kind == PF_EV_FREE;
}
/* True if the event is an allocation that counts as a write of its block for happens-before: a
 * plain access that is not ordered after it is a race. Not an access: the analyses that reorder
 * events keep every access after the allocation of its block. */
static inline bool pf_event_creates(const struct pf_event *e)
{
    return e->kind == PF_EV_ALLOC && (e->flags & PF_EF_CREATES);
}
/* True if happens-before analyses examine the cell. */
static inline bool pf_cell_can_race(const struct pf_cell *c)
{
    return (c->shared && c->written) || c->handed_on;
}
/* True if the event depends on the contents of its cells. */
static inline bool pf_event_reads(const struct pf_event *e)
{
    return e->kind == PF_EV_READ || e->kind == PF_EV_AREAD || e->kind == PF_EV_RMW;
}
static inline bool pf_event_atomic(const struct pf_event *e)
{
    return e->kind == PF_EV_AREAD || e->kind == PF_EV_AWRITE || e->kind == PF_EV_RMW;
}
/* True if the event can happen only when all earlier reads of its thread have seen the values of
 * the trace. */
static inline bool pf_event_decided(const struct pf_trace *t, const struct pf_event *e)
{
    return !t->has_branches || e->kind == PF_EV_BRANCH || (e->flags & PF_EF_DECIDED);
}
/* Check-then-act, as marked by the compiler (src/predict/pecan/check_act.h). */
static inline bool pf_event_checks(const struct pf_event *e)
{
    return e->kind == PF_EV_READ && (e->flags & PF_EF_CHECK);
}
static inline bool pf_event_acts(const struct pf_event *e)
{
    return e->kind == PF_EV_WRITE && (e->flags & PF_EF_ACT);
}
/* True if the event acquires (releases) a lock. Inner levels of a recursive lock do neither. */
static inline bool pf_event_acquires(const struct pf_event *e)
{
    return pf_event_class[e->kind] == PF_CLASS_ACQUIRE && !(e->flags & PF_EF_NESTED);
}
static inline bool pf_event_releases(const struct pf_event *e)
{
    return pf_event_class[e->kind] == PF_CLASS_RELEASE && !(e->flags & PF_EF_NESTED);
}
/* The lock of an acquire, a release or a failed trylock. */
static inline uint32_t pf_event_lock(const struct pf_event *e)
{
    return pf_event_operand[e->kind] == PF_OPERAND_COND_LOCK ? e->link : e->what;
}
static inline bool pf_event_shared(const struct pf_event *e)
{
    return e->kind == PF_EV_RDLOCK || e->kind == PF_EV_RDUNLOCK;
}
/* True if a and b are accesses with a common cell. */
bool pf_trace_overlap(const struct pf_trace *t, const struct pf_event *a, const struct pf_event *b);
/* True if, in addition, they are of two threads, at least one stores, and not both are atomic. */
bool pf_trace_conflict(const struct pf_trace *t, const struct pf_event *a,
                       const struct pf_event *b);

/* True if e is a plain access to the block of the allocation a by another thread. */
static inline bool pf_trace_uses_created(const struct pf_trace *t, const struct pf_event *a,
                                         const struct pf_event *e)
{
    return pf_event_creates(a) && a->thread != e->thread && pf_event_is_access(e) &&
           !pf_event_atomic(e) && t->places.at[a->what].block == t->places.at[e->what].block;
}

/* Extracts the part of the event's value that lies in the cell; false if it is unknown. `old`: for
 * an rmw, take the value read instead of the value stored. */
bool pf_trace_cell_value(const struct pf_trace *t, const struct pf_event *e, uint32_t cell,
                         bool old, uint64_t *value);
/* The notify event that caused this wake; PF_NONE if the wake was spurious or timed out. */
uint32_t pf_trace_waker(const struct pf_trace *t, uint32_t wake);
/* Inner events of a callback: all its events except the first and the last one. A callback is code
 * with events that a missing call has called. While it runs, the code of the missing call does not
 * run. An event during a missing call that is not marked may be the first or the last one. */
void pf_trace_set_inner(struct pf_trace *t, uint32_t i);
static inline bool pf_trace_is_inner(const struct pf_trace *t, uint32_t i)
{
    return i < t->inner.len && t->inner.at[i];
}
/* The number under which users see event i. */
uint32_t pf_trace_label(const struct pf_trace *t, uint32_t i);

/* The items (see struct pf_reach) on which event i operates: [*first, *first + result), and one
 * more in *other (PF_NONE: none). */
uint32_t pf_trace_items(const struct pf_trace *t, uint32_t i, uint32_t *first, uint32_t *other);
uint32_t pf_trace_nitems(const struct pf_trace *t);
/* True if the reach set contains the item. */
bool pf_trace_reaches(const struct pf_trace *t, const struct pf_reach *d, uint32_t item);

#endif
