/* predicted_finding.c - see predicted_finding.h. */
#include "predicted_finding.h"
#include "event_names.h"
#include "file.h"
#include "finding_json.h"
#include "fingerprint.h"
#include "message.h"
#include "program_options.h"
#include "schedule_step.h"
#include "text_format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum pf_op op_of(const struct pf_trace *t, uint32_t i)
{
    const struct pf_recorded *r = &t->recorded;
    switch (t->events.at[i].kind) {
    case PF_EV_READ:
        return r->present && r->stacks.at[r->event_stack.at[i]].locks ? PF_OP_LOCK : PF_OP_READ;
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

/* The text of a name; NULL if there is none. */
static const char *text_of(const struct pf_trace *t, uint32_t name)
{
    return name == PF_NONE ? NULL : pf_trace_text(t, name);
}

struct pf_backtrace pf_recorded_backtrace(struct pf_predict_job *j, uint32_t stack)
{
    const struct pf_recorded *r = &j->t.recorded;
    const struct pf_recorded_stack *w = &r->stacks.at[stack];
    struct pf_stack_frame *p = pf_pool_get(&j->pool, w->n * sizeof *p);
    for (uint32_t k = 0; k < w->n; k++) {
        const struct pf_site_info *s = &j->t.sites.at[r->stack_sites.at[w->first + k]];
        const char *file = pf_trace_text(&j->t, s->file);
        p[k] = (struct pf_stack_frame){.function = text_of(&j->t, s->func),
                                       .file = *file ? file : NULL,
                                       .merged_lines = text_of(&j->t, s->merged_lines),
                                       .module = *file ? text_of(&j->t, s->object) : NULL,
                                       .line = s->line,
                                       .column = s->column,
                                       .first_line = s->begins,
                                       .folded = s->folded};
    }
    return (struct pf_backtrace){p, w->n};
}

struct pf_backtrace pf_predicted_stack(struct pf_predict_job *j, uint32_t i)
{
    if (j->t.recorded.present)
        return pf_recorded_backtrace(j, j->t.recorded.event_stack.at[i]);
    const struct pf_site_info *s = &j->t.sites.at[j->t.events.at[i].site];
    const char *file = pf_trace_text(&j->t, s->file);
    struct pf_stack_frame *p = pf_pool_get(&j->pool, sizeof *p);
    p->function = format(&j->pool, "%sevent %u", "", pf_trace_label(&j->t, i));
    p->file = *file ? file : j->path;
    p->line = s->line;
    return (struct pf_backtrace){p, 1};
}

static const struct pf_held_locks *held_locks(struct pf_predict_job *j)
{
    if (!j->held)
        j->held = pf_held_locks_make(&j->t, &j->pool);
    return j->held;
}

uint32_t pf_predicted_held_locks(struct pf_predict_job *j, uint32_t i, const uint32_t **acquires)
{
    return pf_held_locks_at(held_locks(j), &j->t, i, acquires);
}

/* Fills in the locks that the thread of event i holds there. */
static void locks_of(struct pf_predict_job *j, uint32_t i, struct pf_access *out)
{
    const struct pf_trace *t = &j->t;
    const uint32_t *acquires = NULL;
    uint32_t n = pf_predicted_held_locks(j, i, &acquires);
    struct pf_lock *held = pf_pool_get(&j->pool, n * sizeof *held + 1);
    for (uint32_t k = 0; k < n; k++) {
        const struct pf_event *e = &t->events.at[acquires[k]];
        held[k] = (struct pf_lock){.address = pf_event_lock_address(j, pf_event_lock(e)),
                                   .name = pf_event_lock_name(j, pf_event_lock(e)),
                                   .shared = pf_event_shared(e),
                                   .taken = pf_predicted_stack(j, acquires[k])};
    }
    out->locks = held;
    out->nlocks = n;
}

static void access_of(struct pf_predict_job *j, uint32_t i, struct pf_access *out)
{
    const struct pf_event *e = &j->t.events.at[i];
    *out = (struct pf_access){.thread = pf_event_thread_number(j, e->thread),
                              .op = op_of(&j->t, i),
                              .size = j->t.places.at[e->what].size,
                              .address = j->t.places.at[e->what].addr,
                              .variable = pf_event_variable(j, i),
                              .range = j->t.sites.at[e->site].range,
                              .stack = pf_predicted_stack(j, i)};
    locks_of(j, i, out);
}

uint32_t pf_predicted_start(struct pf_predict_job *j, uint32_t thread)
{
    return held_locks(j)->start[thread];
}

static void add_thread(struct pf_predict_job *j, struct pf_finding *f, uint32_t number,
                       uint32_t when)
{
    if (pf_finding_thread(f, number))
        return;
    struct pf_thread_info *at = (struct pf_thread_info *)f->threads + f->nthreads;
    for (uint32_t i = 0; i < j->t.threads.len; i++)
        if (pf_event_thread_number(j, i) == number) {
            *at = pf_event_thread(j, i, when);
            f->nthreads++;
            return;
        }
}

/* Adds the memory and the threads of the finding, which the events form. */
static void add_names(struct pf_predict_job *j, struct pf_finding *f, const uint32_t *events)
{
    size_t n = f->naccesses;
    uint32_t when = 0;
    for (size_t i = 0; i < n; i++)
        when = events[i] > when ? events[i] : when;
    f->nthreads = 0;
    f->threads = pf_pool_get(&j->pool, (n + 1) * sizeof *f->threads);
    if (f->kind != PF_KIND_DEADLOCK)
        f->location = pf_event_location(j, events[0], when);
    for (size_t i = 0; i < n; i++)
        add_thread(j, f, f->accesses[i].thread, when);
    /* in the schedule of a prediction no thread ends before the last access */
    for (size_t i = 0; i < f->nthreads && f->status != PF_STATUS_OBSERVED; i++)
        ((struct pf_thread_info *)f->threads)[i].running = true;
    if (f->location.kind == PF_LOCATION_HEAP)
        add_thread(j, f, f->location.thread, when);
}

void pf_predicted_accesses(struct pf_predict_job *j, struct pf_finding *f, const uint32_t *events)
{
    for (size_t i = 0; i < f->naccesses; i++)
        access_of(j, events[i], &f->accesses[i]);
    add_names(j, f, events);
}

void pf_predict_job_init(struct pf_predict_job *j)
{
    pf_trace_init(&j->t);
    pf_pool_init_malloc(&j->pool);
    pf_findings_init(&j->failures);
    pf_patterns_builtin(&j->patterns);
}

void pf_predict_job_release(struct pf_predict_job *j)
{
    for (size_t k = 0; k < j->n; k++)
        pf_result_release(&j->results[k]);
    pf_vec_release(&j->patterns);
    pf_trace_release(&j->t);
    pf_findings_release(&j->failures);
    pf_pool_release(&j->pool);
}

bool pf_predict_job_add(struct pf_predict_job *j, const struct pf_analysis *a)
{
    for (size_t k = 0; k < j->n; k++)
        if (j->analyses[k] == a)
            return true;
    if (j->n == PF_PREDICT_ANALYSES)
        return false;
    j->analyses[j->n++] = a;
    return true;
}

pf_status pf_predict_job_read_patterns(struct pf_predict_job *j, const char *path,
                                       struct pf_error *e)
{
    char *text;
    size_t len;
    pf_status s = pf_file_read(path, &text, &len, e);
    if (s != PF_OK)
        return s;
    s = pf_patterns_parse(&j->patterns, path, text, len, e);
    free(text);
    return s;
}

static struct pf_access *new_accesses(struct pf_predict_job *j, struct pf_finding *f, size_t n)
{
    f->naccesses = n;
    return f->accesses = pf_pool_get(&j->pool, n * sizeof *f->accesses);
}

static const char *child_of(const struct pf_predict_job *j)
{
    return *j->t.recorded.child ? j->t.recorded.child : NULL;
}

void pf_predicted_race(struct pf_predict_job *j, size_t k, const struct pf_race *r,
                       struct pf_finding *f)
{
    const struct pf_analysis *a = j->analyses[k];
    *f = (struct pf_finding){.kind = PF_KIND_RACE,
                             .analysis = a->name,
                             .count = 1,
                             .status = a->claim == PF_CLAIM_OBSERVED ? PF_STATUS_OBSERVED
                                                                     : PF_STATUS_PREDICTED};
    f->child = child_of(j);
    new_accesses(j, f, 2);
    pf_predicted_accesses(j, f, (uint32_t[]){r->b, r->a});
    /* an allocation: shows only those bytes of the block that the other access uses */
    if (pf_event_creates(&j->t.events.at[r->a])) {
        f->accesses[1].address = f->accesses[0].address;
        f->accesses[1].size = f->accesses[0].size;
    }
    /* At the end of the witness both accesses are next; showing the later one first gives the
     * order that was not recorded. */
    if (a->claim == PF_CLAIM_WITNESSED)
        pf_schedule_steps_witness(
            j, f,
            &(struct pf_described_schedule){.start = r->start,
                                            .order = r->order,
                                            .norder = r->norder,
                                            .marked = (uint32_t[]){r->b, r->a},
                                            .n = 2,
                                            .marked_follow = true});
    if (a->claim != PF_CLAIM_CANDIDATE)
        pf_schedule_steps_recorded(j, f, (uint32_t[]){r->a, r->b}, 2);
    f->id = pf_fingerprint(f);
}

void pf_predicted_anomaly(struct pf_predict_job *j, const struct pf_anomaly *a,
                          struct pf_finding *f)
{
    static const enum pf_kind kinds[] = {[PF_PATTERN_RACE] = PF_KIND_RACE,
                                         [PF_PATTERN_ATOMICITY] = PF_KIND_ATOMICITY,
                                         [PF_PATTERN_ATOMIC_SET] = PF_KIND_ATOMIC_SET};
    const struct pf_pattern *p = &j->patterns.at[a->pattern];
    *f = (struct pf_finding){
        .kind = kinds[p->kind], .analysis = "pecan", .count = 1, .status = PF_STATUS_PREDICTED};
    f->child = child_of(j);
    new_accesses(j, f, p->n);
    /* a pair has the later access first */
    pf_predicted_accesses(
        j, f, pf_finding_is_pair(f) ? (uint32_t[]){a->event[1], a->event[0]} : a->event);
    if (a->evidence == PF_EVIDENCE_WEAK || a->evidence == PF_EVIDENCE_INFERRED)
        f->suspicious = "the regions are inferred; pf hatch tries whether it matters";
    if (a->witnessed)
        pf_schedule_steps_witness(j, f,
                                  &(struct pf_described_schedule){.start = a->start,
                                                                  .order = a->order,
                                                                  .norder = a->norder,
                                                                  .marked = a->event,
                                                                  .n = p->n});
    pf_schedule_steps_recorded(j, f, a->event, p->n);
    f->id = pf_fingerprint(f);
}

void pf_predicted_cycle(struct pf_predict_job *j, const struct pf_cycle *c, struct pf_finding *f)
{
    *f = (struct pf_finding){.kind = PF_KIND_DEADLOCK,
                             .analysis = "deadlock",
                             .count = 1,
                             .status = PF_STATUS_PREDICTED};
    f->child = child_of(j);
    struct pf_access *accesses = new_accesses(j, f, c->n);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct pf_event *e = &j->t.events.at[c->take[i]];
        accesses[i] = (struct pf_access){.thread = pf_event_thread_number(j, e->thread),
                                         .op = PF_OP_LOCK,
                                         .address = pf_event_lock_address(j, pf_event_lock(e)),
                                         .variable = pf_event_lock_name(j, pf_event_lock(e)),
                                         .stack = pf_predicted_stack(j, c->take[i])};
        locks_of(j, c->take[i], &accesses[i]);
    }
    pf_schedule_steps_recorded(j, f, c->take, c->n);
    add_names(j, f, c->take);
    f->id = pf_fingerprint(f);
}

/* True if the analyses left out only further instances of code that they have examined. */
static bool only_instances_left_out(const struct pf_predict_job *j)
{
    bool all = !j->t.recorded.cut && !j->unreached;
    for (size_t k = 0; k < j->n; k++) {
        const struct pf_result *r = &j->results[k];
        all &= !r->window && !r->windows && !r->unknown && !r->dropped && !r->invalid &&
               !r->stopped && !r->anomalies.search.cut && !r->anomalies.search.stopped &&
               !r->anomalies.search.undecided && !r->cycles.dropped && !r->cycles.cut;
    }
    return all;
}

bool pf_predict_job_decided(const struct pf_predict_job *j)
{
    bool all = only_instances_left_out(j);
    for (size_t k = 0; k < j->n; k++)
        all &= !j->results[k].untried && !j->results[k].anomalies.search.skipped;
    return all;
}

void pf_predict_json_head(struct pf_text *t, int argc, char **argv, bool complete)
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
    pf_json_bool(t, "complete", complete);
    pf_json_key(t, "findings");
    pf_text_char(t, '[');
}

void pf_predict_json_tail(struct pf_text *t, const struct pf_predict_job *j, uint64_t candidates,
                          uint64_t refuted, uint64_t undecided)
{
    pf_json_key(t, "explored");
    pf_text_char(t, '{');
    pf_json_num(t, "events", j->t.events.len);
    pf_json_num(t, "candidates", candidates);
    pf_json_num(t, "refuted", refuted);
    pf_json_num(t, "undecided", undecided);
    pf_text_char(t, '}');
    pf_json_num(t, "bounded",
                !undecided && only_instances_left_out(j) && !pf_predict_job_decided(j));
    pf_text_add(t, "}\n");
}

/* --- the analyses --- */

/* Removes the elements of a vector whose findings the options of the program suppress. */
#define REMOVE_HIDDEN(job, own, vec, describe)                                                     \
    do {                                                                                           \
        size_t kept = 0;                                                                           \
        for (size_t i = 0; i < (vec)->len; i++) {                                                  \
            struct pf_finding f;                                                                   \
            describe;                                                                              \
            if (pf_program_options_hide(own, &f))                                                  \
                free((vec)->at[i].order);                                                          \
            else                                                                                   \
                (vec)->at[kept++] = (vec)->at[i];                                                  \
        }                                                                                          \
        (job)->suppressed += (vec)->len - kept;                                                    \
        (vec)->len = kept;                                                                         \
    } while (0)

static void remove_hidden(struct pf_predict_job *j, struct pf_program_options *own)
{
    for (size_t k = 0; k < j->n; k++) {
        struct pf_result *r = &j->results[k];
        size_t cycles = r->cycles.at.len;
        REMOVE_HIDDEN(j, own, &r->races, pf_predicted_race(j, k, &r->races.at[i], &f));
        REMOVE_HIDDEN(j, own, &r->anomalies.at,
                      pf_predicted_anomaly(j, &r->anomalies.at.at[i], &f));
        REMOVE_HIDDEN(j, own, &r->cycles.at, pf_predicted_cycle(j, &r->cycles.at.at[i], &f));
        r->cycles.cycles -= cycles - r->cycles.at.len;
    }
}

void pf_predict_job_run(struct pf_predict_job *j, const struct pf_limits *limits)
{
    struct pf_program_options own = {0};
    struct pf_error unused; /* no error is possible: the runtime has parsed the suppressions */
    struct pf_limits all = *limits;
    all.patterns = &j->patterns;
    for (size_t k = 0; k < j->n; k++)
        if (k && pf_stop_poll(all.stop, "analyses", k, j->n)) {
            struct pf_result *r = &j->results[k];
            r->stopped = r->anomalies.search.stopped = r->cycles.cut = true;
        } else {
            j->analyses[k]->run(&j->t, &all, &j->results[k]);
        }
    if (j->failures.processes &&
        pf_program_options_take(&own, &j->pool, j->failures.processes, &unused) == PF_OK)
        remove_hidden(j, &own);
}
