/*
 * hunt.h - searches for an input and a schedule for each race candidate. docs/analysis/hunt.md
 * describes the search and names the paper.
 *
 * Model:   race directed scheduling. Each run is a pair of an input and a schedule, and no pair is
 *          run twice. Phase 1: the hybrid analysis yields candidates from the traces of all runs.
 *          For each candidate, the engine of maximal causality improves the schedule of a run until
 *          both accesses are next; if it cannot, another input is tried (hunt_paths.h). Phase 2:
 *          both orders of each race that was found are run, and inputs that change what the program
 *          does after the race are tried. Phase 3, not in the paper: runs inputs that take branches
 *          that no run took; these may reach new candidates. The phases are repeated until nothing
 *          is left to try or a limit is reached. A race counts only after an ordinary run, without
 *          symbols, has shown it and its clip was replayed.
 * Memory:  a hunt owns everything until release.
 * Threads: one.
 * Errors:  PF_IO and PF_BAD with a message. A run that fails to start is an error; one that leaves
 *          its schedule is not.
 */
#ifndef PF_HUNT_H
#define PF_HUNT_H

#include "findings.h"
#include "hash_map.h"
#include "hunt_paths.h"
#include "predicted_finding.h"

#include <jansson.h>
#include <stdio.h>

#define PF_HUNT_ROUNDS 1000 /* for each candidate, as in the paper */

struct pf_hunt;

struct pf_hunt_settings {
    char **argv; /* the program and its arguments, NULL-terminated */
    const char *cwd; /* the folder of the program; NULL: the current one */
    /* sources that may change, as in pf record --input; NULL: the arguments, standard input and the
     * files that arguments name. An argument that names such a file is not changed. */
    const char *inputs;
    const char *corpus; /* folder of further inputs to start from; NULL: none */
    const char *export; /* folder that gets the corpus at the end; NULL: none */
    const char *state; /* folder of the hunt */
    const char *worker; /* path of pf-z3 */
    uint64_t time_ms, runs; /* limits of time, and of runs that no earlier session made; 0: none */
    uint64_t solver_ms; /* CPU time for each question to Z3 */
    /* parts of the search that are left out, to measure what they contribute */
    bool no_improve; /* only races that happen in a run as it is; no schedule is improved */
    bool no_solver; /* no symbolic runs */
    bool no_changes; /* no inputs that are made without the solver, and no other policies */
    bool (*should_stop)(void);
    void (*progress)(const struct pf_hunt *h); /* called before each run; NULL: never */
};

enum pf_hunt_state { PF_HUNT_OPEN, PF_HUNT_FOUND, PF_HUNT_ABANDONED };

/* A pair of sites that may race. */
struct pf_hunt_candidate {
    uint64_t key; /* of the pair of sites */
    char *text; /* "T1 a.c:12 and T2 a.c:30" */
    enum pf_hunt_state state;
    unsigned phase; /* in which it was found */
    uint64_t rounds;
    char reason[240]; /* why it was abandoned */
    pf_vec_u32 runs; /* in which it was a candidate */
};

/* A position in an input: byte `at` of a source. */
struct pf_hunt_part {
    uint32_t source;
    size_t at;
};

struct pf_hunt_run {
    struct pf_input_bytes input;
    char *plan; /* file with the schedule to follow; NULL: none */
    uint32_t policy; /* the number of another policy (hunt_execute.c); 0: rr, or the plan */
    uint64_t schedule; /* identifies the plan or the policy; 0: rr */
    uint64_t predicted, flip; /* the predicted path, the key of its question; 0: none */
    bool repeat; /* run it although an earlier session did */
    uint32_t race; /* it was made to try both orders of this race; UINT32_MAX: none */
    bool explored; /* its symbolic run was made */
    uint32_t reached; /* how many sites it reached */
    bool reached_new; /* it reached a site that no run before it did */
    /* it was the first to take some direction of a branch, or to use some word of the program */
    bool took_new;
    struct pf_hunt_event stored; /* the first write of a value that no run before it wrote there */
    uint32_t longer; /* 1 + the source that was made longer for it; 0: none */
    uint32_t grown; /* how many of its sources were tried with twice the length */
    uint32_t schedules; /* how many other policies were tried with its input */
    uint32_t changed; /* how many changes of its input were tried (hunt_change.c) */
    struct pf_hunt_part part; /* the change that led to it; its copies are tried */
    uint32_t copies; /* 1 + the number of the next copy; 0: none is left */
    bool restored; /* an earlier session made it */
};

struct pf_hunt_race {
    uint32_t candidate, run;
    char *plan[2]; /* files with schedules for both orders */
    uint64_t rounds; /* 0: its orders were not run yet */
    bool swapped; /* both orders were tried, and nothing is left to try */
    uint64_t ms,
        cpu_ms; /* of the hunt when it was found: elapsed time, and CPU time of pf and runs */
    struct pf_finding *finding;
    char *folder, *command; /* its input as files; the command that uses it */
};

/* An input of the corpus (hunt_state.h). */
struct pf_hunt_kept {
    uint64_t hash;
    struct pf_input_bytes input;
    PF_VEC(uint64_t) reached; /* sites and branches of its runs, as hashes */
    struct pf_hash_map known; /* the same as a set; all values are 0 */
    bool explored; /* it has a symbolic run */
    bool shows_race;
};

typedef PF_VEC(struct pf_input_bytes) pf_hunt_inputs;

struct pf_hunt {
    struct pf_hunt_settings settings;
    char *program, *state; /* absolute paths */
    struct pf_input_bytes seed;
    struct pf_hunt_paths *paths;
    PF_VEC(struct pf_hunt_candidate) candidates;
    PF_VEC(struct pf_hunt_run) runs;
    PF_VEC(struct pf_hunt_race) races;
    struct pf_hash_map tried; /* hashes of pairs (schedule, input); all values are 0 */
    struct pf_hash_map sites; /* sites of events that runs reached; all values are 0 */
    struct pf_hash_map values; /* hashes of values with their sites and threads; of sites: counts */
    struct pf_hash_map inputs; /* hashes of inputs; all values are 0 */
    struct pf_hash_map known; /* hashes of the inputs of all sessions */
    pf_vec_u64 new_sites; /* sites that the journal does not have yet */
    pf_hunt_inputs kept; /* the corpus of earlier sessions */
    struct pf_hash_map kept_at; /* hash of such an input -> its index */
    pf_hunt_open_list parked; /* open runs of earlier sessions, to be made again (hunt_restore.h) */
    size_t restored; /* how many of them were made again */
    bool is_part; /* another process has the other open runs */
    FILE *open; /* the file of open runs */
    uint64_t unfinished; /* the flip whose run was ended by the time limit; 0: none */
    struct pf_findings findings;
    PF_VEC(struct pf_hunt_kept) corpus;
    FILE *journal;
    unsigned phase;
    uint32_t steps; /* inputs that phase 3 tried */
    uint32_t changes; /* how often it tried one without the solver */
    uint64_t began_ms;
    uint64_t repeated; /* runs that an earlier session made already */
    uint64_t left_plan; /* runs that could not follow their schedule */
    uint64_t unended; /* runs that took too long */
    bool finished; /* nothing is left to try */
};

PF_MUST_USE pf_status pf_hunt(struct pf_hunt *h, const struct pf_hunt_settings *settings,
                              struct pf_error *e);
void pf_hunt_release(struct pf_hunt *h);
/* Runs the copies of the changed part of a run's input that are left. */
PF_MUST_USE pf_status pf_hunt_run_copies(struct pf_hunt *h, uint32_t run, struct pf_error *e);
/* True if a limit or a signal ends the hunt: no further run begins. */
bool pf_hunt_stopped(const struct pf_hunt *h);
/* True if the current run must end as well: the time is over, or there was a signal. */
bool pf_hunt_cut(const struct pf_hunt *h);

/* --- hunt_input.c --- */

/* True if the settings allow the source to change. */
bool pf_hunt_may_change(const struct pf_hunt *h, const char *name);
/* The input of the seed command. */
PF_MUST_USE pf_status pf_hunt_seed(const struct pf_hunt *h, struct pf_input_bytes *out,
                                   struct pf_error *e);
/* Adds the inputs of a folder of inputs to `out`, based on the seed. */
PF_MUST_USE pf_status pf_hunt_read_corpus(const char *folder, const struct pf_input_bytes *seed,
                                          pf_hunt_inputs *out, struct pf_error *e);
/* Writes the input as files into the folder, one per source, and the file `command`. */
PF_MUST_USE pf_status pf_hunt_write_input(const struct pf_hunt *h, const struct pf_input_bytes *in,
                                          const char *folder, char **command, struct pf_error *e);
/* Writes a file without syncing it: a hunt writes many, and the death of pf does not lose them. */
PF_MUST_USE pf_status pf_hunt_write_file(const char *path, const void *bytes, size_t n,
                                         struct pf_error *e);
/* Runs the command once; false: it could not be started. */
bool pf_hunt_try_command(const char *command);
/* The arguments of the program with this input, NULL-terminated; the caller frees the list and the
 * strings. A file whose contents changed is written to the state folder, and its argument replaced
 * by the new path; `aliases` gets these files, if it is not NULL. */
PF_MUST_USE pf_status pf_hunt_arguments(const struct pf_hunt *h, const struct pf_input_bytes *in,
                                        char ***out, pf_source_aliases *aliases,
                                        struct pf_error *e);
/* The same for runs of pf. It serves the changed files, so their paths in the arguments stay. */
char **pf_hunt_run_arguments(const struct pf_hunt *h, const struct pf_input_bytes *in);
/* Writes the sources that differ from the seed as a patch file (symbolic_inputs.h). Arguments and
 * standard input are left out; so are, without `all`, variables and files that arguments name.
 * *any: there was a source to write; otherwise no file is written. */
PF_MUST_USE pf_status pf_hunt_write_patch(const struct pf_hunt *h, const struct pf_input_bytes *in,
                                          bool all, const char *path, bool *any,
                                          struct pf_error *e);
/* The SPECs of the sources of symbolic runs with this input, separated by commas; the caller frees
 * it. */
char *pf_hunt_specs(const struct pf_hunt *h, const struct pf_input_bytes *in);
void pf_hunt_arguments_free(char **argv);

/* --- hunt_change.c --- */

/* Makes change number k of an input, which needs no solver. False: there is none. There may be
 * one later, when more words of the program are known. */
bool pf_hunt_change(const struct pf_hunt *h, const struct pf_input_bytes *from, uint32_t k,
                    struct pf_input_bytes *out);
/* The first place in which the new input differs. False: the inputs are equal. */
bool pf_hunt_difference(const struct pf_input_bytes *old, const struct pf_input_bytes *new,
                        struct pf_hunt_part *out);
/* Makes variant number k of an input, in which this part has led to something new: repeats the line
 * with the part, or copies its source or piece over another one, so that another thread does the
 * same; or, if the part has replaced a line or an element of the seed, inserts the old one before
 * the new one. The variant may be equal to the input. False: k is too large. */
bool pf_hunt_spread(const struct pf_hunt *h, const struct pf_input_bytes *from,
                    const struct pf_hunt_part *part, uint32_t k, struct pf_input_bytes *out);

/* --- hunt_execute.c --- */

/* Runs the program with the input along the plan and analyses the trace: new candidates, and races
 * whose schedules were then run. Sets *ran to false if the pair was tried before. */
PF_MUST_USE pf_status pf_hunt_execute(struct pf_hunt *h, const struct pf_hunt_run *what, bool *ran,
                                      struct pf_error *e);
/* Makes the symbolic run that belongs to a run, once. */
PF_MUST_USE pf_status pf_hunt_make_symbolic(struct pf_hunt *h, uint32_t run, struct pf_error *e);

/* --- hunt_report.c --- */

struct pf_text;
/* Writes the report of a hunt, from its JSON object (`hunt` in a document of findings) and its
 * findings. */
void pf_hunt_text(struct pf_text *t, const json_t *hunt, struct pf_findings *found);
/* Writes the hunt as a JSON object. */
void pf_hunt_json(struct pf_text *t, const struct pf_hunt *h);

#endif
