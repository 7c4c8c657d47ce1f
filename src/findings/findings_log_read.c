/* findings_log_read.c - reads findings logs (written by rt/finding/findings_log.c and
 * report/finding_json.c) and JSON documents. */
#define _GNU_SOURCE
#include "allocation.h"
#include "expected_deaths.h"
#include "file.h"
#include "finding_read.h"
#include "json_field.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

pf_status pf_findings_add(struct pf_findings *f, const char *origin, const char *json, size_t n,
                          uint64_t count, struct pf_finding **out, struct pf_error *e)
{
    struct pf_reader r = {.f = f, .path = origin, .stage = "run", .error = e};
    json_error_t why;
    json_t *o = json_loadb(json, n, JSON_ALLOW_NUL, &why);
    if (!o)
        return pf_fail(e, PF_BAD, "%s: expected JSON: %s", origin, why.text);
    *out = pf_read_finding(&r, o);
    if (*out) {
        (*out)->count += count - pf_read_number(&r, o, "count");
        pf_findings_add_stage(f, *out, r.stage, (*out)->analysis, PF_STATUS_OBSERVED,
                              count - pf_read_number(&r, o, "count"));
    }
    json_decref(o);
    return r.status;
}

/* The verb that wrote the document; "run" if it has the command of a program. */
static const char *stage_of(struct pf_reader *r, const json_t *o)
{
    const json_t *command = json_object_get(o, "command");
    const char *first = json_string_value(json_array_get(command, 0));
    const char *verb = json_string_value(json_array_get(command, 1));
    return first && verb && !strcmp(first, "pf") ? pf_read_copy(r, verb) : "run";
}

static void add_explored(struct pf_findings *f, const json_t *o)
{
    f->explored.events += (uint64_t)json_integer_value(json_object_get(o, "events"));
    f->explored.candidates += (uint64_t)json_integer_value(json_object_get(o, "candidates"));
    f->explored.refuted += (uint64_t)json_integer_value(json_object_get(o, "refuted"));
    f->explored.undecided += (uint64_t)json_integer_value(json_object_get(o, "undecided"));
}

pf_status pf_findings_read_document(struct pf_findings *f, const char *path, const char *folder,
                                    struct pf_error *e)
{
    struct pf_reader r = {.f = f, .path = path, .folder = folder, .error = e};
    json_t *o;
    pf_status s = pf_json_file_read(path, &o, e);
    if (s != PF_OK)
        return s;
    if (strcmp(pf_json_get_text(o, "tool"), "photofinish"))
        s = pf_fail(e, PF_BAD, "%s: not a photofinish findings file", path);
    else if (pf_read_number(&r, o, "version") != 1)
        pf_read_fail(&r, "1", "version");
    r.stage = stage_of(&r, o);
    const json_t *findings = s == PF_OK && !r.status ? pf_read_array(&r, o, "findings") : NULL;
    for (size_t i = 0; i < json_array_size(findings) && !r.status; i++)
        pf_read_finding(&r, json_array_get(findings, i));
    f->ndocuments++;
    add_explored(f, json_object_get(o, "explored"));
    size_t bounded = (size_t)json_integer_value(json_object_get(o, "bounded"));
    f->bounded += bounded;
    f->undecided += !bounded && !json_is_true(json_object_get(o, "complete"));
    json_decref(o);
    return s != PF_OK ? s : r.status;
}

static const char *const *read_strings(struct pf_reader *r, const json_t *o, const char *key,
                                       size_t *n)
{
    const json_t *v = pf_read_array(r, o, key);
    *n = json_array_size(v);
    const char **list = pf_read_alloc(r, *n * sizeof *list);
    for (size_t i = 0; i < *n; i++) {
        const char *word = json_string_value(json_array_get(v, i));
        if (!word)
            pf_read_fail(r, "strings", key);
        list[i] = word ? pf_read_copy(r, word) : "";
    }
    return list;
}

static void read_start(struct pf_reader *r, const json_t *o, struct pf_process *p)
{
    if (pf_read_number(r, o, "version") != PF_LOG_VERSION)
        pf_read_fail(r, "1", "version");
    p->pid = pf_read_number(r, o, "pid");
    p->parent = pf_read_number(r, o, "parent");
    p->time = pf_read_number(r, o, "time");
    p->ticks = pf_read_number(r, o, "ticks");
    p->exitcode = (int)pf_read_number(r, o, "exitcode");
    p->run = pf_read_text(r, o, "run");
    p->report_bugs = !json_is_false(json_object_get(o, "report_bugs"));
    p->report_atomic_races = !json_is_false(json_object_get(o, "report_atomic_races"));
    p->command = read_strings(r, o, "command", &p->ncommand);
    if (json_object_get(o, "suppressions"))
        p->suppressions = read_strings(r, o, "suppressions", &p->nsuppressions);
}

static void read_end(struct pf_reader *r, const json_t *o, struct pf_process *p)
{
    const char *what;
    json_t *count;
    p->end = pf_read_text(r, o, "how");
    if (!p->end)
        pf_read_fail(r, "a string", "how");
    p->suppressed = pf_read_number(r, o, "suppressed");
    p->losses = NULL;
    if (json_object_get(o, "status"))
        p->status = (int)pf_read_number(r, o, "status");
    if (json_object_get(o, "signal"))
        p->signal = (int)pf_read_number(r, o, "signal");
    char *failure = json_dumps(json_object_get(o, "failure"), JSON_COMPACT);
    p->failure = failure ? pf_read_copy(r, failure) : NULL;
    free(failure);
    if (json_object_get(o, "waited_ms"))
        p->waited_ms = pf_read_number(r, o, "waited_ms");
    const json_t *sample = json_object_get(o, "sample");
    if (json_is_integer(json_object_get(sample, "pairs"))) {
        p->has_pairs = true;
        p->pairs = pf_read_number(r, sample, "pairs");
        p->frequent = pf_read_number(r, sample, "frequent");
    }
    json_object_foreach(json_object_get(o, "limits"), what, count)
    {
        struct pf_loss *l = pf_read_alloc(r, sizeof *l);
        *l =
            (struct pf_loss){pf_read_copy(r, what), (uint64_t)json_integer_value(count), p->losses};
        p->losses = l;
    }
}

/* A count line gives the total; the finding's own line has already counted 1. */
static void read_count(struct pf_reader *r, const json_t *o)
{
    struct pf_finding *f = pf_findings_find(r->f, pf_read_prefixed(r, o, "id", "", 16));
    uint64_t count = pf_read_number(r, o, "count"), more = count - 1;
    if (!count) {
        pf_read_fail(r, "a number above 0", "count");
    } else if (f) {
        f->count += more;
        pf_findings_add_stage(r->f, f, r->stage, f->analysis, PF_STATUS_OBSERVED, more);
    } else {
        pf_read_fail(r, "the id of a finding above", "id");
    }
}

static void read_object(struct pf_reader *r, const json_t *o)
{
    const char *path = pf_read_text(r, o, "path");
    struct pf_object **at = &r->f->objects;
    if (!path) {
        pf_read_fail(r, "a string", "path");
        return;
    }
    while (*at && strcmp((*at)->path, path))
        at = &(*at)->next;
    if (*at || pf_object_is_system(path))
        return;
    *at = pf_read_alloc(r, sizeof **at);
    **at = (struct pf_object){.path = path};
}

/* Handles one line of a log. False: the log belongs to another run. */
static bool read_line(struct pf_reader *r, const json_t *o, struct pf_process *p, const char *run)
{
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!type) {
        pf_read_fail(r, "a line with a type", "type");
    } else if ((r->line == 1) != !strcmp(type, "start")) {
        pf_read_fail(r, "one start line, the first,", "the log");
    } else if (!strcmp(type, "start")) {
        read_start(r, o, p);
        return r->status || !run || (p->run && !strcmp(p->run, run));
    } else if (!strcmp(type, "finding")) {
        pf_read_finding(r, json_object_get(o, "finding"));
    } else if (!strcmp(type, "object")) {
        read_object(r, o);
    } else if (!strcmp(type, "count")) {
        read_count(r, o);
    } else if (!strcmp(type, "end")) {
        read_end(r, o, p);
    } else if (!strcmp(type, "lost")) {
        p->lost++;
    } else if (!strcmp(type, "note")) {
        struct pf_note **at = &p->notes;
        while (*at)
            at = &(*at)->next;
        *at = pf_read_alloc(r, sizeof **at);
        **at = (struct pf_note){pf_read_text(r, o, "text"), NULL};
    } else if (!strcmp(type, "died")) {
        struct pf_died *d = pf_read_alloc(r, sizeof *d);
        *d = (struct pf_died){pf_read_number(r, o, "pid"), 0, p->died};
        if (json_object_get(o, "signal"))
            d->signal = (int)pf_read_number(r, o, "signal");
        p->died = d;
    } else if (!strcmp(type, "resume")) {
        p->end = NULL;
    } else {
        pf_read_fail(r, "start, object, finding, count, died, note, lost, resume or end", "type");
    }
    return true;
}

/* True if the process of a log without an end record is still running. The start time
 * distinguishes it from a later process with the same pid. */
static bool is_running(const struct pf_process *p)
{
    char path[64], *text;
    struct pf_error ignored;
    size_t n;
    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)p->pid);
    if (pf_file_read(path, &text, &n, &ignored) != PF_OK)
        return false;
    const char *s = strrchr(text, ')');
    char state = s && s[1] ? s[2] : 0;
    for (int field = 2; s && field < 22; field++)
        s = strchr(s + 1, ' ');
    bool same = s && strtoull(s + 1, NULL, 10) == p->ticks && state != 'Z' && state != 'X';
    free(text);
    return same;
}

static void add_process(struct pf_findings *f, struct pf_process *p)
{
    struct pf_process **at = &f->processes;
    for (; *at && (*at)->time <= p->time; at = &(*at)->next)
        p->after_exec |= (*at)->pid == p->pid && pf_str_same((*at)->run, p->run);
    p->next = *at;
    *at = p;
    f->nprocesses++;
}

pf_status pf_findings_read(struct pf_findings *f, const char *path, const char *run,
                           struct pf_error *e)
{
    struct pf_reader r = {.f = f, .path = path, .stage = "run", .error = e};
    struct pf_process *p = pf_read_alloc(&r, sizeof *p);
    p->status = -1;
    char *data;
    size_t n;
    bool ours = true;
    pf_status s = pf_file_read(path, &data, &n, e);
    if (s != PF_OK)
        return s;
    for (char *line = data; ours && r.status == PF_OK && line < data + n;) {
        char *end = memchr(line, '\n', (size_t)(data + n - line));
        if (!end)
            break; /* truncated last line: the end record is then missing, too */
        r.line++;
        json_error_t why;
        json_t *o = json_loadb(line, (size_t)(end - line), JSON_ALLOW_NUL, &why);
        if (!o)
            r.status = pf_fail(e, PF_BAD, "%s:%u: expected JSON: %s at column %d", path, r.line,
                               why.text, why.column);
        else
            ours = read_line(&r, o, p, run);
        json_decref(o);
        line = end + 1;
    }
    free(data);
    f->nempty += r.line == 0;
    if (r.status || !ours || r.line == 0)
        return r.status;
    if (p->lost) {
        struct pf_loss *l = pf_read_alloc(&r, sizeof *l);
        *l = (struct pf_loss){"forked processes could not write a log", p->lost, p->losses};
        p->losses = l;
    }
    p->running = !p->end && is_running(p);
    p->stopped_by_pf = f->mark_stopped_by_pf;
    p->group = f->group;
    add_process(f, p);
    return PF_OK;
}

static int is_shown(const struct dirent *d) { return d->d_name[0] != '.'; }

static pf_status read_folder(struct pf_findings *f, const char *folder, const char *run,
                             struct pf_error *e)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_shown, alphasort);
    if (n < 0)
        return pf_fail(e, PF_IO, "%s: %s", folder, strerror(errno));
    pf_status s = PF_OK;
    for (int i = 0; i < n; i++) {
        char *path = pf_mem_format("%s/%s", folder, names[i]->d_name);
        struct stat st;
        const char *suffix = strrchr(names[i]->d_name, '.');
        if (s == PF_OK && suffix && !strcmp(suffix, PF_LOG_SUFFIX))
            s = pf_findings_read(f, path, run, e);
        else if (s == PF_OK && !lstat(path, &st) && S_ISDIR(st.st_mode))
            s = read_folder(f, path, run, e);
        free(path);
        free(names[i]);
    }
    free(names);
    return s;
}

pf_status pf_findings_read_folder(struct pf_findings *f, const char *folder, const char *run,
                                  struct pf_error *e)
{
    pf_status s = read_folder(f, folder, run, e);
    return s == PF_OK && !f->keep_deaths ? pf_findings_settle_deaths(f, e) : s;
}
