/* verb_dump.c - `pf dump`: prints a recording or a trace as text that pf predict can read. */
#define _GNU_SOURCE
#include "allocation.h"
#include "cli.h"
#include "clip_environment.h"
#include "load_trace.h"
#include "reached.h"
#include "run_report.h"
#include "text_format.h"
#include "trace_text.h"
#include "vector.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "dump"

/* Where the text goes. A file is created only when its contents are known, so that a failed dump
 * does not replace it. */
struct dump_output {
    const char *file; /* NULL: standard output */
    FILE *out;        /* NULL: not open yet */
};

/* Returns an exit status. */
static int open_output(struct dump_output *o)
{
    o->out = o->file ? fopen(o->file, "w") : stdout;
    return o->out ? PF_EXIT_OK : pf_complain(VERB, "%s: %s", o->file, strerror(errno));
}

/* Writes the rest. A file of a dump that failed is removed. Returns the exit status. */
static int close_output(struct dump_output *o, int status)
{
    if (!o->out)
        return status;
    bool failed = fflush(o->out) || ferror(o->out);
    if (o->file)
        failed |= fclose(o->out) != 0;
    if (failed)
        status =
            pf_complain(VERB, "%s: %s", o->file ? o->file : "standard output", strerror(errno));
    if (o->file && status != PF_EXIT_OK)
        unlink(o->file);
    return status;
}

/* Adds "WORD TEXT", with control characters escaped. */
static void add_item(struct pf_text *t, const char *word, const char *text)
{
    pf_text_add(t, word);
    pf_text_char(t, ' ');
    pf_text_name(t, text);
    pf_text_char(t, '\n');
}

/* Adds the environment: the values that the clip contains, and the names of the other variables. */
static void add_environment(struct pf_text *t, const struct pf_clip *c,
                            const struct pf_environment_values *v)
{
    for (size_t i = 0; i < v->n; i++) {
        size_t n = strcspn(c->meta.env[i], "=");
        char *name = pf_mem_copy_n(c->meta.env[i], n);
        char *both = v->at[i] && c->meta.env[i][n] ? pf_mem_format("%s=%s", name, v->at[i]) : NULL;
        add_item(t, v->at[i] ? "environment" : "environment-name", both ? both : name);
        free(both);
        free(name);
    }
}

/* Adds what was run and how it ended, one item per line. */
static void add_about(struct pf_text *t, const struct pf_clip *c,
                      const struct pf_environment_values *values)
{
    static const char *const streams[] = {
#define PF_STREAM(name, bits, chunk) #name,
        PF_STREAM_LIST(PF_STREAM)
#undef PF_STREAM
    };
    add_item(t, "program", c->meta.program);
    pf_text_format(t, "build %016" PRIx64 "\n", c->meta.build);
    add_item(t, "folder", c->meta.cwd);
    for (char **p = c->meta.argv; *p; p++)
        add_item(t, "argument", *p);
    add_environment(t, c, values);
    if (c->meta.process)
        add_item(t, "child", c->meta.process);
    add_item(t, "schedule", c->meta.schedule ? c->meta.schedule : "");
    if (c->meta.race)
        add_item(t, "race", c->meta.race);
    for (int s = 0; s < PF_STREAMS; s++)
        pf_text_format(t, "stream %s %" PRIu64 " bytes %zu chunks\n", streams[s],
                       c->stream[s].length, c->stream[s].chunks.len);
    if (c->ended)
        pf_text_format(t, "end status %d %s\n", c->end.wait, pf_outcome_name(c->end.outcome));
    else
        add_item(t, "cut", c->cut);
    if (c->end.reached.asked) {
        pf_reached_text(t, c->meta.schedule, &c->end.reached);
        pf_text_char(t, '\n');
    }
}

static int print_about(const char *path, struct dump_output *o)
{
    struct pf_clip c;
    struct pf_error e;
    struct pf_environment_values values;
    struct pf_pool pool;
    struct pf_text t;
    if (pf_clip_open(&c, path, &e) != PF_OK)
        return pf_complain(VERB, "%s", e.text);
    if (pf_environment_values_read(&values, &c, &e) != PF_OK) {
        pf_clip_release(&c);
        return pf_complain(VERB, "%s", e.text);
    }
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    add_about(&t, &c, &values);
    int status = open_output(o);
    if (status == PF_EXIT_OK)
        fwrite(t.at, 1, t.n, o->out);
    pf_pool_release(&pool);
    pf_environment_values_release(&values);
    pf_clip_release(&c);
    return status;
}

static int print_trace(const char *path, bool as_std, struct dump_output *o)
{
    struct pf_trace t;
    struct pf_error e;
    int status = PF_EXIT_OK;
    pf_trace_init(&t);
    if (pf_load_trace(VERB, path, &t, &e) != PF_OK)
        status = pf_complain(VERB, "%s", e.text);
    else if ((status = open_output(o)) != PF_EXIT_OK)
        ;
    else if (!as_std)
        pf_trace_write_text(&t, o->out);
    else if (pf_trace_write_std(&t, o->out, &e) != PF_OK)
        status = pf_complain(VERB, "%s: %s", path, e.text);
    pf_trace_release(&t);
    return status;
}

/* --- the last access before a position --- */

struct access_query {
    bool writes; /* only writes */
    uint64_t address, size;
    PF_VEC(uint64_t) events; /* per thread of the recording: how many of its events come before */
};

/* "write ADDRESS SIZE THREAD:EVENTS..." */
static bool parse_query(struct access_query *q, const char *text)
{
    char word[8];
    int used = 0;
    if (sscanf(text, "%7s %" SCNx64 " %" SCNu64 "%n", word, &q->address, &q->size, &used) != 3)
        return false;
    q->writes = !strcmp(word, "write");
    for (text += used; *text;) {
        uint32_t thread;
        uint64_t events;
        if (sscanf(text, " %" SCNu32 ":%" SCNu64 "%n", &thread, &events, &used) != 2 ||
            thread > UINT16_MAX)
            return false;
        while (q->events.len <= thread)
            pf_vec_push(&q->events, 0);
        q->events.at[thread] = events;
        text += used;
    }
    return q->writes || !strcmp(word, "access");
}

static bool matches(const struct access_query *q, const struct pf_trace *t, size_t i)
{
    const struct pf_event *e = &t->events.at[i];
    if (!pf_event_is_access(e) || (q->writes && !pf_event_writes(e)))
        return false;
    const struct pf_range *p = &t->places.at[e->what];
    uint32_t thread = t->recorded.thread.at[e->thread];
    return p->addr < q->address + q->size && q->address < p->addr + p->size &&
           thread < q->events.len && t->recorded.index.at[i] <= q->events.at[thread];
}

static int print_last(const char *path, const char *query, struct dump_output *o)
{
    struct access_query q = {0};
    struct pf_trace t;
    struct pf_error e;
    int status = PF_EXIT_OK;
    pf_trace_init(&t);
    if (!parse_query(&q, query))
        status =
            pf_complain(VERB, "--last=%s: expected 'write ADDRESS SIZE THREAD:EVENTS...'", query);
    else if (pf_load_trace(VERB, path, &t, &e) != PF_OK)
        status = pf_complain(VERB, "%s", e.text);
    else if (!t.recorded.present)
        status = pf_complain(VERB, "%s: --last needs a recording", path);
    else
        status = open_output(o);
    size_t i = status == PF_EXIT_OK ? t.events.len : 0;
    while (i && !matches(&q, &t, i - 1))
        i--;
    if (i) {
        const struct pf_event *v = &t.events.at[i - 1];
        fprintf(o->out, "T%u:%u %s %s:%u\n", t.recorded.thread.at[v->thread],
                t.recorded.index.at[i - 1], pf_event_writes(v) ? "write" : "read",
                pf_trace_text(&t, t.sites.at[v->site].file), t.sites.at[v->site].line);
    }
    pf_vec_release(&q.events);
    pf_trace_release(&t);
    return status;
}

int pf_verb_dump(int argc, char **argv)
{
    bool as_std = false, about = false;
    const char *file = NULL, *last = NULL;
    const struct pf_cli_option options[] = {
        {"std", NULL, "print RAPID's STD format (locks, threads, reads and writes only)", NULL,
         &as_std},
        {"about", NULL, "of a recording: print what was run, and how it ended", NULL, &about},
        {"last", "QUERY",
         "of a recording: print only the last access before a position; QUERY is\n"
         "                         'write ADDRESS SIZE THREAD:EVENTS...', or access instead of "
         "write",
         &last, NULL},
        {"o", "FILE", "write to FILE instead of standard output", &file, NULL},
    };
    const struct pf_cli_verb verb = {VERB, "[OPTION...] FILE",
                                     "Prints the events of a recording, or of a trace in any "
                                     "format, as text that pf predict can read.\n"
                                     "A recording without events is replayed to obtain them.",
                                     options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_USAGE;
    int first = pf_cli_parse(&verb, argc, argv, &status);
    if (first < 0)
        return status;
    if (first + 1 != argc)
        return pf_complain(VERB, "expected one file after the options: pf dump %s", verb.usage);
    if (pf_cli_replaces_input(VERB, file, argv[first]))
        return PF_EXIT_USAGE;
    struct dump_output o = {.file = file && strcmp(file, "-") ? file : NULL};
    status = about  ? print_about(argv[first], &o)
             : last ? print_last(argv[first], last, &o)
                    : print_trace(argv[first], as_std, &o);
    return close_output(&o, status);
}
