/* fleet_task.c - see fleet_task.h. */
#define _GNU_SOURCE
#include "fleet_task.h"
#include "clip.h"
#include "duration.h"
#include "file.h"
#include "fleet_engine.h"
#include "message.h"
#include "result_sums.h"
#include "search_stop.h"
#include "tree_copy.h"
#include "wait_status.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "pf-task-"
#define ROOM_BYTES (1 << 20) /* that must be free on the scratch disk before and after the run */
#define RETURN_MS 20000 /* part of a task's time limit, reserved for returning its result */

static const struct pf_task_kind *const kinds[] = {&pf_task_suite, &pf_task_check, &pf_task_hunt,
                                                   &pf_task_judge};

/* --- programs --- */

pf_status pf_task_add_program(json_t *programs, const char *path, struct pf_error *e)
{
    uint64_t hash;
    if (json_object_get(programs, path))
        return PF_OK;
    pf_status s = pf_clip_hash_file(path, &hash, e);
    if (s == PF_OK)
        json_object_set_new(programs, path, pf_json_hex(hash));
    return s;
}

static pf_status check_programs(const struct pf_task_run *r, struct pf_error *e)
{
    json_t *programs = json_object_get(r->task, "programs");
    const char *path;
    json_t *value;
    pf_status s = PF_OK;
    json_object_foreach(programs, path, value)
    {
        uint64_t hash = 0;
        if (s == PF_OK)
            s = pf_clip_hash_file(path, &hash, e);
        if (s == PF_OK && hash != pf_json_from_hex(programs, path))
            s = pf_fail(e, PF_BAD, "%s: not the build with which the fleet was started", path);
    }
    return s;
}

/* --- scratch --- */

/* The name by which the engine knows the node, which may differ from the host name. GNU parallel
 * calls this machine ":". */
static char *node_name(void)
{
    static const char *const names[] = {"SLURMD_NODENAME", "PARALLEL_SSHHOST"};
    char name[256] = "node";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *node = getenv(names[i]);
        if (node && *node && *node != ':' && !strchr(node, '/'))
            return pf_mem_copy(node);
    }
    gethostname(name, sizeof name - 1);
    return pf_mem_copy(name);
}

/* The folder that contains the scratch folders: the template of the task, with the node's name in
 * place of %n. */
static char *scratch_base(const struct pf_task_run *r)
{
    const char *form = pf_json_get_text(r->task, "scratch"), *tmp = getenv("TMPDIR");
    const char *mark = strstr(form, "%n");
    if (!*form)
        return pf_mem_copy(tmp && *tmp == '/' ? tmp : "/tmp");
    return mark ? pf_mem_format("%.*s%s%s", (int)(mark - form), form, r->node, mark + 2)
                : pf_mem_copy(form);
}

/* Removes the scratch folders of tasks that were killed: no process holds their lock. */
static void sweep(const char *base)
{
    DIR *d = opendir(base);
    for (struct dirent *f; d && (f = readdir(d));) {
        if (strncmp(f->d_name, PREFIX, strlen(PREFIX)))
            continue;
        char *folder = pf_mem_format("%s/%s", base, f->d_name);
        char *lock = pf_mem_format("%s/lock", folder);
        int fd = open(lock, O_RDWR | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            pf_tree_remove(folder);
        if (fd >= 0)
            close(fd);
        free(lock);
        free(folder);
    }
    if (d)
        closedir(d);
}

/* Fails unless the disk has room: on a full disk, the files of the command may be incomplete. */
static pf_status check_room(const struct pf_task_run *r, struct pf_error *e)
{
    char *path = pf_mem_format("%s/room", r->scratch);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    int reason = fd < 0 ? errno : posix_fallocate(fd, 0, ROOM_BYTES);
    if (fd >= 0)
        close(fd);
    unlink(path);
    free(path);
    return reason ? pf_fail(e, PF_IO, "scratch %s: %s", r->scratch, strerror(reason)) : PF_OK;
}

static pf_status make_scratch(struct pf_task_run *r, int *lock, struct pf_error *e)
{
    char *base = scratch_base(r);
    pf_status s = pf_folder_make(base, e);
    if (s == PF_OK)
        sweep(base);
    r->scratch = pf_mem_format("%s/" PREFIX "%" PRIu64 "-XXXXXX", base, r->id);
    if (s == PF_OK && !mkdtemp(r->scratch)) {
        s = pf_fail(e, PF_IO, "%s: %s", r->scratch, strerror(errno));
        free(r->scratch);
        r->scratch = NULL;
    }
    free(base);
    if (s != PF_OK)
        return s;
    char *whole = realpath(r->scratch, NULL); /* the command prints paths without links */
    if (whole) {
        free(r->scratch);
        r->scratch = whole;
    }
    char *path = pf_mem_format("%s/lock", r->scratch);
    *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*lock < 0 || flock(*lock, LOCK_EX))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    free(path);
    r->state = pf_mem_format("%s/state", r->scratch);
    r->result = pf_mem_format("%s/result", r->scratch);
    if (s == PF_OK)
        s = pf_folder_make(r->state, e);
    if (s == PF_OK)
        s = pf_folder_make(r->result, e);
    return s == PF_OK ? check_room(r, e) : s;
}

/* --- the command --- */

static char *word_of(const struct pf_task_run *r, const json_t *word)
{
    static const char *const names[] = {PF_FLEET_IN_STATE, PF_FLEET_IN_RESULT, PF_FLEET_IN_FLEET,
                                        "scratch"};
    const char *bases[] = {r->state, r->result, r->folder, r->scratch};
    if (json_is_string(word))
        return pf_mem_copy(json_string_value(word));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_object_get(word, names[i]))
            return pf_mem_format("%s%s", bases[i], pf_json_get_text(word, names[i]));
    return pf_mem_copy("");
}

static bool stopped(void *arg)
{
    (void)arg;
    return pf_interrupted();
}

static pf_status run_command(struct pf_task_run *r, struct pf_error *e)
{
    const json_t *words = json_object_get(r->task, "argv");
    const char *input = json_string_value(json_object_get(r->task, "input"));
    size_t n = json_array_size(words);
    char **argv = pf_mem_zero(n + 2, sizeof *argv);
    uint64_t limit = pf_json_get_number(r->task, "limit_ms");
    argv[0] = pf_mem_copy("pf");
    for (size_t i = 0; i < n; i++)
        argv[i + 1] = word_of(r, json_array_get(words, i));
    struct pf_command command = {.path = "/proc/self/exe",
                                 .argv = argv,
                                 .dir = pf_json_get_text(r->task, "folder"),
                                 .input = input ? input : "/dev/null",
                                 .output = PF_OUTPUT_KEPT,
                                 .forwards = true,
                                 .limit_ms = limit > 2 * RETURN_MS ? limit - RETURN_MS : limit,
                                 .grace_ms = PF_GRACE_TASK_MS};
    pf_status s = pf_supervisor_run(&command, stopped, NULL, &r->end, e);
    for (size_t i = 0; i <= n; i++)
        free(argv[i]);
    free(argv);
    if (s == PF_OK && r->end.how == PF_SUPERVISED_UNSTARTED)
        s = pf_fail(e, PF_IO, "%s", r->end.why);
    return s;
}

/* --- the result --- */

static const char *how_ended(const struct pf_task_run *r)
{
    return r->end.how == PF_SUPERVISED_LIMIT     ? PF_TASK_LIMIT
           : r->end.how == PF_SUPERVISED_STOPPED ? PF_TASK_STOPPED
                                                 : PF_TASK_DONE;
}

/* Why the command failed before its work was done; NULL: it did not. */
static json_t *reason_of_failure(const struct pf_task_run *r)
{
    size_t n = r->end.noutput;
    if (r->end.how != PF_SUPERVISED_ENDED)
        return NULL;
    if (WIFSIGNALED(r->end.wait))
        return json_sprintf("its command died of signal %d", WTERMSIG(r->end.wait));
    if (WEXITSTATUS(r->end.wait) != PF_EXIT_USAGE)
        return NULL;
    const char *line = pf_fleet_last_line(r->end.output, &n);
    json_t *text = n ? json_stringn(line, n) : NULL;
    return text ? text : json_string("its command failed");
}

/* Opens the journal of the result and writes its first line. */
static pf_status begin_journal(struct pf_task_run *r, struct pf_error *e)
{
    char *path = pf_mem_format("%s/journal", r->result);
    json_t *failure = reason_of_failure(r);
    json_t *head = json_pack(
        "{s:i,s:I,s:s,s:s,s:s,s:s,s:I,s:I,s:i}", "version", 1, "task", (json_int_t)r->id, "verb",
        pf_json_get_text(r->task, "verb"), "build", pf_json_get_text(r->task, "build"), "node",
        r->node, "ended", how_ended(r), "wall_ms", (json_int_t)(r->end.wall_ns / 1000000), "cpu_ms",
        (json_int_t)(r->end.cpu_ns / 1000000), "status", pf_wait_status(r->end.wait));
    if (failure)
        json_object_set_new(head, PF_TASK_FAILURE, failure);
    r->journal = fopen(path, "we");
    pf_status s = PF_OK;
    if (!r->journal || json_dumpf(head, r->journal, JSON_COMPACT) || fputc('\n', r->journal) == EOF)
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    json_decref(head);
    free(path);
    return s;
}

/* Copies the result to the shared folder and renames it. */
static pf_status deliver(const struct pf_task_run *r, struct pf_error *e)
{
    char *to = pf_mem_format("%s/results/%" PRIu64, r->folder, r->id);
    char *part =
        pf_mem_format("%s/results/.%" PRIu64 "-%s-%d", r->folder, r->id, r->node, (int)getpid());
    pf_status s = pf_tree_copy(r->result, part, e);
    if (s == PF_OK && rename(part, to) && errno != ENOTEMPTY && errno != EEXIST)
        s = pf_fail(e, PF_IO, "%s: %s", to, strerror(errno));
    pf_tree_remove(part); /* it still exists if an earlier attempt has delivered a result */
    free(part);
    free(to);
    return s;
}

static pf_status run_in_scratch(struct pf_task_run *r, const struct pf_task_kind *kind,
                                struct pf_error *e)
{
    pf_status s = check_programs(r, e);
    if (s == PF_OK && kind->prepare)
        s = kind->prepare(r, e);
    if (s == PF_OK)
        s = run_command(r, e);
    if (s == PF_OK)
        s = begin_journal(r, e);
    if (s == PF_OK && kind->pack)
        s = kind->pack(r, e);
    if (r->journal && fclose(r->journal) && s == PF_OK)
        s = pf_fail(e, PF_IO, "%s/journal: %s", r->result, strerror(errno));
    if (s == PF_OK)
        s = pf_result_sums_write(r->result, e);
    struct pf_error full; /* a full disk is the cause of any other error */
    if (check_room(r, &full) != PF_OK)
        s = pf_fail(e, PF_IO, "%s", full.text);
    return s == PF_OK ? deliver(r, e) : s;
}

/* Reports to the submitting process why this attempt has no result. The task may succeed on another
 * node. */
static void note_failure(const struct pf_task_run *r, const char *why)
{
    struct pf_error ignored;
    char *path =
        pf_mem_format("%s/failed/%" PRIu64 ".%s.%d.json", r->folder, r->id, r->node, (int)getpid());
    json_t *o = json_pack("{s:s,s:s}", "node", r->node, "why", why);
    if (!o)
        o = json_pack("{s:s,s:s}", "node", r->node, "why", "the reason is not UTF-8");
    if (pf_json_file_write(path, o, &ignored) != PF_OK)
        fprintf(stderr, "pf fleet: %s\n", ignored.text);
    json_decref(o);
    free(path);
}

static bool has_result(const struct pf_task_run *r)
{
    char *result = pf_mem_format("%s/results/%" PRIu64, r->folder, r->id);
    char *done = pf_mem_format("%s/done/%" PRIu64 ".json", r->folder, r->id);
    bool there = access(result, F_OK) == 0 || access(done, F_OK) == 0;
    free(result);
    free(done);
    return there;
}

pf_status pf_task_did_nothing(const struct pf_task_run *r, const char *what, struct pf_error *e)
{
    size_t n = r->end.noutput < 300 ? r->end.noutput : 300;
    return pf_fail(e, PF_BAD, "%s: %.*s", what, (int)n, r->end.output);
}

pf_status pf_fleet_task_run(const char *folder, uint64_t id, struct pf_error *e)
{
    struct pf_task_run r = {.folder = folder, .id = id, .node = node_name()};
    const struct pf_task_kind *kind = NULL;
    json_t *task = NULL;
    int lock = -1;
    umask(077);
    pf_interrupt_catch();
    char *path = pf_mem_format("%s/tasks/%" PRIu64 ".json", folder, id);
    pf_status s = pf_json_file_read(path, &task, e);
    r.task = task;
    for (size_t i = 0; s == PF_OK && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->verb, pf_json_get_text(task, "verb")))
            kind = kinds[i];
    if (s == PF_OK && !kind)
        s = pf_fail(e, PF_BAD, "%s: unknown verb '%s'", path, pf_json_get_text(task, "verb"));
    if (s == PF_OK && !has_result(&r)) {
        s = make_scratch(&r, &lock, e);
        if (s == PF_OK)
            s = run_in_scratch(&r, kind, e);
    }
    if (s != PF_OK)
        note_failure(&r, e->text);
    if (r.scratch)
        pf_tree_remove(r.scratch);
    if (lock >= 0)
        close(lock);
    json_decref(task);
    char *texts[] = {path, r.scratch, r.state, r.result, r.node};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    return s;
}
