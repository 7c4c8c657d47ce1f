/* verb_record.c - `pf record`: runs a program in directed mode, one thread at a time, and
 * records the schedule and all inputs, so that the run can be replayed. */
#define _GNU_SOURCE
#include "allocation.h"
#include "cli.h"
#include "directed.h"
#include "file.h"
#include "fuzz_policy_text.h"
#include "memory_model_name.h"
#include "number_options.h"
#include "program.h"
#include "reached.h"
#include "run_report.h"
#include "symbolic_inputs.h"
#include "text_format.h"
#include "wait_status.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define VERB "record"

static int complain(const struct pf_error *e) { return pf_complain(VERB, "%s", e->text); }

/* Checks the value of an option, POLICY[:NUMBER[,NUMBER...]], as the scheduler parses it. With
 * `numbered`, a number may be '*'. */
static pf_status check_schedule(const char *option, const char *text, bool numbered,
                                struct pf_error *e)
{
    static const struct {
        const char *word;
        int least, most; /* how many numbers it takes */
    } policies[] = {{"rr", 0, 1}, {"random", 1, 1}, {"pct", 2, 3}, {"pos", 1, 1}, {"few", 1, 1}};
    size_t n = strcspn(text, ":");
    bool asset;
    struct pf_fuzz_text aim;
    if (pf_fuzz_named(text, &asset)) {
        if (numbered && strchr(text, '*'))
            return PF_OK;
        const char *expected = pf_fuzz_parse(text, &aim);
        return expected ? pf_fail(e, PF_BAD, "--%s=%s: %s", option, text, expected) : PF_OK;
    }
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        if (strlen(policies[i].word) != n || strncmp(policies[i].word, text, n))
            continue;
        int numbers = 0;
        const char *p = text + n, *digits = numbered ? "0123456789*" : "0123456789";
        while (*p == (numbers ? ',' : ':') && p[1] && strchr(digits, p[1])) {
            p += 1 + strspn(p + 1, digits);
            numbers++;
        }
        if (!*p && numbers >= policies[i].least && numbers <= policies[i].most)
            return PF_OK;
    }
    return pf_fail(
        e, PF_BAD,
        "--%s=%s: expected rr:SLICE, random:SEED, pct:SEED,DEPTH,LENGTH, pos:SEED, few:SEED, "
        "racefuzzer:LOCATION,LOCATION,SEED or assetfuzzer:STEP,...,SEED",
        option, text);
}

static bool is_choices(const char *text)
{
    static const char random[] = "random:";
    size_t n = sizeof random - 1;
    if (!strncmp(text, random, n))
        return text[n] && !text[n + strspn(text + n, "0123456789")];
    while (*text >= '0' && *text <= '9') {
        text += strspn(text, "0123456789");
        text += *text == ',';
    }
    return !*text;
}

/* Adds an option for the runtime. Like all of the environment, it becomes a part of the
 * recording. */
static void add_option(const char *name, const char *value)
{
    const char *old = getenv("PF_OPTIONS");
    pf_mem_setenv("PF_OPTIONS", "%s%s%s='%s'", old ? old : "", old && *old ? ":" : "", name, value);
}

static bool add_file(const char *name, const char *file)
{
    char *path = realpath(file, NULL);
    if (!path) {
        pf_complain(VERB, "%s: %s", file, strerror(errno));
        return false;
    }
    add_option(name, path);
    free(path);
    return true;
}

/* NAME.clip in the current folder. */
static char *default_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return pf_mem_format("%s.clip", slash ? slash + 1 : path);
}

/* Prints what the policy has reached, and writes the JSON if it is requested. */
static int print_reached(const char *file, const char *json, const struct pf_clip_meta *m,
                         const struct pf_clip_end *end, const struct pf_text *continuations)
{
    struct pf_pool pool;
    struct pf_text t;
    struct pf_error e;
    int status = PF_EXIT_OK;
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_reached_text(&t, m->schedule, &end->reached);
    if (t.n)
        pf_note("record", "%.*s", (int)t.n, t.at);
    pf_text_init(&t, &pool);
    pf_reached_json(&t, file, m, end,
                    !continuations     ? NULL
                    : continuations->n ? continuations->at
                                       : "");
    if (json && pf_file_write(json, t.at, t.n, &e) != PF_OK)
        status = complain(&e);
    pf_pool_release(&pool);
    return status;
}

/* Reports other processes: the recording of a script or a launcher may not be what the user
 * expects. */
static void print_other_processes(const struct pf_child_end *child, const struct pf_clip_end *end,
                                  const struct pf_forked_clips *forked)
{
    unsigned others = child->started > forked->n ? child->started - (unsigned)forked->n : 0;
    if (end->copies)
        fprintf(stderr, "pf record: incomplete: %u %s not recorded\n", end->copies,
                end->copies == 1 ? "child was" : "children were");
    if (others)
        pf_note("record", "the program started other processes (%u), which are not recorded",
                others);
    if (child->executed)
        pf_note("record", "the recording ends where the program executed another program");
}

/* Reports which private values the recording contains, and which it needs but does not contain. */
static void print_environment(const struct pf_clip_end *end)
{
    if (end->whole)
        pf_note(VERB,
                "the program %s; the recording contains all of it, private values included "
                "(--redact leaves variables out)",
                end->whole == PF_WHOLE_PASSED
                    ? "executed another program, perhaps with its environment"
                    : "read its whole environment");
    if (end->withheld[0])
        pf_note(VERB, "the program read %s, left out by --redact; a replay may differ",
                end->withheld);
}

/* Reports the forked children, and how each of them failed that had a deadlock, a hang or a memory
 * error. Returns true if there is such a failure. */
static bool report_forked(const struct pf_forked_clips *forked)
{
    bool failed = false;
    for (size_t i = 0; i < forked->n; i++) {
        const struct pf_forked_clip *k = &forked->at[i];
        bool stuck = k->end.outcome == PF_OUTCOME_DEADLOCK || k->end.outcome == PF_OUTCOME_HANG;
        if (stuck)
            fprintf(stderr, "pf record: child %s: %s\n%s", k->path,
                    k->end.outcome == PF_OUTCOME_HANG ? "hang" : "deadlock", k->end.text);
        if (k->end.errors)
            pf_note("record", "child %s: %u memory error%s", k->path, k->end.errors,
                    k->end.errors == 1 ? "" : "s");
        if (k->end.outcome == PF_OUTCOME_LOST)
            pf_note("record", "%s: may not replay: %s", k->file, k->end.text);
        if (!k->ended)
            pf_note("record", "child %s still runs; its recording ends here", k->path);
        failed |= stuck || k->end.errors;
    }
    if (forked->n == 1)
        pf_note("record", "a forked child has a recording of its own: %s", forked->at[0].file);
    else if (forked->n)
        pf_note("record", "%zu forked children have recordings of their own: %s to %s", forked->n,
                forked->at[0].file, forked->at[forked->n - 1].file);
    return failed;
}

/* Reports how the run ended; returns the exit status. */
static int report_outcome(const char *file, const struct pf_child_end *child,
                          const struct pf_clip_end *end, const struct pf_forked_clips *forked)
{
    if (end->outcome == PF_OUTCOME_DEADLOCK || end->outcome == PF_OUTCOME_HANG) {
        fprintf(stderr, "pf record: %s\n%s", end->outcome == PF_OUTCOME_HANG ? "hang" : "deadlock",
                end->text);
        return PF_EXIT_FOUND;
    }
    if (end->outcome == PF_OUTCOME_DIVERGED || end->outcome == PF_OUTCOME_INFEASIBLE) {
        return pf_complain(VERB, "%s: %s",
                           end->outcome == PF_OUTCOME_DIVERGED ? "the plan could not be followed"
                                                               : "infeasible",
                           end->text);
    }
    if (end->errors) {
        pf_directed_print_errors(VERB, end);
        return PF_EXIT_FOUND;
    }
    if (end->outcome == PF_OUTCOME_LOST)
        pf_note("record", "%s: may not replay: %s", file, end->text);
    bool recorded = false;
    for (size_t i = 0; i < forked->n; i++)
        recorded |= !forked->at[i].ended; /* report_forked prints those */
    if (child->left_running && !recorded)
        pf_note("record", "processes that the program left behind are still running and "
                          "are not recorded");
    return pf_wait_status(child->wait);
}

struct record_options {
    struct pf_directed d;
    /* as given; NULL: not given */
    const char *file, *continuations, *json, *log, *reach, *globals, *memory, *first_number, *each;
    const char *all, *input, *patch_file;
    bool symbolic, private_files;
};

/* Checks the options, and sets the rest of o->d. Returns an exit status. */
static int check_options(struct record_options *o)
{
    struct pf_directed *d = &o->d;
    struct pf_error e;
    if ((d->schedule && check_schedule("schedule", d->schedule, false, &e) != PF_OK) ||
        (d->tail && check_schedule("tail", d->tail, true, &e) != PF_OK))
        return complain(&e);
    if (o->memory && !pf_memory_model_parse(o->memory, &d->memory.model))
        return pf_complain(VERB, "--memory=%s: expected sc, tso or weak", o->memory);
    if (d->choices && !is_choices(d->choices))
        return pf_complain(
            VERB, "--choices=%s: expected numbers separated by commas, or random:SEED", d->choices);
    if (d->memory.model != PF_MEMORY_SC && !d->choices)
        d->choices = "random:1";
    if ((d->at != NULL) != (o->continuations != NULL) || (d->at && (!d->tail || !d->folder)))
        return pf_complain(VERB, "--at, --continue, --tail and --folder must be used together");
    if (d->without_lock && !pf_cli_is_position(d->without_lock))
        return pf_complain(VERB, "--without-lock=%s: expected FILE:LINE", d->without_lock);
    if (o->reach && strcmp(o->reach, "once") && strcmp(o->reach, "full"))
        return pf_complain(VERB, "--reach=%s: expected once or full", o->reach);
    if (o->reach)
        add_option("reach", o->reach);
    if (o->globals && !add_file("globals", o->globals))
        return PF_EXIT_USAGE;
    if (pf_cli_duration(VERB, "each", o->each, &d->each_ms) != PF_EXIT_OK ||
        pf_cli_duration(VERB, "limit", o->all, &d->all_ms) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    const struct pf_cli_number numbers[] = {
        {"continue", o->continuations, 1, PF_CONTINUATIONS, &d->continuations},
        {"first", o->first_number, 0, UINT_MAX, &d->first},
    };
    if (pf_cli_numbers(VERB, numbers, sizeof numbers / sizeof *numbers) != PF_EXIT_OK)
        return PF_EXIT_USAGE;
    return PF_EXIT_OK;
}

/* Records the command. Returns the exit status of the verb. */
static int record(struct record_options *o, char **command)
{
    struct pf_directed *d = &o->d;
    struct pf_error e;
    struct pf_patch patch = {0};
    const char *program = command[0];
    char *inputs = NULL;
    if (o->input && !o->symbolic)
        return pf_complain(VERB, "--input needs --symbolic");
    if (o->patch_file && (pf_patch_read(&patch, o->patch_file, &e) != PF_OK ||
                          pf_patch_apply(&patch, command, &e) != PF_OK))
        return complain(&e);
    if (o->patch_file)
        command = patch.argv;
    if (o->symbolic && pf_symbolic_inputs(o->input, command, &inputs, &e) != PF_OK)
        return complain(&e);
    d->symbolic = inputs;
    d->served = patch.served ? patch.served : o->private_files ? "" : NULL;
    char *path, *logs;
    if (pf_directed_log(o->log, &logs, &e) != PF_OK)
        return complain(&e);
    d->findings = logs;
    if (pf_program_find(program, &path, &e) != PF_OK)
        return complain(&e);
    char *standard = default_name(path);
    if (!o->file)
        o->file = standard;
    if (pf_cli_replaces_input(VERB, o->file, path) || pf_cli_replaces_input(VERB, o->json, path) ||
        pf_cli_cannot_write(VERB, o->json))
        return PF_EXIT_USAGE;
    struct pf_clip_meta meta = {0};
    struct pf_forked_clips forked = {0};
    d->forked = d->at ? NULL : &forked;
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_pool pool;
    struct pf_text list;
    pf_pool_init_malloc(&pool);
    pf_text_init(&list, &pool);
    d->list = d->at ? &list : NULL;
    pf_status s = o->symbolic ? pf_program_check_symbolic(path, &e)
                              : pf_program_check_directed(path, &d->bare, &e);
    if (s == PF_OK)
        s = pf_directed_describe(&meta, path, command, d, &e);
    if (s == PF_OK)
        s = pf_directed_record(&meta, o->file, d, &child, &end, &e);
    if (s == PF_OK)
        pf_run_report_set_end(&pf_run_report, &end);
    int status = s == PF_OK ? report_outcome(o->file, &child, &end, &forked) : complain(&e);
    if (s == PF_OK && d->without_lock && !end.removed_locks) {
        pf_complain(VERB, "--without-lock=%s: no lock operation was performed there",
                    d->without_lock);
        status = PF_EXIT_USAGE;
    }
    if (s == PF_OK) {
        print_other_processes(&child, &end, &forked);
        print_environment(&end);
    }
    if (s == PF_OK && report_forked(&forked) && status != PF_EXIT_USAGE)
        status = PF_EXIT_FOUND;
    pf_forked_clips_release(&forked);
    pf_text_char(&list, 0);
    list.n--;
    if (s == PF_OK && print_reached(o->file, o->json, &meta, &end, d->list) != PF_EXIT_OK)
        status = PF_EXIT_USAGE;
    pf_pool_release(&pool);
    pf_clip_meta_release(&meta);
    pf_patch_release(&patch);
    free(inputs);
    free(standard);
    free(path);
    free(logs);
    return status;
}

int pf_verb_record(int argc, char **argv)
{
    struct record_options o = {0};
    const struct pf_cli_option options[] = {
        {"o", "FILE", "write the recording to FILE (default: NAME.clip in the current folder)",
         &o.file, NULL},
        {"schedule", "POLICY",
         "scheduling policy: rr:SLICE (default), random:SEED, pct:SEED,DEPTH[,LENGTH],\n"
         "                         pos:SEED, few:SEED, racefuzzer:LOCATION,LOCATION[,SEED] or "
         "assetfuzzer:STEP,...[,SEED]",
         &o.d.schedule, NULL},
        {"json", "FILE", "write how the run and its continuations ended, as JSON", &o.json, NULL},
        PF_CLI_QUIET,
        {"trace", NULL, "record every event with its value, not only the schedule and the inputs",
         NULL, &o.d.tracing},
        {"watch", NULL, "check every access for memory errors (implied by --trace)", NULL,
         &o.d.watch},
        {"log", "DIR", "keep the log of memory errors and failures in DIR, for pf report", &o.log,
         NULL},
        {"plan", "FILE", "follow the steps in FILE first, then the policy", &o.d.plan, NULL},
        {"memory", "MODEL",
         "which values reads may return: sc (default), tso: stores are buffered,\n"
         "                         weak: reads may return older values",
         &o.memory, NULL},
        {"choices", "LIST",
         "with --memory: which values reads return: N,N,... or random:SEED (default random:1)",
         &o.d.choices, NULL},
        {"flip", "A<B",
         "make event A happen before event B, such as T1:137<T2:40;\n"
         "                         T1:137<T2:40@31 holds T2 already before its event 31",
         &o.d.flip, NULL},
        {"at", "POINT", "make continuations from this point, such as T2:137, or switch", &o.d.at,
         NULL},
        {"continue", "N", "number of continuations from --at", &o.continuations, NULL},
        {"tail", "POLICY", "policy of each continuation; * is replaced by its number", &o.d.tail,
         NULL},
        {"folder", "DIR", "write the continuations to DIR", &o.d.folder, NULL},
        {"first", "N", "replace * by numbers from N on (default 0)", &o.first_number, NULL},
        {"news", NULL, "keep only continuations that failed or have shown a new behaviour", NULL,
         &o.d.only_news},
        {"behaviours", "FILE", "continue with the behaviours in FILE, and update it",
         &o.d.behaviours, NULL},
        {"each", "T", "end a continuation after T (default 60s)", &o.each, NULL},
        {"limit", "T", "start no further continuation after T", &o.all, NULL},
        {"symbolic", NULL,
         "also record how values and branches depend on the input; needs pf cc --symbolic or "
         "--on-demand",
         NULL, &o.symbolic},
        {"input", "SPEC",
         "with --symbolic: the input, SPECs separated by commas: argv, argv[N], stdin, env:NAME,\n"
         "                         file:PATH, socket, socket[N], random, each with an optional "
         ":BYTES "
         "(default: the arguments,\n"
         "                         standard input, and files that arguments name)",
         &o.input, NULL},
        {"patch", "FILE",
         "run with new contents of argv[N], stdin, env:NAME, file:PATH, socket[N] or random:\n"
         "                         lines SOURCE=HEX; absent:PATH= hides a file",
         &o.patch_file, NULL},
        {"private", NULL,
         "no other process sees what the program changes in files (implied by --patch of file:,\n"
         "                         socket and random)",
         NULL, &o.private_files},
        {"exclude", "GLOB",
         "exclude functions whose names or files match GLOB; separate several by commas",
         &o.d.exclude, NULL},
        {"without-lock", "FILE:LINE",
         "the lock operation there does nothing, nor does the unlock that belongs to it",
         &o.d.without_lock, NULL},
        {"allow-outside", NULL, "with --news: let continuations use connections to other processes",
         NULL, &o.d.allow_outside},
        {"keep-env", NULL, "record the values of all environment variables", NULL, &o.d.keep_env},
        {"redact", "NAME",
         "never record the values of environment variables whose names match NAME, a glob;\n"
         "                         separate several by commas",
         &o.d.redact, NULL},
        {"reach", "HOW",
         "how to find the memory that code without events can reach:\n"
         "                         once (default), or full: walk through memory at every call",
         &o.reach, NULL},
        {"globals", "FILE", "variables that libraries use by name: lines 'LIBRARY VARIABLE...'",
         &o.globals, NULL},
    };
    const struct pf_cli_verb verb = {VERB, "[OPTION...] -- PROG ARG...",
                                     "Runs PROG one thread at a time, and records the schedule and "
                                     "all inputs. pf replay runs it again\n"
                                     "in the same way; pf predict finds races that it could have "
                                     "had, if it was built with pf cc or\n"
                                     "pf c++.\n"
                                     "Exit status: that of PROG, or 128+n if signal n killed it; "
                                     "66 on a deadlock, a hang or a memory\n"
                                     "error; 2 on an error of pf itself.",
                                     options, sizeof options / sizeof options[0]};
    int status = PF_EXIT_USAGE;
    int first = pf_cli_parse(&verb, argc, argv, &status);
    if (first < 0)
        return status;
    if (first >= argc)
        return pf_complain(VERB, "no program given; usage: pf record %s", verb.usage);
    status = check_options(&o);
    return status == PF_EXIT_OK ? record(&o, argv + first) : status;
}
