/* task_check.c - a task of pf check on a node; see fleet_check.h and fleet_task.h. */
#define _GNU_SOURCE
#include "check_folder.h"
#include "check_knowledge.h"
#include "file.h"
#include "fleet_check.h"
#include "fleet_pairs.h"
#include "fleet_task.h"
#include "tree_copy.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "1-1" /* of the check in the task's own state folder */

static char *folder_of(const struct pf_task_run *r)
{
    return pf_mem_format("%s/" PF_CHECK_FOLDER "/" NAME, r->state);
}

static char *sent(const struct pf_task_run *r)
{
    return pf_mem_format("%s/know/%" PRIu64, r->folder, pf_json_get_number(r->task, "know"));
}

/* The number of a test in the task's list; SIZE_MAX: it is not there. */
static size_t local_test(const struct pf_task_run *r, uint64_t test)
{
    const json_t *tests = json_object_get(r->task, "tests");
    for (size_t i = 0; i < json_array_size(tests); i++)
        if ((uint64_t)json_integer_value(json_array_get(tests, i)) == test)
            return i;
    return SIZE_MAX;
}

static uint64_t global_test(const struct pf_task_run *r, uint64_t test)
{
    const json_t *tests = json_object_get(r->task, "tests");
    return (uint64_t)json_integer_value(json_array_get(tests, test));
}

/* Writes plan.json, with the list of tests of this task in place of the whole one. */
static pf_status write_plan(const struct pf_task_run *r, const char *folder, struct pf_error *e)
{
    const char *list = pf_json_get_text(r->task, "list");
    json_t *plan = json_deep_copy(json_object_get(r->task, "plan"));
    char *path = pf_mem_format("%s/" PF_CHECK_PLAN, folder);
    char *tests = pf_mem_format("%s/tests", r->scratch);
    pf_status s = PF_OK;
    if (*list) {
        s = pf_file_write(tests, list, strlen(list), e);
        json_array_insert_new(json_object_get(plan, "argv"), 1, json_string("--suite"));
        json_array_insert_new(json_object_get(plan, "argv"), 2, json_string(tests));
    }
    if (s == PF_OK)
        s = pf_json_file_write(path, plan, e);
    json_decref(plan);
    free(path);
    free(tests);
    return s;
}

/* Copies the lines of the journal that belong to tests of this task. */
static pf_status take_journal(const struct pf_task_run *r, const char *know, const char *folder,
                              struct pf_error *e)
{
    struct pf_check_lines lines;
    struct pf_check_folder out = {.absolute = (char *)folder};
    pf_status s = pf_check_journal_read(know, &lines, e);
    for (size_t i = 0; s == PF_OK && i < lines.len; i++) {
        size_t test = local_test(r, lines.at[i].test);
        bool known = lines.at[i].step == PF_KNOWLEDGE_STEP;
        if (test == SIZE_MAX && !known)
            continue;
        lines.at[i].test = known ? 0 : test;
        s = pf_check_journal_add(&out, &lines.at[i], e);
    }
    free(lines.at);
    return s;
}

static pf_status take_knowledge(struct pf_task_run *r, const char *folder, struct pf_error *e)
{
    static const char *const parts[] = {"found", "from", NULL};
    char *know = sent(r);
    const json_t *tests = json_object_get(r->task, "tests");
    pf_status s = take_journal(r, know, folder, e);
    if (s == PF_OK)
        s = pf_tree_copy_parts(know, folder, parts, e);
    if (s == PF_OK)
        s = pf_fleet_pairs_copy(know, folder, e);
    for (size_t i = 0; s == PF_OK && i < json_array_size(tests); i++) {
        char from[PATH_MAX], to[PATH_MAX];
        pf_check_path(from, know, PF_CHECK_BEHAVIOURS, global_test(r, i));
        pf_check_path(to, folder, PF_CHECK_BEHAVIOURS, i);
        if (access(from, R_OK) == 0)
            s = pf_tree_copy_file(from, to, e);
    }
    free(know);
    return s;
}

static pf_status prepare(struct pf_task_run *r, struct pf_error *e)
{
    static const char *const parts[] = {"/.runs", "/clips", "/found"};
    char *folder = folder_of(r);
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < sizeof parts / sizeof *parts; i++) {
        char *part = pf_mem_format("%s%s", folder, parts[i]);
        s = pf_folder_make(part, e);
        free(part);
    }
    if (s == PF_OK)
        s = write_plan(r, folder, e);
    if (s == PF_OK)
        s = take_knowledge(r, folder, e);
    const char *program;
    json_t *value;
    pf_vec_u32 locks = {0}; /* held until the task ends */
    json_object_foreach(json_object_get(r->task, "programs"), program, value)
    {
        if (s == PF_OK)
            s = pf_fleet_pairs_lock(folder, program, &locks, e);
    }
    pf_vec_release(&locks);
    free(folder);
    return s;
}

/* Copies the files of a step that are not in a folder of their own. */
static pf_status pack_step(const char *folder, const char *out, const struct pf_check_line *l,
                           struct pf_error *e)
{
    static const char *const forms[] = {PF_CHECK_FOUND, PF_CHECK_EXPLORATION};
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < sizeof forms / sizeof *forms; i++) {
        char from[PATH_MAX], to[PATH_MAX];
        pf_check_path(from, folder, forms[i], l->step);
        pf_check_path(to, out, forms[i], l->step);
        if (access(from, R_OK) == 0)
            s = pf_tree_copy_file(from, to, e);
    }
    return s;
}

static pf_status pack_journal(struct pf_task_run *r, const char *folder, const char *out,
                              struct pf_error *e)
{
    const json_t *plan = json_object_get(r->task, "plan");
    uint64_t first = pf_json_get_number(json_object_get(plan, "part"), "first");
    struct pf_check_lines lines;
    struct pf_check_folder to = {.absolute = (char *)out};
    pf_status s = pf_check_journal_read(folder, &lines, e);
    size_t n = 0;
    for (size_t i = 0; s == PF_OK && i < lines.len; i++) {
        struct pf_check_line *l = &lines.at[i];
        if (l->step < first)
            continue;
        l->test = global_test(r, l->test);
        s = pack_step(folder, out, l, e);
        if (s == PF_OK)
            s = pf_check_journal_add(&to, l, e);
        n++;
    }
    if (s == PF_OK && !n)
        s = pf_task_did_nothing(r, "no step was run", e);
    free(lines.at);
    return s;
}

static pf_status pack(struct pf_task_run *r, struct pf_error *e)
{
    static const char *const parts[] = {"clips", ".runs", NULL};
    const json_t *tests = json_object_get(r->task, "tests");
    char *folder = folder_of(r), *out = pf_mem_format("%s/check", r->result), *know = sent(r);
    char *found = pf_mem_format("%s/found", out);
    pf_status s = pf_tree_copy_parts(folder, out, parts, e);
    if (s == PF_OK)
        s = pf_folder_make(found, e);
    if (s == PF_OK)
        s = pack_journal(r, folder, out, e);
    for (size_t i = 0; s == PF_OK && i < json_array_size(tests); i++) {
        char from[PATH_MAX], to[PATH_MAX];
        pf_check_path(from, folder, PF_CHECK_BEHAVIOURS, i);
        pf_check_path(to, out, PF_CHECK_BEHAVIOURS, global_test(r, i));
        if (access(from, R_OK) == 0)
            s = pf_tree_copy_file(from, to, e);
    }
    if (s == PF_OK)
        s = pf_fleet_pairs_return(know, folder, out, e);
    free(found);
    free(folder);
    free(out);
    free(know);
    return s;
}

const struct pf_task_kind pf_task_check = {"check", prepare, pack};
