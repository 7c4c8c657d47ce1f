/* task_hunt.c - a task of pf hunt on a node; see fleet_hunt.h and fleet_task.h. */
#define _GNU_SOURCE
#include "file.h"
#include "fleet_task.h"
#include "path_replace.h"
#include "tree_copy.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pf_status prepare(struct pf_task_run *r, struct pf_error *e)
{
    char *know = pf_mem_format("%s/know/%" PRIu64, r->folder, pf_json_u64(r->task, "know"));
    char *hunt = pf_mem_format("%s/hunt", r->state);
    pf_status s = pf_folder_make(hunt, e);
    if (s == PF_OK)
        s = pf_tree_copy(know, hunt, e);
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
            s = pf_path_replace(path, here, there, e);
        free(path);
    }
    if (d)
        closedir(d);
    return s;
}

static pf_status pack(struct pf_task_run *r, struct pf_error *e)
{
    static const char *const parts[] = {"corpus", "clips", "found", "journal", NULL};
    const char *there = pf_json_text(r->task, "destination");
    char *hunt = pf_mem_format("%s/hunt", r->state), *out = pf_mem_format("%s/hunt", r->result);
    char *document = pf_mem_format("%s/findings.json", r->result);
    pf_status s = access(document, R_OK) ? pf_task_did_nothing(r, "the hunt failed", e)
                                         : pf_tree_copy_parts(hunt, out, parts, e);
    char *found = pf_mem_format("%s/found", out);
    if (s == PF_OK)
        s = fix_commands(found, hunt, there, e);
    if (s == PF_OK)
        s = pf_path_replace(document, hunt, there, e);
    free(found);
    free(document);
    free(hunt);
    free(out);
    return s;
}

const struct pf_task_kind pf_task_hunt = {"hunt", prepare, pack};
