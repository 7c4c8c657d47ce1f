/* continuation_logs.c - see continuation_logs.h. */
#define _GNU_SOURCE
#include "continuation_logs.h"
#include "file.h"
#include "finding_json.h"
#include "run_report.h"
#include "text_format.h"
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Replaces each '*' in the tail policy by the seed of the continuation (the first seed + its
 * number), as the continuation did. */
static void expand_tail(char *to, size_t room, const char *tail, uint32_t number)
{
    size_t n = 0;
    for (; *tail && n < room; tail++)
        n += (size_t)snprintf(to + n, room - n, *tail == '*' ? "%u" : "%c",
                              *tail == '*' ? number : (unsigned char)*tail);
}

static void add_entry(struct pf_text *list, const char *schedule, const char *clip,
                      const struct pf_continuation *k, const struct pf_clip_end *end)
{
    bool killed = WIFSIGNALED(k->wait);
    pf_text_add(list, list->n > 1 ? ",\n{" : "\n{");
    pf_json_str(list, "schedule", schedule);
    pf_json_key(list, "clip");
    if (k->kept)
        pf_text_json(list, clip);
    else
        pf_text_add(list, "null");
    pf_json_bool(list, "cut", k->outcome == PF_OUTCOME_HANG);
    pf_json_str(list, "outcome", pf_outcome_name(k->outcome ? k->outcome : k->reported));
    pf_json_str(list, "text", end->text);
    pf_json_num(list, "status", (uint64_t)(killed ? 0 : WEXITSTATUS(k->wait)));
    pf_json_num(list, "signal", (uint64_t)(killed ? WTERMSIG(k->wait) : 0));
    pf_json_num(list, "memory_errors", k->errors);
    pf_json_str(list, "memory_error", k->error);
    pf_json_num(list, "events", k->events);
    pf_json_num(list, "behaviours", k->behaviours);
    pf_json_num(list, "microseconds", k->took / 1000);
    pf_text_char(list, '}');
}

pf_status pf_continuation_logs_join(const struct pf_channel *c, const char *prefix,
                                    struct pf_text *list, struct pf_error *e)
{
    struct pf_clip before;
    pf_status s = pf_clip_open(&before, prefix, e);
    if (s != PF_OK)
        return s;
    if (list)
        pf_text_char(list, '[');
    for (uint32_t i = 0; s == PF_OK && i < c->continuations && c->continuation[i].done; i++) {
        const struct pf_continuation *k = &c->continuation[i];
        struct pf_clip_end end = {
            .wait = k->wait, .outcome = k->outcome, .errors = k->errors, .reached = k->reached};
        memcpy(end.failure, k->failure, sizeof end.failure);
        char log[sizeof c->folder + 16], clip[sizeof c->folder + 16], schedule[sizeof c->tail];
        snprintf(log, sizeof log, "%s/%u", c->folder, i);
        snprintf(clip, sizeof clip, "%s/%u.clip", c->folder, i);
        expand_tail(schedule, sizeof schedule, c->tail, c->first + i);
        struct pf_clip_meta meta = before.meta;
        meta.schedule = schedule;
        if (k->kept) {
            s = pf_clip_join(&before, log, clip, &meta, &end, e);
            if (s == PF_OK)
                unlink(log);
        }
        if (list)
            add_entry(list, schedule, clip, k, &end);
    }
    if (list)
        pf_text_char(list, ']');
    pf_clip_release(&before);
    return s;
}

pf_status pf_behaviours_read(struct pf_channel *c, const char *file, struct pf_error *e)
{
    char *bytes;
    size_t n;
    if (access(file, F_OK))
        return PF_OK;
    pf_status s = pf_file_read(file, &bytes, &n, e);
    if (s != PF_OK)
        return s;
    if (n == sizeof c->behaviour)
        memcpy(c->behaviour, bytes, n);
    else
        s = pf_fail(e, PF_BAD, "%s: expected a file of %zu bytes with the behaviours seen so far",
                    file, sizeof c->behaviour);
    free(bytes);
    return s;
}

pf_status pf_behaviours_write(const struct pf_channel *c, const char *file, struct pf_error *e)
{
    return pf_file_write(file, (const char *)c->behaviour, sizeof c->behaviour, e);
}
