/*
 * exec_builder.h - the state while an execution is built; private to src/explore.
 */
#ifndef PF_EXPLORE_EXEC_BUILDER_H
#define PF_EXPLORE_EXEC_BUILDER_H

#include "execution.h"

/* An operation: the events of one thread that happen without a scheduling point in between. */
struct pf_exec_operation {
    uint32_t thread, index;
    uint32_t first, last; /* events, linked by pf_exec_builder.next */
    uint32_t pivot;       /* the event at which it took effect */
    uint32_t node;
    bool second, closed, has_effect;
    bool dropped; /* it belongs to an iteration of a loop that changed nothing */
    bool starts;  /* likewise, and it is the first one of the iteration */
    bool alone;   /* it is the whole iteration */
    bool repeats; /* iterations before it were dropped: it may be one more of them */
    uint64_t state; /* of its thread before it; 0: not known */
    uint32_t gap; /* if dropped: operations without events after it that are dropped, too */
    bool pending; /* it did not take effect: its thread waited in it at the end of the run */
};

/* A thread that waits for a condition variable. */
struct pf_exec_waiter {
    uint32_t cond, lock, thread;
    uint32_t by; /* the notification that ended the wait; PF_NONE: none so far */
    bool timed; /* the wait has a time limit */
    bool expires; /* it ends when the limit has passed */
    bool left; /* nobody can wake it any more */
};

/* A cell of the graph while it is built. */
struct pf_exec_object {
    uint32_t last;       /* the last node that wrote it; PF_SOURCE_INITIAL: none */
    uint32_t node, access; /* the last node with an access to it, and that access */
    uint32_t writer;     /* the thread that wrote it so far; PF_NONE: none */
    bool many_writers;
    uint8_t state;       /* of a lock: enum pf_object_state */
    uint32_t readers;    /* of a lock: how many threads hold it shared */
    int32_t level;       /* of a message object: posts minus takes */
    uint64_t address;    /* of a message object */
};

struct pf_exec_builder {
    const struct pf_trace *t;
    struct pf_execution *x;
    const struct pf_blocked *blocked;
    uint32_t nblocked;
    uint32_t *ndropped; /* per thread: operations dropped so far */
    /* per thread: the history of its last dropped operation, and ndropped before the iteration */
    struct pf_exec_dropped {
        uint64_t history;
        uint32_t before;
    } *dropped;
    uint64_t after; /* the history after which a dropped operation comes; 0: not dropped */
    PF_VEC(struct pf_exec_operation) operations;
    uint32_t *operation; /* per event: its operation */
    uint32_t *next; /* per event: the next one of its operation */
    /* per thread: the node that creates it; how many threads it has created; its last node */
    uint32_t *fork, *forks, *last_node;
    PF_VEC(struct pf_exec_object) objects; /* the cells of the graph */
    /* numbers of the trace -> cell; PF_NONE: used by one thread only */
    uint32_t *cell_of, *lock_of, *cond_of, *sync_of, *barrier_of;
    uint32_t hidden; /* the cell of calls with a state of their own; PF_NONE: none */
    uint32_t *own; /* per cell and thread: the thread's last write */
    uint32_t nown; /* threads of a row of `own` */
    PF_VEC(struct pf_exec_waiter) waiters; /* of all condition variables, the oldest first */
    pf_vec_u32 arrivals; /* pairs (object of the round, node) */
    uint32_t node; /* the node that is being built */
    size_t edge0; /* its first edge */
    uint32_t live; /* threads that exist, without the main one */
    uint32_t unjoined; /* likewise, or have ended but were not joined */
    const struct pf_blocked *ender; /* of the thread that ended the process; NULL: none did */
    uint32_t ender_thread;
    uint32_t stop; /* the operation that ended the process; PF_NONE: it has no event */
};

uint64_t pf_exec_mix(uint64_t h, uint64_t v);
/* A hash of the source position, the same in all runs. */
uint32_t pf_exec_site_hash(const struct pf_trace *t, uint32_t site);
/* execution.c: begins a node of the thread; its accesses and edges follow, then node_end. */
uint32_t pf_exec_node_begin(struct pf_exec_builder *b, uint32_t thread, uint32_t index,
                            uint32_t flags);
void pf_exec_node_end(struct pf_exec_builder *b);

/* exec_objects.c: the interposed function that the event belongs to; NULL: none. */
const char *pf_exec_function(const struct pf_trace *t, uint32_t event);
/* PF_EXEC_TRIES if calls of this function fail instead of waiting; together with PF_EXEC_TIMED if
 * they first wait, and fail when their time limit has passed; 0: neither, or it is NULL. */
uint32_t pf_exec_try_flags(const char *function);
/* The lock or message object that contains the futex; PF_NONE: none. */
uint32_t pf_exec_find_object(const struct pf_trace *t, enum pf_role role, uint64_t futex);
/* The thread of the trace with this number of the run; PF_NONE: none. */
uint32_t pf_exec_thread_of(const struct pf_trace *t, uint32_t number);
/* The access of the node to the cell, which is made if there is none. */
uint32_t pf_exec_access_to(struct pf_exec_builder *b, uint32_t cell, uint32_t offset);
/* Reads and writes an object. Returns its access. */
struct pf_exec_access *pf_exec_add_update(struct pf_exec_builder *b, uint32_t cell);
void pf_exec_set_flag(struct pf_exec_builder *b, uint32_t flag);
/* Writes where the event happened: "function at file:line". */
void pf_exec_place(const struct pf_trace *t, uint32_t event, char *text, size_t size);
/* Notes something at the event that is not explored. */
void pf_exec_add_unexplored(struct pf_exec_builder *b, const char *reason, uint32_t event);
/* Adds an edge: the node comes after the operation of the event. */
void pf_exec_add_order(struct pf_exec_builder *b, uint32_t from_event);
/* exec_once.c: true if the function runs an initialiser once, or ends one. */
bool pf_exec_is_once(const char *function);
/* Adds what event i of such a function does to its object. */
void pf_exec_add_once(struct pf_exec_builder *b, uint32_t i, uint32_t cell);
/* exec_cond.c: adds what event i does to a condition variable. */
void pf_exec_add_cond(struct pf_exec_builder *b, uint32_t i);
/* The node is a futex call that did not wait, because the word had changed: it reads the queue
 * `cond` (see pf_exec_changed_futex), but does not change it. */
void pf_exec_add_changed_futex(struct pf_exec_builder *b, uint32_t cond);
/* The thread waits for its mutex after a wait for a condition variable: adds why that wait
 * ended. */
void pf_exec_add_wake_up(struct pf_exec_builder *b, uint32_t thread);

/* Gives a cell to everything that at least two threads use. */
void pf_exec_find_objects(struct pf_exec_builder *b);
/* Adds what event i does to the node. */
void pf_exec_add_event(struct pf_exec_builder *b, uint32_t i);
/* Adds what the operation reads, without effects on the objects. Only for those that just read. */
void pf_exec_add_reads(struct pf_exec_builder *b, const struct pf_exec_operation *o);
/* Adds a read of the cell by the node. fallback: the source if nothing was written. */
void pf_exec_add_read(struct pf_exec_builder *b, uint32_t cell, uint32_t fallback, uint32_t offset);
/* exec_calls.c: the function of a call event; empty: not known. */
const char *pf_exec_callee(const struct pf_trace *t, uint32_t call);
/* True if the operation is a call of a library function with a state of its own. */
bool pf_exec_is_ordered(const struct pf_exec_builder *b, const struct pf_exec_operation *o);
/* True if all effects of the call event's function are events. */
bool pf_exec_is_event(const struct pf_exec_builder *b, uint32_t call);
/* Adds what the library function behind the operation does, apart from its events. */
void pf_exec_add_call(struct pf_exec_builder *b, const struct pf_exec_operation *o);
/* True if the WAIT event is a wait for a futex, in a call that the program made itself. */
bool pf_exec_waits_for_futex(const struct pf_exec_builder *b, uint32_t wait);
/* If the event is the read of the word in a futex call that did not wait, because the word had
 * changed: returns the queue of the futex, which is a condition variable of the trace. PF_NONE: it
 * is another event, or the trace has no such queue. */
uint32_t pf_exec_changed_futex(const struct pf_exec_builder *b, uint32_t read);
/* Adds what event i, a call of code without events or the return from one, does. */
void pf_exec_add_code(struct pf_exec_builder *b, uint32_t i);
/* Per cell of the trace: the thread that accesses it in such calls; PF_NONE: none; PF_EXEC_MANY:
 * several. The caller frees it. */
#define PF_EXEC_MANY (PF_NONE - 1)
uint32_t *pf_exec_find_reached(const struct pf_exec_builder *b);
/* exec_loops.c: marks the operations of iterations that changed nothing. */
void pf_exec_find_waits(struct pf_exec_builder *b, const struct pf_exec_report *r);
/* Marks operations in which threads waited at the end. */
void pf_exec_find_pending(struct pf_exec_builder *b);
/* exec_end.c: finds out which thread ended the process, and by which operation. */
void pf_exec_find_end(struct pf_exec_builder *b, bool crashed);
/* The node ends the process: it reads the cell `hidden`, the state of library functions that is not
 * in the trace, such as files. */
void pf_exec_add_stop(struct pf_exec_builder *b);
/* Adds the operations that threads waited for at the end, and marks threads that could run on. */
void pf_exec_add_blocked(struct pf_exec_builder *b);

#endif
