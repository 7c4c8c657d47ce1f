/* load_trace.c - see load_trace.h. The replay runs in a process of its own: it changes the folder,
 * the environment and the core of its process, which the calling verb still needs. It is a copy of
 * this process, which costs less than starting pf. If that replay fails, `pf replay` is started: it
 * says why. */
#define _GNU_SOURCE
#include "load_trace.h"
#include "allocation.h"
#include "clip_program.h"
#include "directed.h"
#include "duration.h"
#include "file.h"
#include "message.h"
#include "recording_trace.h"
#include "search_stop.h"
#include "self_run.h"
#include "selfcheck.h"
#include "supervisor.h"
#include "trace_text.h"
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool should_stop(void *arg) { return (void)arg, pf_interrupted(); }

/* Drops crashes and failed assertions of a forked child. The program ended with status 0, so it
 * expected them (a test that forks, for example). */
static void drop_expected(struct pf_findings *shown)
{
    size_t keep = 0;
    for (size_t i = 0; i < shown->n; i++)
        if (shown->at[i]->kind != PF_KIND_CRASH && shown->at[i]->kind != PF_KIND_ASSERTION)
            shown->at[keep++] = shown->at[i];
    shown->n = keep;
}

/* Reads the findings that the replay logged. The replay has shown them, so the recording is their
 * clip. A finding without a text of its harm gets the title of its kind as harm. */
static void read_shown(const char *verb, struct pf_findings *shown, const char *log,
                       const char *path)
{
    struct pf_error e;
    struct pf_clip clip;
    if (pf_findings_read_folder(shown, log, NULL, &e) != PF_OK)
        pf_complain(verb, "%s", e.text);
    if (pf_clip_open(&clip, path, &e) == PF_OK) {
        const char *child = clip.meta.process;
        if (clip.end.succeeded)
            drop_expected(shown);
        for (size_t i = 0; child && i < shown->n; i++)
            shown->at[i]->child = pf_pool_text(&shown->pool, child, strlen(child));
        pf_clip_release(&clip);
    }
    for (size_t i = 0; i < shown->n; i++) {
        shown->at[i]->status = PF_STATUS_CONFIRMED;
        shown->at[i]->clip = pf_pool_text(&shown->pool, path, strlen(path));
        shown->at[i]->stages = NULL;
        if (!shown->at[i]->harm)
            shown->at[i]->harm = pf_kind_title(shown->at[i]->kind);
    }
}

struct quiet_replay {
    const char *path, *file;
};

static int replay_quietly(const void *arg)
{
    const struct quiet_replay *q = arg;
    struct pf_directed d = {.quiet = true, .tracing = true, .gdb_status = -1};
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_clip clip;
    struct pf_error ignored;
    if (pf_clip_open(&clip, q->path, &ignored) != PF_OK)
        return 1;
    d.watch = clip.end.errors != 0;
    return pf_directed_replay(&clip, q->file, &d, &child, &end, &ignored) == PF_OK ? 0 : 1;
}

static bool is_complete(const char *file, struct pf_error *e)
{
    struct pf_clip made;
    if (pf_clip_open(&made, file, e) != PF_OK)
        return false;
    bool ok = made.ended && made.end.outcome != PF_OUTCOME_DIVERGED;
    pf_clip_release(&made);
    return ok;
}

/* Replays the clip into the file. False: it failed, or the time was up. */
static bool replay_in_copy(const char *path, const char *file, const struct pf_recorded *limits)
{
    struct quiet_replay q = {path, file};
    struct pf_supervisor_result result;
    struct pf_error ignored;
    struct pf_command command = {.path = "replay",
                                 .function = replay_quietly,
                                 .arg = &q,
                                 .output = PF_OUTPUT_NULL,
                                 .limit_ms = limits->replay_limit_ms,
                                 .fair_ms = limits->replay_fair_ms,
                                 .grace_ms = PF_GRACE_DIRECTED_MS,
                                 .forwards = true};
    return pf_supervisor_run(&command, should_stop, NULL, &result, &ignored) == PF_OK &&
           is_complete(file, &ignored);
}

/* The time that is left of a limit; 0: there is no limit. */
static uint64_t time_left(uint64_t began, uint64_t limit_ms)
{
    uint64_t used = pf_now_ms() - began;
    return !limit_ms ? 0 : used < limit_ms ? limit_ms - used : 1;
}

/* Replays the clip with tracing on into a new temporary file and returns its name. */
static pf_status regenerate(const char *verb, const char *path, const char *atomic,
                            struct pf_recorded *limits, struct pf_findings *shown, char **out,
                            struct pf_error *e)
{
    struct pf_run_report report;
    struct pf_error failed;
    char *file = NULL, *regions = NULL, *log = NULL;
    uint64_t began = pf_now_ms();
    pf_status s = pf_temporary_file(&file, e);
    if (s != PF_OK)
        return s;
    if (!shown && !atomic && replay_in_copy(path, file, limits)) {
        *out = file;
        return PF_OK;
    }
    char *argv[9] = {"replay", "--quiet", "--trace", file};
    size_t n = 4;
    if (atomic)
        regions = pf_mem_format("--atomic=%s", atomic);
    if (shown) {
        log = pf_mem_format("%s.log", file);
        argv[n++] = "--log";
        argv[n++] = log;
    }
    if (regions)
        argv[n++] = regions;
    argv[n] = (char *)path;
    s = pf_self_run(&(struct pf_self_run){.argv = argv,
                                          .should_stop = should_stop,
                                          .limit_ms = time_left(began, limits->replay_limit_ms),
                                          .fair_ms = limits->replay_fair_ms},
                    &report, &failed);
    const char *why = s == PF_OK ? report.error : failed.text;
    limits->out_of_time =
        s != PF_OK && limits->replay_limit_ms && pf_now_ms() - began >= limits->replay_limit_ms;
    /* The exit status is the program's; the file tells whether the replay succeeded. */
    bool ok = s == PF_OK && is_complete(file, &failed);
    free(regions);
    if (ok && shown)
        read_shown(verb, shown, log, path);
    if (log)
        pf_folder_remove(log);
    free(log);
    if (ok) {
        *out = file;
        return PF_OK;
    }
    size_t length = strlen(path);
    if (!strncmp(why, path, length) && !strncmp(why + length, ": ", 2)) /* named once */
        why += length + 2;
    s = pf_fail(e, PF_BAD, "%s: %s, and could not be replayed to obtain them%s%s", path,
                atomic ? "was recorded without these regions" : "has no events", *why ? ": " : "",
                why);
    unlink(file);
    free(file);
    return s;
}

static bool matches_any(char *const *globs, const char *text)
{
    const char *base = strrchr(text, '/');
    for (; *globs; globs++)
        if (!fnmatch(*globs, text, 0) || (base && !fnmatch(*globs, base + 1, 0)))
            return true;
    return false;
}

/* Warns if an excluded function has events because the compiler inlined it into its callers. */
static void say_inlined(const char *verb, const char *path, char *left_out,
                        const struct pf_trace *t)
{
    size_t n = 0;
    char **globs = pf_mem_zero(strlen(left_out) + 1, sizeof *globs);
    for (char *at, *g = strtok_r(left_out, ",", &at); g; g = strtok_r(NULL, ",", &at))
        globs[n++] = g;
    bool *seen = pf_mem_zero(t->sites.len, sizeof *seen);
    for (size_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (!pf_event_is_access(e) || seen[e->site])
            continue;
        seen[e->site] = true;
        const struct pf_site_info *s = &t->sites.at[e->site];
        const char *file = pf_trace_text(t, s->file);
        const char *function = s->func == PF_NONE ? file : pf_trace_text(t, s->func);
        if (!matches_any(globs, function) && !matches_any(globs, file))
            continue;
        pf_note(verb,
                "%s: %s was to be excluded, but it was inlined into its callers and has events "
                "there; build with -fno-inline",
                path, function);
        break;
    }
    free(seen);
    free(globs);
}

/* announce: say which program is about to run, if the clip is from elsewhere. */
static pf_status load_clip(const char *verb, const char *path, const char *atomic, bool announce,
                           struct pf_trace *t, struct pf_findings *shown, struct pf_error *e)
{
    struct pf_clip clip;
    pf_status s = pf_clip_open(&clip, path, e);
    if (s != PF_OK)
        return s;
    bool cut = !clip.ended;
    snprintf(t->recorded.child, sizeof t->recorded.child, "%s",
             clip.meta.process ? clip.meta.process : "");
    char *left_out = clip.meta.exclude;
    clip.meta.exclude = NULL; /* the replay's clip does not have it */
    if (cut && clip.stream[PF_STREAM_EVENT].length && !atomic) /* otherwise the replay reports it */
        pf_note(verb, "%s: is truncated (%s); the events before that point are used", path,
                clip.cut);
    if (!clip.stream[PF_STREAM_EVENT].length || atomic) {
        if (announce)
            pf_clip_program_announce(verb, &clip);
        pf_clip_release(&clip);
        char *file = NULL;
        s = regenerate(verb, path, atomic, &t->recorded, shown, &file, e);
        if (s == PF_OK) {
            s = pf_clip_open(&clip, file, e);
            unlink(file);
        }
        free(file);
        if (s != PF_OK) {
            free(left_out);
            return s;
        }
    }
    s = pf_trace_read_clip(t, &clip, path, e);
    if (clip.meta.runtime)
        pf_note(verb,
                "%s: the program is not instrumented, so its memory accesses are unknown; no races "
                "can be found, only problems of locks and other synchronisation",
                path);
    if (s == PF_OK && t->recorded.limited)
        pf_note(verb, "%s: only its first %zu events were analysed", path, t->events.len);
    if (s == PF_OK && left_out)
        say_inlined(verb, path, left_out, t);
    free(left_out);
    t->recorded.cut |= cut || clip.meta.runtime;
    pf_clip_release(&clip);
    if (s == PF_OK && !t->events.len)
        s = pf_fail(e, PF_BAD,
                    cut ? "%s: the recording was cut off before the first event"
                        : "%s: has no events; was the program built with this pf cc?",
                    path);
    return s;
}

/* The program used a lock wrongly: loads the events before that. A cut is not possible between the
 * parts of one operation, so several positions may have to be tried. */
static pf_status load_before_misuse(const char *verb, const char *path, const char *atomic,
                                    struct pf_trace *t, struct pf_trace_fault *fault,
                                    const struct pf_error *what, struct pf_error *e)
{
    struct pf_error other;
    uint32_t limit = fault->event;
    pf_note(verb, "%s: a lock is used wrongly, only the events before are analysed: %s", path,
            what->text);
    for (bool ok = false; !ok; limit--) {
        if (!limit)
            return pf_fail(e, PF_BAD, "%s: no events before the misuse of the lock", path);
        uint64_t replay_limit_ms = t->recorded.replay_limit_ms;
        uint64_t replay_fair_ms = t->recorded.replay_fair_ms;
        pf_trace_release(t);
        pf_trace_init(t);
        t->recorded.limit = limit;
        t->recorded.replay_limit_ms = replay_limit_ms;
        t->recorded.replay_fair_ms = replay_fair_ms;
        pf_status s = load_clip(verb, path, atomic, false, t, NULL, e);
        if (s != PF_OK)
            return s;
        ok = pf_trace_check(t, fault, &other) == PF_OK;
        if (!ok && !fault->misuse)
            return pf_fail(e, PF_BAD, "%s: the trace is inconsistent: %s", path, other.text);
    }
    return PF_OK;
}

static pf_status load_text(const char *path, struct pf_trace *t, struct pf_error *e)
{
    char *text;
    size_t len;
    pf_status s = pf_file_read(path, &text, &len, e);
    if (s != PF_OK)
        return s;
    enum pf_trace_form form = pf_trace_sniff(text, len);
    if (form == PF_FORM_BINARY)
        s = pf_fail(e, PF_BAD, "%s: neither a trace nor a recording", path);
    else if (form == PF_FORM_STD)
        s = pf_trace_read_std(t, path, text, len, e);
    else
        s = pf_trace_read_text(t, path, text, len, e);
    free(text);
    if (s == PF_OK && !t->events.len)
        s = pf_fail(e, PF_BAD, "%s: has no events", path);
    return s;
}

pf_status pf_load_trace(const char *verb, const char *path, struct pf_trace *t, struct pf_error *e)
{
    return pf_load_trace_shown(verb, path, NULL, t, NULL, e);
}

pf_status pf_load_trace_shown(const char *verb, const char *path, const char *atomic,
                              struct pf_trace *t, struct pf_findings *shown, struct pf_error *e)
{
    struct pf_trace_fault fault;
    struct pf_error what;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char first[8];
    bool clip = fd >= 0 && read(fd, first, sizeof first) == 8 && pf_clip_sniff(first, 8);
    if (fd >= 0)
        close(fd);
    if (!clip && atomic)
        return pf_fail(e, PF_BAD, "%s: --atomic needs a recording, not a text trace", path);
    pf_status s = clip ? load_clip(verb, path, atomic, true, t, shown, e) : load_text(path, t, e);
    if (s != PF_OK || pf_trace_check(t, &fault, &what) == PF_OK)
        return s;
    if (clip && fault.misuse)
        return load_before_misuse(verb, path, atomic, t, &fault, &what, e);
    return pf_fail(e, PF_BAD, "%s: the trace is inconsistent: %s", path, what.text);
}
