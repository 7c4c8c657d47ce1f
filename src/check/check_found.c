/* check_found.c - see check_found.h. */
#define _GNU_SOURCE
#include "check_found.h"
#include "allocation.h"
#include "check_batch.h"
#include "clip.h"
#include "file.h"
#include "foreign.h"
#include "message.h"
#include "text_format.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void pf_check_found_init(struct pf_check_found *f)
{
    *f = (struct pf_check_found){0};
    pf_findings_init(&f->all);
    pf_suppressions_init(&f->suppressions);
}

void pf_check_found_release(struct pf_check_found *f)
{
    pf_findings_release(&f->all);
    pf_vec_release(&f->origins);
    pf_vec_release(&f->targets);
    pf_vec_release(&f->races);
    pf_vec_release(&f->options);
    *f = (struct pf_check_found){0};
}

/* --- findings to be confirmed --- */

static void set_positions(struct pf_chain_target *t, const struct pf_finding *f)
{
    char a[80], b[80];
    t->positions[0] = 0;
    if (pf_finding_is_pair(f) && pf_access_position(&f->accesses[0], a, sizeof a) &&
        pf_access_position(&f->accesses[1], b, sizeof b))
        snprintf(t->positions, sizeof t->positions, "%.79s,%.79s", a, b);
}

static int by_count(const void *a, const void *b)
{
    const struct pf_chain_target *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

/* True for a candidate of another tool that pf has confirmed under its own fingerprint. */
static bool is_confirmed_elsewhere(const struct pf_check_found *f, const struct pf_finding *it)
{
    for (size_t i = 0; it->status == PF_STATUS_PREDICTED && i < f->all.n; i++)
        if (f->all.at[i]->status == PF_STATUS_CONFIRMED && pf_foreign_same(it, f->all.at[i]))
            return true;
    return false;
}

/* Counts the findings anew. `test` has seen those that are new. */
static void update_targets(struct pf_check_found *f, size_t test)
{
    size_t n = f->all.n;
    while (f->origins.len < n)
        pf_vec_push(&f->origins, test);
    f->confirmed = f->harmful = f->observed = f->unjudged = 0;
    pf_vec_clear(&f->targets);
    pf_vec_clear(&f->races);
    for (size_t i = 0; i < n; i++) {
        const struct pf_finding *it = f->all.at[i];
        bool counts = !it->suspicious;
        f->confirmed += counts && it->status == PF_STATUS_CONFIRMED;
        f->harmful += counts && it->status == PF_STATUS_CONFIRMED && it->harm;
        f->observed += counts && it->status == PF_STATUS_OBSERVED;
        if (!pf_finding_is_pair(it))
            continue;
        if (counts && it->status == PF_STATUS_CONFIRMED && !pf_finding_is_judged(it)) {
            f->unjudged_test = f->origins.at[i];
            f->unjudged++;
        }
        struct pf_chain_target t = {
            .finding = it->id, .count = it->count, .test = f->origins.at[i]};
        set_positions(&t, it);
        pf_vec_push(&f->races, t);
        if (it->status != PF_STATUS_CONFIRMED && !is_confirmed_elsewhere(f, it))
            pf_vec_push(&f->targets, t);
    }
    if (f->targets.len)
        qsort(f->targets.at, f->targets.len, sizeof *f->targets.at, by_count);
}

/* --- results of a step --- */

/* Writes the document of a step into the check's folder, with paths of clips relative to it. */
static pf_status rewrite(struct pf_findings *f, const struct pf_check_folder *folder, uint64_t step,
                         const char *stage, const char *recording, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    char path[PATH_MAX];
    const char *command[] = {"pf", stage};
    size_t n = strlen(folder->absolute);
    for (size_t i = 0; i < f->n; i++) {
        struct pf_finding *it = f->at[i];
        if (it->clip && !strncmp(it->clip, folder->absolute, n) && it->clip[n] == '/')
            it->clip += n + 1;
        if (it->input && !strncmp(it->input, folder->absolute, n) && it->input[n] == '/')
            it->input += n + 1;
        it->recording = it->nrecorded ? recording : NULL;
        it->stages = NULL; /* the reader derives it from the command */
    }
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_findings_json(&t, f, command, 2);
    pf_check_path(path, folder->absolute, PF_CHECK_FOUND, step);
    pf_status s = pf_file_write(path, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

/* Completes the races that a recording confirms: the recording is their clip. */
static void complete_confirmed(struct pf_findings *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i]->status == PF_STATUS_CONFIRMED && f->at[i]->nrecorded) {
            f->at[i]->witness = f->at[i]->recorded; /* the recording is the clip */
            f->at[i]->nwitness = f->at[i]->nrecorded;
            f->at[i]->nrecorded = 0;
        }
}

/* For verdicts on findings of other steps: sets the counts of the findings to 0, drops their
 * schedules, and sets line->undecided to the number of races without a verdict. */
static void complete_judged(struct pf_findings *f, const struct pf_check_folder *folder,
                            struct pf_check_line *line)
{
    size_t n = strlen(folder->absolute);
    line->events = line->candidates = line->refuted = line->undecided = 0;
    f->undecided = f->bounded = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct pf_finding *it = f->at[i];
        it->count = 0;
        it->nwitness = it->nrecorded = 0;
        line->undecided += !pf_finding_is_judged(it);
        size_t count = it->judged ? it->judged->nevidence : 0;
        for (size_t k = 0; k < count; k++) {
            /* allocated in the pool of f */
            struct pf_judged_evidence *x = (struct pf_judged_evidence *)&it->judged->evidence[k];
            if (x->clip && !strncmp(x->clip, folder->absolute, n) && x->clip[n] == '/')
                x->clip += n + 1;
        }
    }
}

bool pf_check_has_document(const struct pf_check_line *line)
{
    return line->kind == PF_CHECK_HATCH || line->kind == PF_CHECK_LOOK ||
           line->kind == PF_CHECK_JUDGE || line->kind == PF_CHECK_HUNT;
}

pf_status pf_check_found_read_suppressions(struct pf_check_found *f, const char *path,
                                           struct pf_error *e)
{
    struct pf_suppress_error bad = {0};
    char *text;
    size_t n;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    if (!pf_suppressions_parse(&f->suppressions, &f->all.pool, text, n, &bad))
        s = pf_fail(e, PF_BAD, "%s:%" PRIu32 ": %s: %s", path, bad.line, bad.reason, bad.text);
    free(text);
    return s;
}

/* The options of a test's program; unknown ones are empty. */
static struct pf_program_options *options_of(struct pf_check_found *f, size_t test)
{
    while (test >= f->options.len)
        pf_vec_push(&f->options, (struct pf_program_options){0});
    return &f->options.at[test];
}

/* Takes the options that the processes of a free run have logged. */
static pf_status take_options(struct pf_check_found *f, const struct pf_check_line *line,
                              struct pf_error *e)
{
    char run[64];
    struct pf_program_options *o = options_of(f, line->test);
    pf_status s = PF_OK;
    snprintf(run, sizeof run, PF_CHECK_RUN_NAME, (unsigned long long)line->step);
    for (const struct pf_process *p = f->all.processes; s == PF_OK && p; p = p->next)
        if (p->run && !strcmp(p->run, run))
            s = pf_program_options_take(o, &f->all.pool, p, e);
    return s;
}

int pf_check_found_status(const struct pf_check_found *f)
{
    for (size_t i = 0; i < f->options.len; i++)
        if (f->options.at[i].known)
            return f->options.at[i].exitcode;
    return PF_EXIT_FOUND;
}

static void drop_suppressed(struct pf_findings *f, struct pf_suppressions *suppressions,
                            struct pf_program_options *own)
{
    size_t keep = 0;
    bool by_name;
    for (size_t i = 0; i < f->n; i++)
        if (!pf_suppressions_match(suppressions, f->at[i], &by_name) &&
            !(own && pf_program_options_hide(own, f->at[i])))
            f->at[keep++] = f->at[i];
    f->n = keep;
}

static pf_status take_document(const struct pf_check_folder *folder, struct pf_check_line *line,
                               struct pf_suppressions *suppressions, struct pf_program_options *own,
                               struct pf_error *e)
{
    struct pf_findings f;
    char raw[PATH_MAX], clip[PATH_MAX];
    pf_check_path(raw, folder->absolute, PF_CHECK_RAW, line->step);
    pf_check_searched_path(clip, folder->absolute, line);
    if (access(raw, R_OK))
        return PF_OK; /* it was stopped before it wrote one, as its line says */
    pf_findings_init(&f);
    pf_status s = pf_findings_read_document(&f, raw, NULL, e);
    if (s == PF_OK)
        drop_suppressed(&f, suppressions, own);
    line->events = f.explored.events;
    line->candidates = f.explored.candidates;
    line->refuted = f.explored.refuted;
    line->undecided = f.explored.undecided;
    if (s == PF_OK && line->kind == PF_CHECK_LOOK) {
        complete_confirmed(&f);
        /* the step searched only for races that the recording shows */
        f.undecided = f.bounded = 0;
        line->events = 0; /* counted with the recording */
    }
    if (pf_check_line_cut(line))
        line->undecided = f.undecided = f.bounded =
            0; /* reported as the end of the budget or the interruption */
    if (s == PF_OK && line->kind == PF_CHECK_JUDGE)
        complete_judged(&f, folder, line);
    if (s == PF_OK && line->kind == PF_CHECK_HUNT) {
        s = pf_check_batch_read_hunt(raw, &line->schedules, &line->left, e);
        f.undecided = 0; /* `left` of the line reports it */
        line->events = line->candidates = line->refuted = line->undecided = 0;
    }
    bool aimed = !strncmp(line->schedule, "racefuzzer", 10);
    if (s == PF_OK)
        s = rewrite(&f, folder, line->step,
                    line->kind == PF_CHECK_HATCH   ? "hatch"
                    : line->kind == PF_CHECK_JUDGE ? "judge"
                    : line->kind == PF_CHECK_HUNT  ? "hunt"
                    : aimed                        ? "racefuzzer"
                                                   : "record",
                    clip + strlen(folder->absolute) + 1, e);
    if (s == PF_OK)
        unlink(raw);
    if (s == PF_OK && aimed && !f.n)
        unlink(clip);
    pf_findings_release(&f);
    return s;
}

static pf_status read_step(struct pf_check_found *f, const struct pf_check_folder *folder,
                           const struct pf_check_line *line, struct pf_error *e)
{
    char path[PATH_MAX];
    pf_check_path(path, folder->absolute,
                  line->kind == PF_CHECK_RUN ? PF_CHECK_RUNS : PF_CHECK_FOUND, line->step);
    pf_status s = PF_OK;
    if (access(path, R_OK))
        return PF_OK;
    f->all.group = line->test + 1;
    if (line->kind == PF_CHECK_RUN)
        s = pf_findings_read_folder(&f->all, path, NULL, e);
    if (s == PF_OK && line->kind == PF_CHECK_RUN)
        s = take_options(f, line, e);
    if (pf_check_has_document(line))
        s = pf_findings_read_document(&f->all, path, folder->path, e);
    return s;
}

pf_status pf_check_found_take(struct pf_check_found *f, const struct pf_check_folder *folder,
                              struct pf_check_line *line, bool *news, struct pf_error *e)
{
    size_t before = f->all.n, confirmed = f->confirmed, harmful = f->harmful;
    pf_status s = PF_OK;
    if (pf_check_has_document(line))
        s = take_document(folder, line, &f->suppressions, options_of(f, line->test), e);
    if (s == PF_OK)
        s = read_step(f, folder, line, e);
    if (s == PF_OK)
        update_targets(f, line->test);
    *news = f->all.n > before || f->confirmed > confirmed || f->harmful > harmful;
    return s;
}

pf_status pf_check_found_foreign(struct pf_check_found *f, const char *path, struct pf_error *e)
{
    struct pf_foreign_summary sum;
    pf_status s = pf_foreign_read(&f->all, path, &sum, e);
    if (s == PF_OK)
        update_targets(f, PF_CHAIN_ANY);
    return s;
}

pf_status pf_check_found_reload(struct pf_check_found *f, const struct pf_check_folder *folder,
                                const struct pf_check_lines *lines, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < lines->len; i++) {
        s = read_step(f, folder, &lines->at[i], e);
        if (s == PF_OK)
            update_targets(f, lines->at[i].test);
    }
    return s;
}

pf_status pf_check_found_write_known(const struct pf_check_found *f, const char *path,
                                     struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    for (size_t i = 0; i < f->all.n; i++)
        if (f->all.at[i]->status == PF_STATUS_CONFIRMED) {
            pf_text_hex(&t, f->all.at[i]->id, 16);
            pf_text_char(&t, '\n');
        }
    pf_status s = pf_file_write(path, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}
