/* report_text.c - see report_text.h. */
#include "report_text.h"
#include "finding_group.h"
#include "finding_text.h"
#include "judged_text.h"
#include "narrative.h"
#include "shell_word.h"
#include "text_format.h"
#include <stdio.h>
#include <string.h>

/* Writes " in 3 executions of 2 tests: a; b". */
static void add_sightings(struct pf_text *t, const struct pf_sightings *s)
{
    enum { SHOWN = 8 };
    if (!s)
        return;
    pf_text_add(t, " in ");
    pf_text_u64(t, s->executions);
    pf_text_add(t, s->executions == 1 ? " execution of " : " executions of ");
    pf_text_u64(t, s->ntests);
    pf_text_add(t, s->ntests == 1 ? " test: " : " tests: ");
    for (size_t i = 0; i < s->ntests && i < SHOWN; i++) {
        pf_text_add(t, i ? "; " : "");
        pf_text_name(t, s->tests[i]);
    }
    pf_text_add(t, s->ntests > SHOWN ? "; ..." : "");
}

static void add_suite(struct pf_text *t, const struct pf_suite_summary *u)
{
    for (const struct pf_suite_failure *v = u->failures; v; v = v->next) {
        pf_text_add(t, "failed: ");
        pf_text_name(t, v->test);
        pf_text_add(t, ": ");
        if (!strcmp(v->outcome, "failed")) {
            pf_text_add(t, "exit status ");
            pf_text_u64(t, (uint64_t)v->status);
        } else {
            pf_text_add(t, strcmp(v->outcome, "limit") ? "could not be run" : "time limit reached");
        }
        pf_text_add(t, ", ");
        pf_text_u64(t, v->times);
        pf_text_add(t, v->times == 1 ? " time\n" : " times\n");
    }
    pf_text_u64(t, u->executions);
    pf_text_add(t, u->executions == 1 ? " execution of " : " executions of ");
    pf_text_u64(t, u->tests);
    pf_text_add(t, u->tests == 1 ? " test: " : " tests: ");
    pf_text_u64(t, u->passed);
    pf_text_add(t, " passed, ");
    pf_text_u64(t, u->failed);
    pf_text_add(t, " failed\n");
}

static void add_step(struct pf_text *t, const struct pf_schedule_step *m)
{
    char name[16] = "main";
    if (m->thread)
        snprintf(name, sizeof name, "T%u", m->thread);
    pf_text_add(t, m->marked ? "   -> " : "      ");
    pf_text_format(t, "%-4s ", name);
    pf_schedule_step_text(t, m);
    if (m->file) {
        pf_text_add(t, "  ");
        pf_text_name(t, pf_str_base(m->file));
        pf_text_char(t, ':');
        pf_text_u64(t, m->line);
    }
    pf_text_char(t, '\n');
}

/* Shows the last steps up to the accesses, and every step that accesses the same memory. */
void pf_report_interleaving(struct pf_text *t, const struct pf_finding *f)
{
    enum { SHOWN = 16 };
    size_t end = f->nwitness;
    if (!f->nwitness)
        return;
    while (end > 0 && !f->witness[end - 1].marked)
        end--;
    pf_text_add(t, f->clip ? "  Interleaving in the clip:\n" : "  Interleaving:\n");
    bool left_out = false;
    for (size_t i = 0; i < f->nwitness; i++) {
        const struct pf_schedule_step *m = &f->witness[i];
        bool shown = m->marked || m->related || i + SHOWN >= end;
        if (shown && left_out)
            pf_text_add(t, "      ...\n");
        left_out = !shown;
        if (shown)
            add_step(t, m);
    }
}

/* Different stages may have the same words. */
static bool same_words(const struct pf_stage *a, const struct pf_stage *b)
{
    return a->status == b->status &&
           pf_str_same(pf_stage_words(a->stage), pf_stage_words(b->stage));
}

static void add_stages(struct pf_text *t, const struct pf_finding *f)
{
    if (!f->stages || (!f->stages->next && f->stages->status == PF_STATUS_OBSERVED))
        return; /* only one stage has observed it; add_identity writes how often */
    pf_text_add(t, "  Seen by:");
    for (const struct pf_stage *s = f->stages; s; s = s->next) {
        const struct pf_stage *first = f->stages;
        uint64_t count = 0;
        while (!same_words(first, s))
            first = first->next;
        if (first != s)
            continue;
        for (const struct pf_stage *k = s; k; k = k->next)
            count += same_words(k, s) ? k->count : 0;
        pf_text_add(t, s == f->stages ? " " : "; ");
        pf_text_name(t, pf_stage_words(s->stage));
        pf_text_add(t, ", ");
        pf_text_add(t, pf_finding_status_name(s->status));
        pf_text_char(t, ' ');
        pf_text_u64(t, count);
        pf_text_add(t, count == 1 ? " time" : " times");
    }
    pf_text_char(t, '\n');
}

void pf_report_suspicious(struct pf_text *t, const struct pf_finding *f)
{
    if (!f->suspicious)
        return;
    pf_text_add(t, "  Suspicious: not shown to matter (");
    pf_text_name(t, f->suspicious);
    pf_text_add(t, ")\n");
}

/* Writes the input that pf hunt found, and the command that uses it. */
static void add_input(struct pf_text *t, const struct pf_finding *f)
{
    if (!f->input)
        return;
    pf_text_add(t, "  It needs another input: ");
    pf_text_name(t, f->input);
    if (f->command) {
        pf_text_add(t, "\n  The program with this input: ");
        pf_text_name(t, f->command);
    }
    pf_text_char(t, '\n');
}

static void add_clip(struct pf_text *t, const struct pf_finding *f)
{
    pf_text_add(t, "  See it again, every time: pf replay ");
    pf_text_add(t, pf_kind_replay_option(f->kind));
    pf_text_shell_word(t, f->clip);
    pf_text_char(t, '\n');
}

/* Writes the harm, and the clip or that there is none. */
static void add_proof(struct pf_text *t, const struct pf_finding *f, bool checked)
{
    pf_report_suspicious(t, f);
    if (f->harm && !pf_kind_is_failure(f->kind)) { /* the cause of a failure is in its text */
        pf_text_add(t, "  Harm: ");
        pf_text_name(t, f->harm);
        pf_text_char(t, '\n');
    }
    pf_judged_evidence_text(t, f);
    if (f->clip) {
        add_clip(t, f);
        add_input(t, f);
    } else if (f->unconfirmed) {
        pf_text_add(t, f->count > 1 ? "  Observed, not confirmed: "
                                    : "  Observed once, not confirmed: ");
        pf_text_name(t, f->unconfirmed);
        pf_text_char(t, '\n');
    } else if (checked || f->tries) {
        pf_text_add(t, f->status == PF_STATUS_OBSERVED ? "  Observed, not yet confirmed: "
                                                       : "  Not confirmed: ");
        if (f->tries)
            pf_text_u64(t, f->tries);
        pf_text_add(t, !f->tries       ? "no explored schedule showed it\n"
                       : f->tries == 1 ? " schedule aimed at it did not show it again\n"
                                       : " schedules aimed at it did not show it again\n");
    }
}

/* Writes "finding 0123456789abcdef, seen 2 times, predicted". */
static void add_identity(struct pf_text *t, const struct pf_finding *f, bool accepted)
{
    pf_text_add(t, "finding ");
    pf_text_hex(t, f->id, 16);
    pf_text_add(t, ", seen ");
    pf_text_u64(t, f->count);
    pf_text_add(t, f->count == 1 ? " time" : " times");
    add_sightings(t, f->seen);
    if (f->status != PF_STATUS_OBSERVED) {
        pf_text_add(t, ", ");
        pf_text_add(t, pf_finding_status_name(f->status));
    }
    if (f->verdict) {
        pf_text_add(t, ", ");
        pf_text_name(t, f->verdict);
    }
    pf_text_add(t, f->suspicious ? ", suspicious" : "");
    pf_text_add(t, accepted ? ", accepted\n" : "\n");
}

static void add_finding(struct pf_text *t, const struct pf_finding *f, bool checked, bool accepted,
                        const struct pf_text_style *style)
{
    pf_finding_text(t, f, style);
    pf_report_interleaving(t, f);
    add_stages(t, f);
    add_proof(t, f, checked);
    add_identity(t, f, accepted);
}

/* The other members of a group: one line each, and the command of each that has a clip. */
static void add_members(struct pf_text *t, const struct pf_findings *f, size_t first, size_t end,
                        const struct pf_baseline *base)
{
    enum { SHOWN = 32 };
    for (size_t i = first + 1; i < end && i <= first + SHOWN; i++) {
        pf_text_add(t, "  Same cause: ");
        pf_finding_title(t, f->at[i]);
        pf_text_add(t, ": ");
        add_identity(t, f->at[i], base && pf_baseline_has(base, f->at[i]->id));
        if (f->at[i]->clip) {
            pf_text_add(t, "  ");
            add_clip(t, f->at[i]);
        }
    }
    if (end - first > SHOWN + 1) {
        pf_text_add(t, "  Same cause: ");
        pf_text_u64(t, end - first - SHOWN - 1);
        pf_text_add(t, " more; pf report --json and --html list all\n");
    }
}

/* Writes "; judged: 1 output-differs, 2 k-witness-harmless". */
static void add_classes(struct pf_text *t, const struct pf_findings *f)
{
    size_t n[PF_JUDGED_CLASSES] = {0};
    bool first = true;
    for (size_t i = 0; i < f->n; i++)
        n[pf_finding_class(f->at[i])] += f->at[i]->verdict && !f->at[i]->suspicious;
    for (int c = 0; c < PF_JUDGED_CLASSES; c++) {
        if (!n[c])
            continue;
        pf_text_add(t, first ? "; judged: " : ", ");
        pf_text_u64(t, n[c]);
        pf_text_char(t, ' ');
        pf_text_add(t, pf_judge_class_name((enum pf_judge_class)c));
        first = false;
    }
}

/* Writes ": 2 confirmed (1 with harm), 1 observed, not yet confirmed". A group counts once, with
 * its most certain member. */
static void add_kinds(struct pf_text *t, const struct pf_findings *f)
{
    size_t n[PF_STATUSES] = {0}, harm = 0;
    for (size_t i = 0, end; i < f->n; i = end) {
        enum pf_finding_status best = PF_STATUS_PREDICTED;
        bool counts = false, harmful = false;
        end = pf_findings_group_end(f, i);
        for (size_t k = i; k < end; k++) {
            const struct pf_finding *it = f->at[k];
            if (it->suspicious)
                continue;
            counts = true;
            best = pf_finding_surer(it->status, best);
            harmful |= it->harm && it->status == PF_STATUS_CONFIRMED;
        }
        n[best] += counts;
        harm += harmful;
    }
    if (!pf_findings_counted(f))
        return;
    pf_text_add(t, ": ");
    pf_text_u64(t, n[PF_STATUS_CONFIRMED]);
    pf_text_add(t, " confirmed");
    if (harm) {
        pf_text_add(t, " (");
        pf_text_u64(t, harm);
        pf_text_add(t, " with harm)");
    }
    if (n[PF_STATUS_OBSERVED]) {
        pf_text_add(t, ", ");
        pf_text_u64(t, n[PF_STATUS_OBSERVED]);
        pf_text_add(t, " observed, not yet confirmed");
    }
    if (n[PF_STATUS_PREDICTED]) {
        pf_text_add(t, ", ");
        pf_text_u64(t, n[PF_STATUS_PREDICTED]);
        pf_text_add(t, " not confirmed");
    }
    add_classes(t, f);
}

static void add_unchecked(struct pf_text *t, const struct pf_findings *f)
{
    size_t before = t->n;
    pf_text_add(t, "code without checks, whose races are missed: ");
    size_t head = t->n;
    pf_findings_unchecked_text(t, f);
    if (t->n == head)
        t->n = before;
    else
        pf_text_char(t, '\n');
}

void pf_report_text(struct pf_text *t, const struct pf_findings *f, const struct pf_baseline *base,
                    bool color)
{
    size_t accepted = 0, counted = pf_findings_counted(f);
    struct pf_text_style style = {.color = color, .summary = true};
    for (size_t i = 0, end; i < f->n; i = end) {
        end = pf_findings_group_end(f, i);
        add_finding(t, f->at[i], f->check != NULL, base && pf_baseline_has(base, f->at[i]->id),
                    &style);
        add_members(t, f, i, end, base);
    }
    for (size_t i = 0; i < f->n; i++)
        accepted += base && pf_baseline_has(base, f->at[i]->id);
    if (f->suite)
        add_suite(t, f->suite);
    if (f->check)
        pf_check_summary_text(t, f->check);
    pf_findings_count_text(t, f);
    if (f->check)
        add_kinds(t, f);
    else if (f->nprocesses || !f->suite) {
        pf_text_add(t, " in ");
        pf_text_u64(t, f->nprocesses);
        pf_text_add(t, f->nprocesses == 1 ? " process" : " processes");
    }
    if (accepted) {
        pf_text_add(t, ", ");
        pf_text_u64(t, accepted);
        pf_text_add(t, " accepted");
    }
    if (f->n > counted) {
        pf_text_add(t, ", and ");
        pf_text_u64(t, f->n - counted);
        pf_text_add(t, " suspicious (not shown to matter)");
    }
    pf_text_char(t, '\n');
    add_unchecked(t, f);
    pf_findings_losses(t, f);
}
