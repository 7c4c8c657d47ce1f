/* suite_run.c - see suite_run.h. */
#define _GNU_SOURCE
#include "suite_run.h"
#include "allocation.h"
#include "message.h"
#include "process_pool.h"
#include "progress.h"
#include "sample_policy.h"
#include "wait_status.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A running execution; its supervisor is in the slot of the pool with the same number. */
struct suite_slot {
    size_t test, policy;
    uint64_t round;
    int64_t execution;
    char *folder;
};

struct suite_loop {
    struct pf_suite_db *db;
    int64_t campaign;
    const struct pf_suite_settings *settings;
    struct pf_suite_result *result;
    struct pf_progress progress;
    struct pf_process_pool pool;
    struct suite_slot *slots;
    bool *done, *output_shown; /* per execution: done; per test: its output was shown */
    uint64_t next, wanted, finished, findings;
    pf_status status; /* the first error of pf suite itself */
    struct pf_error *e;
};

bool pf_policy_watches(const char *policy)
{
    return strcmp(policy, PF_POLICY_NONE) && strcmp(policy, PF_POLICY_NATIVE);
}

/* --- starting --- */

struct prepared {
    const struct pf_suite_settings *settings;
    const struct pf_suite_test *test;
    const char *policy, *folder;
    int64_t execution;
};

/* In the child. The test's own variables come first: they may include PF_OPTIONS. */
static pf_status prepare(const void *arg, struct pf_error *e)
{
    const struct prepared *p = arg;
    struct pf_launch launch = p->settings->launch;
    char run[64];
    for (size_t i = 0; i < p->test->nenv; i++)
        putenv((char *)p->test->env[i]);
    if (!strcmp(p->policy, PF_POLICY_NATIVE))
        return PF_OK;
    launch.plain = !strcmp(p->policy, PF_POLICY_NONE);
    launch.sample = launch.plain ? "full" : p->policy;
    if (!pf_sample_has_overhead(launch.sample))
        launch.overhead = NULL;
    launch.quiet = launch.own_status = true;
    snprintf(run, sizeof run, "suite-%" PRId64, p->execution);
    return pf_launch_environment(&launch, p->folder, run, e);
}

static pf_status start(struct suite_loop *l, struct suite_slot *s)
{
    const struct pf_suite_test *t = &l->settings->tests->at[s->test];
    const char *policy = l->settings->campaign->policies[s->policy];
    struct prepared p = {l->settings, t, policy, NULL, 0};
    pf_status st = pf_suite_db_begin(l->db, l->campaign, s->test, s->round, policy, &s->execution,
                                     &s->folder, l->e);
    if (st != PF_OK)
        return st;
    p.folder = s->folder;
    p.execution = s->execution;
    struct pf_command what = {
        .path = strcmp(policy, PF_POLICY_NATIVE) ? t->path : t->native,
        .argv = t->argv,
        .dir = t->dir,
        .input = t->input,
        .limit_ms = t->limit_ms ? t->limit_ms : l->settings->limit_ms,
        .output = PF_OUTPUT_KEPT,
        .grace_ms = l->settings->grace_ms,
        .prepare = prepare,
        .arg = &p,
        .lock = l->db->lock,
        .byte = pf_suite_db_execution_byte(s->execution),
    };
    return pf_process_pool_start(&l->pool, (size_t)(s - l->slots), &what, l->e);
}

/* Takes the next execution that is not done; false: none is left. */
static bool take_unit(struct suite_loop *l, struct suite_slot *s)
{
    const struct pf_campaign *c = l->settings->campaign;
    while (l->next < l->wanted && l->done[l->next])
        l->next++;
    if (l->next == l->wanted)
        return false;
    s->policy = l->next % c->npolicies;
    s->test = l->next / c->npolicies % l->settings->tests->n;
    s->round = l->next / c->npolicies / l->settings->tests->n;
    l->next++;
    return true;
}

static void fail(struct suite_loop *l, pf_status s)
{
    if (l->status == PF_OK)
        l->status = s;
    pf_process_pool_stop(&l->pool);
}

static void fill(struct suite_loop *l)
{
    for (size_t i = 0; i < l->pool.n && !l->pool.stopping; i++) {
        struct suite_slot *s = &l->slots[i];
        if (l->pool.at[i].busy || !take_unit(l, s))
            continue;
        pf_status st = start(l, s);
        if (st != PF_OK) {
            free(s->folder);
            fail(l, st);
        }
    }
}

/* --- ending --- */

static const char *outcome_of(const struct pf_suite_test *t, const struct pf_supervisor_result *k)
{
    int status = pf_wait_status(k->wait);
    switch (k->how) {
    case PF_SUPERVISED_LIMIT:
        return "limit";
    case PF_SUPERVISED_STOPPED:
        return "interrupted";
    case PF_SUPERVISED_UNSTARTED:
        return "unstarted";
    default:
        return t->status == PF_ANY_STATUS || t->status == status ? "passed" : "failed";
    }
}

static void describe_reason(const struct pf_supervisor_result *k, char *to, size_t room)
{
    char signal[PF_SIGNAL_TEXT];
    if (k->how == PF_SUPERVISED_LIMIT)
        snprintf(to, room, "time limit reached");
    else if (k->how == PF_SUPERVISED_UNSTARTED)
        snprintf(to, room, "could not be run: %s", k->why);
    else if (WIFSIGNALED(k->wait))
        snprintf(to, room, "killed by %s", pf_signal_text(signal, k->wait));
    else
        snprintf(to, room, "exit status %d", WEXITSTATUS(k->wait));
}

/* Prints the last lines of the output, indented, with control characters replaced. */
static void print_output(const struct pf_supervisor_result *k)
{
    enum { LINES = 12 };
    size_t begin = k->noutput, lines = 0;
    while (begin && lines <= LINES)
        lines += k->output[--begin] == '\n' && begin + 1 < k->noutput;
    begin += lines > LINES;
    bool fresh = true;
    for (size_t i = begin; i < k->noutput; i++) {
        char c = k->output[i];
        if (fresh)
            fputs("    ", stderr);
        fresh = c == '\n';
        fputc(fresh || c == '\t' || (unsigned char)c >= ' ' ? c : '?', stderr);
    }
    if (!fresh)
        fputc('\n', stderr);
}

static void print_failure(struct suite_loop *l, const struct suite_slot *s,
                          const struct pf_supervisor_result *k)
{
    if (pf_quiet)
        return;
    char reason[400];
    describe_reason(k, reason, sizeof reason);
    pf_progress_clear(&l->progress);
    pf_note("suite", "failed: %s (%s, round %" PRIu64 "): %s", l->settings->tests->at[s->test].name,
            l->settings->campaign->policies[s->policy], s->round + 1, reason);
    if (!l->output_shown[s->test])
        print_output(k);
    l->output_shown[s->test] = true;
}

static void print_new_findings(struct suite_loop *l, const struct suite_slot *s, uint64_t fresh)
{
    if (pf_quiet || !fresh)
        return;
    pf_progress_clear(&l->progress);
    pf_note("suite", "%" PRIu64 " new %s in %s (%s, round %" PRIu64 ")", fresh,
            fresh == 1 ? "finding" : "findings", l->settings->tests->at[s->test].name,
            l->settings->campaign->policies[s->policy], s->round + 1);
}

static void record(struct suite_loop *l, struct suite_slot *s, const struct pf_supervisor_result *k,
                   struct pf_findings *f)
{
    const struct pf_suite_test *t = &l->settings->tests->at[s->test];
    const char *policy = l->settings->campaign->policies[s->policy];
    struct pf_error why;
    struct pf_execution_end end = {.outcome = k ? outcome_of(t, k) : "interrupted",
                                   .result = k,
                                   .watched = pf_policy_watches(policy),
                                   .found = f};
    uint64_t fresh;
    if (pf_findings_read_folder(f, s->folder, NULL, &why) != PF_OK) {
        pf_progress_clear(&l->progress);
        pf_note("suite", "%s", why.text);
        end.damaged = true;
    }
    for (const struct pf_process *p = f->processes; p; p = p->next)
        if (p->notes)
            pf_progress_clear(&l->progress);
    pf_findings_notes(f, "suite");
    pf_status st = pf_suite_db_end(l->db, s->execution, s->folder, &end, &fresh, l->e);
    if (st != PF_OK) {
        fail(l, st);
        return;
    }
    l->findings += fresh;
    print_new_findings(l, s, fresh);
    if (!strcmp(end.outcome, "interrupted"))
        return;
    l->finished++;
    l->result->executions++;
    l->result->watched += end.watched;
    l->result->empty += end.watched && !f->processes;
    if (strcmp(end.outcome, "passed")) {
        l->result->failed++;
        print_failure(l, s, k);
    }
}

static void collect(struct suite_loop *l, size_t slot_index)
{
    struct suite_slot *s = &l->slots[slot_index];
    struct pf_supervisor_result result;
    struct pf_findings f;
    bool whole = pf_process_pool_collect(&l->pool, slot_index, &result);
    if (!whole && !pf_quiet) {
        pf_progress_clear(&l->progress);
        pf_note("suite", "%s: its supervisor was killed", l->settings->tests->at[s->test].name);
    }
    if (l->status == PF_OK) { /* otherwise its logs stay, and are salvaged the next time */
        pf_findings_init(&f);
        record(l, s, whole ? &result : NULL, &f);
        pf_findings_release(&f);
    }
    free(s->folder);
    s->folder = NULL;
}

/* --- the loop --- */

static void show(struct suite_loop *l)
{
    const char *what = "";
    for (size_t i = 0; i < l->pool.n; i++)
        if (l->pool.at[i].busy)
            what = l->settings->tests->at[l->slots[i].test].name;
    pf_progress_show(&l->progress, l->finished, l->wanted, l->findings, l->result->failed, what);
}

static void run(struct suite_loop *l)
{
    for (fill(l); l->pool.running; fill(l)) {
        show(l);
        int signal = pf_process_pool_wait(&l->pool, l->progress.on ? 500 : -1);
        if (signal && !l->result->signal) {
            pf_progress_clear(&l->progress);
            fprintf(stderr, "pf suite: stopping; run the same command again to continue\n");
            l->result->signal = signal;
        }
        for (size_t i = 0; i < l->pool.n; i++)
            if (l->pool.at[i].ready)
                collect(l, i);
    }
    pf_progress_clear(&l->progress);
}

static pf_status allocate(struct suite_loop *l)
{
    const struct pf_campaign *c = l->settings->campaign;
    l->wanted = c->rounds * l->settings->tests->n * c->npolicies;
    l->slots = pf_mem_zero(c->jobs, sizeof *l->slots);
    l->done = pf_mem_zero(l->wanted, sizeof *l->done);
    l->output_shown = pf_mem_zero(l->settings->tests->n, sizeof *l->output_shown);
    return pf_suite_db_done(l->db, l->campaign, c, l->settings->tests->n, l->done, l->e);
}

pf_status pf_suite_execute(struct pf_suite_db *db, int64_t campaign,
                           const struct pf_suite_settings *settings, struct pf_suite_result *result,
                           struct pf_error *e)
{
    struct suite_loop l = {
        .db = db, .campaign = campaign, .settings = settings, .result = result, .e = e};
    *result = (struct pf_suite_result){0};
    l.status = pf_process_pool_init(&l.pool, settings->campaign->jobs, e);
    if (l.status == PF_OK)
        l.status = allocate(&l);
    if (l.status == PF_OK) {
        for (uint64_t i = 0; i < l.wanted; i++)
            l.finished += l.done[i];
        pf_progress_init(&l.progress, l.finished);
        run(&l);
        result->finished = l.status == PF_OK && l.finished == l.wanted;
    }
    free(l.slots);
    free(l.done);
    free(l.output_shown);
    pf_process_pool_release(&l.pool);
    return l.status;
}
