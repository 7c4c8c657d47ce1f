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
#include "file.h"
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

typedef PF_VEC(char *) word_list;

/* The hosts of `where` without those in `avoid`, or all of them if none is left; malloced. An entry
 * of `where` ends with its host: "host", "user@host", "8/host" or "ssh -F FILE host". */
static char *hosts_without(const char *where, const char *avoid)
{
    char *left = pf_mem_copy(""), *entries = pf_mem_copy(where), *rest = entries, *entry;
    char *avoided = pf_mem_format(",%s,", avoid);
    while ((entry = strsep(&rest, ","))) {
        const char *host = entry;
        for (const char *c = entry; *c; c++)
            if (strchr("/@ ", *c))
                host = c + 1;
        char *word = pf_mem_format(",%s,", host);
        if (!strstr(avoided, word)) {
            char *longer = pf_mem_format("%s%s%s", left, *left ? "," : "", entry);
            free(left);
            left = longer;
        }
        free(word);
    }
    free(avoided);
    free(entries);
    if (*left)
        return left;
    free(left);
    return pf_mem_copy(where);
}

/* The variables of --env go through standard input, because parallel would put them into the
 * command line of ssh, which every user of the machine can read. printf is a part of the shell. */
static pf_status write_ssh(const char *path, struct pf_error *e)
{
    static const char text[] = "#!/bin/sh\n"
                               "for name in $PF_FLEET_ENV; do\n"
                               "    eval \"test -z \\\"\\${$name+set}\\\" || printf '%s=%s\\\\0' "
                               "$name \\\"\\$$name\\\"\"\n"
                               "done | $PF_FLEET_SSH \"$@\"\n";
    pf_status s = pf_file_write(path, text, sizeof text - 1, e);
    if (s == PF_OK && chmod(path, 0700))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    return s;
}

/* The environment of parallel, in which `script` takes the place of ssh; malloced. */
static char **ssh_environment(const struct pf_fleet *f, const char *script)
{
    word_list list = {0};
    const char *ssh = getenv("PARALLEL_SSH");
    for (char **v = environ; *v; v++)
        if (strncmp(*v, "PARALLEL_SSH=", 13))
            pf_vec_push(&list, pf_mem_copy(*v));
    char *names = pf_mem_format("PF_FLEET_ENV=%s", f->env);
    for (char *c = names; *c; c++)
        if (*c == ',')
            *c = ' ';
    pf_vec_push(&list, names);
    pf_vec_push(&list, pf_mem_format("PF_FLEET_SSH=%s", ssh && *ssh ? ssh : "ssh"));
    pf_vec_push(&list, pf_mem_format("PARALLEL_SSH=%s", script));
    pf_vec_push(&list, NULL);
    return list.at;
}

static void add_words(word_list *to, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pf_vec_push(to, pf_mem_copy(words[i]));
}

/* Starts one process of parallel for the tasks. On this machine, tasks inherit the variables of
 * --env. */
static pf_status submit(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                        bool remote, struct pf_error *e)
{
    static unsigned count;
    static const char *const own[] = {"HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", NULL};
    word_list words = {0};
    pid_t pid;
    sigset_t none;
    sigemptyset(&none);
    char *log = pf_mem_format("%s/jobs/%d-%u.log", f->folder, (int)getpid(), ++count);
    char *hosts = hosts_without(f->where, avoid), *script = pf_fleet_path(f, "ssh.sh", 0, "");
    bool sends = remote && f->env; /* variables through standard input */
    char *jobs = pf_mem_format("%" PRIu64, f->ntasks), **environment = NULL;
    const char *const common[] = {"parallel", "--will-cite", "--joblog", log, "--quote"};
    const char *const there[] = {"--sshlogin", hosts,   "--workdir",
                                 f->cwd,       "--env", PF_FLEET_VARIABLES};
    const char *const here[] = {"-j", jobs};
    const char *const task[] = {f->pf, "fleet", "task"}, *const number[] = {f->folder, "{}", ":::"};
    add_words(&words, common, sizeof common / sizeof *common);
    if (remote)
        add_words(&words, there, sizeof there / sizeof *there);
    else
        add_words(&words, here, sizeof here / sizeof *here);
    add_words(&words, task, sizeof task / sizeof *task);
    if (sends)
        pf_vec_push(&words, pf_mem_copy("-"));
    add_words(&words, number, sizeof number / sizeof *number);
    for (size_t i = 0; i < n; i++)
        pf_vec_push(&words, pf_mem_format("%" PRIu64, ids[i]));
    pf_vec_push(&words, NULL);
    char *program = NULL;
    pf_status s = pf_program_find("parallel", &program, e);
    if (s == PF_OK && sends && strchr(f->where, ' '))
        s = pf_fail(e, PF_BAD,
                    "--env: --on=ssh:%s contains a command; set it with PARALLEL_SSH instead",
                    f->where);
    if (s == PF_OK && sends)
        s = write_ssh(script, e);
    environment = sends ? ssh_environment(f, script) : remote ? NULL : pf_fleet_environment(f, own);
    struct pf_command command = {.path = program,
                                 .argv = words.at,
                                 .env = environment,
                                 .dir = f->cwd,
                                 .input = "/dev/null",
                                 .output = PF_OUTPUT_NULL};
    struct pf_command_setup setup = {
        .mask = &none, .session = true, .output = -1, .on_child = SIG_DFL};
    if (s == PF_OK)
        s = pf_command_spawn(&command, &setup, &pid, e);
    if (s == PF_OK)
        s = note_job(f, pid, log, ids, n, e);
    pf_fleet_free_words(words.at);
    pf_fleet_free_words(environment);
    char *texts[] = {program, jobs, script, hosts, log};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    return s;
}

static pf_status ssh_submit(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                            struct pf_error *e)
{
    return submit(f, ids, n, avoid, true, e);
}

static pf_status local_submit(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                              struct pf_error *e)
{
    return submit(f, ids, n, avoid, false, e);
}

/* Adds the tasks of the job that have not ended. The last column of parallel's log is the command,
 * whose last word is the number of the task. */
static void add_unended(const json_t *job, pf_vec_u64 *ids)
{
    const json_t *tasks = json_object_get(job, "tasks");
    pf_vec_u64 ended = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(pf_json_get_text(job, "log"), "re");
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
    pid_t pid = (pid_t)pf_json_get_number(job, "pid");
    char *host = host_name();
    bool here = !strcmp(host, pf_json_get_text(job, "host"));
    free(host);
    waitpid(pid, NULL, WNOHANG); /* if it is our child, it may have ended */
    return !here || start_time(pid) == pf_json_get_number(job, "started");
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

static void add_tasks(const json_t *job, void *arg) { add_unended(job, arg); }

static void end_job(const json_t *job, void *arg)
{
    (void)arg;
    kill(-(pid_t)pf_json_get_number(job, "pid"),
         SIGTERM); /* its session: also the tasks of this host */
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
