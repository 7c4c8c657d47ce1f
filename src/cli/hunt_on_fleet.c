/* hunt_on_fleet.c - see hunt_on_fleet.h. */
#define _GNU_SOURCE
#include "hunt_on_fleet.h"
#include "allocation.h"
#include "file.h"
#include "finding_json.h"
#include "fleet_hunt.h"
#include "fleet_options.h"
#include "fleet_task.h"
#include "hunt_state.h"
#include "predicted_finding.h"
#include "program.h"
#include "text_format.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "hunt"

/* --- the summary of all tasks --- */

/* Merges the candidates of all tasks by their id. A candidate is found if one task found it, else
 * open if it is open in some task, else abandoned. */
static json_t *join_candidates(const json_t *summaries)
{
    json_t *by_id = json_object(), *list = json_array();
    static const char *const rank[] = {"abandoned", "open", "found"};
    for (size_t i = 0; i < json_array_size(summaries); i++) {
        const json_t *some = json_object_get(json_array_get(summaries, i), "candidates");
        for (size_t k = 0; k < json_array_size(some); k++) {
            json_t *c = json_array_get(some, k);
            json_t *old = json_object_get(by_id, pf_json_get_text(c, "id"));
            int now = 0, before = -1;
            for (int r = 0; r < 3; r++) {
                now = !strcmp(pf_json_get_text(c, "state"), rank[r]) ? r : now;
                before = old && !strcmp(pf_json_get_text(old, "state"), rank[r]) ? r : before;
            }
            if (now > before)
                json_object_set(by_id, pf_json_get_text(c, "id"), c);
        }
    }
    const char *id;
    json_t *c;
    json_object_foreach(by_id, id, c) json_array_append(list, c);
    json_decref(by_id);
    return list;
}

/* Adds up the members of an object that are numbers. */
static void add_numbers(json_t *to, const json_t *from)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)from, key, v)
    {
        if (json_is_integer(v))
            json_object_set_new(
                to, key,
                json_integer(json_integer_value(v) + json_integer_value(json_object_get(to, key))));
    }
}

/* Adds up what was not modelled, by reason and name. */
static void add_losses(json_t *to, const json_t *from)
{
    for (size_t i = 0; i < json_array_size(from); i++) {
        const json_t *l = json_array_get(from, i);
        json_t *same = NULL;
        for (size_t k = 0; k < json_array_size(to) && !same; k++) {
            json_t *o = json_array_get(to, k);
            if (!strcmp(pf_json_get_text(o, "reason"), pf_json_get_text(l, "reason")) &&
                !strcmp(pf_json_get_text(o, "name"), pf_json_get_text(l, "name")))
                same = o;
        }
        if (same)
            add_numbers(same, l);
        else
            json_array_append_new(to, json_deep_copy(l));
    }
}

static json_t *join(const json_t *summaries, const struct pf_fleet_hunt *h)
{
    json_t *all = json_object(), *solver = json_object(), *races = json_array();
    json_t *losses = json_array();
    static const char *const sums[] = {"ms", "left_schedule", "unended"};
    for (size_t i = 0; i < json_array_size(summaries); i++) {
        const json_t *one = json_array_get(summaries, i);
        add_numbers(solver, json_object_get(one, "solver"));
        add_losses(losses, json_object_get(one, "concretised"));
        for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
            json_object_set_new(all, sums[k],
                                json_integer((json_int_t)(pf_json_get_number(all, sums[k]) +
                                                          pf_json_get_number(one, sums[k]))));
        const json_t *some = json_object_get(one, "races");
        for (size_t k = 0; k < json_array_size(some); k++) {
            bool known = false;
            for (size_t n = 0; n < json_array_size(races); n++)
                known |= !strcmp(pf_json_get_text(json_array_get(races, n), "id"),
                                 pf_json_get_text(json_array_get(some, k), "id"));
            if (!known)
                json_array_append(races, json_array_get(some, k));
        }
    }
    json_object_set_new(all, "tasks", json_integer((json_int_t)json_array_size(summaries)));
    json_object_set_new(all, "runs", json_integer((json_int_t)h->made));
    json_object_set_new(all, "inputs", json_integer((json_int_t)h->inputs));
    json_object_set_new(all, "sites", json_integer((json_int_t)h->sites));
    json_object_set_new(all, "branches", json_integer((json_int_t)h->branches));
    json_object_set_new(all, "finished", json_boolean(h->finished));
    json_object_set_new(all, "candidates", join_candidates(summaries));
    json_object_set_new(all, "solver", solver);
    json_object_set_new(all, "races", races);
    json_object_set_new(all, "concretised", losses);
    return all;
}

/* --- the report --- */

int pf_hunt_write_report(struct pf_findings *found, const json_t *hunt, const char *file, int argc,
                         char **argv)
{
    struct pf_text text, json;
    char *object = pf_mem_checked(json_dumps(hunt, JSON_COMPACT));
    pf_text_init(&text, &found->pool);
    pf_text_init(&json, &found->pool);
    pf_hunt_text(&text, hunt, found);
    pf_predict_json_head(&json, argc, argv, json_is_true(json_object_get(hunt, "finished")));
    for (size_t i = 0; i < found->n; i++) {
        pf_text_add(&json, i ? ",\n" : "\n");
        pf_finding_json(&json, found->at[i]);
    }
    pf_text_add(&json, "],\n\"hunt\":");
    pf_text_add(&json, object);
    pf_text_add(&json, "}\n");
    free(object);
    if (!pf_cli_write(VERB, &text, file, &json))
        return PF_EXIT_USAGE;
    return found->n ? PF_EXIT_FOUND : PF_EXIT_OK;
}

/* --- the verb --- */

static pf_status run(struct pf_hunt_on_fleet *h, struct pf_fleet *f, struct pf_fleet_hunt *work,
                     struct pf_findings *found, json_t *summaries, struct pf_error *e)
{
    char *program = NULL;
    json_t *programs = json_object();
    pf_status s = pf_program_find(h->argv[h->first], &program, e);
    char *whole = s == PF_OK ? realpath(program, NULL) : NULL;
    if (s == PF_OK)
        s = pf_program_check_symbolic(program, e);
    if (s == PF_OK)
        s = pf_task_add_program(programs, whole ? whole : program, e);
    if (s == PF_OK)
        s = pf_fleet_open(f, VERB, h->state, h->options, h->argc, h->argv,
                          pf_json_from_hex(programs, whole ? whole : program), e);
    work->program = whole;
    if (s == PF_OK)
        s = pf_fleet_hunt_run(f, work, found, summaries, e);
    json_decref(programs);
    free(program);
    free(whole);
    return s;
}

static pf_status export_corpus(const struct pf_hunt_on_fleet *h, const struct pf_fleet *f,
                               struct pf_error *e)
{
    char *folder = pf_mem_format("%s/hunt", f->state);
    const struct pf_hunt_settings settings = {
        .argv = h->argv + h->first, .inputs = h->inputs, .state = folder, .export = h->export};
    pf_status s = pf_hunt_corpus_export_kept(&settings, e);
    free(folder);
    return s;
}

int pf_hunt_on_fleet(struct pf_hunt_on_fleet *h)
{
    static const char *const own[] = {"state", "json", "runs", "time", "export", NULL};
    struct pf_fleet f = {.lock = -1};
    struct pf_findings found;
    struct pf_error e;
    int n;
    int last = h->first > 1 && !strcmp(h->argv[h->first - 1], "--") ? h->first - 1 : h->first;
    char **options = pf_fleet_strip(last, h->argv, own, &n);
    json_t *summaries = json_array();
    struct pf_fleet_hunt work = {.options = (const char *const *)options + 1,
                                 .noptions = (size_t)n - 1,
                                 .words = h->argv + h->first,
                                 .nwords = (size_t)(h->argc - h->first),
                                 .time_ms = h->time_ms,
                                 .runs = h->runs,
                                 .collect = h->options->collect};
    pf_findings_init(&found);
    int status = PF_EXIT_USAGE;
    if (run(h, &f, &work, &found, summaries, &e) != PF_OK) {
        pf_complain(VERB, "%s", e.text);
    } else {
        json_t *all = join(summaries, &work);
        status = pf_hunt_write_report(&found, all, h->json, h->argc, h->argv);
        json_decref(all);
        if (h->export && export_corpus(h, &f, &e) != PF_OK)
            status = pf_complain(VERB, "%s", e.text);
        status = pf_fleet_conclude(&f, VERB, !h->options->collect, status);
    }
    pf_findings_release(&found);
    pf_fleet_release(&f);
    json_decref(summaries);
    free(options);
    return status;
}
