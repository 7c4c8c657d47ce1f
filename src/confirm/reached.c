/* reached.c - see reached.h. */
#include "reached.h"
#include "finding_json.h"
#include "fuzz_policy_text.h"
#include "run_report.h"
#include <string.h>
#include <sys/wait.h>

/* Writes the location of a step as given in the policy's text. */
static void add_location(struct pf_text *t, const char *schedule, unsigned step)
{
    struct pf_fuzz_text want;
    if (!schedule || pf_fuzz_parse(schedule, &want) || step >= want.n)
        return;
    const struct pf_fuzz_step *k = &want.step[step];
    pf_text_bytes(t, k->file, k->nfile);
    pf_text_char(t, ':');
    pf_text_u64(t, k->line);
    if (k->column) {
        pf_text_char(t, ':');
        pf_text_u64(t, k->column);
    }
}

static void add_access(struct pf_text *t, const char *schedule, const struct pf_reached_access *a)
{
    pf_text_char(t, 'T');
    pf_text_u64(t, a->thread);
    pf_text_char(t, ':');
    pf_text_u64(t, a->event);
    pf_text_add(t, " (");
    add_location(t, schedule, a->step);
    pf_text_add(t, a->write ? " write of " : " read of ");
    pf_text_u64(t, a->size);
    pf_text_add(t, a->size == 1 ? " byte at " : " bytes at ");
    pf_text_address(t, a->address);
    pf_text_char(t, ')');
}

void pf_reached_text(struct pf_text *t, const char *schedule, const struct pf_reached *r)
{
    if (!r->asked)
        return;
    if (!r->times) {
        pf_text_add(t, "not reached");
        return;
    }
    pf_text_add(t, "reached ");
    pf_text_u64(t, r->times);
    pf_text_add(t, r->times == 1 ? " time: " : " times, first: ");
    for (uint32_t i = 0; i < r->n; i++) {
        pf_text_add(t, i ? ", then " : "");
        add_access(t, schedule, &r->at[i]);
    }
}

static void add_reached(struct pf_text *t, const char *schedule, const struct pf_reached *r)
{
    pf_json_key(t, "reached");
    if (!r->asked) {
        pf_text_add(t, "null");
        return;
    }
    pf_text_char(t, '{');
    pf_json_num(t, "times", r->times);
    pf_json_key(t, "accesses");
    pf_text_char(t, '[');
    for (uint32_t i = 0; i < r->n; i++) {
        const struct pf_reached_access *a = &r->at[i];
        struct pf_text where;
        pf_text_init(&where, t->pool);
        add_location(&where, schedule, a->step);
        pf_text_add(t, i ? ",{" : "{");
        pf_json_num(t, "thread", a->thread);
        pf_json_num(t, "event", a->event);
        pf_json_bool(t, "write", a->write);
        pf_json_address(t, "address", a->address);
        pf_json_num(t, "size", a->size);
        pf_json_key(t, "location");
        pf_text_json_bytes(t, where.at, where.n);
        pf_text_char(t, '}');
    }
    pf_text_add(t, "]}");
}

void pf_reached_json(struct pf_text *t, const char *file, const struct pf_clip_meta *m,
                     const struct pf_clip_end *end, const char *continuations)
{
    bool killed = WIFSIGNALED(end->wait);
    pf_text_char(t, '{');
    pf_json_num(t, "version", 1);
    pf_json_str(t, "tool", "photofinish");
    pf_json_str(t, "clip", file);
    pf_json_str(t, "program", m->program);
    pf_json_str(t, "schedule", m->schedule ? m->schedule : "");
    pf_json_str(t, "outcome", pf_outcome_name(end->outcome));
    pf_json_str(t, "text", end->text);
    pf_json_num(t, "status", (uint64_t)(killed ? 0 : WEXITSTATUS(end->wait)));
    pf_json_num(t, "signal", (uint64_t)(killed ? WTERMSIG(end->wait) : 0));
    pf_divergence_json(t, &end->divergence);
    add_reached(t, m->schedule, &end->reached);
    pf_json_num(t, "events", end->events);
    if (continuations) {
        pf_json_key(t, "continuations");
        pf_text_add(t, *continuations ? continuations : "[]");
    }
    pf_text_add(t, "}\n");
}
