/*
 * check_folder.h - what one check keeps: a folder of its own in STATE/check (docs/format/check.md).
 *
 * Model:   plan.json says what is checked; `journal` has a line for every step that has ended, appended in one
 *          write; .runs/N the logs of free run N; clips/ recordings and clips; found/N.json what step N found. A
 *          step that was cut off leaves no line: it is done again. Who works on a check holds a lock on the
 *          file `lock`, which the kernel drops with the process.
 * Memory:  paths are malloced; a list of lines is the caller's to release.
 * Threads: any number of processes may use one STATE, each its own check.
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_CLI_CHECK_FOLDER_H
#define PF_CLI_CHECK_FOLDER_H

#include "check_settings.h"

/* The kinds of steps. */
enum pf_check_kind {
    PF_CHECK_RUN,    /* a free run */
    PF_CHECK_RECORD, /* a recording under some schedule */
    PF_CHECK_HATCH,  /* what a recording predicts, tried */
    PF_CHECK_DIRECT, /* a recording that is directed at one finding */
    PF_CHECK_LOOK,   /* which races a recording shows by itself */
    PF_CHECK_KINDS
};
extern const char *const pf_check_kind_name[PF_CHECK_KINDS];

/* A line of the journal. */
struct pf_check_line {
    uint64_t step;
    enum pf_check_kind kind;
    uint64_t test, round;
    uint64_t clip;    /* HATCH, LOOK: the step that recorded it */
    uint64_t finding; /* DIRECT */
    char schedule[200]; /* RUN: the sampling policy */
    char how[12];     /* ended, limit, stopped, unstarted */
    int wait;         /* what waitpid said */
    uint64_t wall_ms;
    uint64_t events, candidates, refuted, undecided; /* HATCH, LOOK */
    char trouble[200]; /* what went wrong, for people; "": nothing */
};

struct pf_check_lines {
    struct pf_check_line *at;
    size_t n, cap;
};

struct pf_check_folder {
    char *path;  /* as it is shown */
    char *whole; /* the same from the root */
    int lock;
};

/* A new one, locked. argv is the whole command line. */
PF_MUST_USE pf_status pf_check_folder_new(struct pf_check_folder *c, const char *state,
                                          const struct pf_check_plan *plan, int argc, char **argv,
                                          struct pf_error *e);
/* The last one of STATE, of this program if words are given, locked; its command line in *argv, malloced. */
PF_MUST_USE pf_status pf_check_folder_last(struct pf_check_folder *c, const char *state,
                                           char **words, int nwords, int *argc, char ***argv,
                                           uint64_t *build, struct pf_error *e);
void pf_check_folder_release(struct pf_check_folder *c);

PF_MUST_USE pf_status pf_check_journal_add(const struct pf_check_folder *c,
                                           const struct pf_check_line *line, struct pf_error *e);
/* All lines of a folder; a last one that is cut is left out. */
PF_MUST_USE pf_status pf_check_journal_read(const char *folder, struct pf_check_lines *lines,
                                            struct pf_error *e);

/* Names in a folder: FOLDER/clips/record-7.clip and so on; into `to` of PATH_MAX. */
void pf_check_path(char *to, const char *folder, const char *format, uint64_t n);
#define PF_CHECK_RUNS "/.runs/%llu"
#define PF_CHECK_CLIP "/clips/%llu.clip"
#define PF_CHECK_TRIES "/clips/%llu"
#define PF_CHECK_FOUND "/found/%llu.json"
#define PF_CHECK_RAW "/found/.%llu.json" /* as the verb wrote it */

/* What plan.json says. */
struct pf_check_about {
    char **argv, **words, *cwd; /* argv with a NULL behind it */
    int argc, nwords;
    uint64_t build;
    char name[64]; /* of the folder */
};
PF_MUST_USE pf_status pf_check_about_read(struct pf_check_about *a, const char *folder,
                                          struct pf_error *e);
void pf_check_about_release(struct pf_check_about *a);
/* The names of all checks of STATE, oldest first; NULL-terminated, malloced, each too. */
char **pf_check_folder_list(const char *state);

#define PF_CHECK_FOLDER "check"

#endif
