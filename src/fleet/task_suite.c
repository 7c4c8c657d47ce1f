/* task_suite.c - a task of pf suite on a node; see fleet_suite.h and fleet_task.h. */
#define _GNU_SOURCE
#include "file.h"
#include "fleet_pairs.h"
#include "fleet_task.h"
#include "suite_transfer.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of knowledge that the task was sent with, malloced; NULL: none. */
static char *sent(const struct pf_task_run *r)
{
    uint64_t know = pf_json_get_number(r->task, "know");
    return know ? pf_mem_format("%s/know/%" PRIu64, r->folder, know) : NULL;
}

static pf_status prepare(struct pf_task_run *r, struct pf_error *e)
{
    const char *list = pf_json_get_text(r->task, "list");
    char *path = pf_mem_format("%s/tests", r->scratch), *know = sent(r);
    pf_status s = pf_file_write(path, list, strlen(list), e);
    free(path);
    if (s == PF_OK && know && json_is_true(json_object_get(r->task, "learns")))
        s = pf_fleet_pairs_copy(know, r->state, e);
    const char *program;
    json_t *value;
    pf_vec_u32 locks = {0}; /* held until the task ends */
    json_object_foreach(json_object_get(r->task, "programs"), program, value)
    {
        if (s == PF_OK && json_is_true(json_object_get(r->task, "learns")))
            s = pf_fleet_pairs_lock(r->state, program, &locks, e);
    }
    pf_vec_release(&locks);
    free(know);
    return s;
}

static pf_status pack(struct pf_task_run *r, struct pf_error *e)
{
    struct pf_suite_db db;
    bool there = false;
    uint64_t executions = 0;
    char *document = pf_mem_format("%s/findings.json", r->result), *know = sent(r);
    pf_status s = pf_suite_db_open_read(&db, r->state, &there, e);
    if (s == PF_OK && there) {
        s = pf_suite_export(&db, r->journal, document, &executions, e);
        pf_suite_db_close(&db);
    }
    if (s == PF_OK && !executions)
        s = pf_task_did_nothing(r, "no test was run", e);
    if (s == PF_OK)
        s = pf_fleet_pairs_return(know, r->state, r->result, e);
    free(document);
    free(know);
    return s;
}

const struct pf_task_kind pf_task_suite = {"suite", prepare, pack};
