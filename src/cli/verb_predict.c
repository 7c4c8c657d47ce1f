/* verb_predict.c - `pf predict`: predicts races from one recorded order of events. */
#include "candidate_file.h"
#include "cli.h"
#include "duration.h"
#include "file.h"
#include "finding_group.h"
#include "finding_json.h"
#include "finding_text.h"
#include "load_trace.h"
#include "number_options.h"
#include "observed_harm.h"
#include "predicted_finding.h"
#include "recording_trace.h"
#include "report_text.h"
#include "search_stop.h"
#include "shell_word.h"
#include "text_format.h"
#include "verify_clip.h"
#include "witness_clips.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "predict"
#define DEFAULT_ANALYSIS "rdit"
#define PATTERNS "pecan"
#define SCHEDULE_RANGES 24 /* of a witness as text */
#define STOPPED ", stopped: NOT fully searched"

/* The number of events of order[0..n) that follow each other in the trace, from the first on. */
static uint32_t count_consecutive(const struct pf_predict_job *j, const uint32_t *order, uint32_t n)
{
    uint32_t k = 1;
    while (k < n && pf_trace_label(&j->t, order[k]) == pf_trace_label(&j->t, order[k - 1]) + 1)
        k++;
    return k;
}

/* Writes a schedule as event numbers: the trace up to `start`, then `order`, as ranges. Witnesses
 * in recordings of real programs can have thousands of events; the JSON document has all. */
static void add_schedule(struct pf_text *t, const struct pf_predict_job *j, uint32_t start,
                         const uint32_t *order, uint32_t n)
{
    if (start) {
        pf_text_add(t, "as recorded up to event ");
        pf_text_u64(t, pf_trace_label(&j->t, start - 1));
        pf_text_add(t, ", then");
    } else
        pf_text_add(t, "events");
    uint32_t k = 0;
    for (unsigned shown = 0; k < n && shown < SCHEDULE_RANGES; shown++) {
        uint32_t many = count_consecutive(j, order + k, n - k);
        pf_text_char(t, ' ');
        pf_text_u64(t, pf_trace_label(&j->t, order[k]));
        if (many > 1) {
            pf_text_char(t, many > 2 ? '-' : ' ');
            pf_text_u64(t, pf_trace_label(&j->t, order[k + many - 1]));
        }
        k += many;
    }
    if (k < n)
        pf_text_format(t, " and %u more events (--json has all)", n - k);
}

static void add_witness(struct pf_text *t, const struct pf_predict_job *j, const struct pf_race *r)
{
    pf_text_add(t, "  Witness: ");
    add_schedule(t, j, r->start, r->order, r->norder);
    pf_text_add(t, r->norder ? "; now " : " no events; now ");
    pf_text_u64(t, pf_trace_label(&j->t, r->a));
    pf_text_add(t, " and ");
    pf_text_u64(t, pf_trace_label(&j->t, r->b));
    pf_text_add(t, " are next in their threads\n");
}

static void add_clip(struct pf_text *t, const struct pf_witness_clip *c)
{
    if (!c)
        return;
    if (c->happened) {
        pf_text_add(t, "  The witness was run; replay it with: pf replay --until race ");
        pf_text_shell_word(t, c->path);
    } else {
        pf_text_add(t, "  The witness was NOT reached by a run: ");
        pf_text_name(t, c->why);
    }
    pf_text_char(t, '\n');
}

static void add_anomaly(struct pf_text *t, const struct pf_predict_job *j,
                        const struct pf_anomaly *a)
{
    pf_text_add(t, "  Pattern ");
    pf_text_name(t, j->patterns.at[a->pattern].name);
    pf_text_add(t, a->witnessed ? ". Witness: " : ". Schedule to try: ");
    add_schedule(t, j, a->start, a->order, a->norder);
    pf_text_char(t, '\n');
}

static void add_count(struct pf_text *t, uint64_t n, const char *what)
{
    if (!n)
        return;
    pf_text_add(t, ", ");
    pf_text_u64(t, n);
    pf_text_add(t, what);
}

/* Begins the line of results of analysis k. */
static void add_name(struct pf_text *t, const struct pf_predict_job *j, size_t k)
{
    pf_text_add(t, j->named ? j->analyses[k]->name : VERB);
    pf_text_add(t, ": ");
}

static void add_anomalies(struct pf_text *t, struct pf_predict_job *j, size_t k,
                          const struct pf_text_style *style)
{
    const struct pf_anomalies *a = &j->results[k].anomalies;
    uint64_t kinds[3] = {0}, witnessed = 0;
    for (size_t i = 0; i < a->at.len; i++) {
        struct pf_finding f;
        pf_predicted_anomaly(j, &a->at.at[i], &f);
        pf_finding_text(t, &f, style);
        pf_report_suspicious(t, &f);
        add_anomaly(t, j, &a->at.at[i]);
        kinds[j->patterns.at[a->at.at[i].pattern].kind]++;
        witnessed += a->at.at[i].witnessed;
    }
    add_name(t, j, k);
    pf_text_u64(t, kinds[PF_PATTERN_RACE]);
    pf_text_add(t, " races, ");
    pf_text_u64(t, kinds[PF_PATTERN_ATOMICITY]);
    pf_text_add(t, " atomicity violations, ");
    pf_text_u64(t, kinds[PF_PATTERN_ATOMIC_SET]);
    pf_text_add(t, " atomic-set violations (");
    pf_text_u64(t, witnessed);
    pf_text_add(t, " witnessed, the others can be tried with pf hatch)");
    add_count(t, a->search.matches - a->search.accepted, " without a schedule");
    add_count(t, a->search.undecided, " of these NOT decided (limits of the search)");
    add_count(t, a->search.skipped,
              " alternatives with the same code NOT examined (limits of the search)");
    add_count(t, a->search.cut, " patterns NOT fully searched (budget used up)");
    if (a->search.stopped)
        pf_text_add(t, STOPPED);
    pf_text_char(t, '\n');
}

static void add_cycles(struct pf_text *t, struct pf_predict_job *j, size_t k,
                       const struct pf_text_style *style)
{
    const struct pf_cycles *c = &j->results[k].cycles;
    for (size_t i = 0; i < c->at.len; i++) {
        struct pf_finding f;
        pf_predicted_cycle(j, &c->at.at[i], &f);
        pf_finding_text(t, &f, style);
        pf_text_add(t, "  Schedule to try: ");
        add_schedule(t, j, c->at.at[i].start, c->at.at[i].order, c->at.at[i].norder);
        pf_text_add(t, "; then each thread waits for the next\n");
    }
    add_name(t, j, k);
    pf_text_u64(t, c->at.len);
    pf_text_add(t, " lock cycles with a schedule (try them with pf hatch)");
    add_count(t, c->cycles - c->at.len, " without");
    add_count(t, c->dropped, " edges NOT examined (too many)");
    if (c->cut)
        pf_text_add(t, ", not all cycles were examined");
    pf_text_char(t, '\n');
}

static void add_races(struct pf_text *t, struct pf_predict_job *j, size_t k,
                      const struct pf_text_style *style)
{
    static const char *const claim[] = {[PF_CLAIM_OBSERVED] = "observed",
                                        [PF_CLAIM_WITNESSED] = "witnessed",
                                        [PF_CLAIM_CANDIDATE] = "candidates only"};
    const struct pf_result *r = &j->results[k];
    for (size_t i = 0; i < r->races.len; i++) {
        struct pf_finding f;
        pf_predicted_race(j, k, &r->races.at[i], &f);
        pf_finding_text(t, &f, style);
        if (j->analyses[k]->claim == PF_CLAIM_WITNESSED)
            add_witness(t, j, &r->races.at[i]);
        add_clip(t, pf_witness_clip(j, k, i));
    }
    add_name(t, j, k);
    pf_text_u64(t, r->races.len);
    pf_text_add(t, r->races.len == 1 ? " race (" : " races (");
    pf_text_add(t, claim[j->analyses[k]->claim]);
    pf_text_char(t, ')');
    add_count(t, r->infeasible, " pairs of sites rejected");
    add_count(t, r->window, " rejected, but a larger window was not tried");
    add_count(t, r->windows, " further windows (accesses farther apart NOT compared)");
    add_count(t, r->unknown, " unknown (budget used up)");
    add_count(t, r->untried, " pairs of accesses at rejected sites NOT tried");
    add_count(t, r->dropped, " accesses not examined (history full)");
    add_count(t, r->invalid, " INVALID WITNESSES: please report this");
    if (r->stopped)
        pf_text_add(t, STOPPED);
    pf_text_char(t, '\n');
}

static void add_text(struct pf_text *t, struct pf_predict_job *j, bool color)
{
    struct pf_text_style style = {.color = color};
    for (size_t i = 0; i < j->failures.n; i++)
        pf_finding_text(t, j->failures.at[i], &style);
    for (size_t k = 0; k < j->n; k++)
        switch (j->analyses[k]->claim) {
        case PF_CLAIM_PATTERN:
            add_anomalies(t, j, k, &style);
            break;
        case PF_CLAIM_CYCLE:
            add_cycles(t, j, k, &style);
            break;
        default:
            add_races(t, j, k, &style);
        }
    if (j->suppressed) {
        pf_text_add(t, "predict: ");
        pf_text_u64(t, j->suppressed);
        pf_text_add(t, j->suppressed == 1 ? " result" : " results");
        pf_text_add(t, " suppressed by the program\n");
    }
}

static void collect(struct pf_predict_job *j, struct pf_findings *all, const struct pf_finding *f)
{
    struct pf_finding *copy = pf_pool_get(&j->pool, sizeof *copy);
    *copy = *f;
    pf_findings_push(all, copy);
}

static void collect_anomalies(struct pf_predict_job *j, bool witnessed, struct pf_findings *all)
{
    for (size_t k = 0; k < j->n; k++) {
        const struct pf_anomalies *a = &j->results[k].anomalies;
        for (size_t i = 0; i < a->at.len; i++)
            if (a->at.at[i].witnessed == witnessed) {
                struct pf_finding f;
                pf_predicted_anomaly(j, &a->at.at[i], &f);
                collect(j, all, &f);
            }
    }
}

static void collect_cycles(struct pf_predict_job *j, struct pf_findings *all)
{
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; i < j->results[k].cycles.at.len; i++) {
            struct pf_finding f;
            pf_predicted_cycle(j, &j->results[k].cycles.at.at[i], &f);
            collect(j, all, &f);
        }
}

/* True if an analysis was chosen whose results are to be tried (pf hatch). */
static bool has_candidates(const struct pf_predict_job *j)
{
    for (size_t k = 0; k < j->n; k++)
        if (j->analyses[k]->claim == PF_CLAIM_PATTERN || j->analyses[k]->claim == PF_CLAIM_CYCLE)
            return true;
    return false;
}

/* A race that happened in the recording: the recording is its clip, if it replays. */
static void confirm(const struct pf_predict_job *j, struct pf_finding *f)
{
    f->status = j->shown ? PF_STATUS_CONFIRMED : PF_STATUS_OBSERVED;
    f->clip = j->shown ? j->path : NULL;
    f->unconfirmed = j->shown ? NULL : j->unshown;
}

static void collect_races(struct pf_predict_job *j, struct pf_findings *all)
{
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; i < j->results[k].races.len; i++) {
            struct pf_finding f;
            pf_predicted_race(j, k, &j->results[k].races.at[i], &f);
            const struct pf_witness_clip *c = pf_witness_clip(j, k, i);
            f.clip = c && c->happened ? c->path : NULL;
            if (j->verify && f.status == PF_STATUS_OBSERVED)
                confirm(j, &f);
            if (f.status == PF_STATUS_CONFIRMED)
                f.harm = pf_observed_harm(j, k, i);
            collect(j, all, &f);
        }
}

static void add_findings(struct pf_text *t, const struct pf_findings *all, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        pf_text_add(t, i > from ? ",\n" : "\n");
        pf_finding_json(t, all->at[i]);
    }
    pf_text_char(t, ']');
}

static void add_json(struct pf_text *t, struct pf_predict_job *j, int argc, char **argv)
{
    struct pf_findings all; /* the findings, then the candidates */
    pf_findings_init(&all);
    for (size_t i = 0; i < j->failures.n; i++)
        collect(j, &all, j->failures.at[i]);
    collect_races(j, &all);
    collect_anomalies(j, true, &all);
    size_t found = all.n;
    collect_anomalies(j, false, &all);
    collect_cycles(j, &all);
    pf_findings_group(&all);
    pf_predict_json_head(t, argc, argv, pf_predict_job_decided(j));
    add_findings(t, &all, 0, found);
    if (has_candidates(j)) {
        pf_json_key(t, "candidates");
        pf_text_char(t, '[');
        add_findings(t, &all, found, all.n);
    }
    pf_candidate_file_json(t, j);
    pf_predict_json_tail(t, j, 0, 0, 0);
    pf_findings_release(&all);
}

static int complain_unknown(const char *name, size_t len)
{
    const char *words[PF_PREDICT_ANALYSES];
    char word[64];
    for (size_t i = 0; i < pf_nanalyses && i < PF_PREDICT_ANALYSES; i++)
        words[i] = pf_analyses[i].name;
    snprintf(word, sizeof word, "%.*s", (int)len, name);
    const char *near = pf_cli_closest(word, words, pf_nanalyses);
    return pf_complain(VERB, "--analysis: unknown analysis '%s'%s%s%s; see pf predict --help", word,
                       near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int choose(struct pf_predict_job *j, const char *list)
{
    for (const char *p = list; *p;) {
        size_t len = strcspn(p, ",");
        const struct pf_analysis *a = pf_analysis_find(p, len);
        if (!a)
            return complain_unknown(p, len);
        if (!pf_predict_job_add(j, a))
            return pf_complain(VERB, "--analysis: too many analyses");
        p += len + (p[len] == ',');
    }
    return j->n ? PF_EXIT_OK : pf_complain(VERB, "--analysis: the list is empty");
}

static bool should_stop(void *arg) { return (void)arg, pf_interrupted(); }

static int run_job(struct pf_predict_job *j, uint32_t window, const char *json, const char *clips,
                   int argc, char **argv)
{
    struct pf_error e;
    if (pf_load_trace_shown(VERB, j->path, j->atomic, &j->t, &j->failures, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    size_t found = j->failures.n;
    struct pf_search_stop stop;
    struct pf_limits limits = pf_limits_default;
    limits.stop = &stop.stop;
    limits.window = window;
    pf_interrupt_catch();
    uint64_t search_ms = clips ? j->limit_ms / 2 : j->limit_ms; /* the other half is for the runs */
    pf_search_stop_init(&stop, VERB, j->limit_ms ? j->began + search_ms : 0);
    pf_predict_job_run(j, &limits);
    pf_search_stop_clear(&stop);
    for (size_t k = 0; k < j->n; k++) {
        found += j->results[k].races.len;
        for (size_t i = 0; i < j->results[k].anomalies.at.len; i++)
            found += j->results[k].anomalies.at.at[i].witnessed &&
                     j->results[k].anomalies.at.at[i].evidence == PF_EVIDENCE_NAMED;
    }
    if (j->verify && found)
        j->shown = pf_verify_clip(j->path, should_stop, NULL, j->unshown, sizeof j->unshown);
    if (j->shown)
        pf_observed_harm_find(j, PF_OBSERVED_HARM_MS, should_stop, NULL);
    if (clips && pf_witness_clips_make(j, clips, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    struct pf_text text, document;
    pf_text_init(&text, &j->pool);
    pf_text_init(&document, &j->pool);
    add_text(&text, j, pf_color_wanted(STDOUT_FILENO));
    if (json)
        add_json(&document, j, argc, argv);
    if (!pf_cli_write(VERB, &text, json, &document))
        return PF_EXIT_USAGE;
    return found ? PF_EXIT_FOUND : PF_EXIT_OK;
}

/* Options that are words, as given; NULL: not given. */
struct predict_options {
    const char *list, *json, *patterns, *atomic, *clips, *events, *limit, *window;
    struct pf_predict_job *j; /* switches, and the path of the trace, are stored here */
};

/* Parses the command line. False: there is nothing more to do; *status is the exit status. */
static bool parse_options(struct predict_options *o, int argc, char **argv, int *status)
{
    const struct pf_cli_option options[] = {
        {"analysis", "LIST", "analyses, separated by commas (default " DEFAULT_ANALYSIS "):\n"
#define PF_ANALYSIS(name, claim, summary) "                         " #name ": " summary "\n"
#include "analyses.def"
#undef PF_ANALYSIS
         ,
         &o->list, NULL},
        {"patterns", "FILE", "also search for the patterns in FILE (implies " PATTERNS ")",
         &o->patterns, NULL},
        {"atomic", "GLOB",
         "of a recording: treat calls of functions whose names match as regions (implies " PATTERNS
         ")",
         &o->atomic, NULL},
        {"clips", "DIR",
         "of a recording: run the witness of each race and write a clip of it to DIR", &o->clips,
         NULL},
        {"events", "N",
         "of a recording: analyse its first N events (default and maximum: 100 million)",
         &o->events, NULL},
        {"window", "N", PF_CLI_WINDOW, &o->window, NULL},
        {"json", "FILE", "write the findings as JSON; - is standard output", &o->json, NULL},
        {"verify", NULL,
         "with --json: replay the recording once more; races that happened in it are then "
         "confirmed",
         NULL, &o->j->verify},
        PF_CLI_QUIET,
        {"verbose", NULL, "name the analysis of each result (--analysis does, too)", NULL,
         &o->j->named},
        {"limit", "TIME", "stop after TIME, such as 90s or 2m, and report what was found",
         &o->limit, NULL},
    };
    const struct pf_cli_verb verb = {VERB, "[OPTION...] TRACE",
                                     "Finds the races that some reordering of the trace proves. "
                                     "TRACE is a recording, a text trace, or a\n"
                                     "trace in RAPID's STD format. Exit status: 66 if there are "
                                     "findings, 0 if not, 2 on an error.",
                                     options, sizeof options / sizeof options[0]};
    for (int at = 0; at < argc;) { /* the trace may come before or after the options */
        int next = pf_cli_parse(&verb, argc - at, argv + at, status);
        if (next < 0)
            return false;
        at += next;
        if (at < argc && o->j->path) {
            *status = pf_complain(VERB, "give only one trace");
            return false;
        }
        if (at < argc)
            o->j->path = argv[at];
    }
    if (!o->j->path)
        *status = pf_complain(VERB, "no trace given; usage: pf predict %s", verb.usage);
    return o->j->path;
}

/* Adds the analyses, and the patterns of the user. Returns an exit status. */
static int add_analyses(const struct predict_options *o)
{
    struct pf_error e;
    struct pf_predict_job *j = o->j;
    j->named |= o->list != NULL;
    int status = choose(j, o->list                    ? o->list
                           : o->patterns || o->atomic ? PATTERNS
                                                      : DEFAULT_ANALYSIS);
    if (status != PF_EXIT_OK || !o->patterns)
        return status;
    if (!pf_predict_job_add(j, pf_analysis_find(PATTERNS, strlen(PATTERNS))))
        return pf_complain(VERB, "--analysis: too many analyses");
    if (pf_predict_job_read_patterns(j, o->patterns, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    return PF_EXIT_OK;
}

/* Checks the options and runs the analyses. Returns the exit status. */
static int predict(const struct predict_options *o, int argc, char **argv)
{
    struct pf_predict_job *j = o->j;
    char *end = NULL;
    unsigned long most = o->events ? strtoul(o->events, &end, 10) : PF_RECORDED_MAX;
    uint32_t window = pf_cli_window(o->window);
    j->began = pf_now_ms();
    j->t.recorded.limit = (uint32_t)most;
    j->atomic = o->atomic;
    int status = pf_cli_duration(VERB, "limit", o->limit, &j->limit_ms);
    if (status != PF_EXIT_OK)
        return status;
    if (!most || most > PF_RECORDED_MAX || (end && *end))
        return pf_complain(VERB, "--events=%s: expected a number from 1 to %u", o->events,
                           PF_RECORDED_MAX);
    if (!window)
        return pf_complain(VERB, PF_CLI_WINDOW_WRONG, o->window);
    if (pf_cli_replaces_input(VERB, o->json, j->path) || pf_cli_cannot_write(VERB, o->json))
        return PF_EXIT_USAGE;
    status = add_analyses(o);
    return status == PF_EXIT_OK ? run_job(j, window, o->json, o->clips, argc, argv) : status;
}

int pf_verb_predict(int argc, char **argv)
{
    struct predict_options o = {.j = pf_mem_zero(1, sizeof *o.j)};
    int status = PF_EXIT_USAGE;
    if (parse_options(&o, argc, argv, &status)) {
        pf_predict_job_init(o.j);
        status = predict(&o, argc, argv);
        pf_predict_job_release(o.j);
    }
    free(o.j);
    return status;
}
