/* fleet_folder.c - see fleet.h: the shared folder of a fleet and its files. */
#define _GNU_SOURCE
#include "duration.h"
#include "file.h"
#include "fleet.h"
#include "fleet_engine.h"
#include "message.h"
#include "tree_copy.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS "fleet" /* in the state folder: a file for each fleet, which names its folder */
#define CANCELLED "cancelled" /* exists after pf fleet cancel, until the fleet is continued */
#define LIMIT_MS (10 * 60 * 1000) /* default of --node-time */

char *pf_fleet_path(const struct pf_fleet *f, const char *part, uint64_t id, const char *suffix)
{
    return id ? pf_mem_format("%s/%s/%" PRIu64 "%s", f->folder, part, id, suffix)
              : pf_mem_format("%s/%s%s", f->folder, part, suffix);
}

json_t *pf_fleet_word(const char *base, const char *path) { return json_pack("{s:s}", base, path); }

/* --- options --- */

static pf_status read_number(const char *option, const char *text, uint64_t *v, struct pf_error *e)
{
    char *end;
    if (!text)
        return PF_OK;
    *v = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *v && *v <= 100000
               ? PF_OK
               : pf_fail(e, PF_BAD, "--%s=%s: expected a number from 1 to 100000", option, text);
}

static pf_status take_options(struct pf_fleet *f, const struct pf_fleet_options *o,
                              struct pf_error *e)
{
    f->ntasks = PF_FLEET_TASKS;
    f->limit_ms = o->least_ms > LIMIT_MS ? o->least_ms : LIMIT_MS;
    pf_status s = pf_fleet_engine_find(o->on, &f->engine, &f->where, e);
    if (s == PF_OK)
        s = read_number("tasks", o->tasks, &f->ntasks, e);
    if (s == PF_OK)
        s = read_number("batch", o->batch, &f->batch, e);
    if (s == PF_OK && o->node_time &&
        (!pf_duration_parse(o->node_time, &f->limit_ms) || f->limit_ms < 1000))
        s = pf_fail(e, PF_BAD, "--node-time=%s: expected a duration from 1s", o->node_time);
    for (const char *c = o->env ? o->env : ""; s == PF_OK && *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != ',')
            s = pf_fail(e, PF_BAD, "--env=%s: expected names of variables, as NAME,NAME", o->env);
    f->scratch = pf_mem_copy(o->scratch);
    f->env = pf_mem_copy(o->env);
    return s;
}

/* --- creating and opening --- */

/* Folders of a fleet are private: results contain what the programs wrote. */
static pf_status make_folders(const struct pf_fleet *f, struct pf_error *e)
{
    static const char *const parts[] = {"",       "tasks", "know", "results",
                                        "failed", "done",  "jobs", "log"};
    pf_status s = PF_OK;
    mode_t before = umask(077);
    for (size_t i = 0; s == PF_OK && i < sizeof parts / sizeof *parts; i++) {
        char *path = pf_fleet_path(f, parts[i], 0, "");
        s = pf_folder_make(path, e);
        free(path);
    }
    umask(before);
    return s;
}

static pf_status lock_fleet(struct pf_fleet *f, struct pf_error *e)
{
    char *path = pf_mem_format("%s/" LINKS "/%s.lock", f->state, f->name);
    f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    pf_status s = PF_OK;
    if (f->lock < 0)
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    else if (flock(f->lock, LOCK_EX | LOCK_NB))
        s = pf_fail(e, PF_IO, "%s: another pf works on this fleet", f->folder);
    free(path);
    return s;
}

static pf_status create(struct pf_fleet *f, const struct pf_fleet_options *o, int argc, char **argv,
                        struct pf_error *e)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    f->name =
        pf_mem_format("%" PRIu64 "-%d",
                      (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000, (int)getpid());
    pf_status s = o->shared ? pf_folder_make(o->shared, e) : PF_OK;
    char *base = s == PF_OK && o->shared ? realpath(o->shared, NULL) : NULL;
    if (s == PF_OK && o->shared && !base)
        s = pf_fail(e, PF_IO, "%s: %s", o->shared, strerror(errno));
    f->folder = base ? pf_mem_format("%s/pf-%s", base, f->name)
                     : pf_mem_format("%s/" LINKS "/%s", f->state, f->name);
    free(base);
    if (s == PF_OK)
        s = make_folders(f, e);
    if (s == PF_OK)
        s = lock_fleet(f, e);
    if (s == PF_OK)
        s = pf_fleet_plan_write(f, o->on, argc, argv, e);
    char *link = pf_mem_format("%s/" LINKS "/%s.link", f->state, f->name);
    if (s == PF_OK)
        s = pf_file_write(link, f->folder, strlen(f->folder), e);
    free(link);
    return s;
}

static int is_link(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && !strcmp(d->d_name + n - 5, ".link");
}

char **pf_fleet_list(const char *state)
{
    struct dirent **found;
    char *folder = pf_mem_format("%s/" LINKS, state);
    int n = scandir(folder, &found, is_link, alphasort);
    char **names = pf_mem_zero((n > 0 ? (size_t)n : 0) + 1, sizeof *names);
    for (int i = 0, k = 0; i < n; i++) {
        struct pf_error ignored;
        char *path = pf_mem_format("%s/%s", folder, found[i]->d_name), *text;
        size_t size;
        if (pf_file_read(path, &text, &size, &ignored) == PF_OK)
            names[k++] = text;
        free(path);
        free(found[i]);
    }
    if (n >= 0)
        free(found);
    free(folder);
    return names;
}

bool pf_fleet_folder_has_ended(const char *folder)
{
    char *path = pf_mem_format("%s/end", folder);
    bool ended = access(path, F_OK) == 0;
    free(path);
    return ended;
}

bool pf_fleet_has_ended(const struct pf_fleet *f) { return pf_fleet_folder_has_ended(f->folder); }

/* The mark comes first: the submitting process must not submit the ended tasks again. */
pf_status pf_fleet_cancel(struct pf_fleet *f, struct pf_error *e)
{
    char *path = pf_fleet_path(f, CANCELLED, 0, "");
    pf_status s = pf_file_write(path, "cancelled\n", 10, e);
    free(path);
    return s == PF_OK ? f->engine->cancel(f, e) : s;
}

bool pf_fleet_is_cancelled(const struct pf_fleet *f)
{
    char *path = pf_fleet_path(f, CANCELLED, 0, "");
    bool cancelled = access(path, F_OK) == 0;
    free(path);
    return cancelled;
}

/* A process that continues the fleet removes the mark. */
static void remove_mark(const struct pf_fleet *f)
{
    char *path = pf_fleet_path(f, CANCELLED, 0, "");
    unlink(path);
    free(path);
}

/* --- tasks that exist --- */

struct pf_fleet_task *pf_fleet_task_find(const struct pf_fleet *f, uint64_t id)
{
    uint64_t first = f->tasks.len ? f->tasks.at[0].id : 0; /* their numbers have no gaps */
    return id >= first && id - first < f->tasks.len ? &f->tasks.at[id - first] : NULL;
}

static int by_id(const void *a, const void *b)
{
    const struct pf_fleet_task *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static pf_status load_tasks(struct pf_fleet *f, struct pf_error *e)
{
    char *folder = pf_fleet_path(f, "tasks", 0, "");
    DIR *d = opendir(folder);
    pf_status s = d ? PF_OK : pf_fail(e, PF_IO, "%s: %s", folder, strerror(errno));
    for (struct dirent *entry; s == PF_OK && (entry = readdir(d));) {
        char *end;
        json_t *o;
        uint64_t id = strtoull(entry->d_name, &end, 10);
        if (!id || strcmp(end, ".json"))
            continue;
        s = pf_fleet_task_read(f, id, &o, e);
        if (s != PF_OK)
            break;
        char *done = pf_fleet_path(f, "done", id, ".json");
        struct pf_fleet_task t = {.id = id,
                                  .state = access(done, F_OK) ? PF_FLEET_QUEUED : PF_FLEET_DONE,
                                  .wave = pf_json_get_number(o, "wave"),
                                  .what = pf_mem_copy(pf_json_get_text(o, "what"))};
        if (pf_json_get_number(o, "know") > f->know)
            f->know = pf_json_get_number(o, "know");
        pf_vec_push(&f->tasks, t);
        free(done);
        json_decref(o);
    }
    if (d)
        closedir(d);
    if (f->tasks.len)
        qsort(f->tasks.at, f->tasks.len, sizeof *f->tasks.at, by_id);
    pf_fleet_attempts_load(f);
    free(folder);
    return s;
}

static void set_folder(struct pf_fleet *f, const char *folder, const json_t *plan)
{
    f->folder = pf_mem_copy(folder);
    f->name = pf_mem_copy(pf_json_get_text(plan, "name"));
    f->build = pf_json_from_hex(plan, "build");
}

/* Finds a fleet of this command line and build that has not ended, the last one first. */
static pf_status find_same(struct pf_fleet *f, bool collect, int argc, char **argv,
                           struct pf_error *e)
{
    char **folders = pf_fleet_list(f->state);
    size_t n = 0;
    pf_status s = PF_OK;
    while (folders[n])
        n++;
    while (n-- > 0) {
        struct pf_error ignored;
        json_t *plan = NULL;
        bool same = s == PF_OK && !f->folder && !pf_fleet_folder_has_ended(folders[n]) &&
                    pf_fleet_plan_read(folders[n], &plan, &ignored) == PF_OK &&
                    pf_fleet_plan_is(f, plan, argc, argv);
        if (same && pf_json_from_hex(plan, "build") != f->build) {
            pf_note(f->verb, "%s: not continued: it was started with another build of the program",
                    folders[n]);
        } else if (same) {
            set_folder(f, folders[n], plan);
            s = lock_fleet(f, e);
            if (s == PF_OK) /* another process may have merged results until now */
                s = load_tasks(f, e);
            f->continued = s == PF_OK;
            if (s == PF_OK && !collect)
                remove_mark(f);
        }
        json_decref(plan);
        free(folders[n]);
    }
    free(folders);
    return s;
}

pf_status pf_fleet_open(struct pf_fleet *f, const char *verb, const char *state,
                        const struct pf_fleet_options *o, int argc, char **argv, uint64_t build,
                        struct pf_error *e)
{
    *f = (struct pf_fleet){
        .lock = -1, .verb = pf_mem_copy(verb), .build = build, .cwd = getcwd(NULL, 0)};
    f->pf = realpath("/proc/self/exe", NULL);
    char *links = pf_mem_format("%s/" LINKS, state);
    pf_status s = take_options(f, o, e);
    if (s == PF_OK)
        s = pf_fleet_plan_check(argc, argv, e);
    if (s == PF_OK)
        s = pf_folder_make(links, e);
    free(links);
    if (s == PF_OK && !(f->state = realpath(state, NULL)))
        s = pf_fail(e, PF_IO, "%s: %s", state, strerror(errno));
    if (s == PF_OK && (!f->pf || !f->cwd))
        s = pf_fail(e, PF_IO, "the program pf or the current folder was removed");
    if (s == PF_OK)
        s = find_same(f, o->collect, argc, argv, e);
    if (s == PF_OK && !f->folder && o->collect)
        s = pf_fail(e, PF_BAD, "%s: no unfinished fleet of this command and this build", state);
    return s == PF_OK && !f->folder ? create(f, o, argc, argv, e) : s;
}

pf_status pf_fleet_view(struct pf_fleet *f, const char *folder, struct pf_error *e)
{
    json_t *plan;
    *f = (struct pf_fleet){.lock = -1};
    pf_status s = pf_fleet_plan_read(folder, &plan, e);
    if (s != PF_OK)
        return s;
    f->verb = pf_mem_copy(pf_json_get_text(plan, "verb"));
    f->state = pf_mem_copy(pf_json_get_text(plan, "state"));
    f->cwd = pf_mem_copy(pf_json_get_text(plan, "folder"));
    f->limit_ms = pf_json_get_number(plan, "limit_ms");
    s = pf_fleet_engine_find(pf_json_get_text(plan, "on"), &f->engine, &f->where, e);
    if (s == PF_OK) {
        set_folder(f, folder, plan);
        s = load_tasks(f, e);
    }
    json_decref(plan);
    return s;
}

void pf_fleet_release(struct pf_fleet *f)
{
    for (size_t i = 0; i < f->tasks.len; i++) {
        free(f->tasks.at[i].what);
        free(f->tasks.at[i].why);
    }
    pf_vec_release(&f->tasks);
    char *texts[] = {f->name, f->folder,  f->state, f->verb, f->pf,
                     f->cwd,  f->scratch, f->env,   f->where};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    if (f->lock >= 0)
        close(f->lock);
    *f = (struct pf_fleet){.lock = -1};
}

pf_status pf_fleet_end(struct pf_fleet *f, struct pf_error *e)
{
    static const char *const parts[] = {"know", "results", "jobs", "log"};
    char *path = pf_fleet_path(f, "end", 0, "");
    pf_status s = pf_file_write(path, "done\n", 5, e);
    free(path);
    for (size_t i = 0; s == PF_OK && i < sizeof parts / sizeof *parts; i++) {
        path = pf_fleet_path(f, parts[i], 0, "");
        pf_tree_remove(path);
        free(path);
    }
    return s;
}

/* --- one task --- */

pf_status pf_fleet_task_new(struct pf_fleet *f, json_t *task, const char *what, uint64_t wave,
                            struct pf_error *e)
{
    uint64_t id = f->tasks.len ? f->tasks.at[f->tasks.len - 1].id + 1 : 1;
    char *path = pf_fleet_path(f, "tasks", id, ".json");
    json_object_set_new(task, "version", json_integer(PF_FLEET_VERSION));
    json_object_set_new(task, "id", json_integer((json_int_t)id));
    if (!json_object_get(task, "verb")) /* a check also has tasks that judge */
        json_object_set_new(task, "verb", json_string(f->verb));
    json_object_set_new(task, "build", pf_json_hex(f->build));
    json_object_set_new(task, "folder", json_string(f->cwd));
    json_object_set_new(task, "limit_ms", json_integer((json_int_t)f->limit_ms));
    json_object_set_new(task, "what", json_string(what));
    json_object_set_new(task, "wave", json_integer((json_int_t)wave));
    if (f->scratch)
        json_object_set_new(task, "scratch", json_string(f->scratch));
    pf_status s = pf_json_file_write(path, task, e);
    if (s == PF_OK)
        pf_vec_push(&f->tasks,
                    (struct pf_fleet_task){.id = id, .wave = wave, .what = pf_mem_copy(what)});
    json_decref(task);
    free(path);
    return s;
}

pf_status pf_fleet_task_read(const struct pf_fleet *f, uint64_t id, json_t **out,
                             struct pf_error *e)
{
    char *path = pf_fleet_path(f, "tasks", id, ".json");
    pf_status s = pf_json_file_read(path, out, e);
    if (s == PF_OK && pf_json_get_number(*out, "version") != PF_FLEET_VERSION) {
        json_decref(*out);
        *out = NULL;
        s = pf_fail(e, PF_BAD, "%s: expected a task of a fleet, version %d", path,
                    PF_FLEET_VERSION);
    }
    free(path);
    return s;
}
