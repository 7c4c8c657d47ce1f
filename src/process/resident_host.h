/*
 * resident_host.h - pf's side of a resident target: a program that stays at a checkpoint and runs
 * copies of itself on request (struct pf_resident in channel.h).
 *
 * Model:   a copy continues from the checkpoint along a schedule plan, then under a policy. It
 *          writes its streams into memory, the lane, after those of the run up to the checkpoint.
 *          So the lane can be read like an ordinary recording.
 *          Several resident processes run copies in parallel, each with a lane of its own.
 * Memory:  the host owns the lanes. A clip that views a lane is valid until the next run there.
 * Threads: one thread at a time.
 * Errors:  PF_IO and PF_BAD with a message that names the program.
 */
#ifndef PF_PROCESS_RESIDENT_HOST_H
#define PF_PROCESS_RESIDENT_HOST_H

#include "answer_table.h"
#include "directed.h"

struct pf_resident_host;

/* Where the checkpoint is, and how long to wait for it. */
struct pf_resident_start {
    const char *schedule; /* the policy of the target */
    const struct pf_schedule_plan_step *plan; /* up to the checkpoint */
    size_t nsteps;                            /* less than PF_RESIDENT_STEPS */
    uint32_t jobs; /* most resident processes; fewer start if the copies would share something */
    uint64_t limit_ms; /* most time until the target has reached the checkpoint */
    bool (*should_stop)(void); /* NULL: never */
    bool allow_outside; /* copies may use connections to other processes */
    const struct pf_answer_file *answers; /* shared by all copies; outlives the host */
};

/* What the outside world has answered (answer_table.h). */
struct pf_answer_file {
    int fd;
    struct pf_answer_table *table;
};
PF_MUST_USE pf_status pf_answer_file_open(struct pf_answer_file *f, struct pf_error *e);
void pf_answer_file_clear(struct pf_answer_file *f); /* forgets all answers */
void pf_answer_file_close(struct pf_answer_file *f);

/* Starts the program and waits until it has reached the checkpoint. `m` must outlive the host. */
PF_MUST_USE pf_status pf_resident_host_new(struct pf_resident_host **out,
                                           const struct pf_clip_meta *m,
                                           const struct pf_resident_start *how, struct pf_error *e);
/* Ends the program. NULL is fine. */
void pf_resident_host_free(struct pf_resident_host *r);

/* How a copy ended, in addition to what its clip tells. */
struct pf_resident_end {
    bool killed; /* it exceeded its time, or the room for its events */
    uint32_t children; /* processes that it started */
    bool executed; /* it executed another program */
    /* it changed a pipe or a socket that the copies share: start the program again */
    bool used_up;
    uint64_t
        shared_input; /* bytes of stream `input` up to the checkpoint: the same in all copies */
    bool weak; /* it performed an atomic operation that is not sequentially consistent */
    bool limit_passed_early; /* its schedule ended a wait before the time limit */
    bool far_limit_passed; /* that limit was more than a day away */
    const struct pf_blocked *blocked; /* the threads that had not ended */
    uint32_t nblocked;
    const struct pf_local_state *states; /* of threads at events that may belong to loops */
    uint32_t nstates;
    char (*unexplored)[32]; /* functions that it called and that are not explored */
    uint32_t nunexplored;
    const uint16_t *live; /* system calls whose answers other copies may not get */
    uint32_t nlive;
};

/* The number of resident processes, which are numbered from 0. */
uint32_t pf_resident_host_jobs(const struct pf_resident_host *r);
/* How many copies of the process its runs needed so far. */
uint64_t pf_resident_host_copies(const struct pf_resident_host *r);
/* begin: resident process `job` starts a copy, which follows the plan and then the policy. end:
 * waits for the copy, at most limit_ms milliseconds. *clip is a view of its recording; do not
 * release it. */
PF_MUST_USE pf_status pf_resident_host_begin(struct pf_resident_host *r, uint32_t job,
                                             const struct pf_schedule_plan_step *plan, size_t n,
                                             const char *policy, struct pf_error *e);
PF_MUST_USE pf_status pf_resident_host_end(struct pf_resident_host *r, uint32_t job,
                                           uint64_t limit_ms, const struct pf_clip **clip,
                                           struct pf_resident_end *end, struct pf_error *e);
/* Writes the last run of this process into a file, as a clip without its events. */
PF_MUST_USE pf_status pf_resident_host_save(struct pf_resident_host *r, uint32_t job,
                                            const char *path, struct pf_error *e);

#endif
