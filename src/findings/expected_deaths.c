/* expected_deaths.c - see expected_deaths.h. */
#include "expected_deaths.h"
#include "allocation.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static bool same_command(const struct pf_process *a, const struct pf_process *b)
{
    if (a->ncommand != b->ncommand)
        return false;
    for (size_t i = 0; i < a->ncommand; i++)
        if (strcmp(a->command[i], b->command[i]))
            return false;
    return true;
}

static bool is_same(const struct pf_expected_death *a, const struct pf_expected_death *b)
{
    if (a->group != b->group || strcmp(a->child, b->child) ||
        (a->program && b->program && !same_command(a->program, b->program)))
        return false;
    return a->failure && b->failure ? a->failure == b->failure
                                    : a->signal && a->signal == b->signal;
}

bool pf_findings_expects(const struct pf_findings *f, const struct pf_expected_death *d)
{
    for (const struct pf_expected_death *k = f->expected; k; k = k->next)
        if (is_same(k, d))
            return true;
    return false;
}

void pf_findings_expect(struct pf_findings *f, const struct pf_expected_death *d)
{
    if (pf_findings_expects(f, d))
        return;
    struct pf_expected_death *k = pf_mem_checked(pf_pool_get(&f->pool, sizeof *k));
    *k = *d;
    k->child = pf_mem_checked(pf_pool_text(&f->pool, d->child, strlen(d->child)));
    k->next = f->expected;
    f->expected = k;
}

/* The last log of the process `pid` of the same run; NULL: none. */
static const struct pf_process *find_process(const struct pf_findings *f, uint64_t pid,
                                             const char *run)
{
    const struct pf_process *found = NULL;
    for (const struct pf_process *p = f->processes; p; p = p->next)
        if (p->pid == pid && pf_str_same(p->run, run))
            found = p;
    return found;
}

static const struct pf_process *parent_of(const struct pf_findings *f, const struct pf_process *p)
{
    const struct pf_process *up = find_process(f, p->parent, p->run);
    return up && up->time < p->time && up->pid != p->pid ? up : NULL;
}

/* Which child of its parent p is, from 1. */
static unsigned number_of(const struct pf_findings *f, const struct pf_process *p)
{
    unsigned n = 1;
    for (const struct pf_process *k = f->processes; k && k != p; k = k->next)
        n += k->parent == p->parent && k->pid != p->pid && !k->after_exec &&
             pf_str_same(k->run, p->run);
    return n;
}

/* Describes the death of p: `path` is for the number of the child, and becomes empty if p is the
 * first process of the program. */
static struct pf_expected_death describe(const struct pf_findings *f, const struct pf_process *p,
                                         char path[static 200])
{
    struct pf_expected_death d = {.group = p->group, .signal = p->signal, .child = path};
    json_t *failure = p->failure ? json_loads(p->failure, JSON_ALLOW_NUL, NULL) : NULL;
    const char *id = json_string_value(json_object_get(failure, "id"));
    unsigned long long number;
    if (id && sscanf(id, "%llx", &number) == 1)
        d.failure = number;
    json_decref(failure);
    path[0] = 0;
    for (const struct pf_process *up; (up = parent_of(f, p)); p = up) {
        char longer[200];
        for (const struct pf_died *k = up->died; k && !d.signal && !path[0]; k = k->next)
            d.signal = k->pid == p->pid ? k->signal : 0;
        snprintf(longer, sizeof longer, "%u%s%s", number_of(f, p), path[0] ? "." : "", path);
        memcpy(path, longer, sizeof longer);
    }
    d.program = p;
    return d;
}

/* True if the parent of p has waited for it. */
static bool is_waited_for(const struct pf_findings *f, const struct pf_process *p)
{
    for (const struct pf_process *k = f->processes; k; k = k->next)
        for (const struct pf_died *d = k->died; d && k->pid == p->parent; d = d->next)
            if (d->pid == p->pid && pf_str_same(k->run, p->run))
                return true;
    return false;
}

static bool has_died(const struct pf_process *p)
{
    return p->end ? !strcmp(p->end, "crash") : !p->running;
}

/* Adds the crash of p. `child` is its number; empty: p is the first process. */
static pf_status add_crash(struct pf_findings *f, const struct pf_process *p, const char *child,
                           struct pf_error *e)
{
    struct pf_finding *it;
    const char *origin = p->ncommand ? p->command[0] : "a findings log";
    size_t before = f->n;
    pf_status s = pf_findings_add(f, origin, p->failure, strlen(p->failure), 1, &it, e);
    if (s == PF_OK && f->n > before && *child)
        it->child = pf_pool_text(&f->pool, child, strlen(child));
    else if (s == PF_OK && !*child && !it->clip)
        it->child = NULL;
    return s;
}

pf_status pf_findings_expected_crashes(const struct pf_findings *f, struct pf_findings *to,
                                       struct pf_error *e)
{
    pf_status s = PF_OK;
    char path[200];
    for (const struct pf_process *p = f->processes; p && s == PF_OK; p = p->next)
        if (p->expected_death && p->failure) {
            describe(f, p, path);
            s = add_crash(to, p, path, e);
        }
    return s;
}

pf_status pf_findings_settle_deaths(struct pf_findings *f, struct pf_error *e)
{
    pf_status s = PF_OK;
    char path[200];
    for (struct pf_process *p = f->processes; p; p = p->next) {
        if (!has_died(p) || !is_waited_for(f, p))
            continue;
        struct pf_expected_death d = describe(f, p, path);
        bool succeeded =
            d.program->end && !strcmp(d.program->end, "exit") && d.program->status == 0;
        p->expected_death = path[0] && succeeded;
        if (p->expected_death)
            pf_findings_expect(f, &d);
    }
    for (struct pf_process *p = f->processes; p && s == PF_OK; p = p->next) {
        if (!has_died(p) || p->expected_death)
            continue;
        struct pf_expected_death d = describe(f, p, path);
        p->expected_death = path[0] && pf_findings_expects(f, &d);
        if (p->failure && !p->expected_death)
            s = add_crash(f, p, path, e);
        p->failure = NULL;
    }
    return s;
}
