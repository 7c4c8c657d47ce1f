/* hunt_report.c - the result of a hunt as text and as JSON; see hunt.h. */
#include "duration.h"
#include "finding_json.h"
#include "finding_read.h"
#include "finding_text.h"
#include "hunt.h"
#include "hunt_loss.h"
#include "json_field.h"
#include "message.h"
#include "shell_word.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const state_name[] = {"open", "found", "abandoned"};

static void add_line(struct pf_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_line(struct pf_text *t, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pf_text_name(t, line);
    pf_text_char(t, '\n');
}

/* --- text --- */

static uint64_t count_state(const json_t *candidates, enum pf_hunt_state state)
{
    uint64_t n = 0;
    for (size_t i = 0; i < json_array_size(candidates); i++)
        n += !strcmp(pf_json_get_text(json_array_get(candidates, i), "state"), state_name[state]);
    return n;
}

/* Adds a command, which may be longer than a line of add_line. */
static void add_command(struct pf_text *t, const char *before, const char *command)
{
    pf_text_add(t, before);
    pf_text_name(t, command);
    pf_text_char(t, '\n');
}

static void add_race(struct pf_text *t, const struct pf_finding *f, const json_t *race)
{
    struct pf_text_style style = {.color = pf_color_wanted(STDOUT_FILENO)};
    pf_finding_text(t, f, &style);
    add_line(t, "  Found in phase %" PRIu64 ". Its input: %s", pf_json_get_number(race, "phase"),
             f->input ? f->input : "not kept");
    if (f->command)
        add_command(t, "  The program with this input: ", f->command);
    if (f->clip) {
        pf_text_add(t, "  Happened; replay it with: pf replay ");
        pf_text_shell_word(t, f->clip);
        pf_text_char(t, '\n');
    }
}

static void add_races(struct pf_text *t, const json_t *races, struct pf_findings *found)
{
    for (size_t i = 0; i < json_array_size(races); i++) {
        const json_t *race = json_array_get(races, i);
        const struct pf_finding *f =
            pf_findings_find(found, strtoull(pf_json_get_text(race, "id"), NULL, 16));
        if (f)
            add_race(t, f, race);
    }
}

static void add_losses(struct pf_text *t, const json_t *losses)
{
    for (size_t i = 0; i < json_array_size(losses); i++) {
        const json_t *l = json_array_get(losses, i);
        const char *name = pf_json_get_text(l, "name");
        add_line(t, "not modelled: %s%s%s (%" PRIu64 " times)", pf_json_get_text(l, "reason"),
                 *name ? ": " : "", name, pf_json_get_number(l, "count"));
    }
}

static void add_counts(struct pf_text *t, const json_t *hunt, const json_t *candidates)
{
    uint64_t n = json_array_size(candidates), runs = pf_json_get_number(hunt, "runs"),
             inputs = pf_json_get_number(hunt, "inputs");
    add_line(t,
             "hunt: %" PRIu64 " candidate%s: %" PRIu64 " found, %" PRIu64 " abandoned, %" PRIu64
             " open; %" PRIu64 " run%s, %" PRIu64 " input%s",
             n, n == 1 ? "" : "s", count_state(candidates, PF_HUNT_FOUND),
             count_state(candidates, PF_HUNT_ABANDONED), count_state(candidates, PF_HUNT_OPEN),
             runs, runs == 1 ? "" : "s", inputs, inputs == 1 ? "" : "s");
}

void pf_hunt_text(struct pf_text *t, const json_t *hunt, struct pf_findings *found)
{
    const json_t *list = json_object_get(hunt, "candidates");
    const json_t *solver = json_object_get(hunt, "solver");
    add_races(t, json_object_get(hunt, "races"), found);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        if (!strcmp(pf_json_get_text(c, "state"), state_name[PF_HUNT_ABANDONED]))
            add_line(t, "abandoned: %s: %s", pf_json_get_text(c, "text"),
                     pf_json_get_text(c, "reason"));
    }
    add_losses(t, json_object_get(hunt, "concretised"));
    add_counts(t, hunt, list);
    add_line(t,
             "hunt: %" PRIu64 " sites and %" PRIu64
             " directions of branches reached; solver: %" PRIu64 " questions, %" PRIu64
             " solved, %" PRIu64 " impossible, %" PRIu64 " at the limit",
             pf_json_get_number(hunt, "sites"), pf_json_get_number(hunt, "branches"),
             pf_json_get_number(solver, "questions"), pf_json_get_number(solver, "solved"),
             pf_json_get_number(solver, "impossible"), pf_json_get_number(solver, "limit"));
    if (pf_json_get_number(hunt, "unended"))
        add_line(t, "hunt: %" PRIu64 " runs took too long and were ended",
                 pf_json_get_number(hunt, "unended"));
    if (pf_json_get_number(solver, "wrong"))
        add_line(t,
                 "hunt: %" PRIu64 " conditions do not hold under the input of their own run: an "
                 "error of pf, which may hide races",
                 pf_json_get_number(solver, "wrong"));
    add_line(t, "hunt: %s",
             json_is_true(json_object_get(hunt, "finished")) ? "nothing is left to try"
                                                             : "stopped at a limit");
}

/* --- JSON --- */

static void add_candidate(struct pf_text *t, const struct pf_hunt_candidate *c)
{
    char id[20];
    snprintf(id, sizeof id, "%016" PRIx64, c->key);
    pf_text_char(t, '{');
    pf_json_str(t, "id", id);
    pf_json_str(t, "text", c->text);
    pf_json_str(t, "state", state_name[c->state]);
    if (c->state == PF_HUNT_FOUND)
        pf_json_num(t, "phase", c->phase);
    pf_json_num(t, "rounds", c->rounds);
    if (c->state == PF_HUNT_ABANDONED)
        pf_json_str(t, "reason", c->reason);
    pf_text_char(t, '}');
}

static void add_solver(struct pf_text *t, const struct pf_hunt_paths_counts *c)
{
    pf_json_key(t, "solver");
    pf_text_char(t, '{');
    pf_json_num(t, "questions", c->questions);
    pf_json_num(t, "solved", c->solved);
    pf_json_num(t, "impossible", c->impossible);
    pf_json_num(t, "limit", c->limit);
    pf_json_num(t, "failed", c->failed);
    pf_json_num(t, "cached", c->cached);
    pf_json_num(t, "quick", c->quick);
    pf_json_num(t, "z3", c->z3);
    pf_json_num(t, "predicted", c->predicted);
    pf_json_num(t, "followed", c->followed);
    pf_json_num(t, "wrong", c->wrong);
    pf_json_num(t, "cpu_ms", c->cpu_ms);
    pf_json_num(t, "below_20_ms", c->below_20_ms);
    pf_text_char(t, '}');
}

void pf_hunt_json(struct pf_text *t, const struct pf_hunt *h)
{
    struct pf_hunt_paths_counts c;
    const struct pf_hunt_losses *lost = pf_hunt_paths_losses(h->paths);
    pf_hunt_paths_counts(h->paths, &c);
    pf_text_char(t, '{');
    pf_json_num(t, "runs", h->runs.len);
    pf_json_num(t, "inputs", h->inputs.len);
    pf_json_num(t, "left_schedule", h->left_plan);
    pf_json_num(t, "unended", h->unended);
    pf_json_bool(t, "finished", h->finished);
    pf_json_num(t, "ms", pf_now_ms() - h->began_ms);
    pf_json_num(t, "sites", h->sites.len);
    pf_json_num(t, "branches", c.taken);
    pf_json_key(t, "races");
    pf_text_char(t, '[');
    for (size_t i = 0; i < h->races.len; i++) {
        char id[20];
        snprintf(id, sizeof id, "%016" PRIx64, h->races.at[i].finding->id);
        pf_text_add(t, i ? ",{" : "{");
        pf_json_str(t, "id", id);
        pf_json_num(t, "phase", h->candidates.at[h->races.at[i].candidate].phase);
        pf_json_num(t, "run", h->races.at[i].run);
        pf_json_num(t, "ms", h->races.at[i].ms);
        pf_json_num(t, "cpu_ms", h->races.at[i].cpu_ms);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
    pf_json_key(t, "candidates");
    pf_text_char(t, '[');
    for (size_t i = 0; i < h->candidates.len; i++) {
        if (i)
            pf_text_char(t, ',');
        add_candidate(t, &h->candidates.at[i]);
    }
    pf_text_char(t, ']');
    add_solver(t, &c);
    pf_json_key(t, "concretised");
    pf_text_char(t, '[');
    for (size_t i = 0; i < lost->all.len; i++) {
        const struct pf_hunt_loss *l = &lost->all.at[i];
        pf_text_add(t, i ? ",{" : "{");
        pf_json_str(t, "reason", pf_hunt_loss_text(l->reason));
        if (*l->name)
            pf_json_str(t, "name", l->name);
        pf_json_num(t, "count", l->count);
        pf_text_char(t, '}');
    }
    pf_text_add(t, "]}");
}
