/*
 * findings_read.c - the reader of the findings log (its writers are rt/race_log.c and
 * report/finding_json.c). Strict where a wrong value would lie, lenient about fields it does not know.
 */
#define _GNU_SOURCE
#include "file.h"
#include "findings.h"
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct reader {
    struct pf_findings *f;
    const char *path;
    unsigned line;
    struct pf_error *error;
    pf_status status; /* the first failure */
};

static void fail(struct reader *r, const char *expected, const char *what)
{
    if (r->status != PF_OK)
        return;
    if (r->line)
        r->status =
            pf_fail(r->error, PF_BAD, "%s:%u: expected %s in %s", r->path, r->line, expected, what);
    else
        r->status = pf_fail(r->error, PF_BAD, "%s: expected %s in %s", r->path, expected, what);
}

static void *get(struct reader *r, size_t size)
{
    void *p = pf_pool_get(&r->f->pool, size ? size : 1);
    if (!p) { /* a tool may give up where the runtime may not */
        fputs("pf: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

static const char *copy(struct reader *r, const char *s)
{
    size_t n = strlen(s);
    return memcpy(get(r, n + 1), s, n + 1);
}

static const char *text_of(struct reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (v && !json_is_string(v) && !json_is_null(v))
        fail(r, "a string", key);
    return json_is_string(v) ? copy(r, json_string_value(v)) : NULL;
}

static uint64_t number_of(struct reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0) {
        fail(r, "a number", key);
        return 0;
    }
    return (uint64_t)json_integer_value(v);
}

static uint64_t base_of(struct reader *r, const json_t *o, const char *key, const char *prefix,
                        int base)
{
    const char *s = json_string_value(json_object_get(o, key));
    size_t n = strlen(prefix);
    char *end = NULL;
    uint64_t v = s && !strncmp(s, prefix, n) && s[n] ? strtoull(s + n, &end, base) : 0;
    if (!end || *end)
        fail(r, base == 16 ? "a hexadecimal string" : "a thread, T and a number", key);
    return v;
}

static uint32_t thread_of(struct reader *r, const json_t *o, const char *key)
{
    return (uint32_t)base_of(r, o, key, "T", 10);
}

static int word_of(struct reader *r, const json_t *o, const char *key, int (*from)(const char *))
{
    const char *s = json_string_value(json_object_get(o, key));
    int v = s ? from(s) : -1;
    if (v < 0)
        fail(r, "a word of the contract", key);
    return v < 0 ? 0 : v;
}

static const json_t *array_of(struct reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_array(v))
        fail(r, "an array", key);
    return v;
}

static struct pf_trail trail_of(struct reader *r, const json_t *o)
{
    const json_t *v = array_of(r, o, "stack");
    size_t n = json_array_size(v);
    struct pf_place *at = get(r, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        const json_t *p = json_array_get(v, i);
        at[i] = (struct pf_place){.function = text_of(r, p, "function"),
                                  .file = text_of(r, p, "file"),
                                  .module = text_of(r, p, "module"),
                                  .line = (uint32_t)number_of(r, p, "line"),
                                  .column = (uint32_t)number_of(r, p, "column"),
                                  .folded = json_is_true(json_object_get(p, "folded"))};
        if (json_object_get(p, "first_line"))
            at[i].first_line = (uint32_t)number_of(r, p, "first_line");
    }
    return (struct pf_trail){at, n};
}

static void read_access(struct reader *r, const json_t *o, struct pf_access *a)
{
    const json_t *held = array_of(r, o, "held");
    a->nlocks = json_array_size(held);
    struct pf_lock *locks = get(r, a->nlocks * sizeof *locks);
    for (size_t i = 0; i < a->nlocks; i++) {
        const json_t *l = json_array_get(held, i);
        const char *mode = json_string_value(json_object_get(l, "mode"));
        locks[i] = (struct pf_lock){.address = base_of(r, l, "address", "0x", 16),
                                    .name = text_of(r, l, "name"),
                                    .shared = mode && !strcmp(mode, "read"),
                                    .taken = trail_of(r, l)};
    }
    a->locks = locks;
    a->thread = thread_of(r, o, "thread");
    a->op = (enum pf_op)word_of(r, o, "op", pf_op_from);
    a->size = number_of(r, o, "size");
    a->address = base_of(r, o, "address", "0x", 16);
    a->variable = text_of(r, o, "variable");
    a->trail = trail_of(r, o);
}

static void read_location(struct reader *r, const json_t *o, struct pf_location *l)
{
    l->kind = (enum pf_location_kind)word_of(r, o, "kind", pf_location_from);
    if (l->kind == PF_LOCATION_GLOBAL) {
        l->name = text_of(r, o, "name");
        l->file = text_of(r, o, "file");
        l->line = (uint32_t)number_of(r, o, "line");
    }
    if (l->kind == PF_LOCATION_GLOBAL || l->kind == PF_LOCATION_HEAP) {
        l->address = base_of(r, o, "address", "0x", 16);
        l->size = number_of(r, o, "size");
    }
    if (l->kind == PF_LOCATION_HEAP || l->kind == PF_LOCATION_STACK || l->kind == PF_LOCATION_TLS)
        l->thread = thread_of(r, o, "thread");
    l->freed = json_is_true(json_object_get(o, "freed"));
    if (l->kind == PF_LOCATION_HEAP || l->kind == PF_LOCATION_STACK)
        l->trail = trail_of(r, o);
}

static void read_actors(struct reader *r, const json_t *o, struct pf_finding *f)
{
    const json_t *v = array_of(r, o, "threads");
    f->nactors = json_array_size(v);
    struct pf_actor *at = get(r, f->nactors * sizeof *at);
    for (size_t i = 0; i < f->nactors; i++) {
        const json_t *a = json_array_get(v, i);
        const char *state = json_string_value(json_object_get(a, "state"));
        at[i] = (struct pf_actor){.number = thread_of(r, a, "thread"),
                                  .name = text_of(r, a, "name"),
                                  .tid = (int64_t)number_of(r, a, "tid"),
                                  .running = state && !strcmp(state, "running"),
                                  .created = trail_of(r, a)};
        if (at[i].number)
            at[i].parent = thread_of(r, a, "created_by");
    }
    f->actors = at;
}

static struct pf_finding *find(struct pf_findings *f, uint64_t id)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i]->id == id)
            return f->at[i];
    return NULL;
}

static void read_witness(struct reader *r, const json_t *o, struct pf_finding *f)
{
    const json_t *v = json_object_get(o, "interleaving");
    size_t n = json_array_size(v);
    struct pf_moment *at = get(r, n * sizeof *at);
    for (size_t i = 0; i < n; i++) {
        const json_t *m = json_array_get(v, i);
        at[i] = (struct pf_moment){.thread = thread_of(r, m, "thread"),
                                   .op = text_of(r, m, "op"),
                                   .name = text_of(r, m, "name"),
                                   .value = text_of(r, m, "value"),
                                   .file = text_of(r, m, "file"),
                                   .line = (uint32_t)number_of(r, m, "line"),
                                   .marked = json_is_true(json_object_get(m, "marked"))};
        if (!at[i].op)
            fail(r, "a string", "op");
    }
    f->witness = at;
    f->nwitness = n;
}

/* The same finding from elsewhere: counts add up, and what is known for sure replaces what is not. */
static void merge(struct reader *r, struct pf_finding *old, const json_t *o)
{
    static const int sure[] = {
        [PF_STATUS_PREDICTED] = 0, [PF_STATUS_OBSERVED] = 1, [PF_STATUS_CONFIRMED] = 2};
    int status = word_of(r, o, "status", pf_status_from);
    old->count += number_of(r, o, "count");
    if (sure[status] > sure[old->status]) {
        old->status = (enum pf_finding_status)status;
        old->analysis = text_of(r, o, "analysis");
    }
    if (!old->clip)
        old->clip = text_of(r, o, "clip");
    if (!old->nwitness)
        read_witness(r, o, old);
    if (!old->verdict)
        old->verdict = text_of(r, o, "class");
}

/* The finding, new or not; NULL when it cannot be read. */
static struct pf_finding *read_finding(struct reader *r, const json_t *o)
{
    uint64_t id = base_of(r, o, "id", "", 16);
    struct pf_finding *old = find(r->f, id);
    if (old) {
        merge(r, old, o);
        return old;
    }
    const json_t *accesses = array_of(r, o, "accesses");
    size_t n = json_array_size(accesses);
    if (n < 2) {
        fail(r, "two accesses or more", "accesses");
        return NULL;
    }
    struct pf_finding *f = get(r, sizeof *f);
    f->id = id;
    f->kind = (enum pf_kind)word_of(r, o, "kind", pf_kind_from);
    f->status = (enum pf_finding_status)word_of(r, o, "status", pf_status_from);
    f->analysis = text_of(r, o, "analysis");
    f->verdict = text_of(r, o, "class");
    f->clip = text_of(r, o, "clip");
    f->count = number_of(r, o, "count");
    struct pf_access *steps = f->kind == PF_KIND_RACE && n == 2 ? NULL : get(r, n * sizeof *steps);
    for (size_t i = 0; i < n; i++)
        read_access(r, json_array_get(accesses, i), steps ? &steps[i] : &f->access[i]);
    f->steps = steps;
    f->nsteps = steps ? n : 0;
    read_location(r, json_object_get(o, "location"), &f->location);
    read_actors(r, o, f);
    read_witness(r, o, f);
    if (r->status)
        return NULL;
    pf_findings_push(r->f, f);
    return f;
}

pf_status pf_findings_add(struct pf_findings *f, const char *origin, const char *json, size_t n,
                          uint64_t count, struct pf_finding **out, struct pf_error *e)
{
    struct reader r = {.f = f, .path = origin, .error = e};
    json_error_t why;
    json_t *o = json_loadb(json, n, JSON_ALLOW_NUL, &why);
    if (!o)
        return pf_fail(e, PF_BAD, "%s: expected JSON: %s", origin, why.text);
    *out = read_finding(&r, o);
    if (*out)
        (*out)->count += count - number_of(&r, o, "count");
    json_decref(o);
    return r.status;
}

pf_status pf_findings_read_document(struct pf_findings *f, const char *path, struct pf_error *e)
{
    struct reader r = {.f = f, .path = path, .error = e};
    char *text;
    size_t n;
    json_error_t why;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    json_t *o = json_loadb(text, n, JSON_ALLOW_NUL, &why);
    free(text);
    const char *tool = json_string_value(json_object_get(o, "tool"));
    if (!o)
        s = pf_fail(e, PF_BAD, "%s:%d: expected JSON: %s", path, why.line, why.text);
    else if (!tool || strcmp(tool, "photofinish"))
        s = pf_fail(e, PF_BAD, "%s: is no findings of photofinish", path);
    else if (number_of(&r, o, "version") != 1)
        fail(&r, "version 1", "version");
    const json_t *findings = s == PF_OK && !r.status ? array_of(&r, o, "findings") : NULL;
    for (size_t i = 0; i < json_array_size(findings) && !r.status; i++)
        read_finding(&r, json_array_get(findings, i));
    f->ndocuments++;
    f->unfinished |= !json_is_true(json_object_get(o, "complete"));
    json_decref(o);
    return s != PF_OK ? s : r.status;
}

static void read_start(struct reader *r, const json_t *o, struct pf_process *p)
{
    if (number_of(r, o, "version") != PF_LOG_VERSION)
        fail(r, "version 1", "version");
    p->pid = number_of(r, o, "pid");
    p->parent = number_of(r, o, "parent");
    p->time = number_of(r, o, "time");
    p->ticks = number_of(r, o, "ticks");
    p->exitcode = (int)number_of(r, o, "exitcode");
    p->run = text_of(r, o, "run");
    const json_t *v = array_of(r, o, "command");
    p->ncommand = json_array_size(v);
    const char **command = get(r, p->ncommand * sizeof *command);
    for (size_t i = 0; i < p->ncommand; i++) {
        const char *word = json_string_value(json_array_get(v, i));
        if (!word)
            fail(r, "strings", "command");
        command[i] = word ? copy(r, word) : "";
    }
    p->command = command;
}

static void read_end(struct reader *r, const json_t *o, struct pf_process *p)
{
    const char *what;
    json_t *count;
    p->end = text_of(r, o, "how");
    if (!p->end)
        fail(r, "a string", "how");
    p->suppressed = number_of(r, o, "suppressed");
    p->losses = NULL;
    const json_t *sample = json_object_get(o, "sample");
    if (json_is_integer(json_object_get(sample, "pairs"))) {
        p->has_pairs = true;
        p->pairs = number_of(r, sample, "pairs");
        p->frequent = number_of(r, sample, "frequent");
    }
    json_object_foreach(json_object_get(o, "limits"), what, count)
    {
        struct pf_loss *l = get(r, sizeof *l);
        *l = (struct pf_loss){copy(r, what), (uint64_t)json_integer_value(count), p->losses};
        p->losses = l;
    }
}

/* A count line replaces the 1 that the finding's own line has brought in. */
static void read_count(struct reader *r, const json_t *o)
{
    struct pf_finding *f = find(r->f, base_of(r, o, "id", "", 16));
    if (f)
        f->count += number_of(r, o, "count") - 1;
    else
        fail(r, "the id of a finding above", "id");
}

/* False: the log belongs to another run. */
static bool read_line(struct reader *r, const json_t *o, struct pf_process *p, const char *run)
{
    const char *type = json_string_value(json_object_get(o, "type"));
    if (!type) {
        fail(r, "a line with a type", "type");
    } else if ((r->line == 1) != !strcmp(type, "start")) {
        fail(r, "one start line, the first,", "the log");
    } else if (!strcmp(type, "start")) {
        read_start(r, o, p);
        return r->status || !run || (p->run && !strcmp(p->run, run));
    } else if (!strcmp(type, "finding")) {
        read_finding(r, json_object_get(o, "finding"));
    } else if (!strcmp(type, "count")) {
        read_count(r, o);
    } else if (!strcmp(type, "end")) {
        read_end(r, o, p);
    } else if (!strcmp(type, "lost")) {
        p->lost++;
    } else if (!strcmp(type, "resume")) {
        p->end = NULL;
    } else {
        fail(r, "start, finding, count, lost, resume or end", "type");
    }
    return true;
}

/* Is the process of a log without an end still there? The start time tells it from a later one. */
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
    while (*at && (*at)->time <= p->time)
        at = &(*at)->next;
    p->next = *at;
    *at = p;
    f->nprocesses++;
}

pf_status pf_findings_read(struct pf_findings *f, const char *path, const char *run,
                           struct pf_error *e)
{
    struct reader r = {.f = f, .path = path, .error = e};
    struct pf_process *p = get(&r, sizeof *p);
    char *data;
    size_t n;
    bool ours = true;
    pf_status s = pf_file_read(path, &data, &n, e);
    if (s != PF_OK)
        return s;
    for (char *line = data; ours && r.status == PF_OK && line < data + n;) {
        char *end = memchr(line, '\n', (size_t)(data + n - line));
        if (!end)
            break; /* cut in the middle: what is missing is missing at the end line too */
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
    if (r.status || !ours || r.line == 0)
        return r.status;
    if (p->lost) {
        struct pf_loss *l = get(&r, sizeof *l);
        *l = (struct pf_loss){"forked processes could not write a log", p->lost, p->losses};
        p->losses = l;
    }
    p->running = !p->end && is_running(p);
    add_process(f, p);
    return PF_OK;
}

static int is_shown(const struct dirent *d) { return d->d_name[0] != '.'; }

pf_status pf_findings_read_folder(struct pf_findings *f, const char *folder, const char *run,
                                  struct pf_error *e)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_shown, alphasort);
    if (n < 0)
        return pf_fail(e, PF_IO, "%s: %s", folder, strerror(errno));
    pf_status s = PF_OK;
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        struct stat st;
        const char *suffix = strrchr(names[i]->d_name, '.');
        if (asprintf(&path, "%s/%s", folder, names[i]->d_name) < 0)
            s = pf_fail(e, PF_NOMEM, "out of memory");
        else if (s == PF_OK && suffix && !strcmp(suffix, PF_LOG_SUFFIX))
            s = pf_findings_read(f, path, run, e);
        else if (s == PF_OK && !lstat(path, &st) && S_ISDIR(st.st_mode))
            s = pf_findings_read_folder(f, path, run, e);
        free(path);
        free(names[i]);
    }
    free(names);
    return s;
}
