/* fleet_engine.c - see fleet_engine.h: finds engines, runs their commands, and the engine `script`,
 * for batch systems that pf does not know. */
#define _GNU_SOURCE
#include "fleet_engine.h"
#include "command.h"
#include "program.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

pf_status pf_fleet_engine_find(const char *on, const struct pf_fleet_engine **engine, char **where,
                               struct pf_error *e)
{
    static const struct pf_fleet_engine *const all[] = {&pf_fleet_slurm, &pf_fleet_ssh,
                                                        &pf_fleet_local, &pf_fleet_script};
    size_t n = strcspn(on, ":");
    const char *rest = on[n] ? on + n + 1 : "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strlen(all[i]->name) != n || strncmp(all[i]->name, on, n))
            continue;
        bool needs = all[i] == &pf_fleet_ssh || all[i] == &pf_fleet_script;
        if (needs && !*rest)
            return pf_fail(e, PF_BAD, "--on=%s: expected %s", on,
                           all[i] == &pf_fleet_ssh ? "ssh:HOST,HOST" : "script:FILE");
        *engine = all[i];
        *where = all[i] == &pf_fleet_script ? realpath(rest, NULL) : pf_mem_copy(rest);
        if (!*where)
            return pf_fail(e, PF_IO, "%s: %s", rest, strerror(errno));
        return PF_OK;
    }
    return pf_fail(e, PF_BAD,
                   "--on=%s: expected slurm[:PARTITION], ssh:HOST,HOST, local or "
                   "script:FILE",
                   on);
}

/* --- commands --- */

static char *read_all(int fd)
{
    PF_VEC(char) text = {0};
    for (;;) {
        pf_vec_reserve(&text, 4096);
        ssize_t n = read(fd, text.at + text.len, 4095);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        text.len += (size_t)n;
    }
    pf_vec_reserve(&text, 1);
    text.at[text.len] = 0;
    return text.at;
}

const char *pf_fleet_last_line(const char *text, size_t *n)
{
    while (*n && text[*n - 1] == '\n')
        --*n;
    const char *before = memrchr(text, '\n', *n), *line = before ? before + 1 : text;
    *n -= (size_t)(line - text);
    return line;
}

pf_status pf_fleet_command(char *const *argv, char *const *env, char **out, struct pf_error *e)
{
    int pipe_of[2], wait = 0;
    pid_t pid;
    sigset_t none;
    sigemptyset(&none);
    char *path;
    *out = NULL;
    pf_status s = pf_program_find(argv[0], &path, e);
    if (s != PF_OK)
        return s;
    if (pipe2(pipe_of, O_CLOEXEC)) {
        free(path);
        return pf_fail(e, PF_IO, "pipe: %s", strerror(errno));
    }
    struct pf_command command = {.path = path, .argv = argv, .env = env, .input = "/dev/null"};
    struct pf_command_setup setup = {
        .mask = &none, .session = true, .output = pipe_of[1], .on_child = SIG_DFL};
    s = pf_command_spawn(&command, &setup, &pid, e);
    free(path);
    close(pipe_of[1]);
    if (s == PF_OK) {
        *out = read_all(pipe_of[0]);
        while (waitpid(pid, &wait, 0) < 0 && errno == EINTR)
            ;
        size_t n = strlen(*out);
        const char *line = pf_fleet_last_line(*out, &n);
        if (!WIFEXITED(wait) || WEXITSTATUS(wait))
            s = n ? pf_fail(e, PF_IO, "%s: %.*s", argv[0], (int)n, line)
                  : pf_fail(e, PF_IO, "%s: failed without a message", argv[0]);
    }
    close(pipe_of[0]);
    if (s != PF_OK) {
        free(*out);
        *out = NULL;
    }
    return s;
}

/* The names of the variables that tasks inherit, joined by commas, malloced. PATH is needed to find
 * programs. HOME is not in the list: every batch system sets it. */
static char *variables(const struct pf_fleet *f)
{
    return pf_mem_format(PF_FLEET_VARIABLES "%s%s", f->env ? "," : "", f->env ? f->env : "");
}

static bool is_listed(const char *variable, const char *names, const char *const *more)
{
    size_t n = strcspn(variable, "=");
    for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == n && !strncmp(at, variable, n))
            return true;
    for (; *more; more++) {
        size_t m = strlen(*more);
        if (m && !strncmp(*more, variable, m) && (m == n || (*more)[m - 1] == '_'))
            return true;
    }
    return false;
}

char **pf_fleet_environment(const struct pf_fleet *f, const char *const *more)
{
    char *names = variables(f);
    PF_VEC(char *) list = {0};
    for (char **v = environ; *v; v++)
        if (is_listed(*v, names, more))
            pf_vec_push(&list, pf_mem_copy(*v));
    pf_vec_push(&list, NULL);
    free(names);
    return list.at;
}

void pf_fleet_free_words(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

/* --- engine `script`: FILE submit|list|cancel FOLDER NAME [N...] --- */

/* Sets the variables of the script: PF_FLEET_VARIABLES names the variables that tasks get, without
 * those that are not set; PF_FLEET_SECONDS is the time limit of a job, two minutes longer than that
 * of its task. */
static void set_variables(const struct pf_fleet *f)
{
    char *names = variables(f), *rest = names, *name, *list = pf_mem_copy("");
    while ((name = strsep(&rest, ","))) {
        if (!*name || !getenv(name))
            continue;
        char *longer = pf_mem_format("%s%s%s", list, *list ? "," : "", name);
        free(list);
        list = longer;
    }
    pf_mem_setenv("PF_FLEET_VARIABLES", "%s", list);
    pf_mem_setenv("PF_FLEET_SECONDS", "%" PRIu64, f->limit_ms / 1000 + 120);
    free(list);
    free(names);
}

static pf_status run_script(struct pf_fleet *f, const char *what, const uint64_t *ids, size_t n,
                            char **out, struct pf_error *e)
{
    char **argv = pf_mem_zero(n + 5, sizeof *argv);
    argv[0] = f->where;
    argv[1] = (char *)what;
    argv[2] = f->folder;
    argv[3] = f->name;
    for (size_t i = 0; i < n; i++)
        argv[4 + i] = pf_mem_format("%" PRIu64, ids[i]);
    set_variables(f);
    pf_status s = pf_fleet_command(argv, NULL, out, e);
    for (size_t i = 0; i < n; i++)
        free(argv[4 + i]);
    free(argv);
    return s;
}

static pf_status script_submit(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                               struct pf_error *e)
{
    char *out;
    (void)avoid;
    pf_status s = run_script(f, "submit", ids, n, &out, e);
    free(out);
    return s;
}

static pf_status script_list(struct pf_fleet *f, pf_vec_u64 *ids, struct pf_error *e)
{
    char *out;
    pf_status s = run_script(f, "list", NULL, 0, &out, e);
    for (char *at = out, *end; at && *at; at = end) {
        uint64_t id = strtoull(at, &end, 10);
        if (end == at)
            break;
        pf_vec_push(ids, id);
    }
    free(out);
    return s;
}

static pf_status script_cancel(struct pf_fleet *f, struct pf_error *e)
{
    char *out;
    pf_status s = run_script(f, "cancel", NULL, 0, &out, e);
    free(out);
    return s;
}

const struct pf_fleet_engine pf_fleet_script = {"script", script_submit, script_list,
                                                script_cancel};
