/* task_judge.c - a task of pf judge on a node; see fleet_judge.h and fleet_task.h. */
#define _GNU_SOURCE
#include "file.h"
#include "fleet_task.h"
#include "path_replace.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pf_status prepare(struct pf_task_run *r, struct pf_error *e)
{
    const char *races = pf_json_get_text(r->task, "races");
    char *path = pf_mem_format("%s/races.json", r->scratch);
    pf_status s = pf_file_write(path, races, strlen(races), e);
    free(path);
    return s;
}

/* The document contains the paths that the clips of the evidence have on this node. Replaces them
 * by the paths that the clips will have. */
static pf_status pack(struct pf_task_run *r, struct pf_error *e)
{
    char *path = pf_mem_format("%s/findings.json", r->result);
    char *here = pf_mem_format("%s/judged", r->result);
    pf_status s =
        access(path, R_OK)
            ? pf_task_did_nothing(r, "no race was judged", e)
            : pf_path_replace_json(path, here, pf_json_get_text(r->task, "destination"), e);
    free(here);
    free(path);
    return s;
}

const struct pf_task_kind pf_task_judge = {"judge", prepare, pack};
