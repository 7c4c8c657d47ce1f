/* finding_json.c - see finding_json.h. */
#include "finding_json.h"

/* Writes a comma if one is needed: not after an opening bracket, and not between a key and its
 * value. */
static void comma(struct pf_text *t)
{
    char last = t->n ? t->at[t->n - 1] : '[';
    if (last != '{' && last != '[' && last != ':' && last != '\n')
        pf_text_char(t, ',');
}

void pf_json_key(struct pf_text *t, const char *name)
{
    comma(t);
    pf_text_json(t, name);
    pf_text_char(t, ':');
}

void pf_json_str(struct pf_text *t, const char *name, const char *value)
{
    pf_json_key(t, name);
    pf_text_json(t, value);
}

void pf_json_num(struct pf_text *t, const char *name, uint64_t value)
{
    pf_json_key(t, name);
    pf_text_u64(t, value);
}

void pf_json_bool(struct pf_text *t, const char *name, bool value)
{
    pf_json_key(t, name);
    pf_text_add(t, value ? "true" : "false");
}

void pf_json_address(struct pf_text *t, const char *name, uint64_t value)
{
    pf_json_key(t, name);
    pf_text_char(t, '"');
    pf_text_add(t, "0x");
    pf_text_hex(t, value, 1);
    pf_text_char(t, '"');
}

void pf_json_merged_lines(struct pf_text *t, const struct pf_stack_frame *p)
{
    pf_json_key(t, "merged_lines");
    pf_text_char(t, '[');
    pf_text_add(t, p->merged_lines);
    pf_text_char(t, ']');
}

static void thread_name(struct pf_text *t, const char *name, uint32_t number)
{
    pf_json_key(t, name);
    pf_text_add(t, "\"T");
    pf_text_u64(t, number);
    pf_text_char(t, '"');
}

static void stack(struct pf_text *t, const char *name, const struct pf_backtrace *s)
{
    pf_json_key(t, name);
    pf_text_char(t, '[');
    for (size_t i = 0; i < s->n; i++) {
        const struct pf_stack_frame *p = &s->at[i];
        comma(t);
        pf_text_char(t, '{');
        pf_json_str(t, "function", p->function ? p->function : "??");
        pf_json_str(t, "file", p->file);
        pf_json_num(t, "line", p->line);
        pf_json_num(t, "column", p->column);
        if (p->merged_lines)
            pf_json_merged_lines(t, p);
        if (p->module)
            pf_json_str(t, "module", p->module);
        if (p->first_line)
            pf_json_num(t, "first_line", p->first_line);
        if (p->folded)
            pf_json_bool(t, "folded", true);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
}

static void lock_name(struct pf_text *t, const struct pf_finding *f, const struct pf_lock *l)
{
    if (l->name) {
        pf_text_json(t, l->name);
    } else {
        pf_text_add(t, "\"M");
        pf_text_u64(t, pf_finding_lock_number(f, l->address));
        pf_text_char(t, '"');
    }
}

static void locks(struct pf_text *t, const struct pf_finding *f, const struct pf_access *a)
{
    pf_json_key(t, "locks");
    pf_text_char(t, '[');
    for (size_t i = 0; i < a->nlocks; i++) {
        comma(t);
        lock_name(t, f, &a->locks[i]);
    }
    pf_text_char(t, ']');
    pf_json_key(t, "held");
    pf_text_char(t, '[');
    for (size_t i = 0; i < a->nlocks; i++) {
        comma(t);
        pf_text_char(t, '{');
        pf_json_str(t, "name", a->locks[i].name);
        pf_json_address(t, "address", a->locks[i].address);
        pf_json_str(t, "mode", a->locks[i].shared ? "read" : "write");
        if (a->locks[i].first)
            pf_json_bool(t, "first", true);
        stack(t, "stack", &a->locks[i].taken);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
}

static void access(struct pf_text *t, const struct pf_finding *f, const struct pf_access *a)
{
    const struct pf_stack_frame *p = pf_backtrace_source(&a->stack);
    comma(t);
    pf_text_char(t, '{');
    thread_name(t, "thread", a->thread);
    pf_json_str(t, "op", pf_op_name(a->op));
    pf_json_num(t, "size", a->size);
    pf_json_str(t, "file", p ? p->file : NULL);
    pf_json_num(t, "line", p ? p->line : 0);
    pf_json_num(t, "column", p ? p->column : 0);
    pf_json_str(t, "function", p ? p->function : NULL);
    pf_json_str(t, "variable", a->variable);
    pf_json_address(t, "address", a->address);
    if (a->range)
        pf_json_bool(t, "range", true);
    locks(t, f, a);
    stack(t, "stack", &a->stack);
    pf_text_char(t, '}');
}

static void location(struct pf_text *t, const struct pf_location *l)
{
    pf_json_key(t, "location");
    pf_text_char(t, '{');
    pf_json_str(t, "kind", pf_location_name(l->kind));
    bool variable = l->kind == PF_LOCATION_GLOBAL || (l->kind == PF_LOCATION_STACK && l->name);
    if (variable) {
        pf_json_str(t, "name", l->name);
        pf_json_str(t, "file", l->file);
        pf_json_num(t, "line", l->line);
    }
    bool descriptor = l->kind == PF_LOCATION_DESCRIPTOR;
    if (descriptor)
        pf_json_num(t, "number", l->address);
    if (variable || l->kind == PF_LOCATION_HEAP) {
        pf_json_address(t, "address", l->address);
        pf_json_num(t, "size", l->size);
    }
    if (descriptor || l->kind == PF_LOCATION_HEAP || l->kind == PF_LOCATION_STACK ||
        l->kind == PF_LOCATION_TLS)
        thread_name(t, "thread", l->thread);
    if (l->kind == PF_LOCATION_HEAP)
        pf_json_bool(t, "freed", l->freed);
    if (descriptor || l->kind == PF_LOCATION_HEAP || l->kind == PF_LOCATION_STACK)
        stack(t, "stack", &l->stack);
    pf_text_char(t, '}');
}

static void actor(struct pf_text *t, const struct pf_thread_info *a)
{
    comma(t);
    pf_text_char(t, '{');
    thread_name(t, "thread", a->number);
    pf_json_str(t, "name", a->name);
    pf_json_num(t, "tid", (uint64_t)a->tid);
    pf_json_str(t, "state", a->running ? "running" : "finished");
    if (a->number)
        thread_name(t, "created_by", a->parent);
    stack(t, "stack", &a->created);
    pf_text_char(t, '}');
}

static void schedule_step(struct pf_text *t, const struct pf_schedule_step *m)
{
    comma(t);
    pf_text_char(t, '{');
    thread_name(t, "thread", m->thread);
    pf_json_str(t, "op", m->op);
    pf_json_str(t, "name", m->name);
    pf_json_str(t, "value", m->value);
    pf_json_str(t, "file", m->file);
    pf_json_num(t, "line", m->line);
    if (m->marked)
        pf_json_bool(t, "marked", true);
    if (m->related)
        pf_json_bool(t, "related", true);
    if (m->has_from) {
        pf_json_key(t, "from");
        pf_text_char(t, '{');
        thread_name(t, "thread", m->from);
        pf_json_str(t, "file", m->from_file);
        pf_json_num(t, "line", m->from_line);
        pf_text_char(t, '}');
    }
    pf_text_char(t, '}');
}

static void schedule_steps(struct pf_text *t, const char *name, const struct pf_schedule_step *at,
                           size_t n)
{
    pf_json_key(t, name);
    pf_text_char(t, '[');
    for (size_t i = 0; i < n; i++)
        schedule_step(t, &at[i]);
    pf_text_char(t, ']');
}

static void stage(struct pf_text *t, const struct pf_stage *s)
{
    comma(t);
    pf_text_char(t, '{');
    pf_json_str(t, "stage", s->stage);
    pf_json_str(t, "analysis", s->analysis);
    pf_json_str(t, "status", pf_finding_status_name(s->status));
    pf_json_num(t, "count", s->count);
    pf_text_char(t, '}');
}

static void id(struct pf_text *t, const char *name, uint64_t value)
{
    pf_json_key(t, name);
    pf_text_char(t, '"');
    pf_text_hex(t, value, 16);
    pf_text_char(t, '"');
}

static void judged(struct pf_text *t, const struct pf_finding *f)
{
    const struct pf_judged *j = f->judged;
    pf_json_key(t, "judged");
    pf_text_char(t, '{');
    pf_json_str(t, "class", f->verdict);
    pf_json_num(t, "k", j->k);
    pf_json_num(t, "paths", j->paths);
    pf_json_num(t, "schedules", j->schedules);
    pf_json_num(t, "ms", j->ms);
    pf_json_num(t, "cpu_ms", j->cpu_ms);
    pf_json_str(t, "memory", j->memory);
    pf_json_str(t, "reason", j->reason);
    pf_json_bool(t, "adhoc", j->adhoc);
    pf_json_bool(t, "incomplete", j->incomplete);
    pf_json_key(t, "evidence");
    pf_text_char(t, '[');
    for (size_t i = 0; i < j->nevidence; i++) {
        comma(t);
        pf_text_char(t, '{');
        pf_json_str(t, "kind", j->evidence[i].kind);
        pf_json_str(t, "text", j->evidence[i].text);
        pf_json_str(t, "clip", j->evidence[i].clip);
        pf_text_char(t, '}');
    }
    pf_text_add(t, "]}");
}

void pf_finding_json(struct pf_text *t, const struct pf_finding *f)
{
    comma(t);
    pf_text_char(t, '{');
    id(t, "id", f->id);
    if (f->group)
        id(t, "group", f->group);
    pf_json_str(t, "kind", pf_kind_name(f->kind));
    pf_json_str(t, "status", pf_finding_status_name(f->status));
    pf_json_str(t, "analysis", f->analysis);
    /* the class `undecided` is written only as a part of `judged` */
    pf_json_str(t, "class",
                f->judged && pf_finding_class(f) == PF_JUDGED_UNDECIDED ? NULL : f->verdict);
    pf_json_key(t, "accesses");
    pf_text_char(t, '[');
    for (size_t i = 0; i < f->naccesses; i++)
        access(t, f, &f->accesses[i]);
    pf_text_char(t, ']');
    location(t, &f->location);
    if (f->sleep.n)
        stack(t, "sleep", &f->sleep);
    pf_json_key(t, "threads");
    pf_text_char(t, '[');
    for (size_t i = 0; i < f->nthreads; i++)
        actor(t, &f->threads[i]);
    pf_text_char(t, ']');
    pf_json_str(t, "clip", f->clip);
    if (f->input) {
        pf_json_key(t, "input");
        pf_text_char(t, '{');
        pf_json_str(t, "folder", f->input);
        pf_json_str(t, "command", f->command);
        pf_text_char(t, '}');
    }
    if (f->child)
        pf_json_str(t, "child", f->child);
    pf_json_num(t, "count", f->count);
    pf_json_bool(t, "counts", !f->suspicious);
    if (f->suspicious)
        pf_json_str(t, "suspicious", f->suspicious);
    if (f->harm)
        pf_json_str(t, "harm", f->harm);
    if (f->signal)
        pf_json_num(t, "signal", (uint64_t)f->signal);
    if (f->unconfirmed)
        pf_json_str(t, "unconfirmed", f->unconfirmed);
    if (f->tries)
        pf_json_num(t, "tries", f->tries);
    if (f->judged)
        judged(t, f);
    if (f->stages) {
        pf_json_key(t, "stages");
        pf_text_char(t, '[');
        for (const struct pf_stage *s = f->stages; s; s = s->next)
            stage(t, s);
        pf_text_char(t, ']');
    }
    if (f->nwitness)
        schedule_steps(t, "interleaving", f->witness, f->nwitness);
    if (f->recording)
        pf_json_str(t, "recording", f->recording);
    if (f->nrecorded)
        schedule_steps(t, "recorded", f->recorded, f->nrecorded);
    if (f->seen) {
        pf_json_num(t, "executions", f->seen->executions);
        pf_json_key(t, "tests");
        pf_text_char(t, '[');
        for (size_t i = 0; i < f->seen->ntests; i++) {
            comma(t);
            pf_text_json(t, f->seen->tests[i]);
        }
        pf_text_char(t, ']');
    }
    pf_text_char(t, '}');
}
