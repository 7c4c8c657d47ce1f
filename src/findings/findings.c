/* findings.c - see findings.h: orders and counts the findings, and writes the JSON document and the
 * reasons why it is incomplete. */
#include "findings.h"
#include "crash_merge.h"
#include "finding_group.h"
#include "finding_json.h"
#include "message.h"
#include "text_format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pf_findings_init(struct pf_findings *f)
{
    *f = (struct pf_findings){0};
    pf_pool_init_malloc(&f->pool);
}

void pf_findings_release(struct pf_findings *f)
{
    pf_pool_release(&f->pool);
    pf_hash_map_release(&f->by_id);
    *f = (struct pf_findings){0};
}

void pf_findings_push(struct pf_findings *f, struct pf_finding *it)
{
    if (f->n == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 64;
        struct pf_finding **at = pf_pool_get(&f->pool, cap * sizeof *at);
        for (size_t i = 0; i < f->n; i++)
            at[i] = f->at[i];
        f->at = at;
        f->cap = cap;
    }
    (void)pf_hash_map_put(&f->by_id, it->id, (uint32_t)f->n);
    f->at[f->n++] = it;
}

void pf_findings_add_stage(struct pf_findings *f, struct pf_finding *it, const char *stage,
                           const char *analysis, enum pf_finding_status status, uint64_t count)
{
    struct pf_stage **at = &it->stages;
    while (*at && ((*at)->status != status || !pf_str_same((*at)->stage, stage) ||
                   !pf_str_same((*at)->analysis, analysis)))
        at = &(*at)->next;
    if (*at) {
        (*at)->count += count;
    } else if (count) {
        struct pf_stage *s = pf_pool_get(&f->pool, sizeof *s);
        *s = (struct pf_stage){stage, analysis, status, count, NULL};
        *at = s;
    }
}

static int rank(const struct pf_finding *f)
{
    enum pf_judge_class class = pf_finding_class(f);
    if (f->suspicious)
        return 7;
    if (class == PF_JUDGED_SINGLE_ORDERING || class == PF_JUDGED_K_WITNESS)
        return class == PF_JUDGED_SINGLE_ORDERING ? 6 : 5;
    if (class == PF_JUDGED_OUTPUT_DIFFERS)
        return 1;
    bool violated = f->harm || (f->verdict && class == PF_JUDGED_SPEC_VIOLATED);
    return violated                           ? 0
           : f->status == PF_STATUS_CONFIRMED ? 2
           : f->status == PF_STATUS_OBSERVED  ? 3
                                              : 4;
}

static int by_rank(const void *a, const void *b)
{
    const struct pf_finding *x = *(struct pf_finding *const *)a,
                            *y = *(struct pf_finding *const *)b;
    int order = rank(x) - rank(y);
    if (!order)
        order = (x->count < y->count) - (x->count > y->count);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

void pf_findings_sort(struct pf_findings *f)
{
    pf_findings_merge_crashes(f);
    if (f->n)
        qsort(f->at, f->n, sizeof *f->at, by_rank);
    pf_findings_group(f);
    pf_findings_gather(f);
}

size_t pf_findings_counted(const struct pf_findings *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += !f->at[i]->suspicious;
    return n;
}

void pf_findings_count_text(struct pf_text *t, const struct pf_findings *f)
{
    size_t n = pf_findings_counted(f), causes = pf_findings_counted_groups(f);
    if (causes != n) {
        pf_text_u64(t, causes);
        pf_text_add(t, causes == 1 ? " cause (" : " causes (");
    }
    pf_text_u64(t, n);
    pf_text_add(t, n == 1 ? " finding" : " findings");
    pf_text_add(t, causes != n ? ")" : "");
}

void pf_findings_causes_text(struct pf_text *t, const struct pf_findings *f)
{
    size_t n = pf_findings_counted(f), causes = pf_findings_counted_groups(f);
    if (causes == n)
        return;
    pf_text_u64(t, n);
    pf_text_add(t, " findings have ");
    pf_text_u64(t, causes);
    pf_text_add(t, causes == 1 ? " cause\n" : " causes\n");
}

bool pf_process_complete(const struct pf_process *p)
{
    return (p->end || p->stopped_by_pf || p->expected_death) && !p->losses;
}

bool pf_findings_complete(const struct pf_findings *f)
{
    const struct pf_suite_summary *u = f->suite;
    bool complete = (f->processes || f->ndocuments || (u && u->executions)) && !f->unfinished;
    complete &= !f->undecided && !(f->check && f->check->gaps);
    complete &= !u || (!u->incomplete && !u->running && !u->unfinished);
    for (const struct pf_process *p = f->processes; p; p = p->next)
        complete &= pf_process_complete(p);
    return complete;
}

uint64_t pf_findings_suppressed(const struct pf_findings *f)
{
    uint64_t n = f->suite ? f->suite->suppressed : 0;
    for (const struct pf_process *p = f->processes; p; p = p->next)
        n += p->suppressed;
    return n;
}

bool pf_findings_pairs(const struct pf_findings *f, uint64_t *pairs, uint64_t *frequent)
{
    bool known = false;
    *pairs = *frequent = 0;
    for (const struct pf_process *p = f->processes; p; p = p->next)
        if (p->has_pairs) {
            known = true;
            *pairs = p->pairs > *pairs ? p->pairs : *pairs;
            *frequent = p->frequent > *frequent ? p->frequent : *frequent;
        }
    return known;
}

static void add_words(struct pf_text *t, const char *name, const char *const *words, size_t n)
{
    pf_json_key(t, name);
    pf_text_char(t, '[');
    for (size_t i = 0; i < n; i++) {
        pf_text_add(t, i ? "," : "");
        pf_text_json(t, words[i]);
    }
    pf_text_char(t, ']');
}

static void add_process(struct pf_text *t, const struct pf_process *p)
{
    pf_text_char(t, '{');
    pf_json_num(t, "pid", p->pid);
    pf_json_num(t, "parent", p->parent);
    add_words(t, "command", p->command, p->ncommand);
    pf_json_bool(t, "complete", pf_process_complete(p));
    pf_json_str(t, "end", p->end ? p->end : p->running ? "running" : "killed");
    pf_json_num(t, "suppressed", p->suppressed);
    pf_json_key(t, "limits");
    pf_text_char(t, '{');
    for (const struct pf_loss *l = p->losses; l; l = l->next)
        pf_json_num(t, l->what, l->count);
    pf_text_add(t, "}}");
}

static void add_failure(struct pf_text *t, const struct pf_suite_failure *v)
{
    pf_text_add(t, "\n{");
    pf_json_str(t, "test", v->test);
    pf_json_str(t, "outcome", v->outcome);
    pf_json_num(t, "status", (uint64_t)v->status);
    pf_json_num(t, "times", v->times);
    pf_json_key(t, "output");
    pf_text_json_bytes(t, v->output, v->noutput);
    pf_text_char(t, '}');
}

static void add_suite(struct pf_text *t, const struct pf_suite_summary *u)
{
    pf_json_key(t, "suite");
    pf_text_char(t, '{');
    pf_json_num(t, "tests", u->tests);
    pf_json_num(t, "executions", u->executions);
    pf_json_num(t, "passed", u->passed);
    pf_json_num(t, "failed", u->failed);
    pf_json_num(t, "interrupted", u->interrupted);
    pf_json_num(t, "running", u->running);
    pf_json_num(t, "incomplete", u->incomplete);
    pf_json_key(t, "failures");
    pf_text_char(t, '[');
    for (const struct pf_suite_failure *v = u->failures; v; v = v->next) {
        pf_text_add(t, v == u->failures ? "" : ",");
        add_failure(t, v);
    }
    pf_text_char(t, ']');
    pf_json_key(t, "losses");
    pf_text_char(t, '[');
    for (const struct pf_suite_loss *l = u->losses; l; l = l->next) {
        pf_text_add(t, l == u->losses ? "\n{" : ",\n{");
        pf_json_str(t, "test", l->test);
        pf_json_str(t, "what", l->what);
        pf_json_num(t, "count", l->count);
        pf_text_char(t, '}');
    }
    pf_text_add(t, "]}");
}

void pf_findings_json(struct pf_text *t, const struct pf_findings *f, const char *const *command,
                      size_t ncommand)
{
    pf_text_char(t, '{');
    pf_json_num(t, "version", 1);
    pf_json_str(t, "tool", "photofinish");
    if (f->suite && f->suite->command) {
        pf_json_key(t, "command");
        pf_text_add(t, f->suite->command);
    } else {
        add_words(t, "command", command, ncommand);
    }
    pf_json_bool(t, "complete", pf_findings_complete(f));
    pf_json_num(t, "suppressed", pf_findings_suppressed(f));
    pf_json_num(t, "bounded", f->bounded);
    pf_json_key(t, "findings");
    pf_text_char(t, '[');
    for (size_t i = 0; i < f->n; i++) {
        pf_text_add(t, i ? ",\n" : "\n");
        pf_finding_json(t, f->at[i]);
    }
    pf_text_char(t, ']');
    pf_json_key(t, "processes");
    pf_text_char(t, '[');
    for (const struct pf_process *p = f->processes; p; p = p->next) {
        pf_text_add(t, p == f->processes ? "\n" : ",\n");
        add_process(t, p);
    }
    pf_text_char(t, ']');
    pf_findings_objects_json(t, f);
    if (f->suite)
        add_suite(t, f->suite);
    if (f->check)
        pf_check_summary_json(t, f->check);
    pf_text_add(t, "}\n");
}

static void add_suite_losses(struct pf_text *t, const struct pf_suite_summary *u)
{
    for (const struct pf_suite_loss *l = u->losses; l; l = l->next) {
        pf_text_add(t, "pf: incomplete: test ");
        pf_text_name(t, l->test);
        pf_text_add(t, ": ");
        pf_text_u64(t, l->count);
        pf_text_char(t, ' ');
        pf_text_name(t, l->what);
        pf_text_char(t, '\n');
    }
    for (const struct pf_suite_unfinished *o = u->unfinished; o; o = o->next) {
        pf_text_add(t, "pf: incomplete: suite ");
        pf_text_name(t, o->list);
        pf_text_add(t, ": ");
        pf_text_u64(t, o->done);
        pf_text_add(t, " of ");
        pf_text_u64(t, o->wanted);
        pf_text_add(t, " executions are done\n");
    }
}

static void add_who(struct pf_text *t, const struct pf_process *p)
{
    pf_text_add(t, "pf: incomplete: process ");
    pf_text_u64(t, p->pid);
    pf_text_add(t, " (");
    pf_text_name(t, p->ncommand ? p->command[0] : "?");
    pf_text_add(t, ") ");
}

void pf_findings_notes(const struct pf_findings *f, const char *verb)
{
    for (const struct pf_process *p = f->processes; p; p = p->next)
        for (const struct pf_note *n = p->notes; n; n = n->next)
            pf_note(verb, "%s", n->text ? n->text : "?");
}

void pf_findings_losses(struct pf_text *t, const struct pf_findings *f)
{
    bool reported = false;
    for (const struct pf_process *p = f->processes; p; p = p->next) {
        reported |= p->running;
        if (!p->end && !p->stopped_by_pf && !p->expected_death) {
            add_who(t, p);
            pf_text_add(t, p->running ? "is still running\n"
                                      : "was killed before its end, or "
                                        "could not write its log\n");
        }
        for (const struct pf_loss *l = p->losses; l; l = l->next) {
            add_who(t, p);
            pf_text_add(t, "lost: ");
            pf_text_u64(t, l->count);
            pf_text_char(t, ' ');
            pf_text_name(t, l->what);
            pf_text_char(t, '\n');
        }
    }
    if (f->suite)
        add_suite_losses(t, f->suite);
    if (f->check)
        pf_check_summary_losses(t, f->check);
    if (f->bounded) {
        pf_text_add(t, "bounded: ");
        pf_text_u64(t, f->bounded);
        pf_text_add(t, f->bounded == 1 ? " prediction" : " predictions");
        pf_text_add(t, " examined some code only in some of its executions\n");
    }
    if (f->undecided) {
        pf_text_add(t, "pf: incomplete: ");
        pf_text_u64(t, f->undecided);
        pf_text_add(t, f->undecided == 1 ? " analysis or try was" : " analyses or tries were");
        pf_text_add(t, " undecided or unfinished\n");
    }
    if (f->unfinished && !reported)
        pf_text_add(t, "pf: incomplete: processes that the program started are still running\n");
}

bool pf_access_position(const struct pf_access *a, char *to, size_t room)
{
    for (size_t i = 0; i < a->stack.n; i++) {
        const struct pf_stack_frame *p = &a->stack.at[i];
        if (!p->file || !p->line)
            continue;
        const char *base = pf_str_base(p->file);
        if (strpbrk(base, ",:"))
            return false;
        int n = p->column ? snprintf(to, room, "%s:%u:%u", base, p->line, p->column)
                          : snprintf(to, room, "%s:%u", base, p->line);
        return n > 0 && (size_t)n < room;
    }
    return false;
}
