/* verb_hatch.c - `pf hatch`: makes the predictions of a recording happen. The program is run
 * along the schedule of every candidate; those that really happened are findings, each with a
 * clip. */
#define _GNU_SOURCE
#include "allocation.h"
#include "candidate_file.h"
#include "candidates_to_try.h"
#include "cli.h"
#include "clip_failures.h"
#include "clip_program.h"
#include "clip_steps.h"
#include "duration.h"
#include "file.h"
#include "finding_group.h"
#include "finding_json.h"
#include "finding_text.h"
#include "load_trace.h"
#include "number_options.h"
#include "observed_harm.h"
#include "report_text.h"
#include "run_report.h"
#include "schedule_step.h"
#include "search_stop.h"
#include "shell_word.h"
#include "shown_by_recording.h"
#include "text_format.h"
#include "try_all.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "hatch"
#define JOBS_MAX 256

struct hatch {
    struct pf_predict_job j;
    struct pf_clip recording;
    struct pf_try_all run;
    const char *json, *patterns; /* patterns: the user's pattern file */
    uint32_t window;
    struct pf_candidate_file file; /* empty: a recording was given */
    struct pf_candidates all;
    struct pf_clip_failures failures; /* that belong to no candidate */
    struct pf_search_stop stop;
};

/* --- candidates --- */

static int find_candidates(struct hatch *h)
{
    struct pf_predict_job *j = &h->j;
    struct pf_error e;
    if (h->file.path)
        return pf_candidate_file_load(&h->file, &h->all, j, &e) == PF_OK
                   ? PF_EXIT_OK
                   : pf_complain(VERB, "%s", e.text);
    struct pf_limits limits = pf_limits_default;
    limits.stop = &h->stop.stop;
    limits.window = h->window;
    /* half of the time is reserved for trying the candidates */
    pf_search_stop_init(&h->stop, VERB, h->run.limit_ms ? h->run.began + h->run.limit_ms / 2 : 0);
    /* hb comes first: it takes little time, and what it finds needs no try */
    static const char *const names[] = {"hb", "rdit", "deadlock", "pecan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pf_predict_job_add(j, pf_analysis_find(names[i], strlen(names[i])));
    pf_predict_job_run(j, &limits);
    pf_search_stop_clear(&h->stop);
    pf_candidates_add_predicted(&h->all, j, false);
    pf_shown_by_recording_add(&h->all, j);
    return PF_EXIT_OK;
}

/* --- trying them --- */

/* True if it happened, and is an anomaly. Weak evidence for its regions is not enough: it must also
 * matter. */
static bool happened(const struct pf_candidate *c)
{
    return pf_try_happened(&c->result) && !c->result.serial &&
           (c->schedules.at[c->current].evidence != PF_EVIDENCE_WEAK || c->result.matters);
}

static bool has_schedule(const struct pf_candidate *c)
{
    return c->schedules.at[c->current].norder || c->schedules.at[c->current].stuck;
}

/* Tries the current schedule of every candidate that is not decided. */
static int try_round(struct hatch *h)
{
    struct pf_try_all *r = &h->run;
    PF_VEC(struct pf_try_item) items = {0};
    pf_vec_u32 which = {0};
    for (uint32_t i = 0; i < h->all.at.len; i++) {
        struct pf_candidate *c = &h->all.at.at[i];
        if (c->tried > c->current)
            continue;
        if (!has_schedule(c)) {
            pf_try_result_set(&c->result, PF_TRY_UNKNOWN, "no schedule was found");
            continue;
        }
        pf_vec_push(&items,
                    (struct pf_try_item){.h = &c->schedules.at[c->current], .clip = c->clip});
        pf_vec_push(&which, i);
    }
    r->items = items.at;
    r->n = items.len;
    struct pf_error e;
    pf_status s = r->n ? pf_try_all(r, &e) : PF_OK;
    for (size_t i = 0; s == PF_OK && i < r->n; i++) {
        struct pf_candidate *c = &h->all.at.at[which.at[i]];
        /* a repeated failure is not more informative than the first one */
        bool again = c->tried > 0;
        c->tried++;
        if (!again || pf_try_happened(r->items[i].result))
            c->result = *r->items[i].result;
    }
    pf_try_all_release(r);
    pf_vec_release(&items);
    pf_vec_release(&which);
    return s == PF_OK ? PF_EXIT_OK : pf_complain(VERB, "%s", e.text);
}

/* Sets the time that is left for a replay; 0: any. False: none is left. */
static bool time_left(const struct hatch *h, uint64_t *ms)
{
    uint64_t used = pf_now_ms() - h->run.began, limit = h->run.limit_ms;
    *ms = limit ? limit - used : 0;
    return !pf_interrupted() && (!limit || used < limit);
}

static bool is_time_up(void *arg)
{
    uint64_t ms;
    return !time_left(arg, &ms);
}

static int try_all(struct hatch *h)
{
    struct pf_error e;
    if (pf_folder_make(h->run.folder, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    for (size_t i = 0; i < h->all.at.len; i++)
        h->all.at.at[i].clip =
            pf_mem_format("%s/%016" PRIx64 ".clip", h->run.folder, h->all.at.at[i].f.id);
    h->run.t = &h->j.t;
    h->run.recording = &h->recording;
    int status = try_round(h);
    pf_search_stop_init(&h->stop, VERB, h->run.limit_ms ? h->run.began + h->run.limit_ms : 0);
    while (status == PF_EXIT_OK && !pf_try_all_stopped(&h->run) &&
           pf_candidates_next_schedules(&h->all, &h->j, &h->stop.stop))
        status = try_round(h);
    if (status == PF_EXIT_OK)
        pf_shown_by_recording_confirm(&h->all, &h->j, PF_OBSERVED_HARM_MS, is_time_up, h);
    pf_run_report.out_of_time = h->run.limit_ms && !pf_interrupted() && pf_try_all_stopped(&h->run);
    return status;
}

/* --- the result --- */

static bool is_inferred(const struct pf_candidate *c)
{
    enum pf_region_evidence e = c->schedules.at[c->current].evidence;
    return e == PF_EVIDENCE_WEAK || e == PF_EVIDENCE_INFERRED;
}

/* True if the program failed, and the failure belongs to the candidate. */
static bool is_harmful(const struct pf_candidate *c)
{
    return c->result.verdict == PF_TRY_ERROR &&
           (c->result.cause == PF_HARM_OWN || c->schedules.at[c->current].stuck);
}

/* True if the schedule does not tell the value of each access (schedule_step.h). */
static bool lacks_values(const struct pf_finding *f)
{
    for (size_t i = 0; i < f->nwitness; i++) {
        const struct pf_schedule_step *k = &f->witness[i];
        if (!k->value && (!strcmp(k->op, "read") || !strcmp(k->op, "write")))
            return true;
    }
    return false;
}

/* Takes the steps from the clip. They include what led to a failure, and all values. */
static void show_clip(struct hatch *h, struct pf_candidate *c)
{
    uint64_t ms;
    if (time_left(h, &ms))
        pf_clip_steps(&c->f, &h->j.pool, &h->j.t, &c->schedules.at[c->current], c->clip, ms);
}

/* Adds failures of verified clips that belong to no candidate, as findings of their own. */
static void add_failures(struct hatch *h)
{
    uint64_t ms;
    for (size_t i = 0; i < h->all.at.len; i++)
        if (happened(&h->all.at.at[i]) && is_harmful(&h->all.at.at[i]) &&
            !h->all.at.at[i].is_shown_by_recording)
            pf_clip_failures_note(&h->failures, h->all.at.at[i].clip);
    for (size_t i = 0; i < h->all.at.len; i++) {
        const struct pf_candidate *c = &h->all.at.at[i];
        if (happened(c) && c->result.verified && c->result.verdict == PF_TRY_ERROR &&
            !is_harmful(c) && time_left(h, &ms))
            pf_clip_failures_add(&h->failures, &h->j.failures, c->clip, ms);
    }
}

/* Takes the accesses from the schedule that was tried, and the steps from it or from the clip. */
static void describe_try(struct hatch *h, struct pf_candidate *c)
{
    const struct pf_try_schedule *w = &c->schedules.at[c->current];
    if (c->current && c->pattern != PF_NONE) {
        struct pf_anomaly a = {.pattern = c->pattern};
        memcpy(a.event, w->event, w->n * sizeof *w->event);
        pf_predicted_anomaly(&h->j, &a, &c->f);
    }
    if (pf_finding_is_pair(&c->f)) /* as they happened; a race lists the later access first */
        pf_predicted_accesses(&h->j, &c->f, (uint32_t[]){w->event[1], w->event[0]});
    pf_schedule_steps_witness(&h->j, &c->f,
                              &(struct pf_described_schedule){.start = w->start,
                                                              .order = w->order,
                                                              .norder = w->norder,
                                                              .marked = w->event,
                                                              .n = w->n,
                                                              .stuck = w->stuck});
    if (c->result.verified && (is_harmful(c) || lacks_values(&c->f)))
        show_clip(h, c);
}

/* If the candidate happened, completes its finding. */
static bool confirm(struct hatch *h, struct pf_candidate *c)
{
    if (!happened(c)) {
        unlink(c->clip);
        return false;
    }
    bool verified = c->result.verified, own_clip = verified && !c->is_shown_by_recording;
    if (!c->is_shown_by_recording)
        describe_try(h, c);
    if (!own_clip)
        unlink(c->clip);
    c->f.status = verified ? PF_STATUS_CONFIRMED : PF_STATUS_OBSERVED;
    c->f.clip = own_clip ? c->clip : verified ? h->j.path : NULL;
    c->f.unconfirmed = verified ? NULL : c->result.unverified;
    c->f.tries = (unsigned)c->tried;
    c->f.harm = is_harmful(c) ? c->result.why : NULL;
    c->f.suspicious = !is_inferred(c) || c->result.matters ? NULL
                      : *c->result.doubt                   ? c->result.doubt
                                                           : "not compared with the serial orders";
    return true;
}

static void add_refuted(struct pf_text *t, const struct pf_candidate *c)
{
    bool harmless = pf_try_happened(&c->result);
    pf_text_add(t, c->result.verdict == PF_TRY_UNKNOWN ? "unknown: " : "false: ");
    pf_text_hex(t, c->f.id, 16);
    pf_text_add(t, ": ");
    pf_text_name(t, !harmless          ? c->result.why
                    : *c->result.doubt ? c->result.doubt
                                       : "it happens, but its accesses are not meant to be atomic "
                                         "together, and nothing fails");
    if (c->tried > 1) {
        pf_text_add(t, " (and ");
        pf_text_u64(t, c->tried - 1);
        pf_text_add(t, c->tried == 2 ? " other schedule did not show it)"
                                     : " other schedules did not show it)");
    }
    pf_text_char(t, '\n');
}

/* True if it was found in the recording without being a prediction. */
static bool is_only_recorded(const struct pf_candidate *c)
{
    return c->is_shown_by_recording && !c->tried;
}

/* The findings, with their groups. */
static void collect(struct hatch *h, struct pf_findings *found)
{
    pf_findings_init(found);
    for (size_t i = 0; i < h->j.failures.n; i++)
        pf_findings_push(found, h->j.failures.at[i]);
    for (size_t i = 0; i < h->all.at.len; i++)
        if (happened(&h->all.at.at[i]))
            pf_findings_push(found, &h->all.at.at[i].f);
    pf_findings_group(found);
}

/* How many candidates have each result. */
struct hatch_counts {
    uint64_t real, errors, suspicious, unknown;
    uint64_t recorded; /* not counted as real: races that were found in the recording alone */
};

/* Adds a candidate that happened: its finding, the consequence, and how to see it again. */
static void add_confirmed(struct pf_text *t, const struct pf_candidate *c,
                          const struct pf_text_style *style)
{
    pf_finding_text(t, &c->f, style);
    pf_report_interleaving(t, &c->f);
    pf_report_suspicious(t, &c->f);
    if (c->result.why[0]) {
        pf_text_add(t, is_harmful(c) ? "  Consequence: " : "  Not its consequence: ");
        pf_text_name(t, c->result.why);
        if (!is_harmful(c)) {
            pf_text_add(t, " (");
            pf_text_name(t, c->result.unrelated);
            pf_text_char(t, ')');
        }
        pf_text_char(t, '\n');
    }
    if (c->f.clip) {
        pf_text_add(t, "  Happened; replay it with: pf replay ");
        pf_text_shell_word(t, c->f.clip);
    } else {
        pf_text_add(t, "  Happened once, not confirmed: ");
        pf_text_name(t, c->f.unconfirmed);
    }
    pf_text_char(t, '\n');
}

static void add_number(struct pf_text *t, const char *before, uint64_t n, const char *after)
{
    pf_text_add(t, before);
    pf_text_u64(t, n);
    pf_text_add(t, after);
}

/* The last lines: how many candidates were tried, with which results. */
static void add_summary(struct pf_text *t, const struct hatch *h, const struct hatch_counts *n)
{
    size_t all = h->all.at.len - n->recorded, failures = h->j.failures.n;
    if (failures) {
        add_number(t, "hatch: ", failures, failures == 1 ? " failure" : " failures");
        pf_text_add(t, " of the program, found in the recording or in a try\n");
    }
    if (n->recorded) {
        add_number(t, "hatch: ", n->recorded, n->recorded == 1 ? " race" : " races");
        pf_text_add(t, " that the recording itself shows\n");
    }
    add_number(t, "hatch: ", all, all == 1 ? " candidate: " : " candidates: ");
    add_number(t, "", n->real, " real, of these ");
    add_number(t, "", n->errors, " with an error");
    if (n->suspicious)
        add_number(t, ", ", n->suspicious, " only suspicious");
    add_number(t, "; ", all - n->real - n->unknown, " false");
    if (n->unknown)
        add_number(t, "; ", n->unknown, " NOT decided");
    if (h->j.suppressed)
        add_number(t, "; ", h->j.suppressed, " suppressed by the program");
    if (!pf_predict_job_decided(&h->j))
        pf_text_add(t, "; NOT all of the trace was searched: there may be more");
    pf_text_char(t, '\n');
}

/* Returns the number of findings that are not only suspicious, without failures. */
static size_t add_text(struct pf_text *t, struct hatch *h)
{
    struct pf_text_style style = {.color = pf_color_wanted(STDOUT_FILENO)};
    struct hatch_counts n = {0};
    add_failures(h);
    for (size_t i = 0; i < h->j.failures.n; i++) {
        pf_finding_text(t, h->j.failures.at[i], &style);
        pf_text_add(t, "  Replay it with: pf replay ");
        pf_text_add(t, pf_kind_replay_option(h->j.failures.at[i]->kind));
        pf_text_shell_word(t, h->j.failures.at[i]->clip);
        pf_text_char(t, '\n');
    }
    for (size_t i = 0; i < h->all.at.len; i++) {
        struct pf_candidate *c = &h->all.at.at[i];
        if (!confirm(h, c))
            continue;
        bool recorded = is_only_recorded(c);
        n.recorded += recorded;
        n.real += !recorded;
        n.errors += !recorded && is_harmful(c);
        n.suspicious += c->f.suspicious != NULL;
        add_confirmed(t, c, &style);
    }
    for (size_t i = 0; i < h->all.at.len; i++)
        if (!happened(&h->all.at.at[i])) {
            n.unknown += h->all.at.at[i].result.verdict == PF_TRY_UNKNOWN;
            add_refuted(t, &h->all.at.at[i]);
        }
    add_summary(t, h, &n);
    struct pf_findings found;
    collect(h, &found);
    pf_findings_causes_text(t, &found);
    pf_findings_release(&found);
    return n.real + n.recorded - n.suspicious;
}

static void add_json(struct pf_text *t, struct hatch *h, int argc, char **argv)
{
    uint64_t real = 0, unknown = 0, recorded = 0;
    for (size_t i = 0; i < h->all.at.len; i++) {
        recorded += is_only_recorded(&h->all.at.at[i]);
        real += happened(&h->all.at.at[i]);
        unknown += h->all.at.at[i].result.verdict == PF_TRY_UNKNOWN;
    }
    pf_predict_json_head(t, argc, argv, pf_predict_job_decided(&h->j) && !unknown);
    struct pf_findings found;
    collect(h, &found);
    for (size_t i = 0; i < found.n; i++) {
        pf_text_add(t, i ? ",\n" : "\n");
        pf_finding_json(t, found.at[i]);
    }
    pf_text_char(t, ']');
    pf_findings_release(&found);
    pf_predict_json_tail(t, &h->j, h->all.at.len - recorded, h->all.at.len - real - unknown,
                         unknown);
}

static int report(struct hatch *h, int argc, char **argv)
{
    struct pf_text text, json;
    pf_text_init(&text, &h->j.pool);
    pf_text_init(&json, &h->j.pool);
    size_t counted = add_text(&text, h);
    add_json(&json, h, argc, argv);
    if (!pf_cli_write(VERB, &text, h->json, &json))
        return PF_EXIT_USAGE;
    return counted || h->j.failures.n ? PF_EXIT_FOUND : PF_EXIT_OK;
}

static int run(struct hatch *h, int argc, char **argv)
{
    struct pf_error e;
    if (pf_clip_open(&h->recording, h->j.path, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    /* otherwise loading the trace replays the clip, and announces its program */
    if (h->recording.stream[PF_STREAM_EVENT].length && !h->j.atomic)
        pf_clip_program_announce(VERB, &h->recording);
    if (pf_clip_program_resolve(&h->recording, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    pf_status s = PF_OK;
    h->run.began = pf_now_ms();
    pf_interrupt_catch();
    if (h->patterns)
        s = pf_predict_job_read_patterns(&h->j, h->patterns, &e);
    uint64_t before = pf_now_ms();
    h->j.t.recorded.replay_limit_ms = h->run.limit_ms / 2;
    if (s == PF_OK)
        s = pf_load_trace_shown(VERB, h->j.path, h->j.atomic, &h->j.t, &h->j.failures, &e);
    h->run.replay_ms = pf_now_ms() - before; /* it replays the recording */
    pf_run_report.out_of_time = h->j.t.recorded.out_of_time;
    int status = s == PF_OK ? find_candidates(h) : pf_complain(VERB, "%s", e.text);
    if (status == PF_EXIT_OK)
        status = try_all(h);
    return status == PF_EXIT_OK ? report(h, argc, argv) : status;
}

/* Opens a recording, or a file of candidates, which names one. */
static int open_file(struct hatch *h, const char *path)
{
    struct pf_error e;
    h->j.path = path;
    if (!pf_candidate_file_detect(path))
        return PF_EXIT_OK;
    if (h->j.atomic || h->patterns)
        return pf_complain(
            VERB, "%s: contains candidates: --atomic and --patterns need a recording", path);
    if (pf_candidate_file_open(&h->file, path, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    h->j.path = h->file.recording;
    h->j.atomic = h->file.atomic;
    if (access(h->j.path, R_OK))
        return pf_complain(VERB, "%s: its recording, %s: %s", path, h->j.path, strerror(errno));
    return PF_EXIT_OK;
}

static void release(struct hatch *h)
{
    pf_candidates_release(&h->all);
    pf_clip_failures_release(&h->failures);
    pf_candidate_file_release(&h->file);
    pf_predict_job_release(&h->j);
    pf_clip_release(&h->recording);
    free(h);
}

int pf_verb_hatch(int argc, char **argv)
{
    const char *jobs = NULL, *folder = NULL, *known = NULL, *limit = NULL, *window = NULL;
    char *ids = NULL;
    size_t nids;
    struct pf_error e;
    struct hatch *h = pf_mem_zero(1, sizeof *h);
    const struct pf_cli_option options[] = {
        {"atomic", "GLOB", "treat calls of functions whose names match as atomic regions",
         &h->j.atomic, NULL},
        {"jobs", "N", "try N candidates in parallel (default 1)", &jobs, NULL},
        {"json", "FILE", "write the findings as JSON; - is standard output", &h->json, NULL},
        {"known", "FILE", "do not try findings whose ids are in FILE, one per line", &known, NULL},
        {"limit", "TIME", "stop after TIME, such as 90s or 2m; half of it is for the search",
         &limit, NULL},
        {"window", "N", PF_CLI_WINDOW, &window, NULL},
        {"apart", NULL, "try each candidate in its own run, from the beginning", NULL,
         &h->run.one_by_one},
        {"patterns", "FILE", "also search for the patterns in FILE", &h->patterns, NULL},
        {"o", "DIR", "write the clips to DIR (default: RECORDING.hatched)", &folder, NULL},
        PF_CLI_QUIET,
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] RECORDING|CANDIDATES",
        "Searches a recording for races, atomicity violations, atomic-set violations and deadlocks "
        "that\n"
        "another schedule would cause, and runs the program along each such schedule. Only what "
        "really\n"
        "happened is reported, with a clip for pf replay. A race of the recording itself that no\n"
        "such run shows is reported too, with the recording as its clip. CANDIDATES is a file\n"
        "that pf predict --json has written for a recording: only these candidates are tried.\n"
        "Exit status: 66 if something happened that counts, 0 if not, 2 on an error.",
        options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_OK, next = 0;
    char *standard = NULL;
    const char *path = NULL;
    /* the file may come before the options */
    for (int at = 0; at < argc && next >= 0; at += next) {
        next = pf_cli_parse(&verb, argc - at, argv + at, &status);
        if (next >= 0 && at + next < argc) {
            if (path)
                status = next = -1;
            path = argv[at + next];
        }
    }
    pf_predict_job_init(&h->j);
    h->window = pf_cli_window(window);
    h->run.jobs = 1;
    const struct pf_cli_number number = {"jobs", jobs, 1, JOBS_MAX, &h->run.jobs};
    if (status == -1)
        status = pf_complain(VERB, "give only one recording");
    else if (next < 0)
        ;
    else if (!path)
        status = pf_complain(VERB, "no recording given; usage: pf hatch %s", verb.usage);
    else if ((status = pf_cli_numbers(VERB, &number, 1)) != PF_EXIT_OK ||
             (status = pf_cli_duration(VERB, "limit", limit, &h->run.limit_ms)) != PF_EXIT_OK)
        ;
    else if (!h->window)
        status = pf_complain(VERB, PF_CLI_WINDOW_WRONG, window);
    else if (pf_cli_replaces_input(VERB, h->json, path) || pf_cli_cannot_write(VERB, h->json))
        status = PF_EXIT_USAGE;
    else if (known && pf_file_read(known, &ids, &nids, &e) != PF_OK)
        status = pf_complain(VERB, "%s", e.text);
    else {
        standard = pf_mem_format("%s.hatched", path);
        h->all.known = ids;
        h->run.folder = folder ? folder : standard;
        status = open_file(h, path);
        if (status == PF_EXIT_OK)
            status = run(h, argc, argv);
    }
    free(standard);
    free(ids);
    release(h);
    return status;
}
