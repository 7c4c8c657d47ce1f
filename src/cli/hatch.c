/*
 * hatch.c - `pf hatch`: what a recording predicts, made to happen. Every candidate is run along its
 * schedule; what really happened is a finding, with a clip that shows it again.
 */
#define _GNU_SOURCE
#include "cli.h"
#include "file.h"
#include "finding_json.h"
#include "finding_text.h"
#include "hatch_run.h"
#include "load_trace.h"
#include "predict_finding.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "hatch"

struct item {
    struct pf_finding f;
    struct pf_hatch h;
    char *clip;
    struct pf_hatch_result *result;
};

struct hatch {
    struct pf_predict_job j;
    struct pf_clip recording;
    struct pf_hatch_run run;
    const char *json, *known; /* known: a file of ids that need no try */
    PF_VEC(struct item) items;
    PF_VEC(uint32_t *) orders;
};

/* --- candidates --- */

static bool is_known(const struct hatch *h, uint64_t id)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64 "\n", id);
    return h->known && strstr(h->known, text);
}

static void add_item(struct hatch *h, const struct pf_finding *f, struct pf_hatch way)
{
    for (size_t i = 0; i < h->items.len; i++)
        if (h->items.at[i].f.id == f->id)
            return;
    if (is_known(h, f->id))
        return;
    struct item it = {.f = *f, .h = way};
    pf_vec_push(&h->items, it);
}

/* A witness of the engine ends before the two accesses; the one that came last now goes first. */
static void add_races(struct hatch *h)
{
    for (size_t k = 0; k < h->j.n; k++)
        for (size_t i = 0; i < h->j.results[k].races.len; i++) {
            const struct pf_race *r = &h->j.results[k].races.at[i];
            struct pf_finding f;
            uint32_t *order = pf_mem_resize(NULL, r->norder + 2, sizeof *order);
            if (r->norder)
                memcpy(order, r->order, r->norder * sizeof *order);
            order[r->norder] = r->b;
            order[r->norder + 1] = r->a;
            pf_vec_push(&h->orders, order);
            pf_predict_race(&h->j, k, r, &f);
            add_item(h, &f,
                     (struct pf_hatch){.event = {r->b, r->a},
                                       .n = 2,
                                       .start = r->start,
                                       .order = order,
                                       .norder = r->norder + 2,
                                       .adjacent = true});
        }
}

static void add_anomalies(struct hatch *h)
{
    for (size_t i = 0; i < h->j.anomalies.at.len; i++) {
        const struct pf_anomaly *a = &h->j.anomalies.at.at[i];
        const struct pf_pattern *p = &h->j.patterns.at[a->pattern];
        struct pf_finding f;
        struct pf_hatch way = {.n = p->n,
                               .start = a->start,
                               .order = a->order,
                               .norder = a->norder,
                               .adjacent = p->next[p->n - 1]};
        memcpy(way.event, a->event, sizeof way.event);
        pf_predict_anomaly(&h->j, a, &f);
        add_item(h, &f, way);
    }
    for (size_t i = 0; i < h->j.cycles.at.len; i++) {
        const struct pf_cycle *c = &h->j.cycles.at.at[i];
        struct pf_finding f;
        struct pf_hatch way = {
            .n = c->n, .start = c->start, .order = c->order, .norder = c->norder, .stuck = true};
        memcpy(way.event, c->take, c->n * sizeof *c->take);
        pf_predict_cycle(&h->j, c, &f);
        add_item(h, &f, way);
    }
}

static void predict(struct hatch *h)
{
    struct pf_predict_job *j = &h->j;
    j->analyses[j->n++] = pf_analysis_find("rdit", 4);
    j->analyses[0]->run(&j->t, &pf_limits_default, &j->results[0]);
    pf_patterns_builtin(&j->patterns);
    pf_pecan(&j->t, &j->patterns, &j->anomalies);
    pf_lock_graph(&j->t, &j->cycles);
    add_races(h);
    add_anomalies(h);
}

/* --- trying them --- */

static bool happened(const struct item *it) { return pf_hatch_happened(it->result); }

static int try_all(struct hatch *h)
{
    struct pf_hatch_run *r = &h->run;
    r->t = &h->j.t;
    r->recording = &h->recording;
    r->n = h->items.len;
    r->items = pf_mem_zero(r->n + 1, sizeof *r->items);
    for (size_t i = 0; i < r->n; i++) {
        struct item *it = &h->items.at[i];
        if (asprintf(&it->clip, "%s/%016" PRIx64 ".clip", r->folder, it->f.id) < 0)
            return pf_complain(VERB, "out of memory");
        r->items[i] = (struct pf_hatch_item){.h = &it->h, .clip = it->clip};
    }
    int status = pf_hatch_run(r);
    for (size_t i = 0; i < r->n; i++)
        h->items.at[i].result = r->items[i].result;
    return status;
}

/* --- what came out --- */

static bool confirmed(struct item *it)
{
    if (!happened(it)) {
        unlink(it->clip);
        return false;
    }
    it->f.status = PF_STATUS_CONFIRMED;
    it->f.clip = it->clip;
    it->f.harm = it->result->verdict == PF_HATCHED_ERROR ? it->result->why : NULL;
    return true;
}

static size_t add_text(struct pf_text *t, struct hatch *h)
{
    struct pf_text_style style = {.color = pf_cli_color(STDOUT_FILENO)};
    uint64_t real = 0, errors = 0, unknown = 0;
    for (size_t i = 0; i < h->items.len; i++) {
        struct item *it = &h->items.at[i];
        if (!confirmed(it))
            continue;
        real++;
        errors += it->result->verdict == PF_HATCHED_ERROR;
        pf_finding_text(t, &it->f, &style);
        if (it->result->why[0]) {
            pf_text_add(t, "  Consequence: ");
            pf_text_add(t, it->result->why);
            pf_text_char(t, '\n');
        }
        pf_text_add(t, "  Happened; see it again with: pf replay ");
        pf_text_add(t, it->clip);
        pf_text_char(t, '\n');
    }
    for (size_t i = 0; i < h->items.len; i++)
        if (!happened(&h->items.at[i])) {
            bool open = h->items.at[i].result->verdict == PF_HATCHED_UNKNOWN;
            unknown += open;
            pf_text_add(t, open ? "unknown: " : "false: ");
            pf_text_hex(t, h->items.at[i].f.id, 16);
            pf_text_add(t, ": ");
            pf_text_add(t, h->items.at[i].result->why);
            pf_text_char(t, '\n');
        }
    pf_text_add(t, "hatch: ");
    pf_text_u64(t, h->items.len);
    pf_text_add(t, " candidates: ");
    pf_text_u64(t, real);
    pf_text_add(t, " real, of these ");
    pf_text_u64(t, errors);
    pf_text_add(t, " with an error; ");
    pf_text_u64(t, h->items.len - real - unknown);
    pf_text_add(t, " false");
    if (unknown) {
        pf_text_add(t, "; ");
        pf_text_u64(t, unknown);
        pf_text_add(t, " NOT decided");
    }
    pf_text_char(t, '\n');
    return real;
}

static void add_json(struct pf_text *t, struct hatch *h, int argc, char **argv)
{
    uint64_t real = 0, unknown = 0;
    for (size_t i = 0; i < h->items.len; i++) {
        real += happened(&h->items.at[i]);
        unknown += h->items.at[i].result->verdict == PF_HATCHED_UNKNOWN;
    }
    pf_predict_json_head(t, argc, argv, pf_predict_decided(&h->j) && !unknown);
    bool first = true;
    for (size_t i = 0; i < h->items.len; i++)
        if (happened(&h->items.at[i])) {
            pf_text_add(t, first ? "\n" : ",\n");
            pf_finding_json(t, &h->items.at[i].f);
            first = false;
        }
    pf_text_char(t, ']');
    pf_predict_json_tail(t, &h->j, h->items.len, h->items.len - real - unknown, unknown);
}

static int report(struct hatch *h, int argc, char **argv)
{
    struct pf_text text, json;
    struct pf_error e;
    pf_text_init(&text, &h->j.pool);
    pf_text_init(&json, &h->j.pool);
    size_t real = add_text(&text, h);
    add_json(&json, h, argc, argv);
    bool alone = h->json && !strcmp(h->json, "-"); /* standard output is the JSON's */
    if (text.failed || json.failed)
        return pf_complain(VERB, "out of memory");
    if ((!alone && pf_file_write("-", text.at, text.n, &e) != PF_OK) ||
        (h->json && pf_file_write(h->json, json.at, json.n, &e) != PF_OK))
        return pf_complain(VERB, "%s", e.text);
    return real ? PF_EXIT_FOUND : PF_EXIT_OK;
}

static int run(struct hatch *h, int argc, char **argv)
{
    struct pf_error e;
    if (pf_clip_open(&h->recording, h->j.path, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    int status = pf_load_trace_atomic(VERB, h->j.path, h->j.atomic, &h->j.t);
    if (status == PF_EXIT_OK) {
        predict(h);
        status = try_all(h);
    }
    return status == PF_EXIT_OK ? report(h, argc, argv) : status;
}

static void release(struct hatch *h)
{
    pf_hatch_run_release(&h->run);
    for (size_t i = 0; i < h->items.len; i++)
        free(h->items.at[i].clip);
    for (size_t i = 0; i < h->orders.len; i++)
        free(h->orders.at[i]);
    pf_vec_release(&h->items);
    pf_vec_release(&h->orders);
    pf_result_release(&h->j.results[0]);
    pf_anomalies_release(&h->j.anomalies);
    pf_cycles_release(&h->j.cycles);
    pf_vec_release(&h->j.patterns);
    pf_trace_release(&h->j.t);
    pf_pool_release(&h->j.pool);
    pf_clip_release(&h->recording);
    free(h);
}

int pf_cmd_hatch(int argc, char **argv)
{
    const char *jobs = NULL, *folder = NULL, *known = NULL, *limit = NULL;
    char *ids = NULL;
    size_t nids;
    struct pf_error e;
    struct hatch *h = pf_mem_zero(1, sizeof *h);
    const struct pf_cli_option options[] = {
        {"atomic", "GLOB", "calls of functions of this name are atomic regions", &h->j.atomic,
         NULL},
        {"jobs", "N", "try so many at a time (default 1)", &jobs, NULL},
        {"json", "FILE", "write the findings as JSON ('-': to standard output)", &h->json, NULL},
        {"known", "FILE", "do not try findings whose ids stand in FILE, one a line", &known, NULL},
        {"limit", "TIME", "stop after so long: 90s, 2m", &limit, NULL},
        {"apart", NULL, "run each from the beginning, not what they have in common once", NULL,
         &h->run.apart},
        {"o", "DIR", "where the clips go (default: RECORDING.hatched)", &folder, NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] RECORDING",
        "Searches a recording for races, atomicity violations, atomic-set violations and "
        "deadlocks that\n"
        "another schedule would show, and runs the program along each such schedule. What really "
        "happened\n"
        "is reported, with a clip that pf replay shows again; the rest is not. Exits 66 when "
        "something\n"
        "happened, 0 when nothing did.",
        options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_USAGE, first = pf_cli_parse(&verb, argc, argv, &status);
    char *standard = NULL, *end = NULL;
    pf_trace_init(&h->j.t);
    pf_cli_pool_init(&h->j.pool);
    h->run.jobs = jobs ? strtoul(jobs, &end, 10) : 1;
    if (first < 0)
        ;
    else if (first + 1 != argc)
        status = pf_complain(VERB, "which recording? usage: pf hatch %s", verb.usage);
    else if (!h->run.jobs || (end && *end))
        status = pf_complain(VERB, "--jobs=%s: a number of 1 or more expected", jobs);
    else if (limit && !pf_cli_duration(limit, &h->run.limit_ms))
        status = pf_complain(VERB, "--limit=%s: a time such as 90s or 2m expected", limit);
    else if (known && pf_file_read(known, &ids, &nids, &e) != PF_OK)
        status = pf_complain(VERB, "%s", e.text);
    else if (asprintf(&standard, "%s.hatched", argv[first]) < 0)
        status = pf_complain(VERB, "out of memory");
    else {
        h->j.path = argv[first];
        h->known = ids;
        h->run.folder = folder ? folder : standard;
        status = run(h, argc, argv);
    }
    free(standard);
    free(ids);
    release(h);
    return status;
}
