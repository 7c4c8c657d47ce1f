/* check_journal.c - see check_folder.h: the journal of a check, as JSON lines. */
#define _GNU_SOURCE
#include "allocation.h"
#include "check_chain.h"
#include "file.h"
#include "finding_json.h"
#include "json_field.h"
#include "text_format.h"
#include "vector.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const pf_check_kind_name[PF_CHECK_KINDS] = {
    [PF_CHECK_RUN] = "run",       [PF_CHECK_RECORD] = "record",   [PF_CHECK_HATCH] = "hatch",
    [PF_CHECK_DIRECT] = "direct", [PF_CHECK_LOOK] = "look",       [PF_CHECK_BATCH] = "batch",
    [PF_CHECK_JUDGE] = "judge",   [PF_CHECK_EXPLORE] = "explore", [PF_CHECK_HUNT] = "hunt",
};

/* Appends a whole line, or nothing: a part of a line would damage the next one. */
static bool append(int fd, const char *line, size_t n)
{
    off_t before = lseek(fd, 0, SEEK_END);
    ssize_t done = write(fd, line, n);
    if (done == (ssize_t)n)
        return true;
    int reason = done < 0 ? errno : ENOSPC;
    if (done > 0 && before >= 0 && ftruncate(fd, before))
        reason = errno;
    errno = reason;
    return false;
}

pf_status pf_check_journal_add(const struct pf_check_folder *c, const struct pf_check_line *l,
                               struct pf_error *e)
{
    struct pf_pool pool;
    struct pf_text t;
    char path[PATH_MAX];
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_text_char(&t, '{');
    pf_json_num(&t, "step", l->step);
    pf_json_str(&t, "kind", pf_check_kind_name[l->kind]);
    pf_json_num(&t, "test", l->test);
    pf_json_num(&t, "round", l->round);
    if (l->from_step)
        pf_json_num(&t, "clip", l->from_step);
    if (l->child[0])
        pf_json_str(&t, "child", l->child);
    if (l->finding)
        pf_json_address(&t, "finding", l->finding);
    pf_json_str(&t, "schedule", l->schedule);
    pf_json_str(&t, "how", l->how);
    pf_json_num(&t, "wait", (uint64_t)(unsigned)l->wait);
    pf_json_num(&t, "wall_ms", l->wall_ms);
    pf_json_num(&t, "events", l->events);
    pf_json_num(&t, "candidates", l->candidates);
    pf_json_num(&t, "refuted", l->refuted);
    pf_json_num(&t, "undecided", l->undecided);
    if (l->kind == PF_CHECK_BATCH || l->kind == PF_CHECK_EXPLORE) {
        pf_json_num(&t, "schedules", l->schedules);
        pf_json_num(&t, "behaviours", l->behaviours);
        pf_json_num(&t, "failures", l->failures);
    }
    if (l->kind == PF_CHECK_BATCH) {
        pf_json_num(&t, "first", l->first);
        pf_json_bool(&t, "late", l->late);
        pf_json_bool(&t, "refused", l->refused);
    }
    if (l->kind == PF_CHECK_HUNT)
        pf_json_num(&t, "schedules", l->schedules);
    if (l->kind == PF_CHECK_EXPLORE || l->kind == PF_CHECK_HUNT)
        pf_json_num(&t, "left", l->left);
    pf_json_num(&t, "length", l->length);
    if (l->creates)
        pf_json_bool(&t, "creates", true);
    if (l->hides)
        pf_json_bool(&t, "hides", true);
    pf_json_bool(&t, "complete", l->complete);
    pf_json_str(&t, "trouble", l->trouble);
    pf_text_add(&t, "}\n");
    snprintf(path, sizeof path, "%s/journal", c->absolute);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    pf_status s = PF_OK;
    if (fd < 0 || !append(fd, t.at, t.n))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    pf_pool_release(&pool);
    return s;
}

static bool take_line(struct pf_check_line *l, const json_t *o)
{
    const char *kind = json_string_value(json_object_get(o, "kind"));
    const char *finding = json_string_value(json_object_get(o, "finding"));
    *l = (struct pf_check_line){.kind = PF_CHECK_KINDS};
    for (int k = 0; kind && k < PF_CHECK_KINDS; k++)
        if (!strcmp(kind, pf_check_kind_name[k]))
            l->kind = (enum pf_check_kind)k;
    l->step = pf_json_get_number(o, "step");
    l->test = pf_json_get_number(o, "test");
    l->round = pf_json_get_number(o, "round");
    l->from_step = pf_json_get_number(o, "clip");
    l->finding = finding ? strtoull(finding, NULL, 16) : 0;
    pf_json_copy_text(l->child, sizeof l->child, o, "child");
    pf_json_copy_text(l->schedule, sizeof l->schedule, o, "schedule");
    pf_json_copy_text(l->how, sizeof l->how, o, "how");
    l->wait = (int)pf_json_get_number(o, "wait");
    l->wall_ms = pf_json_get_number(o, "wall_ms");
    l->events = pf_json_get_number(o, "events");
    l->candidates = pf_json_get_number(o, "candidates");
    l->refuted = pf_json_get_number(o, "refuted");
    l->undecided = pf_json_get_number(o, "undecided");
    l->first = pf_json_get_number(o, "first");
    l->schedules = pf_json_get_number(o, "schedules");
    l->behaviours = pf_json_get_number(o, "behaviours");
    l->failures = pf_json_get_number(o, "failures");
    l->length = pf_json_get_number(o, "length");
    l->left = pf_json_get_number(o, "left");
    l->creates = json_is_true(json_object_get(o, "creates"));
    l->hides = json_is_true(json_object_get(o, "hides"));
    l->late = json_is_true(json_object_get(o, "late"));
    l->refused = json_is_true(json_object_get(o, "refused"));
    l->complete = json_is_true(json_object_get(o, "complete"));
    pf_json_copy_text(l->trouble, sizeof l->trouble, o, "trouble");
    return l->kind != PF_CHECK_KINDS && l->step;
}

pf_status pf_check_journal_read(const char *folder, struct pf_check_lines *lines,
                                struct pf_error *e)
{
    char path[PATH_MAX], *data;
    size_t n, number = 0;
    *lines = (struct pf_check_lines){0};
    snprintf(path, sizeof path, "%s/journal", folder);
    if (access(path, F_OK))
        return PF_OK; /* no step has ended yet */
    pf_status s = pf_file_read(path, &data, &n, e);
    if (s != PF_OK)
        return s;
    for (char *at = data, *end; s == PF_OK && (end = memchr(at, '\n', (size_t)(data + n - at)));
         at = end + 1) {
        json_t *o = json_loadb(at, (size_t)(end - at), JSON_ALLOW_NUL, NULL);
        number++;
        pf_vec_reserve(lines, 1);
        if (!take_line(&lines->at[lines->len++], o))
            s = pf_fail(e, PF_BAD, "%s:%zu: expected a step of a check", path, number);
        json_decref(o);
    }
    free(data);
    return s;
}

bool pf_check_line_cut(const struct pf_check_line *line)
{
    return !strcmp(line->how, PF_CHECK_STOPPED) || !strcmp(line->how, PF_CHECK_BUDGET);
}
