/*
 * check_folder.h - the files of one check, in its own folder in STATE/check (docs/format/check.md).
 *
 * Model:   plan.json describes what is checked; `journal` has a line for every step that has ended,
 *          appended in one write; .runs/N holds the logs of free run N, clips/ recordings and
 *          clips, and found/N.json the findings of step N. --continue repeats a step that was cut
 *          off. Such a step has no line, unless it is a HATCH or EXPLORE with a partial result. The
 *          process that works on a check holds a lock on the file `lock`, which the kernel releases
 *          with the process.
 * Memory:  paths are malloced; the caller frees lists of lines.
 * Threads: any number of processes may use one STATE, each with its own check.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_CHECK_CHECK_FOLDER_H
#define PF_CHECK_CHECK_FOLDER_H

#include "check_settings.h"

/* The kinds of steps. */
enum pf_check_kind {
    PF_CHECK_RUN,    /* a free run */
    PF_CHECK_RECORD, /* a recording under some schedule */
    PF_CHECK_HATCH,  /* tries the predictions from a recording */
    PF_CHECK_DIRECT, /* a recording aimed at one finding */
    PF_CHECK_LOOK,   /* searches a recording for the races that happened in it */
    PF_CHECK_JUDGE,  /* judges the confirmed races that are not judged yet */
    PF_CHECK_BATCH,  /* many schedules from one checkpoint; some become recordings */
    PF_CHECK_EXPLORE, /* systematic search (pf explore); some of its runs become recordings */
    PF_CHECK_HUNT, /* searches for other inputs (pf hunt) */
    PF_CHECK_KINDS
};
extern const char *const pf_check_kind_name[PF_CHECK_KINDS];

/* A line of the journal. */
struct pf_check_line {
    uint64_t step;
    enum pf_check_kind kind;
    uint64_t test, round;
    /* HATCH, LOOK: the step that made the recording; RECORD: the BATCH or EXPLORE that chose it,
     * 0: none. In the journal it is called `clip`. */
    uint64_t from_step;
    char child[100]; /* HATCH, LOOK: the path of the forked child to search; "": no child */
    uint64_t finding; /* DIRECT: the finding it is aimed at */
    char schedule[200]; /* RUN: the sampling policy */
    char how[12]; /* ended, limit, budget, stopped, unstarted */
    int wait; /* status from waitpid */
    uint64_t wall_ms;
    uint64_t events, candidates, refuted, undecided; /* HATCH, LOOK */
    /* BATCH: the seed of its first schedule, how many schedules, new behaviours, new failures, and
     * the number of events of a schedule on average (also of RECORD). EXPLORE: how many schedules,
     * different executions (behaviours) and failures, and how many targets are left. HUNT: how many
     * runs, and whether inputs are left to try */
    uint64_t first, schedules, behaviours, failures, length, left;
    bool refused; /* BATCH: a private run cannot follow any of its schedules */
    bool creates; /* RECORD: the first one of its test, which ended with status 0, created files */
    /* RECORD, DIRECT, BATCH, EXPLORE: the program does not see the files that the first recording
     * created */
    bool hides;
    bool late; /* BATCH: its schedules start at the first switch, otherwise at main's first event */
    bool complete; /* the step has explored everything that is left of the test */
    char trouble[400]; /* what went wrong, as text; "": nothing */
};

#define PF_CHECK_STOPPED "stopped" /* by a signal */
#define PF_CHECK_BUDGET "budget" /* by the end of the time budget */

struct pf_check_lines {
    struct pf_check_line *at; /* a vector (vector.h) */
    size_t len, cap;
};

struct pf_check_folder {
    char *path; /* as shown to the user */
    char *absolute; /* the same, absolute */
    int lock;
};

/* Creates a folder and locks it. argv is the whole command line. */
PF_MUST_USE pf_status pf_check_folder_new(struct pf_check_folder *c, const char *state,
                                          const struct pf_check_settings *settings, int argc,
                                          char **argv, struct pf_error *e);
/* Opens and locks the last check of STATE, or the last one of this program if words are given.
 * *argv is set to its command line, malloced. */
PF_MUST_USE pf_status pf_check_folder_last(struct pf_check_folder *c, const char *state,
                                           char **words, int nwords, int *argc, char ***argv,
                                           uint64_t *build, struct pf_error *e);
/* Opens and locks the check in this folder. */
PF_MUST_USE pf_status pf_check_folder_open(struct pf_check_folder *c, const char *path,
                                           struct pf_error *e);
void pf_check_folder_release(struct pf_check_folder *c);

PF_MUST_USE pf_status pf_check_journal_add(const struct pf_check_folder *c,
                                           const struct pf_check_line *line, struct pf_error *e);
/* Reads all lines of a folder; a truncated last line is ignored. */
PF_MUST_USE pf_status pf_check_journal_read(const char *folder, struct pf_check_lines *lines,
                                            struct pf_error *e);

/* Writes the path of a file in a folder, such as FOLDER/clips/7.clip, into `to` of size
 * PATH_MAX. */
void pf_check_path(char *to, const char *folder, const char *format, uint64_t n);
/* The same for the recording that a HATCH or LOOK searches, which may be that of a forked child. */
void pf_check_searched_path(char *to, const char *folder, const struct pf_check_line *line);
#define PF_CHECK_RUNS "/.runs/%llu"
#define PF_CHECK_RUN_NAME "check-%llu" /* PF_RUN of the processes of a free run */
#define PF_CHECK_CLIP "/clips/%llu.clip"
#define PF_CHECK_BEHAVIOURS "/behaviours-%llu" /* of a test (pf record --behaviours) */
#define PF_CHECK_OUTPUT "/clips/%llu" /* what a HATCH, BATCH, EXPLORE, HUNT or JUDGE writes */
#define PF_CHECK_HUNTED "/hunt-%llu" /* the state of pf hunt for a test */
#define PF_CHECK_FOUND "/found/%llu.json"
#define PF_CHECK_CREATED "/created-%llu" /* a folder; the files of a test (private_files.h) */
#define PF_CHECK_EXPLORATION "/exploration-%llu.json" /* of an EXPLORE */
#define PF_CHECK_RAW "/found/.%llu.json" /* as written by the verb */
#define PF_CHECK_REPORT "/found/.%llu.report" /* of the process of the step (run_report.h) */
#define PF_CHECK_DRIVER "/found/.%llu.driver" /* of the driver of a server */

/* The contents of plan.json. */
struct pf_check_description {
    char **argv, **words, *cwd; /* argv is NULL-terminated */
    int argc, nwords;
    uint64_t build;
    struct pf_check_part part;
    char name[64]; /* of the folder */
};
PF_MUST_USE pf_status pf_check_description_read(struct pf_check_description *a, const char *folder,
                                                struct pf_error *e);
void pf_check_description_release(struct pf_check_description *a);
/* The names of all checks of STATE, oldest first; a NULL-terminated, malloced array of malloced
 * strings. */
char **pf_check_folder_list(const char *state);

/* How a check ended, and how long it took; in the file `end` of its folder: "HOW MS". Without the
 * file, it was cut off. */
struct pf_check_end {
    char how[16];
    uint64_t ms; /* from its start to its end, all resumptions together; 0: unknown */
};
#define PF_CHECK_END "end"
#define PF_CHECK_END_DONE "done" /* the chain ended, or the time limit was reached */
#define PF_CHECK_END_COMPLETE "complete" /* the chain ended because everything was explored */
#define PF_CHECK_END_EARLY "early" /* the time budget ended in the first round */
#define PF_CHECK_END_SIGNAL "signal"
PF_MUST_USE pf_status pf_check_end_write(const char *folder, const struct pf_check_end *end,
                                         struct pf_error *e);
/* False: there is no such file. */
bool pf_check_end_read(struct pf_check_end *end, const char *folder);

#define PF_CHECK_FOLDER "check"
#define PF_CHECK_PLAN "plan.json"

#endif
