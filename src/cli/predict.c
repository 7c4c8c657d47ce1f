/*
 * predict.c - `pf predict`: races that a trace proves, from one recorded order of events.
 */
#include "analysis.h"
#include "cli.h"
#include "file.h"
#include "finding_json.h"
#include "finding_text.h"
#include "fingerprint.h"
#include "selfcheck.h"
#include "text.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "predict"
#define DEFAULT_ANALYSIS "rdit"
#define MAX_ANALYSES 16

/* What one command line asks for, and what came out. */
struct job {
    const char *path;
    struct pf_trace t;
    const struct pf_analysis *analyses[MAX_ANALYSES];
    struct pf_result results[MAX_ANALYSES];
    size_t n;
    struct pf_pool pool;
};

static enum pf_op op_of(const struct pf_event *e)
{
    switch (e->kind) {
    case PF_EV_READ:
        return PF_OP_READ;
    case PF_EV_AREAD:
        return PF_OP_ATOMIC_READ;
    case PF_EV_AWRITE:
    case PF_EV_RMW:
        return PF_OP_ATOMIC_WRITE;
    case PF_EV_FREE:
        return PF_OP_FREE;
    default:
        return PF_OP_WRITE;
    }
}

static char *format(struct pf_pool *pool, const char *fmt, const char *s, uint32_t n)
{
    char text[256];
    int len = snprintf(text, sizeof text, fmt, s, n);
    return pf_pool_text(pool, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1);
}

/* Where event i stands in the source; without a site, in the trace. */
static struct pf_trail trail_of(struct job *j, uint32_t i)
{
    const struct pf_site_info *s = &j->t.sites.at[j->t.events.at[i].site];
    const char *file = pf_trace_text(&j->t, s->file);
    struct pf_place *p = pf_pool_get(&j->pool, sizeof *p);
    if (!p)
        return (struct pf_trail){0};
    p->function = format(&j->pool, "%sevent %u", "", pf_trace_label(&j->t, i));
    p->file = *file ? file : j->path;
    p->line = s->line;
    return (struct pf_trail){p, 1};
}

/* The locks that the thread of event i holds there. */
static void locks_of(struct job *j, uint32_t i, struct pf_access *out)
{
    const struct pf_trace *t = &j->t;
    struct pf_lock *held = pf_pool_get(&j->pool, (t->locks.len + 1) * sizeof *held);
    size_t n = 0;
    for (uint32_t k = 0; held && k < i; k++) {
        const struct pf_event *e = &t->events.at[k];
        if (e->thread != t->events.at[i].thread)
            continue;
        uint32_t lock = pf_event_acquires(e) || pf_event_releases(e) ? pf_event_lock(e) : PF_NONE;
        if (pf_event_acquires(e))
            held[n++] = (struct pf_lock){.address = lock + 1,
                                         .name = pf_trace_text(t, t->locks.at[lock]),
                                         .shared = pf_event_shared(e),
                                         .taken = trail_of(j, k)};
        else if (pf_event_releases(e))
            for (size_t h = 0; h < n; h++)
                if (held[h].address == lock + 1)
                    held[h--] = held[--n];
    }
    out->locks = held;
    out->nlocks = n;
}

static void access_of(struct job *j, uint32_t i, struct pf_access *out)
{
    const struct pf_event *e = &j->t.events.at[i];
    char place[160];
    pf_trace_place_text(&j->t, e->what, place, sizeof place);
    *out = (struct pf_access){.thread = e->thread,
                              .op = op_of(e),
                              .size = j->t.places.at[e->what].size,
                              .address = j->t.places.at[e->what].addr,
                              .variable = pf_pool_text(&j->pool, place, strlen(place)),
                              .trail = trail_of(j, i)};
    locks_of(j, i, out);
}

static void finding_of(struct job *j, size_t k, const struct pf_race *r, struct pf_finding *f)
{
    const struct pf_analysis *a = j->analyses[k];
    *f = (struct pf_finding){.kind = PF_KIND_RACE,
                             .analysis = a->name,
                             .count = 1,
                             .status = a->claim == PF_CLAIM_OBSERVED ? PF_STATUS_OBSERVED
                                                                     : PF_STATUS_PREDICTED};
    access_of(j, r->b, &f->access[0]);
    access_of(j, r->a, &f->access[1]);
    struct pf_actor *actors = pf_pool_get(&j->pool, 2 * sizeof *actors);
    for (int i = 0; actors && i < 2; i++)
        actors[i] =
            (struct pf_actor){.number = f->access[i].thread,
                              .name = pf_trace_text(&j->t, j->t.threads.at[f->access[i].thread])};
    f->actors = actors;
    f->nactors = actors ? 2 : 0;
    f->id = pf_fingerprint(f);
}

/* The schedule of a witness, by event numbers. */
static void add_witness(struct pf_text *t, const struct job *j, const struct pf_race *r)
{
    pf_text_add(t, "  Witness: ");
    if (r->start) {
        pf_text_add(t, "as recorded up to event ");
        pf_text_u64(t, pf_trace_label(&j->t, r->start - 1));
        pf_text_add(t, ", then");
    } else
        pf_text_add(t, "events");
    for (uint32_t k = 0; k < r->norder; k++) {
        pf_text_char(t, ' ');
        pf_text_u64(t, pf_trace_label(&j->t, r->order[k]));
    }
    pf_text_add(t, r->norder ? "; now " : " none; now ");
    pf_text_u64(t, pf_trace_label(&j->t, r->a));
    pf_text_add(t, " and ");
    pf_text_u64(t, pf_trace_label(&j->t, r->b));
    pf_text_add(t, " are next in their threads\n");
}

static void add_count(struct pf_text *t, uint64_t n, const char *what)
{
    if (!n)
        return;
    pf_text_add(t, ", ");
    pf_text_u64(t, n);
    pf_text_add(t, what);
}

static void add_text(struct pf_text *t, struct job *j, bool color)
{
    static const char *const claim[] = {"observed", "witnessed", "candidates only"};
    struct pf_text_style style = {.color = color};
    for (size_t k = 0; k < j->n; k++) {
        const struct pf_result *r = &j->results[k];
        for (size_t i = 0; i < r->races.len; i++) {
            struct pf_finding f;
            finding_of(j, k, &r->races.at[i], &f);
            pf_finding_text(t, &f, &style);
            if (j->analyses[k]->claim == PF_CLAIM_WITNESSED)
                add_witness(t, j, &r->races.at[i]);
        }
        pf_text_add(t, j->analyses[k]->name);
        pf_text_add(t, ": ");
        pf_text_u64(t, r->races.len);
        pf_text_add(t, r->races.len == 1 ? " race (" : " races (");
        pf_text_add(t, claim[j->analyses[k]->claim]);
        pf_text_char(t, ')');
        add_count(t, r->infeasible, " pairs of sites rejected");
        add_count(t, r->window, " rejected within the window only");
        add_count(t, r->unknown, " unknown (budget used up)");
        add_count(t, r->untried, " pairs of these not tried");
        add_count(t, r->dropped, " accesses not looked at (history full)");
        add_count(t, r->invalid, " WITNESSES REFUSED: please report this");
        pf_text_char(t, '\n');
    }
}

static bool decided(const struct job *j)
{
    bool all = true;
    for (size_t k = 0; k < j->n; k++)
        all &= !j->results[k].window && !j->results[k].unknown && !j->results[k].dropped &&
               !j->results[k].untried && !j->results[k].invalid;
    return all;
}

static void add_json(struct pf_text *t, struct job *j, int argc, char **argv)
{
    pf_text_char(t, '{');
    pf_json_num(t, "version", 1);
    pf_json_str(t, "tool", "photofinish");
    pf_json_key(t, "command");
    pf_text_add(t, "[\"pf\"");
    for (int i = 0; i < argc; i++) {
        pf_text_char(t, ',');
        pf_text_json(t, argv[i]);
    }
    pf_text_char(t, ']');
    pf_json_bool(t, "complete", decided(j));
    pf_json_key(t, "findings");
    pf_text_char(t, '[');
    bool first = true;
    for (size_t k = 0; k < j->n; k++)
        for (size_t i = 0; i < j->results[k].races.len; i++) {
            struct pf_finding f;
            finding_of(j, k, &j->results[k].races.at[i], &f);
            pf_text_add(t, first ? "\n" : ",\n");
            pf_finding_json(t, &f);
            first = false;
        }
    pf_text_add(t, "]}\n");
}

static int read_trace(struct job *j)
{
    char *text;
    size_t len;
    struct pf_error e;
    struct pf_trace_error te;
    if (pf_file_read(j->path, &text, &len, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    enum pf_trace_form form = pf_trace_sniff(text, len);
    bool ok = form != PF_FORM_BINARY;
    if (form == PF_FORM_BINARY)
        snprintf(te.text, sizeof te.text, "%.150s: recordings are not available in this build",
                 j->path);
    else if (form == PF_FORM_STD)
        ok = pf_trace_read_std(&j->t, j->path, text, len, &te);
    else
        ok = pf_trace_read_text(&j->t, j->path, text, len, &te);
    free(text);
    if (!ok)
        return pf_complain(VERB, "%s", te.text);
    if (!pf_trace_check(&j->t, &te))
        return pf_complain(VERB, "%s: the trace does not agree with itself: %s", j->path, te.text);
    return PF_EXIT_OK;
}

static int choose(struct job *j, const char *list)
{
    for (const char *p = list; *p;) {
        size_t len = strcspn(p, ",");
        const struct pf_analysis *a = pf_analysis_find(p, len);
        if (!a) {
            const char *words[MAX_ANALYSES];
            char word[64];
            for (size_t i = 0; i < pf_nanalyses && i < MAX_ANALYSES; i++)
                words[i] = pf_analyses[i].name;
            snprintf(word, sizeof word, "%.*s", (int)len, p);
            const char *near = pf_cli_closest(word, words, pf_nanalyses);
            return pf_complain(VERB, "--analysis: '%s' is none%s%s%s; see pf predict --help", word,
                               near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        if (j->n == MAX_ANALYSES)
            return pf_complain(VERB, "--analysis: too many");
        j->analyses[j->n++] = a;
        p += len + (p[len] == ',');
    }
    return j->n ? PF_EXIT_OK : pf_complain(VERB, "--analysis: the list is empty");
}

static int run_job(struct job *j, const char *json, int argc, char **argv)
{
    int status = read_trace(j);
    if (status != PF_EXIT_OK)
        return status;
    size_t found = 0;
    for (size_t k = 0; k < j->n; k++) {
        j->analyses[k]->run(&j->t, &pf_limits_default, &j->results[k]);
        found += j->results[k].races.len;
    }
    for (int as_json = 0; as_json <= (json != NULL); as_json++) {
        struct pf_text t;
        struct pf_error e;
        pf_text_init(&t, &j->pool);
        if (as_json)
            add_json(&t, j, argc, argv);
        else
            add_text(&t, j, pf_cli_color(STDOUT_FILENO));
        if (t.failed)
            return pf_complain(VERB, "out of memory");
        if (!as_json && json && !strcmp(json, "-"))
            continue; /* standard output is the JSON's */
        if (pf_file_write(as_json ? json : "-", t.at, t.n, &e) != PF_OK)
            return pf_complain(VERB, "%s", e.text);
    }
    return found ? PF_EXIT_FOUND : PF_EXIT_OK;
}

int pf_cmd_predict(int argc, char **argv)
{
    const char *list = DEFAULT_ANALYSIS, *json = NULL;
    const struct pf_cli_option options[] = {
        {"analysis", "LIST", "analyses, with commas between (default " DEFAULT_ANALYSIS "):\n"
#define PF_ANALYSIS(name, claim, summary) "                        " #name ": " summary "\n"
#include "analyses.def"
#undef PF_ANALYSIS
         ,
         &list, NULL},
        {"json", "FILE", "write the findings as JSON ('-': to standard output)", &json, NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] TRACE",
        "Finds the races that some reordering of the trace proves. TRACE is in the text form or "
        "in\n"
        "RAPID's STD form. Exits 66 when there are any, 0 when there are none.",
        options, sizeof options / sizeof options[0]};
    struct job *j = pf_mem_zero(1, sizeof *j);
    int status = PF_EXIT_USAGE, words = argc;
    char **all = argv;
    for (int at = 0; at < argc;) { /* the trace may stand before or after the options */
        int next = pf_cli_parse(&verb, argc - at, argv + at, &status);
        if (next < 0) {
            free(j);
            return status;
        }
        at += next;
        if (at < argc && j->path) {
            free(j);
            return pf_complain(VERB, "one trace at a time");
        }
        if (at < argc)
            j->path = argv[at];
    }
    pf_trace_init(&j->t);
    pf_cli_pool_init(&j->pool);
    if (!j->path)
        status = pf_complain(VERB, "which trace?");
    else {
        status = choose(j, list);
        if (status == PF_EXIT_OK)
            status = run_job(j, json, words, all);
    }
    for (size_t k = 0; k < j->n; k++)
        pf_result_release(&j->results[k]);
    pf_trace_release(&j->t);
    pf_pool_release(&j->pool);
    free(j);
    return status;
}
