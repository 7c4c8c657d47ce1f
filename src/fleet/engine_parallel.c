/*
 * engine_parallel.c - runs tasks by GNU parallel, on other hosts (ssh) or on this machine (local);
 * see fleet_engine.h.
 *
 * A submission is one process of parallel in a session of its own, so that it outlives the
 * submitting pf. FOLDER/jobs/PID.json names its tasks; parallel's own log lists those that
 * have ended.
 */
#define _GNU_SOURCE
#include "command.h"
#include "fleet_engine.h"
#include "program.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *host_name(void)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return pf_mem_copy(name);
}

/* The start time of a process, as in /proc, because a pid may be reused; 0: no such process. */
static uint64_t start_time(pid_t pid)
{
    char path[64], text[1024];
    uint64_t at = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    char *word = strrchr(text, ')');
    for (int i = 0; word && i < 20; i++)
        word = strchr(word + 1, ' ');
    if (word && text[0])
        at = strtoull(word, NULL, 10);
    if (f)
        fclose(f);
    return at;
}

static pf_status note_job(struct pf_fleet *f, pid_t pid, const char *log, const uint64_t *ids,
                          size_t n, struct pf_error *e)
{
    char *path = pf_fleet_path(f, "jobs", (uint64_t)pid, ".json"), *host = host_name();
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer((json_int_t)ids[i]));
    json_t *o = json_pack("{s:i,s:s,s:I,s:s,s:o}", "pid", (int)pid, "host", host, "started",
                          (json_int_t)start_time(pid), "log", log, "tasks", list);
    pf_status s = pf_json_file_write(path, o, e);
    json_decref(o);
    free(path);
    free(host);
    return s;
}

static pf_status submit(struct pf_fleet *f, const uint64_t *ids, size_t n, bool remote,
                        struct pf_error *e)
{
    static unsigned count;
    char **argv = pf_mem_zero(n + 24, sizeof *argv), *jobs = NULL;
    size_t k = 0;
    pid_t pid;
    sigset_t none;
    sigemptyset(&none);
    char *log = pf_mem_format("%s/jobs/%d-%u.log", f->folder, (int)getpid(), ++count);
    argv[k++] = "parallel";
    argv[k++] = "--will-cite";
    argv[k++] = "--joblog";
    argv[k++] = log;
    argv[k++] = "--quote";
    if (remote) {
        argv[k++] = "--sshlogin";
        argv[k++] = f->where;
        argv[k++] = "--workdir";
        argv[k++] = f->cwd;
        if (f->env) {
            argv[k++] = "--env";
            argv[k++] = f->env;
        }
    } else {
        argv[k++] = "-j";
        argv[k++] = jobs = pf_mem_format("%" PRIu64, f->ntasks);
    }
    argv[k++] = f->pf;
    argv[k++] = "fleet";
    argv[k++] = "task";
    argv[k++] = f->folder;
    argv[k++] = "{}";
    argv[k++] = ":::";
    size_t first = k;
    for (size_t i = 0; i < n; i++)
        argv[k++] = pf_mem_format("%" PRIu64, ids[i]);
    char *program = NULL;
    pf_status s = pf_program_find("parallel", &program, e);
    struct pf_command command = {.path = program,
                                 .argv = argv,
                                 .dir = f->cwd,
                                 .input = "/dev/null",
                                 .output = PF_OUTPUT_NULL};
    struct pf_command_setup setup = {
        .mask = &none, .session = true, .output = -1, .on_child = SIG_DFL};
    if (s == PF_OK)
        s = pf_command_spawn(&command, &setup, &pid, e);
    if (s == PF_OK)
        s = note_job(f, pid, log, ids, n, e);
    while (k > first)
        free(argv[--k]);
    free(jobs);
    free(program);
    free(argv);
    free(log);
    return s;
}

static pf_status ssh_submit(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                            struct pf_error *e)
{
    (void)avoid;
    return submit(f, ids, n, true, e);
}

static pf_status local_submit(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                              struct pf_error *e)
{
    (void)avoid;
    return submit(f, ids, n, false, e);
}

/* Adds the tasks of the job that have not ended. The last column of parallel's log is the command,
 * whose last word is the number of the task. */
static void add_open(const json_t *job, pf_vec_u64 *ids)
{
    const json_t *tasks = json_object_get(job, "tasks");
    pf_vec_u64 ended = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(pf_json_text(job, "log"), "re");
    while (f && getline(&line, &room, f) > 0) {
        const char *word = strrchr(line, ' ');
        if (word)
            pf_vec_push(&ended, strtoull(word + 1, NULL, 10));
    }
    if (f)
        fclose(f);
    free(line);
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        uint64_t id = (uint64_t)json_integer_value(json_array_get(tasks, i));
        bool over = false;
        for (size_t k = 0; k < ended.len && !over; k++)
            over = ended.at[k] == id;
        if (!over)
            pf_vec_push(ids, id);
    }
    pf_vec_release(&ended);
}

/* True if the process of this job runs, or may run: processes of other machines are not visible. */
static bool is_running(const json_t *job)
{
    pid_t pid = (pid_t)pf_json_u64(job, "pid");
    char *host = host_name();
    bool here = !strcmp(host, pf_json_text(job, "host"));
    free(host);
    waitpid(pid, NULL, WNOHANG); /* if it is our child, it may have ended */
    return !here || start_time(pid) == pf_json_u64(job, "started");
}

typedef void job_fn(const json_t *job, void *arg);

static void each_job(const struct pf_fleet *f, job_fn *fn, void *arg)
{
    char *folder = pf_fleet_path(f, "jobs", 0, "");
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        struct pf_error ignored;
        json_t *job;
        size_t n = strlen(entry->d_name);
        if (n < 6 || strcmp(entry->d_name + n - 5, ".json"))
            continue;
        char *path = pf_mem_format("%s/%s", folder, entry->d_name);
        if (pf_json_file_read(path, &job, &ignored) == PF_OK) {
            if (is_running(job))
                fn(job, arg);
            else
                unlink(path);
            json_decref(job);
        }
        free(path);
    }
    if (d)
        closedir(d);
    free(folder);
}

static void add_tasks(const json_t *job, void *arg) { add_open(job, arg); }

static void end_job(const json_t *job, void *arg)
{
    (void)arg;
    kill(-(pid_t)pf_json_u64(job, "pid"), SIGTERM); /* its session: also the tasks of this host */
}

static pf_status parallel_list(struct pf_fleet *f, pf_vec_u64 *ids, struct pf_error *e)
{
    (void)e;
    each_job(f, add_tasks, ids);
    return PF_OK;
}

static pf_status parallel_cancel(struct pf_fleet *f, struct pf_error *e)
{
    (void)e;
    each_job(f, end_job, NULL);
    return PF_OK;
}

const struct pf_fleet_engine pf_fleet_ssh = {"ssh", ssh_submit, parallel_list, parallel_cancel};
const struct pf_fleet_engine pf_fleet_local = {"local", local_submit, parallel_list,
                                               parallel_cancel};
