/* check_knowledge.c - see check_knowledge.h. */
#define _GNU_SOURCE
#include "check_knowledge.h"
#include "allocation.h"
#include "file.h"
#include "findings.h"
#include "policy_shares.h"
#include "text_format.h"
#include "vector.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef PF_VEC(struct pf_check_line) check_line_list;

/* --- the journal --- */

/* Returns the line of this kind, test and policy. Adds it if there is none. */
static struct pf_check_line *line_like(check_line_list *list, const struct pf_check_line *l)
{
    for (size_t i = 0; i < list->len; i++) {
        struct pf_check_line *o = &list->at[i];
        if (o->kind == l->kind && o->test == l->test &&
            (l->kind != PF_CHECK_BATCH ||
             pf_share_policy_of(o->schedule) == pf_share_policy_of(l->schedule)))
            return o;
    }
    pf_vec_push(list, *l);
    struct pf_check_line *o = &list->at[list->len - 1];
    o->schedules = o->behaviours = o->failures = 0;
    return o;
}

static void add_line(check_line_list *list, const struct pf_check_line *l)
{
    bool first = l->round == 0 && !l->from_step;
    struct pf_check_line *o;
    switch (l->kind) {
    case PF_CHECK_RUN:
    case PF_CHECK_RECORD:
        if (first)
            pf_vec_push(list, *l);
        break;
    case PF_CHECK_DIRECT:
        pf_vec_push(list, *l);
        break;
    case PF_CHECK_BATCH:
        o = line_like(list, l);
        o->schedules += l->schedules;
        o->behaviours += l->behaviours;
        o->failures += l->failures;
        o->late |= l->late;
        o->refused &= l->refused;
        o->length = l->length ? l->length : o->length;
        break;
    case PF_CHECK_EXPLORE:
        o = line_like(list, l);
        if (l->schedules >= o->schedules)
            *o = *l;
        break;
    default:
        break;
    }
}

/* --- the findings --- */

static pf_status add_step(struct pf_findings *f, const char *folder, const struct pf_check_line *l,
                          struct pf_error *e)
{
    char path[PATH_MAX];
    bool logs = l->kind == PF_CHECK_RUN;
    pf_check_path(path, folder, logs ? PF_CHECK_RUNS : PF_CHECK_FOUND, l->step);
    if (access(path, R_OK))
        return PF_OK;
    return logs ? pf_findings_read_folder(f, path, NULL, e)
                : pf_findings_read_document(f, path, folder, e);
}

static pf_status write_findings(struct pf_findings *f, const char *to, struct pf_error *e)
{
    const char *command[] = {"pf", "hatch"};
    struct pf_pool pool;
    struct pf_text t;
    char path[PATH_MAX];
    for (size_t i = 0; i < f->n; i++) { /* the clips stay where they are */
        f->at[i]->clip = f->at[i]->recording = NULL;
        f->at[i]->nwitness = f->at[i]->nrecorded = 0;
    }
    f->processes = NULL;
    f->objects = NULL;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_findings_json(&t, f, command, 2);
    pf_check_path(path, to, PF_CHECK_FOUND, PF_KNOWLEDGE_STEP);
    pf_status s = pf_file_write(path, t.at, t.n, e);
    pf_pool_release(&pool);
    return s;
}

/* --- the whole --- */

pf_status pf_check_knowledge_write(const char *folder, const char *to,
                                   bool (*wanted)(void *arg, uint64_t step), void *arg,
                                   struct pf_error *e)
{
    struct pf_check_lines lines = {0};
    struct pf_findings f;
    check_line_list kept = {0};
    struct pf_check_folder out = {.absolute = (char *)to};
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/found", to);
    pf_findings_init(&f);
    pf_status s = pf_folder_make(path, e);
    if (s == PF_OK)
        s = pf_check_journal_read(folder, &lines, e);
    for (size_t i = 0; s == PF_OK && i < lines.len; i++)
        if (wanted(arg, lines.at[i].step)) {
            add_line(&kept, &lines.at[i]);
            s = add_step(&f, folder, &lines.at[i], e);
        }
    for (size_t i = 0; s == PF_OK && i < kept.len; i++)
        s = pf_check_journal_add(&out, &kept.at[i], e);
    const struct pf_check_line known = {
        .step = PF_KNOWLEDGE_STEP, .kind = PF_CHECK_HATCH, .how = "ended"};
    if (s == PF_OK && f.n)
        s = write_findings(&f, to, e);
    if (s == PF_OK && f.n)
        s = pf_check_journal_add(&out, &known, e);
    pf_findings_release(&f);
    pf_vec_release(&kept);
    free(lines.at);
    return s;
}
