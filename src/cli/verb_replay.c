/* verb_replay.c - `pf replay`: runs a recording again. Standard output and the exit status are
 * the program's; messages of pf are written to standard error. */
#define _GNU_SOURCE
#include "allocation.h"
#include "check_load.h"
#include "cli.h"
#include "clip_machine.h"
#include "directed.h"
#include "launch.h"
#include "narrative.h"
#include "number_options.h"
#include "run_report.h"
#include "state_read.h"
#include "text_format.h"
#include "wait_status.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERB "replay"

static int complain(const struct pf_error *e) { return pf_complain(VERB, "%s", e->text); }

/* Prints how this machine differs from that of the recording. `all`: with differences that rarely
 * matter. */
static void note_machine(const struct pf_clip *clip, bool all)
{
    char text[500], *here = pf_clip_machine();
    if (clip->meta.machine &&
        pf_clip_machine_compare(clip->meta.machine, here, all, text, sizeof text))
        pf_note(VERB, "%s was recorded on another machine: %s", clip->path, text);
    free(here);
}

/* Describes how a process ended: "status 3", "signal 11". */
static void describe_wait(int wait, char *to, size_t room)
{
    snprintf(to, room, "%s %d", WIFSIGNALED(wait) ? "signal" : "status",
             WIFSIGNALED(wait) ? WTERMSIG(wait) : WEXITSTATUS(wait));
}

/* Reports how the replay ended; returns the exit status. */
static int report_outcome(const struct pf_clip *clip, const struct pf_child_end *child,
                          const struct pf_clip_end *end, const char *until)
{
    if (end->outcome == PF_OUTCOME_DIVERGED) {
        int status =
            pf_complain(VERB, "%s: the run diverged from the recording: %s", clip->path, end->text);
        note_machine(clip, true);
        if (clip->ended && clip->end.outcome == PF_OUTCOME_LOST)
            pf_note("replay", "the recording was marked as possibly not replayable: %s",
                    clip->end.text);
        return status;
    }
    if (end->outcome == PF_OUTCOME_DEADLOCK || end->outcome == PF_OUTCOME_HANG) {
        fprintf(stderr, "pf replay: %s\n%s", end->outcome == PF_OUTCOME_HANG ? "hang" : "deadlock",
                end->text);
        return PF_EXIT_FOUND;
    }
    if (end->outcome == PF_OUTCOME_STOPPED)
        pf_note("replay", "stopped before %s", until ? until : end->text);
    if (child->executed) {
        pf_note("replay", "the recording ends here, where the program executed another program");
        return clip->ended && WIFEXITED(clip->end.wait) ? WEXITSTATUS(clip->end.wait) : 0;
    }
    if (clip->ended && end->outcome == PF_OUTCOME_NONE && child->wait != clip->end.wait) {
        char now[32], then[32];
        describe_wait(child->wait, now, sizeof now);
        describe_wait(clip->end.wait, then, sizeof then);
        return pf_complain(VERB, "%s: ended with %s, but the recording with %s", clip->path, now,
                           then);
    }
    if (end->unshown)
        return pf_complain(VERB, "the output of the program could not be shown: %s",
                           strerror((int)end->unshown));
    if (end->errors) {
        pf_directed_print_errors(VERB, end);
        return PF_EXIT_FOUND;
    }
    return pf_wait_status(child->wait);
}

/* --- what is replayed --- */

/* A clip and, if the user named a finding instead of a file, that finding. */
struct replayed {
    struct pf_findings findings;
    const struct pf_finding *finding; /* NULL: a file was given */
    const char *path;
};

static bool is_id(const char *word)
{
    size_t n = strlen(word);
    return n >= 3 && n <= 16 && strspn(word, "0123456789abcdef") == n;
}

/* The argument is a file, or else the id of a finding in the state folder, or its first digits. */
static pf_status find_clip(struct replayed *r, const char *word, const char *state,
                           struct pf_error *e)
{
    r->path = word;
    if (access(word, F_OK) == 0 || !is_id(word))
        return PF_OK;
    pf_status s = pf_state_read(&r->findings, state, e);
    if (s == PF_OK)
        s = pf_state_find(&r->findings, word, &r->finding, e);
    if (s == PF_OK && !r->finding->clip)
        s = pf_fail(e, PF_BAD, "finding %s has no clip: it is %s, not confirmed%s%s", word,
                    pf_finding_status_name(r->finding->status), r->finding->unconfirmed ? ": " : "",
                    r->finding->unconfirmed ? r->finding->unconfirmed : "");
    if (s == PF_OK)
        r->path = r->finding->clip;
    return s;
}

static void add_end(struct pf_text *t, const struct pf_clip *clip, const struct pf_child_end *child,
                    const struct pf_clip_end *end)
{
    char signal[PF_SIGNAL_TEXT];
    if (end->outcome == PF_OUTCOME_DEADLOCK || end->outcome == PF_OUTCOME_HANG)
        pf_text_add(t, end->outcome == PF_OUTCOME_HANG ? "a hang" : "a deadlock");
    else if (end->errors)
        pf_text_format(t, "%u memory error%s", end->errors, end->errors == 1 ? "" : "s");
    else if (!clip->ended)
        pf_text_add(t, "the recording up to where it is truncated");
    else if (WIFSIGNALED(child->wait))
        pf_text_format(t, "the program died of %s", pf_signal_text(signal, child->wait));
    else
        pf_text_format(t, "the program ended with status %d", WEXITSTATUS(child->wait));
}

/* Names the confirmed findings of a check whose clip is this recording. Memory errors are named
 * only if this replay showed some. */
static void add_findings(struct pf_text *t, const char *path, bool errors)
{
    struct pf_findings all;
    struct pf_error ignored;
    const struct pf_finding *first = NULL;
    size_t n = 0;
    char *real = realpath(path, NULL);
    char *clip = real ? real : pf_mem_copy(path); /* it may have been removed meanwhile */
    char *folder = pf_mem_copy(clip);
    char *clips = strstr(folder, "/clips/");
    for (char *next; clips && (next = strstr(clips + 1, "/clips/"));)
        clips = next;
    pf_findings_init(&all);
    if (clips)
        *clips = 0;
    if (clips && pf_check_load(&all, folder, &ignored) == PF_OK) {
        pf_findings_sort(&all);
        for (size_t i = 0; i < all.n; i++) {
            const struct pf_finding *f = all.at[i];
            if (f->status != PF_STATUS_CONFIRMED || !f->clip || strcmp(f->clip, clip) ||
                (pf_kind_is_memory_error(f->kind) && !errors))
                continue;
            first = first ? first : f;
            n++;
        }
    }
    if (first) {
        pf_finding_title(t, first);
        if (n > 1)
            pf_text_format(t, " (and %zu other finding%s)", n - 1, n == 2 ? "" : "s");
        pf_text_add(t, "; ");
    }
    pf_findings_release(&all);
    free(folder);
    free(clip);
}

/* The last line: what the user has seen. */
static void print_shown(const struct replayed *r, const struct pf_clip *clip,
                        const struct pf_child_end *child, const struct pf_clip_end *end)
{
    struct pf_pool pool;
    struct pf_text t;
    const char *pair = clip->meta.race ? strchr(clip->meta.race, '<') : NULL;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    if (r->finding) {
        pf_text_hex(&t, r->finding->id, 16);
        pf_text_add(&t, ", ");
        pf_finding_title(&t, r->finding);
        pf_text_add(&t, "; ");
    } else if (pair) {
        pf_text_format(&t, "the race of %.*s and %s; ", (int)(pair - clip->meta.race),
                       clip->meta.race, pair + 1);
    } else {
        add_findings(&t, clip->path, end->errors);
    }
    add_end(&t, clip, child, end);
    pf_note(VERB, "shown: %.*s", (int)t.n, t.at);
    pf_pool_release(&pool);
}

/* Resolves --until race to an event of the clip; with --gdb, that event is also the default. Tells
 * gdb.py which accesses the race has. */
static pf_status set_until(struct pf_directed *d, const struct pf_clip *clip, struct pf_error *e)
{
    static char pair[128];
    const struct pf_reached *r = &clip->end.reached; /* of racefuzzer and assetfuzzer */
    bool race = d->until && !strcmp(d->until, "race");
    if (clip->meta.race && strchr(clip->meta.race, '<'))
        snprintf(pair, sizeof pair, "%s", clip->meta.race);
    else if (clip->ended && r->n >= 2)
        snprintf(pair, sizeof pair, "T%u:%" PRIu64 "<T%u:%" PRIu64, r->at[r->n - 2].thread,
                 r->at[r->n - 2].event, r->at[r->n - 1].thread, r->at[r->n - 1].event);
    if (race && !*pair)
        return pf_fail(e, PF_BAD, "%s: is not the clip of a race; pf hatch makes such clips",
                       clip->path);
    if (race || (d->gdb && !d->until && *pair))
        d->until = strchr(pair, '<') + 1;
    pf_mem_setenv("PF_GDB_RACE", "%s", pair);
    return PF_OK;
}

/* Tells gdb.py how to replay the clip again, for its command pf-back. */
static void set_gdb_environment(const char *path, const struct pf_directed *d)
{
    char *clip = realpath(path, NULL), *program = d->program ? realpath(d->program, NULL) : NULL;
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    pf_mem_setenv("PF_GDB_PF", "%s", self);
    pf_mem_setenv("PF_GDB_CLIP", "%s", clip ? clip : path);
    pf_mem_setenv("PF_GDB_PROGRAM", "%s", program ? program : "");
    pf_mem_setenv("PF_GDB_POINT", "%s", d->until ? d->until : "");
    free(clip);
    free(program);
}

struct replay_options {
    struct pf_directed d;
    const char *trace, *log, *state; /* trace, log: NULL if not given */
    const char *file;                /* clip or finding, as given */
    bool gdb;
    char **gdb_words; /* arguments for gdb */
};

/* Parses the command line. False: there is nothing more to do; *status is the exit status. */
static bool parse_options(struct replay_options *o, int argc, char **argv, int *status)
{
    const char *tell = NULL;
    unsigned descriptor = 0;
    const struct pf_cli_option options[] = {
        {"until", "POINT",
         "stop before event THREAD:EVENT, such as T2:137;\n"
         "                         race: before the second access of the race that the clip shows",
         &o->d.until, NULL},
        {"gdb", NULL,
         "start gdb at that point, with all threads (default: at the race, or at the end)", NULL,
         &o->gdb},
        {"tell", "FD",
         "with --gdb: do not start gdb, but write the ids of the process and the thread to FD",
         &tell, NULL},
        {"program", "PATH",
         "the program, if it is neither at its recorded path nor next to the clip", &o->d.program,
         NULL},
        {"state", "DIR", "look for FINDING in DIR (default " PF_DEFAULT_STATE ")", &o->state, NULL},
        {"quiet", NULL, "do not show the output, only compare it", NULL, &o->d.quiet},
        {"watch", NULL, "check every access for memory errors (implied by --trace)", NULL,
         &o->d.watch},
        {"log", "DIR", "keep the log of memory errors and failures in DIR, for pf report", &o->log,
         NULL},
        {"trace", "FILE", "write a clip with every event and its value to FILE", &o->trace, NULL},
        {"atomic", "GLOB", "with --trace: treat calls of functions whose names match as regions",
         &o->d.atomic, NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] CLIP|FINDING [-- GDB-ARGUMENT...]",
        "Runs the program of a recording again, with the same schedule and the same inputs. "
        "FINDING "
        "is the\n"
        "id of a finding, or its first digits; its clip is replayed. The last line says what was "
        "shown.\n"
        "Exit status: that of the program, or 128+n if signal n killed it; 66 on a deadlock, a "
        "hang or a\n"
        "memory error; 2 if the run diverges from the recording, or on an error.",
        options, sizeof options / sizeof options[0]};
    int first = pf_cli_parse(&verb, argc, argv, status);
    if (first < 0)
        return false;
    *status = PF_EXIT_USAGE;
    if (first >= argc) {
        pf_complain(VERB, "no clip given; usage: pf replay %s", verb.usage);
        return false;
    }
    o->file = argv[first];
    /* options after the clip */
    int after = pf_cli_parse(&verb, argc - first, argv + first, status);
    if (after < 0)
        return false;
    bool for_gdb = after > 1 && !strcmp(argv[first + after - 1], "--");
    if (first + after < argc && (!for_gdb || !o->gdb)) {
        pf_complain(VERB, o->gdb ? "give only one clip; arguments of gdb follow after --"
                                 : "give only one clip");
        return false;
    }
    if (tell && !o->gdb) {
        pf_complain(VERB, "--tell needs --gdb");
        return false;
    }
    if (o->d.atomic && !o->trace) {
        pf_complain(VERB, "--atomic needs --trace");
        return false;
    }
    o->gdb_words = argv + first + after;
    *status =
        pf_cli_numbers(VERB, &(struct pf_cli_number){"tell", tell, 1, INT_MAX, &descriptor}, 1);
    o->d.tell = (int)descriptor;
    return *status == PF_EXIT_OK;
}

/* Prints what the user should know about a replay that has run; returns the exit status. */
static int conclude(const struct replayed *what, const struct pf_directed *d,
                    const struct pf_clip *clip, struct pf_child_end *child,
                    const struct pf_clip_end *end)
{
    int status = d->gdb_status < 0 ? report_outcome(clip, child, end, d->until)
                                   : pf_wait_status(d->gdb_status);
    /* the forks that lead to the recorded child are replayed */
    child->started -= pf_forked_path_length(clip->meta.process);
    if (child->started)
        fprintf(stderr,
                "pf replay: the program started other processes (%u), which are not replayed; "
                "their own output is not shown\n",
                child->started);
    if (end->withheld[0])
        pf_note(VERB,
                "the program read %s, left out of the recording by --redact; it may behave "
                "differently",
                end->withheld);
    bool whole = d->gdb_status < 0 && !d->until && !d->quiet;
    if (whole && end->outcome != PF_OUTCOME_DIVERGED && end->outcome != PF_OUTCOME_STOPPED &&
        !child->executed && !end->unshown && status != PF_EXIT_USAGE)
        print_shown(what, clip, child, end);
    return status;
}

/* Replays the clip; returns the exit status. */
static int replay(struct replay_options *o, const struct replayed *what, struct pf_clip *clip)
{
    struct pf_directed *d = &o->d;
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_error e;
    if (pf_cli_replaces_input(VERB, o->trace, what->path))
        return PF_EXIT_USAGE;
    note_machine(clip, false);
    if (!clip->ended)
        pf_note(VERB, "%s: is truncated (%s); it is replayed up to that point", clip->path,
                clip->cut);
    /* the recording shows a memory error, or its traced replay did */
    d->watch |=
        clip->end.errors != 0 || (what->finding && pf_kind_is_memory_error(what->finding->kind));
    d->tracing = o->trace != NULL;
    d->gdb = o->gdb ? o->gdb_words : NULL;
    d->gdb_status = -1;
    pf_status s = set_until(d, clip, &e);
    if (s == PF_OK && d->gdb)
        set_gdb_environment(clip->path, d);
    if (s == PF_OK)
        s = pf_directed_replay(clip, o->trace, d, &child, &end, &e);
    if (s != PF_OK)
        return complain(&e);
    pf_run_report_set_end(&pf_run_report, &end);
    if (child.executed) /* the replay ends there, with the recorded status */
        pf_run_report.wait = clip->end.wait;
    return conclude(what, d, clip, &child, &end);
}

int pf_verb_replay(int argc, char **argv)
{
    struct replay_options o = {.state = PF_DEFAULT_STATE};
    struct replayed what = {.finding = NULL};
    struct pf_clip clip = {0};
    struct pf_error e;
    char *logs;
    int status = PF_EXIT_USAGE;
    if (!parse_options(&o, argc, argv, &status))
        return status;
    if (pf_directed_log(o.log, &logs, &e) != PF_OK)
        return complain(&e);
    o.d.findings = logs;
    pf_findings_init(&what.findings);
    if (find_clip(&what, o.file, o.state, &e) == PF_OK &&
        pf_clip_open(&clip, what.path, &e) == PF_OK)
        status = replay(&o, &what, &clip);
    else
        status = complain(&e);
    pf_clip_release(&clip);
    pf_findings_release(&what.findings);
    free(logs);
    return status;
}
