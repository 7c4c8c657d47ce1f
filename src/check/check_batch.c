/* check_batch.c - see check_batch.h. */
#define _GNU_SOURCE
#include "check_batch.h"
#include "clip.h"
#include "file.h"
#include "json_field.h"
#include "output_record.h"
#include "run_report.h"
#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALIKE_MAX 3 /* most recordings of failures whose texts differ only in numbers */
#define NEWS_MAX 2 /* recordings of a batch that are chosen for their behaviours */

/* --- failures --- */

/* Appends what the last write of the recorded program to standard error contained. */
static void add_last_line(char *to, size_t room, const char *path)
{
    struct pf_clip c;
    struct pf_error ignored;
    unsigned char *bytes = NULL;
    size_t n = 0, used = strlen(to);
    struct pf_output_record out;
    const unsigned char *kept;
    int64_t position;
    bool internal;
    if (pf_clip_open(&c, path, &ignored) != PF_OK)
        return;
    bool ok = pf_clip_stream(&c, PF_STREAM_OUTPUT, &bytes, &n, &ignored) == PF_OK;
    for (size_t at = 0;
         ok && pf_output_record_next(bytes, n, &at, &out, &internal, &position, &kept);)
        if (out.fd == 2)
            snprintf(to + used, room - used, "%.*s", (int)out.kept, (const char *)kept);
    free(bytes);
    pf_clip_release(&c);
}

/* Removes numbers, also hexadecimal ones. */
static void remove_numbers(char *text)
{
    char *to = text;
    for (const char *s = text; *s;)
        if (isdigit((unsigned char)*s))
            while (isxdigit((unsigned char)*s) || *s == 'x')
                s++;
        else
            *to++ = *s++;
    *to = 0;
}

/* Adds the value unless the vector already contains it `most` times. True if it was added. */
#define ADD_NEW(v, value, most)                                                                    \
    ({                                                                                             \
        size_t times = 0;                                                                          \
        for (size_t i = 0; i < (v)->len; i++)                                                      \
            times += (v)->at[i] == (value);                                                        \
        if (times < (most))                                                                        \
            pf_vec_push(v, value);                                                                 \
        times < (most);                                                                            \
    })

static bool is_new_failure(struct pf_check_failures *seen, char *text)
{
    uint64_t exact = pf_clip_hash(text, strlen(text));
    remove_numbers(text);
    uint64_t alike = pf_clip_hash(text, strlen(text));
    return ADD_NEW(&seen->exact, exact, 1) && ADD_NEW(&seen->alike, alike, ALIKE_MAX);
}

void pf_check_failures_release(struct pf_check_failures *f)
{
    pf_vec_release(&f->exact);
    pf_vec_release(&f->alike);
}

/* --- the document --- */

static void take(struct pf_check_batch *b, struct pf_check_failures *seen, bool stopped,
                 const json_t *k)
{
    struct pf_check_batch_recording r = {.behaviours = pf_json_get_number(k, "behaviours")};
    const char *outcome = pf_json_get_text(k, "outcome");
    bool killed =
        pf_json_get_number(k, "signal") == SIGTERM || pf_json_get_number(k, "signal") == SIGKILL;
    bool cut = json_is_true(json_object_get(k, "cut")) || (stopped && killed);
    r.failed =
        !cut && (pf_json_get_number(k, "status") || pf_json_get_number(k, "signal") ||
                 pf_json_get_number(k, "memory_errors") || (*outcome && strcmp(outcome, "lost")));
    b->schedules++;
    b->refused += !strcmp(outcome, "diverged");
    b->behaviours += r.behaviours;
    b->events += pf_json_get_number(k, "events");
    if (cut || !*pf_json_get_text(k, "clip") || !strcmp(outcome, "diverged"))
        return;
    snprintf(r.schedule, sizeof r.schedule, "%s", pf_json_get_text(k, "schedule"));
    snprintf(r.clip, sizeof r.clip, "%s", pf_json_get_text(k, "clip"));
    if (r.failed) {
        char text[1024];
        snprintf(text, sizeof text, "%s %llu %llu %.300s %.300s ", outcome,
                 (unsigned long long)pf_json_get_number(k, "status"),
                 (unsigned long long)pf_json_get_number(k, "signal"), pf_json_get_text(k, "text"),
                 pf_json_get_text(k, "memory_error"));
        add_last_line(text, sizeof text, r.clip);
        r.chosen = is_new_failure(seen, text);
        b->failures += r.chosen;
    }
    pf_vec_push(&b->kept, r);
}

static void choose_for_behaviours(struct pf_check_batch *b)
{
    for (size_t n = 0; n < NEWS_MAX; n++) {
        struct pf_check_batch_recording *best = NULL;
        for (size_t i = 0; i < b->kept.len; i++) {
            struct pf_check_batch_recording *r = &b->kept.at[i];
            if (!r->chosen && r->behaviours && (!best || r->behaviours > best->behaviours))
                best = r;
        }
        if (best)
            best->chosen = true;
    }
}

static pf_status load_document(const char *document, json_t **o, struct pf_error *e)
{
    *o = NULL;
    if (access(document, R_OK))
        return PF_OK; /* it was stopped before it wrote one, as its line says */
    return pf_json_file_read(document, o, e);
}

pf_status pf_check_batch_read(struct pf_check_batch *b, struct pf_check_failures *seen,
                              const char *document, bool stopped, struct pf_error *e)
{
    json_t *o;
    *b = (struct pf_check_batch){0};
    pf_status s = load_document(document, &o, e);
    if (!o)
        return s;
    const json_t *all = json_object_get(o, "continuations");
    if (!json_is_array(all))
        s = pf_fail(e, PF_BAD, "%s: expected a list of continuations", document);
    for (size_t i = 0; s == PF_OK && i < json_array_size(all); i++)
        take(b, seen, stopped, json_array_get(all, i));
    b->events = b->schedules ? b->events / b->schedules : 0;
    choose_for_behaviours(b);
    json_decref(o);
    return s;
}

/* --- systematic search --- */

/* True if no earlier recording has failed like the one in the file. */
static bool is_new_clip_failure(struct pf_check_failures *seen, const char *path)
{
    struct pf_clip c;
    struct pf_error ignored;
    char text[1024];
    if (pf_clip_open(&c, path, &ignored) != PF_OK)
        return false;
    snprintf(text, sizeof text, "%s %d %d %.300s %.300s ",
             c.end.outcome == PF_OUTCOME_NONE ? "" : pf_outcome_name(c.end.outcome),
             WIFEXITED(c.end.wait) ? WEXITSTATUS(c.end.wait) : 0,
             WIFSIGNALED(c.end.wait) ? WTERMSIG(c.end.wait) : 0, c.end.text, c.end.error);
    pf_clip_release(&c);
    add_last_line(text, sizeof text, path);
    return is_new_failure(seen, text);
}

static void take_explored(struct pf_check_batch *b, struct pf_check_failures *seen, uint64_t known,
                          const json_t *k, bool failed)
{
    struct pf_check_batch_recording r = {.failed = failed};
    snprintf(r.schedule, sizeof r.schedule, "explore:%llu",
             (unsigned long long)pf_json_get_number(k, "schedule"));
    snprintf(r.clip, sizeof r.clip, "%s", pf_json_get_text(k, "clip"));
    for (size_t i = 0; i < b->kept.len; i++)
        if (!strcmp(b->kept.at[i].clip, r.clip))
            return; /* a failure that also shows a race */
    if (!*r.clip)
        return;
    if (!failed && pf_json_get_number(k, "schedule") <= (known ? known : 1))
        return; /* an earlier search has shown it, or it is the schedule of the first recording,
                   which is searched anyway */
    r.chosen = !failed || is_new_clip_failure(seen, r.clip);
    b->failures += failed && r.chosen;
    pf_vec_push(&b->kept, r);
}

pf_status pf_check_batch_read_explored(struct pf_check_batch *b, struct pf_check_failures *seen,
                                       uint64_t known, const char *document, struct pf_error *e)
{
    json_t *o;
    *b = (struct pf_check_batch){0};
    pf_status s = load_document(document, &o, e);
    const json_t *x = json_object_get(o, "exploration");
    const json_t *failures = json_object_get(x, "failures"), *races = json_object_get(x, "races");
    b->schedules = pf_json_get_number(x, "schedules");
    b->behaviours = pf_json_get_number(x, "classes");
    b->left = pf_json_get_number(x, "targets");
    for (size_t i = 0; i < json_array_size(failures); i++)
        take_explored(b, seen, known, json_array_get(failures, i), true);
    for (size_t i = 0; i < json_array_size(races); i++)
        take_explored(b, seen, known, json_array_get(races, i), false);
    json_decref(o);
    return s;
}

pf_status pf_check_exploration_move(const char *document, const char *to, struct pf_error *e)
{
    json_t *o;
    pf_status s = load_document(document, &o, e);
    if (!o)
        return s;
    /* the clips become recordings of the check */
    static const char *const dropped[] = {"failures", "races", "results"};
    json_t *x = json_object_get(o, "exploration");
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        json_object_del(x, dropped[i]);
    char *text = json_dumps(x, JSON_COMPACT | JSON_SORT_KEYS);
    s = pf_file_write(to, text, strlen(text), e);
    free(text);
    json_decref(o);
    return s;
}

pf_status pf_check_batch_read_hunt(const char *document, uint64_t *runs, uint64_t *left,
                                   struct pf_error *e)
{
    json_t *o;
    pf_status s = load_document(document, &o, e);
    const json_t *hunt = json_object_get(o, "hunt");
    *runs = pf_json_get_number(hunt, "runs");
    *left = !json_is_true(json_object_get(hunt, "finished"));
    json_decref(o);
    return s;
}

void pf_check_batch_release(struct pf_check_batch *b) { pf_vec_release(&b->kept); }
