/* task_hunt.c - a task of pf hunt on a node; see fleet_hunt.h and fleet_task.h. */
#define _GNU_SOURCE
#include "file.h"
#include "fleet_task.h"
#include "hunt_open.h"
#include "path_replace.h"
#include "tree_copy.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pf_status pf_task_copy_input(const char *from, const char *to, uint64_t input, struct pf_error *e)
{
    char *a = pf_mem_format("%s/corpus/%016" PRIx64, from, input);
    char *b = pf_mem_format("%s/corpus/%016" PRIx64, to, input);
    pf_status s = access(b, F_OK) ? pf_tree_copy(a, b, e) : PF_OK;
    free(a);
    free(b);
    return s;
}

/* Copies what the task needs to go on from the runs of its part. */
static pf_status take_part(const char *know, const char *hunt, const char *text, struct pf_error *e)
{
    static const char *const parts[] = {"journal", "open", "plans", NULL};
    pf_hunt_open_list part = {0};
    char *path = pf_mem_format("%s/part", hunt);
    pf_hunt_open_parse(&part, text);
    pf_status s = pf_file_write(path, text, strlen(text), e);
    if (s == PF_OK)
        s = pf_tree_copy_parts(know, hunt, parts, e);
    for (size_t i = 0; s == PF_OK && i < part.len; i++)
        s = pf_task_copy_input(know, hunt, part.at[i].input, e);
    pf_hunt_open_list_release(&part);
    free(path);
    return s;
}

static pf_status prepare(struct pf_task_run *r, struct pf_error *e)
{
    char *know = pf_mem_format("%s/know/%" PRIu64, r->folder, pf_json_get_number(r->task, "know"));
    char *hunt = pf_mem_format("%s/hunt", r->state);
    const char *text = json_string_value(json_object_get(r->task, "part"));
    pf_status s = pf_folder_make(hunt, e);
    if (s == PF_OK)
        s = text ? take_part(know, hunt, text, e) : pf_tree_copy(know, hunt, e);
    free(know);
    free(hunt);
    return s;
}

/* The commands of found inputs name files by their paths on this node. */
static pf_status fix_commands(const char *found, const char *here, const char *there,
                              struct pf_error *e)
{
    DIR *d = opendir(found);
    pf_status s = PF_OK;
    for (struct dirent *f; d && s == PF_OK && (f = readdir(d));) {
        char *path = pf_mem_format("%s/%s/command", found, f->d_name);
        if (f->d_name[0] != '.' && access(path, R_OK) == 0)
            s = pf_path_replace_shell(path, here, there, e);
        free(path);
    }
    if (d)
        closedir(d);
    return s;
}

static pf_status pack(struct pf_task_run *r, struct pf_error *e)
{
    static const char *const parts[] = {"corpus", "clips", "found", "journal", "plans", NULL};
    const char *there = pf_json_get_text(r->task, "destination");
    char *hunt = pf_mem_format("%s/hunt", r->state), *out = pf_mem_format("%s/hunt", r->result);
    char *document = pf_mem_format("%s/findings.json", r->result);
    pf_status s = access(document, R_OK) ? pf_task_did_nothing(r, "the hunt failed", e)
                                         : pf_tree_copy_parts(hunt, out, parts, e);
    char *open = pf_mem_format("%s/%s", hunt, json_object_get(r->task, "part") ? "part" : "open");
    char *left = pf_mem_format("%s/open", out);
    if (s == PF_OK)
        s = pf_tree_copy_file(open, left, e);
    free(open);
    free(left);
    char *found = pf_mem_format("%s/found", out);
    if (s == PF_OK)
        s = fix_commands(found, hunt, there, e);
    if (s == PF_OK)
        s = pf_path_replace_json(document, hunt, there, e);
    free(found);
    free(document);
    free(hunt);
    free(out);
    return s;
}

const struct pf_task_kind pf_task_hunt = {"hunt", prepare, pack};
