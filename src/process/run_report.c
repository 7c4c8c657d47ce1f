/* run_report.c - see run_report.h. */
#include "run_report.h"
#include "file.h"
#include "finding_json.h"
#include "json_field.h"
#include "pool.h"
#include "text_format.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pf_run_report pf_run_report;

static const char *const outcomes[] = {[PF_OUTCOME_NONE] = "",
                                       [PF_OUTCOME_DIVERGED] = "diverged",
                                       [PF_OUTCOME_DEADLOCK] = "deadlock",
                                       [PF_OUTCOME_HANG] = "hang",
                                       [PF_OUTCOME_LOST] = "lost",
                                       [PF_OUTCOME_STOPPED] = "stopped",
                                       [PF_OUTCOME_INFEASIBLE] = "infeasible"};
#define OUTCOMES (sizeof outcomes / sizeof outcomes[0])

const char *pf_outcome_name(enum pf_outcome o) { return (size_t)o < OUTCOMES ? outcomes[o] : ""; }

void pf_run_report_set_end(struct pf_run_report *r, const struct pf_clip_end *end)
{
    r->ran = true;
    r->wait = end->wait;
    r->outcome = end->outcome;
    r->divergence = end->divergence;
    r->events = end->events;
    r->threads = end->threads;
    r->memory_errors = end->errors;
    snprintf(r->text, sizeof r->text, "%s", end->text);
    snprintf(r->memory_error, sizeof r->memory_error, "%s", end->error);
    snprintf(r->failure, sizeof r->failure, "%s", end->failure);
}

/* --- writing --- */

/* Writes the word if there is one, else the number; a number that is too large for a JSON reader is
 * written as text. */
static void add_value(struct pf_text *t, const char *name, const char *word, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    if (*word || number > INT64_MAX)
        pf_json_str(t, name, *word ? word : digits);
    else
        pf_json_num(t, name, number);
}

void pf_divergence_json(struct pf_text *t, const struct pf_divergence *d)
{
    pf_json_key(t, "divergence");
    if (!d->diverged) {
        pf_text_add(t, "null");
        return;
    }
    pf_text_char(t, '{');
    if (d->thread != PF_NO_THREAD) {
        pf_json_num(t, "thread", d->thread);
        pf_json_num(t, "event", d->event);
    }
    pf_json_str(t, "what", d->what);
    add_value(t, "expected", d->expected_word, d->expected);
    add_value(t, "got", d->got_word, d->got);
    pf_json_key(t, "site");
    if (d->line) {
        pf_text_char(t, '{');
        pf_json_str(t, "file", d->file);
        pf_json_num(t, "line", d->line);
        pf_json_str(t, "function", d->function);
        pf_text_char(t, '}');
    } else {
        pf_text_add(t, "null");
    }
    pf_text_char(t, '}');
}

pf_status pf_run_report_write(const struct pf_run_report *r, const char *file, struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_text_char(&t, '{');
    pf_json_num(&t, "version", 1);
    pf_json_num(&t, "status", (uint64_t)r->status);
    pf_json_str(&t, "error", r->error);
    pf_json_bool(&t, "out_of_time", r->out_of_time);
    pf_json_bool(&t, "complete", r->complete);
    pf_json_key(&t, "run");
    if (r->ran) {
        pf_text_char(&t, '{');
        pf_json_num(&t, "wait", (uint64_t)(unsigned)r->wait);
        pf_json_str(&t, "outcome", pf_outcome_name(r->outcome));
        pf_json_str(&t, "text", r->text);
        pf_divergence_json(&t, &r->divergence);
        pf_json_num(&t, "events", r->events);
        pf_json_num(&t, "threads", r->threads);
        pf_json_num(&t, "memory_errors", r->memory_errors);
        pf_json_str(&t, "memory_error", r->memory_error);
        pf_json_str(&t, "failure", r->failure);
        pf_text_char(&t, '}');
    } else {
        pf_text_add(&t, "null");
    }
    pf_text_add(&t, "}\n");
    pf_status s = pf_file_write(file, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

/* --- reading --- */

static void read_divergence(struct pf_divergence *d, const json_t *o)
{
    const json_t *site = json_object_get(o, "site");
    *d = (struct pf_divergence){.diverged = true, .thread = PF_NO_THREAD};
    if (json_object_get(o, "thread"))
        d->thread = (uint32_t)pf_json_get_number(o, "thread");
    d->event = pf_json_get_number(o, "event");
    d->expected = pf_json_get_number(o, "expected");
    d->got = pf_json_get_number(o, "got");
    d->line = (uint32_t)pf_json_get_number(site, "line");
    pf_json_copy_text(d->what, sizeof d->what, o, "what");
    pf_json_copy_text(d->expected_word, sizeof d->expected_word, o, "expected");
    pf_json_copy_text(d->got_word, sizeof d->got_word, o, "got");
    pf_json_copy_text(d->file, sizeof d->file, site, "file");
    pf_json_copy_text(d->function, sizeof d->function, site, "function");
}

static void read_run(struct pf_run_report *r, const json_t *run)
{
    const char *outcome = json_string_value(json_object_get(run, "outcome"));
    const json_t *divergence = json_object_get(run, "divergence");
    r->ran = true;
    r->wait = (int)pf_json_get_number(run, "wait");
    for (size_t i = 0; outcome && i < OUTCOMES; i++)
        if (!strcmp(outcome, outcomes[i]))
            r->outcome = (enum pf_outcome)i;
    pf_json_copy_text(r->text, sizeof r->text, run, "text");
    if (json_is_object(divergence))
        read_divergence(&r->divergence, divergence);
    r->events = pf_json_get_number(run, "events");
    r->threads = (uint32_t)pf_json_get_number(run, "threads");
    r->memory_errors = (uint32_t)pf_json_get_number(run, "memory_errors");
    pf_json_copy_text(r->memory_error, sizeof r->memory_error, run, "memory_error");
    pf_json_copy_text(r->failure, sizeof r->failure, run, "failure");
}

pf_status pf_run_report_read(struct pf_run_report *r, const char *file, struct pf_error *e)
{
    char *bytes;
    size_t n;
    *r = (struct pf_run_report){0};
    pf_status s = pf_file_read(file, &bytes, &n, e);
    if (s != PF_OK)
        return s;
    json_t *o = json_loadb(bytes, n, JSON_ALLOW_NUL, NULL);
    free(bytes);
    if (!o || pf_json_get_number(o, "version") != 1)
        s = pf_fail(e, PF_BAD, "%s: expected the report of a pf process, version 1", file);
    r->status = (int)pf_json_get_number(o, "status");
    pf_json_copy_text(r->error, sizeof r->error, o, "error");
    r->out_of_time = json_is_true(json_object_get(o, "out_of_time"));
    r->complete = json_is_true(json_object_get(o, "complete"));
    if (json_is_object(json_object_get(o, "run")))
        read_run(r, json_object_get(o, "run"));
    json_decref(o);
    return s;
}
