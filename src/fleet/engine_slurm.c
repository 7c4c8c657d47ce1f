/*
 * engine_slurm.c - tasks as job arrays of Slurm; see fleet_engine.h.
 *
 * An array index must be below MaxArraySize (1001 by default). So the number of a task is split
 * into a base, a multiple of GROUP, and an index below GROUP. One job array holds the tasks with
 * the same base; its comment is the base. Slurm must not requeue the jobs: it would delay them by
 * two minutes, and pf knows better which nodes to avoid. sbatch gets only the variables that tasks
 * inherit, a few of the user (HOME, for example) and those of Slurm, and passes on all of them
 * (--export=ALL): with a list of names, Slurm would start a login shell on the node for each task.
 */
#define _GNU_SOURCE
#include "file.h"
#include "fleet_engine.h"
#include "shell_word.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP 1000

static char *job_name(const struct pf_fleet *f) { return pf_mem_format("pf-%s", f->name); }

/* Writes the script of the jobs. Its first argument is the base of the task numbers. */
static pf_status write_script(const struct pf_fleet *f, const char *path, struct pf_error *e)
{
    char *pf = pf_shell_word(f->pf), *folder = pf_shell_word(f->folder);
    char *text = pf_mem_format("#!/bin/sh\n"
                               "exec %s fleet task %s $(($1 + SLURM_ARRAY_TASK_ID))\n",
                               pf, folder);
    pf_status s = pf_file_write(path, text, strlen(text), e);
    free(text);
    free(pf);
    free(folder);
    return s;
}

static pf_status submit_group(struct pf_fleet *f, uint64_t base, const char *list,
                              const char *avoid, struct pf_error *e)
{
    char *script = pf_fleet_path(f, "slurm.sh", 0, "");
    static const char *const own[] = {"HOME",   "USER",    "LOGNAME", "SHELL",
                                      "SLURM_", "SBATCH_", NULL};
    char **environment = pf_fleet_environment(f, own), *name = job_name(f), *out = NULL;
    /* Slurm's limit, in minutes, is longer than the task's own limit */
    uint64_t minutes = f->limit_ms / 60000 + 2;
    char *words[] = {pf_mem_format("--job-name=%s", name),
                     pf_mem_format("--array=%s", list),
                     pf_mem_format("--comment=%" PRIu64, base),
                     pf_mem_format("--time=%" PRIu64, minutes),
                     pf_mem_copy("--export=ALL"),
                     pf_mem_format("--error=%s/log/%%A_%%a", f->folder),
                     pf_mem_format("--chdir=%s", f->cwd),
                     pf_mem_format("--partition=%s", f->where),
                     pf_mem_format("--exclude=%s", avoid)};
    char *number = pf_mem_format("%" PRIu64, base);
    char *argv[24] = {"sbatch", "--parsable", "--no-requeue", "--output=/dev/null"};
    size_t n = 4;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((i != 7 || *f->where) && (i != 8 || *avoid))
            argv[n++] = words[i];
    argv[n++] = script;
    argv[n++] = number;
    pf_status s = access(script, R_OK) ? write_script(f, script, e) : PF_OK;
    if (s == PF_OK)
        s = pf_fleet_command(argv, environment, &out, e);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        free(words[i]);
    free(number);
    free(script);
    pf_fleet_free_words(environment);
    free(name);
    free(out);
    return s;
}

static pf_status slurm_submit(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                              struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < n;) { /* ids is sorted */
        uint64_t base = ids[i] - ids[i] % GROUP;
        char list[GROUP * 4 + 1];
        size_t at = 0;
        for (; i < n && ids[i] - ids[i] % GROUP == base; i++)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%u", at ? "," : "",
                                   (unsigned)(ids[i] % GROUP));
        s = submit_group(f, base, list, avoid, e);
        if (s != PF_OK && *avoid) /* perhaps no other node is left */
            s = submit_group(f, base, list, "", e);
    }
    return s;
}

static pf_status slurm_list(struct pf_fleet *f, pf_vec_u64 *ids, struct pf_error *e)
{
    char *name = job_name(f), *out;
    char *argv[] = {"squeue", "-h", "-r", "-o", "%k %K", "-n", name, NULL};
    pf_status s = pf_fleet_command(argv, NULL, &out, e);
    for (char *at = out, *end; at && *at; at = *end ? end + 1 : end) {
        uint64_t base, index;
        end = at + strcspn(at, "\n");
        if (sscanf(at, "%" SCNu64 " %" SCNu64, &base, &index) == 2)
            pf_vec_push(ids, base + index);
    }
    free(out);
    free(name);
    return s;
}

static pf_status slurm_cancel(struct pf_fleet *f, struct pf_error *e)
{
    char *name = job_name(f), *out = NULL;
    char *argv[] = {"scancel", "-n", name, NULL};
    pf_status s = pf_fleet_command(argv, NULL, &out, e);
    free(out);
    free(name);
    return s;
}

const struct pf_fleet_engine pf_fleet_slurm = {"slurm", slurm_submit, slurm_list, slurm_cancel};
