/*
 * forked_child.h - a forked child of a recorded process is recorded too, as its own execution.
 *
 * Model:   the recording of a child is the recording of its parent up to the fork, then what the
 *          child does: in it, the fork returned 0. A replay therefore creates no process: where the
 *          recording says that the fork returned 0, the replaying process becomes the child. Only
 *          the thread that called fork exists in the child; everything that other threads did
 *          happens before the fork.
 *
 *          A child writes its streams to a file of its own (child_log.h). If pf wants the
 *          recording of one certain child (its path is in the channel), that child takes over the
 *          rings instead, and its ancestors continue directed, but without a recording.
 * Memory:  the table of processes is in the channel; each process writes its own entry, and its
 *          parent its status.
 * Threads: the runner.
 * Errors:  a child that cannot be recorded runs undirected, and is counted as such.
 */
#ifndef PF_RT_FORKED_CHILD_H
#define PF_RT_FORKED_CHILD_H

#include "input_record.h"
#include <stdbool.h>
#include <stdint.h>

enum pf_fork_how {
    PF_FORK_UNRECORDED, /* the child runs undirected */
    PF_FORK_RECORDED, /* the child records into its own file */
    PF_FORK_FOLLOWED /* the child takes over the rings */
};

/* A fork in progress. */
struct pf_fork {
    enum pf_fork_how how;
    uint32_t entry; /* of the child in the channel's table */
    uint32_t number; /* counts the forks of this process */
};

/* Recording: before the process is copied. */
struct pf_fork pf_fork_prepare(void);
/* Recording, in the child: continues directed, and records. False: it runs undirected. */
bool pf_fork_in_child(const struct pf_fork *f, long number, const long argument[6]);
/* Recording, in the parent: `pid` is the result of the call. */
void pf_fork_in_parent(const struct pf_fork *f, long pid);
/* Replay: the fork returned 0, so this process is the child from now on. */
void pf_fork_replay_child(const struct pf_input *in, long number, const long argument[6]);

/* Recording, without effect unless this process is a recorded child. creates_thread: it has created
 * a thread. executes: it is about to execute another program; `other` false: that has failed. ends:
 * it is about to end with this status, as from wait(2). */
void pf_forked_child_creates_thread(void);
void pf_forked_child_executes(bool other);
void pf_forked_child_ends(int wait);
/* Recording: a wait of this process returned the status of the child `pid`. Ends the process if it
 * only runs for the sake of a child that has ended. */
void pf_forked_child_reaped(long pid, int wait);

#endif
