/* check_load.c - see check_load.h. */
#define _GNU_SOURCE
#include "check_load.h"
#include "allocation.h"
#include "check_chain.h"
#include "check_found.h"
#include "clip.h"
#include "expected_deaths.h"
#include "failed_stack.h"
#include "file.h"
#include "finding_read.h"
#include "fingerprint.h"
#include "foreign.h"
#include "forked_clips.h"
#include "unshown_failure.h"
#include "wait_status.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

struct check_loader {
    struct pf_findings *f;
    struct pf_unshown_failure *unshown; /* failures that no replay has shown */
    struct pf_check_summary *sum;
    const char *folder;
    const char *command; /* the checked program and its arguments, or --suite FILE */
    uint64_t steps_ms; /* of all steps */
    bool out_of_time; /* the budget ended while predictions were tried */
    bool ended_by_us; /* pf ends the program (a server) itself, which is not a failure */
};

static char *text(struct pf_findings *f, const char *s)
{
    return pf_pool_text(&f->pool, s, strlen(s));
}

/* Adds a note with the count `times`. If the list has a note with this text, adds `times` to its
 * count. */
static void add_note(struct check_loader *l, struct pf_check_note **list, uint64_t times,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
static void add_note(struct check_loader *l, struct pf_check_note **list, uint64_t times,
                     const char *format, ...)
{
    char words[600];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    while (*list && strcmp((*list)->text, words))
        list = &(*list)->next;
    if (!*list) {
        struct pf_check_note *n = pf_pool_get(&l->f->pool, sizeof *n);
        if (!n)
            return;
        *n = (struct pf_check_note){.text = text(l->f, words)};
        *list = n;
    }
    (*list)->times += times;
}

/* --- one line --- */

/* Adds a failure, unless a replay has shown it. */
static void add_failure(struct check_loader *l, const struct pf_unshown_failure *x,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_failure(struct check_loader *l, const struct pf_unshown_failure *x,
                        const char *format, ...)
{
    char harm[400];
    va_list args;
    va_start(args, format);
    vsnprintf(harm, sizeof harm, format, args);
    va_end(args);
    pf_unshown_failure_add(l->f, &l->unshown, x, harm);
}

static void find_signal(struct check_loader *l, const struct pf_check_line *line, int wait,
                        const char *stack, const char *clip)
{
    if (!pf_wait_died(wait) || !strcmp(line->how, "stopped") || !strcmp(line->how, "limit"))
        return;
    struct pf_unshown_failure x = {
        .kind = PF_KIND_CRASH, .signal = WTERMSIG(wait), .stack = stack, .clip = clip};
    char signal[PF_SIGNAL_TEXT];
    add_failure(l, &x, "the program died of %s in a %s", pf_signal_text(signal, wait),
                clip ? "recording" : "free run");
}

/* A number for the programs of this check, unique among those of all checks. */
static uint64_t group_of(const struct check_loader *l, uint64_t test)
{
    return (l->sum->checks << 32) + test;
}

/* The death of a recorded child. Requires c->meta.process. */
static struct pf_expected_death death_of(const struct check_loader *l, uint64_t test,
                                         const struct pf_clip *c)
{
    return (struct pf_expected_death){
        .group = group_of(l, test), .child = c->meta.process, .signal = WTERMSIG(c->end.wait)};
}

/* True if the recording is that of a child whose death the program expected, in this run or in
 * another one. A program that expects it may fail for another reason. */
static bool is_expected(const struct check_loader *l, uint64_t test, const struct pf_clip *c)
{
    if (!c->meta.process || !pf_wait_died(c->end.wait))
        return false;
    struct pf_expected_death d = death_of(l, test, c);
    return pf_findings_expects(l->f, &d);
}

/* Adds the failure of a recording, which may be that of a forked child. */
static void find_failure_in(struct check_loader *l, const struct pf_check_line *line,
                            const char *path)
{
    struct pf_clip c;
    struct pf_error ignored;
    if (pf_clip_open(&c, path, &ignored) != PF_OK)
        return;
    bool hung = c.end.outcome == PF_OUTCOME_HANG;
    const char *stack = pf_clip_failed_stack(&c.end);
    if (c.end.outcome == PF_OUTCOME_DEADLOCK || hung)
        add_failure(l,
                    &(struct pf_unshown_failure){.kind = hung ? PF_KIND_HANG : PF_KIND_DEADLOCK,
                                                 .stack = stack,
                                                 .clip = path},
                    "%s in a recording: %.*s", hung ? "hang" : "deadlock",
                    (int)strcspn(c.end.text, "\n"), c.end.text);
    else if (c.ended && !is_expected(l, line->test, &c))
        find_signal(l, line, c.end.wait, stack, path);
    if (c.ended && c.end.copies && !line->from_step) /* other schedules do not record children */
        add_note(l, &l->sum->gaps, 1, "%u %s not recorded", c.end.copies,
                 c.end.copies == 1 ? "child was" : "children were");
    pf_clip_release(&c);
}

static void find_failure(struct check_loader *l, const struct pf_check_line *line)
{
    char path[PATH_MAX];
    pf_check_path(path, l->folder, PF_CHECK_CLIP, line->step);
    find_failure_in(l, line, path);
    char **children = pf_forked_clips_list(path);
    for (size_t i = 0; children[i]; i++) {
        find_failure_in(l, line, children[i]);
        free(children[i]);
    }
    free(children);
}

static bool records(const struct pf_check_line *line)
{
    return line->kind == PF_CHECK_RECORD || line->kind == PF_CHECK_DIRECT;
}

/* Notes the deaths of forked children that the program expected. */
static void find_expected(struct check_loader *l, const struct pf_check_line *line)
{
    char path[PATH_MAX];
    pf_check_path(path, l->folder, PF_CHECK_CLIP, line->step);
    char **children = records(line) ? pf_forked_clips_list(path) : NULL;
    for (size_t i = 0; children && children[i]; i++) {
        struct pf_clip c;
        struct pf_error ignored;
        if (pf_clip_open(&c, children[i], &ignored) == PF_OK) {
            if (c.ended && c.end.succeeded && pf_wait_died(c.end.wait) && c.meta.process) {
                struct pf_expected_death d = death_of(l, line->test, &c);
                pf_findings_expect(l->f, &d);
            }
            pf_clip_release(&c);
        }
        free(children[i]);
    }
    free(children);
}

/* True if the finding is the failure of a recorded child whose death was expected. */
static bool is_expected_finding(const struct check_loader *l, const struct pf_check_lines *lines,
                                const struct pf_finding *it)
{
    struct pf_clip c;
    struct pf_error ignored;
    const char *name = it->clip ? strrchr(it->clip, '/') : NULL;
    bool expected = false;
    if ((it->kind != PF_KIND_CRASH && it->kind != PF_KIND_ASSERTION) || !it->child || !name ||
        strncmp(it->clip, l->folder, strlen(l->folder)) ||
        pf_clip_open(&c, it->clip, &ignored) != PF_OK)
        return false;
    for (size_t i = 0; i < lines->len && !expected; i++)
        expected = records(&lines->at[i]) && lines->at[i].step == strtoull(name + 1, NULL, 10) &&
                   is_expected(l, lines->at[i].test, &c);
    pf_clip_release(&c);
    return expected;
}

/* Drops deaths that the program expected, and crashes that are shown as another finding. */
static void drop_expected(struct check_loader *l, const struct pf_check_lines *lines)
{
    size_t keep = 0;
    for (size_t i = 0; i < l->f->n; i++)
        if (!is_expected_finding(l, lines, l->f->at[i]) &&
            !pf_crash_is_double_free(l->f, l->f->at[i]))
            l->f->at[keep++] = l->f->at[i];
    l->f->n = keep;
}

/* The exploration of this program; it is added if there is none. NULL: there is one of another
 * check, which was made later, because the newest check is loaded first. */
static struct pf_check_exploration *exploration_of(struct check_loader *l, uint64_t test)
{
    struct pf_check_exploration **x = &l->sum->explorations;
    while (*x && ((*x)->test != test || strcmp((*x)->command, l->command)))
        x = &(*x)->next;
    if (!*x) {
        *x = pf_mem_checked(pf_pool_get(&l->f->pool, sizeof **x));
        **x = (struct pf_check_exploration){
            .check = l->sum->checks, .command = l->command, .test = test};
    }
    return (*x)->check == l->sum->checks ? *x : NULL;
}

/* Takes the result of a systematic search. Of one check, a later search has seen more than those
 * before it, unless it was cut off. */
static void take_exploration(struct check_loader *l, const struct pf_check_line *line)
{
    char path[PATH_MAX], *bytes;
    size_t n;
    struct pf_error ignored;
    struct pf_check_exploration *x = exploration_of(l, line->test);
    if (!x || (line->schedules < x->schedules && !line->complete))
        return;
    pf_check_path(path, l->folder, PF_CHECK_EXPLORATION, line->step);
    if (access(path, R_OK) || pf_file_read(path, &bytes, &n, &ignored) != PF_OK) {
        if (!x->schedules)
            x->failed = line->trouble[0]          ? text(l->f, line->trouble)
                        : pf_check_line_cut(line) ? "its time ended before it had a result"
                                                  : "it ended without a result";
        return;
    }
    json_t *o = json_loadb(bytes, n, JSON_ALLOW_NUL, NULL);
    free(bytes);
    const json_t *open = json_object_get(o, "open");
    const char *model = json_string_value(json_object_get(o, "model"));
    *x = (struct pf_check_exploration){.next = x->next,
                                       .check = x->check,
                                       .command = x->command,
                                       .test = line->test,
                                       .schedules = line->schedules,
                                       .classes = line->behaviours,
                                       .targets = line->left,
                                       .complete = line->complete,
                                       .c11 = model && !strcmp(model, "c11"),
                                       .assumes_addresses =
                                           json_is_true(json_object_get(o, "assumes_addresses"))};
    for (size_t i = 0; i < json_array_size(open); i++) {
        const json_t *k = json_array_get(open, i);
        const char *where = json_string_value(json_object_get(k, "where"));
        const char *reason = json_string_value(json_object_get(k, "reason"));
        uint64_t times = (uint64_t)json_integer_value(json_object_get(k, "count"));
        bool has_where = where && *where;
        if (reason)
            add_note(l, &x->unexplored, times, "%s%s%s%s", reason, has_where ? " (" : "",
                     has_where ? where : "", has_where ? ")" : "");
    }
    json_decref(o);
}

static void note_tries(struct check_loader *l, const struct pf_check_line *line)
{
    struct pf_finding *it = pf_findings_find(l->f, line->finding);
    if (it && !line->trouble[0])
        it->tries++;
}

static void take_line(struct check_loader *l, const struct pf_check_line *line)
{
    struct pf_check_summary *s = l->sum;
    char words[64];
    s->several_tests |= line->test > 0;
    s->hides |= line->hides;
    s->runs += line->kind == PF_CHECK_RUN;
    s->recordings += line->kind == PF_CHECK_RECORD && !line->from_step;
    if (line->kind == PF_CHECK_BATCH)
        pf_check_summary_batch(s, line->schedules, line->behaviours);
    if (line->kind == PF_CHECK_EXPLORE) {
        s->searched += line->schedules;
        take_exploration(l, line);
    }
    if (line->kind == PF_CHECK_HUNT)
        s->hunted += line->schedules;
    s->directed += line->kind == PF_CHECK_DIRECT;
    s->events += line->events;
    s->candidates += line->candidates;
    s->refuted += line->refuted;
    s->undecided += line->kind == PF_CHECK_JUDGE ? 0 : line->undecided;
    l->steps_ms += line->wall_ms;
    if ((line->kind == PF_CHECK_RUN || (line->kind == PF_CHECK_RECORD && !line->from_step)) &&
        !strcmp(line->how, "ended") && WIFEXITED(line->wait) && !l->ended_by_us)
        pf_check_summary_exit(s, WEXITSTATUS(line->wait));
    if (line->kind == PF_CHECK_RUN)
        find_signal(l, line, line->wait, "", NULL);
    if (records(line))
        find_failure(l, line);
    if (line->kind == PF_CHECK_DIRECT)
        note_tries(l, line);
    snprintf(words, sizeof words, "%s",
             line->kind == PF_CHECK_RUN     ? "a free run"
             : line->kind == PF_CHECK_HATCH ? "trying predictions"
             : line->kind == PF_CHECK_LOOK  ? "searching a recording"
             : line->kind == PF_CHECK_JUDGE ? "judging races"
             : line->kind == PF_CHECK_BATCH ? "a batch of schedules"
             : line->kind == PF_CHECK_HUNT  ? "a hunt"
                                            : "a recording");
    if (line->trouble[0] && line->kind != PF_CHECK_EXPLORE)
        add_note(l, &s->gaps, 1, "%s: %s", words, line->trouble);
    else if (!strcmp(line->how, PF_CHECK_BUDGET) && line->kind == PF_CHECK_HATCH)
        l->out_of_time = true;
    else if (!strcmp(line->how, "limit") && line->kind != PF_CHECK_DIRECT)
        add_note(l, &s->gaps, 1, "%s did not end within %llu s and was terminated%s", words,
                 (unsigned long long)(line->wall_ms + 999) / 1000,
                 line->kind == PF_CHECK_RUN || records(line)
                     ? "; a program that does not end by itself needs --for"
                     : "");
}

/* --- one check --- */

static bool is_running(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lock", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool running = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return running;
}

static void take_end(struct check_loader *l)
{
    struct pf_check_end end;
    bool has_end = pf_check_end_read(&end, l->folder);
    l->sum->ms += end.ms ? end.ms : l->steps_ms;
    if (!has_end && is_running(l->folder))
        add_note(l, &l->sum->gaps, 1, "a check is still running");
    else if (!has_end || !strcmp(end.how, PF_CHECK_END_SIGNAL))
        add_note(l, &l->sum->gaps, 1, "the check was interrupted; pf check --continue resumes it");
    else if (!strcmp(end.how, PF_CHECK_END_EARLY) || l->out_of_time)
        add_note(l, &l->sum->gaps, 1,
                 "the time budget ended before everything was tried; allow more with --time");
}

static pf_status read_foreign(struct pf_findings *f, const char *folder, struct pf_error *e)
{
    char path[PATH_MAX];
    struct pf_foreign_summary sum;
    snprintf(path, sizeof path, "%s/from", folder);
    return access(path, R_OK) ? PF_OK : pf_foreign_read(f, path, &sum, e);
}

static int is_step(const struct dirent *d) { return d->d_name[0] >= '1' && d->d_name[0] <= '9'; }

static int by_step(const struct dirent **a, const struct dirent **b)
{
    uint64_t x = strtoull((*a)->d_name, NULL, 10), y = strtoull((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

/* Runs that have no line, or were stopped, are repeated: their findings count, but what they lost
 * does not make the result incomplete. */
static pf_status read_runs(const struct check_loader *l, const struct pf_check_lines *lines,
                           struct pf_error *e)
{
    struct pf_findings *f = l->f;
    struct dirent **found;
    char path[PATH_MAX];
    pf_status s = PF_OK;
    f->keep_deaths = true;
    pf_check_path(path, l->folder, "/.runs", 0);
    int count = scandir(path, &found, is_step, by_step);
    for (int k = 0; k < count; k++) {
        uint64_t n = strtoull(found[k]->d_name, NULL, 10);
        bool whole = false;
        free(found[k]);
        if (s != PF_OK)
            continue;
        pf_check_path(path, l->folder, PF_CHECK_RUNS, n);
        f->group = 0;
        for (size_t i = 0; i < lines->len; i++) {
            if (lines->at[i].step != n)
                continue;
            whole |= !pf_check_line_cut(&lines->at[i]) &&
                     strcmp(lines->at[i].how, "limit"); /* the line reports a limit */
            f->group = group_of(l, lines->at[i].test);
        }
        f->mark_stopped_by_pf = !whole || l->ended_by_us;
        s = pf_findings_read_folder(f, path, NULL, e);
    }
    if (count >= 0)
        free(found);
    f->mark_stopped_by_pf = f->keep_deaths = false;
    f->group = 0;
    return s;
}

static pf_status read_findings(struct check_loader *l, const struct pf_check_lines *lines,
                               struct pf_error *e)
{
    struct pf_findings *f = l->f;
    const char *folder = l->folder;
    char path[PATH_MAX];
    pf_status s = read_runs(l, lines, e);
    for (size_t i = 0; s == PF_OK && i < lines->len; i++)
        find_expected(l, &lines->at[i]);
    if (s == PF_OK)
        s = pf_findings_settle_deaths(f, e);
    for (size_t i = 0; s == PF_OK && i < lines->len; i++) {
        const struct pf_check_line *line = &lines->at[i];
        pf_check_path(path, folder, PF_CHECK_FOUND, line->step);
        if (pf_check_has_document(line) && access(path, R_OK) == 0)
            s = pf_findings_read_document(f, path, folder, e);
    }
    if (s == PF_OK)
        drop_expected(l, lines);
    return s == PF_OK ? read_foreign(f, folder, e) : s;
}

/* Failures that only free runs saw have no clip. */
static void explain_unconfirmed(struct pf_findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct pf_finding *it = f->at[i];
        if (pf_kind_is_failure(it->kind) && it->status == PF_STATUS_OBSERVED && !it->clip &&
            !it->unconfirmed)
            it->unconfirmed = "no recording shows it";
    }
}

/* The checked program and its arguments, or --suite FILE, as one text. */
static const char *command_text(struct pf_findings *f, const struct pf_check_description *about)
{
    char words[200] = "";
    size_t n = 0;
    for (int i = 0; i < about->nwords && n < sizeof words; i++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", i ? " " : "", about->words[i]);
    return text(f, words);
}

pf_status pf_check_load(struct pf_findings *f, const char *folder, struct pf_error *e)
{
    struct pf_check_description about;
    struct pf_check_lines lines;
    struct check_loader l = {.f = f, .folder = folder};
    pf_status s = pf_check_description_read(&about, folder, e);
    if (s != PF_OK)
        return s;
    for (int i = 0; i < about.argc && strcmp(about.argv[i], "--"); i++)
        l.ended_by_us |=
            !strncmp(about.argv[i], "--server", 8) || !strncmp(about.argv[i], "--for", 5);
    l.command = command_text(f, &about);
    pf_check_description_release(&about);
    if (!f->check)
        f->check = pf_pool_get(&f->pool, sizeof *f->check);
    l.sum = f->check;
    l.sum->checks++;
    s = pf_check_journal_read(folder, &lines, e);
    if (s == PF_OK)
        s = read_findings(&l, &lines, e);
    for (size_t i = 0; s == PF_OK && i < lines.len; i++)
        take_line(&l, &lines.at[i]);
    free(lines.at);
    explain_unconfirmed(f);
    take_end(&l);
    return s;
}

static bool same_command(const struct pf_check_description *a, const struct pf_check_description *b)
{
    if (a->nwords != b->nwords || strcmp(a->cwd, b->cwd))
        return false;
    for (int i = 0; i < a->nwords; i++)
        if (strcmp(a->words[i], b->words[i]))
            return false;
    return true;
}

pf_status pf_check_load_all(struct pf_findings *f, const char *state, struct pf_error *e)
{
    char **names = pf_check_folder_list(state);
    size_t n = 0;
    pf_status s = PF_OK;
    while (names[n])
        n++;
    struct pf_check_description *about = pf_mem_zero(n + 1, sizeof *about);
    for (size_t i = n; s == PF_OK && i-- > 0;) { /* the last check first */
        char folder[PATH_MAX], plan[PATH_MAX + 16];
        bool outdated = false;
        snprintf(folder, sizeof folder, "%s/" PF_CHECK_FOLDER "/%s", state, names[i]);
        snprintf(plan, sizeof plan, "%s/" PF_CHECK_PLAN, folder);
        if (access(plan, F_OK)) /* the check could not begin */
            continue;
        s = pf_check_description_read(&about[i], folder, e);
        for (size_t k = i + 1; s == PF_OK && k < n && !outdated; k++)
            outdated = about[k].cwd && same_command(&about[i], &about[k]) &&
                       about[i].build != about[k].build;
        if (s == PF_OK && !outdated)
            s = pf_check_load(f, folder, e);
    }
    for (size_t i = 0; i < n; i++) {
        pf_check_description_release(&about[i]);
        free(names[i]);
    }
    free(about);
    free(names);
    return s;
}
