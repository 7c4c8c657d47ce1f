/*
 * execution.h - one run of the program as a graph: its operations, and which write each of them
 * reads from.
 *
 * Model:   a node is an operation of a thread: everything between two points where the scheduler
 *          can let another thread run. An operation that waits in the middle has two nodes, one
 *          before and one after the wait. Each piece of memory that at least two threads use is
 *          a cell. So is each lock, condition variable, barrier and message object: its operations
 *          read the previous operation and write the next state. Calls of library functions with a
 *          state of their own (output, say) share one more cell. One further thread, the final one,
 *          has a node for every cell that several threads write, which reads the last write of the
 *          cell (no node if the process ends while other threads may still run).
 *
 *          The history of a node is a hash over everything that it depends on: the operations of
 *          its thread so far and, recursively, the histories of the writes that they read. Equal
 *          histories in two runs mean that the same operation happened after the same past. A read
 *          of the thread's own last write, or of the initial value if there is none, adds nothing,
 *          so memory that turns out to be private does not matter.
 *
 *          A loop in which a thread waits may have any number of iterations. An iteration that only
 *          reads, or whose read-modify-writes store what is already there, and after which the
 *          registers and the stack of the thread are as before it, is left out of the graph: the
 *          run would be the same without it. If the thread still waits at the end, its last
 *          iteration counts as an operation that did not happen.
 * Memory:  an execution owns everything; it is freed when pf_execution_release drops the last
 *          reference.
 * Cost:    O(events of the trace * cells per access).
 */
#ifndef PF_EXPLORE_EXECUTION_H
#define PF_EXPLORE_EXECUTION_H

#include "channel.h"
#include "engine/reads_from.h"
#include "trace.h"

/* The state of an object after an operation. */
enum pf_object_state {
    PF_STATE_ANY,    /* not a lock, or not known */
    PF_STATE_FREE,   /* a lock that can be taken */
    PF_STATE_SHARED, /* held by readers */
    PF_STATE_HELD
};

enum pf_exec_flags {
    PF_EXEC_SECOND = 1,  /* the part of an operation after its wait */
    PF_EXEC_ENDS = 2,    /* the end of the thread */
    PF_EXEC_TRIES = 4,   /* it does not wait for its lock */
    PF_EXEC_SHARES = 8,  /* it takes its lock shared */
    PF_EXEC_TAKES = 16,  /* it may wait for its message object */
    PF_EXEC_ACQUIRES = 32, /* it waits for its lock */
    PF_EXEC_RELEASES =
        64, /* it releases its lock; it can have another source only if the lock is shared */
    PF_EXEC_PENDING = 128, /* it did not happen: its thread waited for it at the end of the run */
    PF_EXEC_SIGNALS = 256, /* it wakes one of the waiters of a condition variable */
    PF_EXEC_BROADCASTS = 512, /* it wakes all waiters, except those whose time limit has passed */
    PF_EXEC_TIMED = 1024, /* it TRIES, but may first wait for some time */
    PF_EXEC_STOPS = 2048, /* it ends the process while other threads may still run */
    PF_EXEC_SHOWS = 4096, /* other threads exist, and it may change the outside, such as a file */
    PF_EXEC_ONCE = 8192, /* it takes its object only if that is free, see exec_once.c */
};
/* The flags of a call that runs an initialiser, unless it has run before. */
#define PF_EXEC_ONCE_CALL (PF_EXEC_ONCE | PF_EXEC_ACQUIRES | PF_EXEC_SHARES)

struct pf_exec_node {
    uint64_t history;
    uint64_t state; /* hash of the thread's own state (registers, stack) before it; 0: not known */
    uint32_t previous; /* of its thread; PF_NONE: none */
    uint32_t index; /* number of the operation in its thread */
    uint32_t site; /* a hash of its source position, the same in all runs */
    uint32_t flags;
    uint32_t forks; /* thread that it creates; PF_NONE: none */
    /* SIGNALS: 1 + the position of the woken thread in the queue; 0: none is woken. BROADCASTS: one
     * bit for each position of a waiter whose time limit has passed. */
    uint32_t choice;
};

/* A thread in the queue of a condition variable. */
struct pf_exec_queued {
    uint32_t thread;
    bool timed; /* its wait has a time limit */
};

/* What each access of the graph has in addition. */
struct pf_exec_access {
    uint32_t own; /* the last write of the same thread to the cell; PF_SOURCE_INITIAL: none */
    uint32_t offset; /* of the cell in the memory that the event accesses */
    bool begins; /* it is the first access of its event */
    uint64_t object; /* address of a message object; 0: something else */
    int32_t level; /* message objects: posts minus takes so far, including this one */
    uint8_t after; /* enum pf_object_state */
    bool is_lock;
    bool is_queue; /* a condition variable; the queue after it is in pf_execution.queues */
    uint32_t queue0, nqueue;
    bool compares; /* a compare-and-swap: it writes only if it finds what it expects */
    /* another read-modify-write operation: it has the effect of a read if it stores what is already
     * there */
    bool updates;
    bool seen_known, stored_known;
    uint64_t seen, stored; /* values of the cell */
};

struct pf_exec_thread {
    uint64_t name; /* a hash of the way it was created */
    uint32_t number; /* in order of creation; PF_NONE: the final one */
    uint32_t length; /* how many of its nodes happened */
    uint64_t events; /* operations that it has done, if it has not ended */
    bool live; /* it could have run on when the process ended */
    bool ender; /* it ended the process */
    bool within; /* live, and in the middle of an operation with a time limit */
};

/* Something that happened in the run and that is not explored. */
struct pf_exec_unexplored {
    const char *reason; /* a constant text, which pf explore prints */
    char where[240];
};

/* Memory that an operation of code with checks allocated. */
struct pf_exec_block {
    uint64_t addr;
    uint32_t node;
    uint32_t event; /* of the trace */
};

struct pf_exec_cell {
    bool initial_known;
    uint64_t initial; /* value before the run */
};

struct pf_execution {
    struct pf_rf_graph g; /* its last thread is the final one */
    PF_VEC(struct pf_exec_node) nodes;
    PF_VEC(struct pf_exec_access) accesses;
    PF_VEC(struct pf_exec_thread) threads;
    PF_VEC(struct pf_exec_cell) cells;
    PF_VEC(struct pf_exec_unexplored) unexplored;
    PF_VEC(struct pf_exec_queued) queues;
    PF_VEC(struct pf_exec_block) blocks;
    /* Operations in loops that wait, after which the thread is as before: their histories, and
     * hashes of the state of the thread and the value that they read (pf_exec_spin_key). */
    PF_VEC(uint64_t) spins;
    uint32_t widest; /* the most accesses of a node */
    uint64_t key; /* equal in two runs of one class */
    uint32_t references;
};

/* What the runtime reports about a run, in addition to its trace. */
struct pf_exec_report {
    const struct pf_blocked *blocked; /* the threads that had not ended */
    uint32_t nblocked;
    const struct pf_local_state *states; /* of threads at events that may belong to loops */
    uint32_t nstates;
    bool complete; /* the run reached its end */
    bool crashed; /* its last operation ended it */
};

/* Builds the graph of a trace. */
struct pf_execution *pf_execution_new(const struct pf_trace *t, const struct pf_exec_report *r);
void pf_execution_release(struct pf_execution *x); /* drops a reference */

/* The history of node r if it read from these sources and made this choice instead. */
uint64_t pf_execution_history_with(const struct pf_execution *x, uint32_t r,
                                   const uint32_t *sources, uint32_t choice);
/* The queue that node r, which SIGNALS or BROADCASTS, finds if it reads from these sources (NULL:
 * from its own). Returns its length. */
uint32_t pf_execution_queue(const struct pf_execution *x, uint32_t r, const uint32_t *sources,
                            const struct pf_exec_queued **queue);
/* How many events the main thread performs before its first operation that depends on other threads
 * or affects them. Creating threads does not count as such an operation, nor does anything before
 * the first thread is created. */
uint64_t pf_execution_own_events(const struct pf_execution *x);
/* A plan with which every execution can begin: these events, then the threads that the main thread
 * has created, each of them up to its first event. */
typedef PF_VEC(struct pf_schedule_plan_step) pf_vec_steps;
void pf_execution_prefix(const struct pf_execution *x, pf_vec_steps *plan);
/* A key for a thread in this state that reads this value. With equal keys, threads go on in the
 * same way. */
uint64_t pf_exec_spin_key(uint64_t state, uint64_t value);
/* The node that took effect last; PF_NONE: there is none. */
uint32_t pf_execution_last(const struct pf_execution *x);

#endif
