/* judge_paths.c - see judge_paths.h. */
#define _GNU_SOURCE
#include "judge_paths.h"
#include "evidence.h"
#include "file.h"
#include "hunt.h"
#include "hunt_loss.h"
#include "judge_again.h"
#include "load_trace.h"
#include "plan_steps.h"
#include "program.h"
#include "record_again.h"
#include "recorded_stdin.h"
#include "symbolic_output.h"
#include "text_format.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERB "judge"
#define RUN_MS 20000 /* time limit of a recording */
#define ATTEMPTS 8 /* most recordings with other inputs, for each of how->paths */
#define SOURCES_MAX 16
#define SHOWN 60 /* bytes of a source in messages */

struct paths {
    const struct pf_judge_settings *how;
    const struct pf_judge_case *race;
    struct pf_verdict *out;
    /* only the fields that hunt_input.c needs are set: the command, the folder for changed files,
     * and the input of the recording */
    struct pf_hunt hunt;
    struct pf_hunt_paths *tree;
    char *folder; /* for temporary files */
    const char *changed[SOURCES_MAX]; /* sources that were changed so far */
    unsigned nchanged;
    unsigned number; /* of the current input */
    unsigned attempts, missed; /* recordings with other inputs; those without the race */
    struct pf_input_bytes longest; /* of the other inputs, the one with the longest run */
    size_t longest_events; /* of that run; 0: none */
    pf_hunt_inputs named; /* inputs under which the solver expects different outputs */
    uint64_t limit, failed; /* questions about outputs that the solver did not answer */
    char unknown[300]; /* why outputs could not be compared as formulas; "": they could */
    char incomplete[300]; /* why not every input was tried; "": no reason */
};

static void note_incomplete(struct paths *p, const char *why)
{
    if (!*p->incomplete)
        snprintf(p->incomplete, sizeof p->incomplete, "%.*s", (int)strcspn(why, "\n"), why);
}

/* --- the input of the recording --- */

static void add_file(struct pf_input_bytes *in, const char *cwd, const char *word, bool *is_file)
{
    char *path = *word == '/' ? pf_mem_copy(word) : pf_mem_format("%s/%s", cwd, word);
    char *bytes = NULL;
    struct pf_error ignored;
    struct stat st;
    size_t n = 0;
    *is_file = !stat(path, &st) && S_ISREG(st.st_mode);
    if (*is_file && pf_file_read(path, &bytes, &n, &ignored) == PF_OK) {
        char *name = pf_mem_format("file:%s", word);
        pf_input_bytes_set(in, name, bytes, n);
        free(name);
    }
    free(bytes);
    free(path);
}

static void add_standard_input(struct pf_input_bytes *in, const struct pf_clip *recording)
{
    int fd = pf_recorded_stdin_open(recording);
    struct stat st;
    if (fd < 0)
        return;
    size_t n = fstat(fd, &st) ? 0 : (size_t)st.st_size;
    char *bytes = pf_mem_zero(n + 1, 1);
    if (pread(fd, bytes, n, 0) == (ssize_t)n)
        pf_input_bytes_set(in, "stdin", bytes, n);
    free(bytes);
    close(fd);
}

static void read_seed(struct paths *p)
{
    const struct pf_clip_meta *m = &p->race->recording->meta;
    for (unsigned i = 1; m->argv[0] && m->argv[i]; i++) {
        char name[32];
        bool is_file;
        snprintf(name, sizeof name, "argv[%u]", i);
        add_file(&p->hunt.seed, m->cwd, m->argv[i], &is_file);
        if (!is_file)
            pf_input_bytes_set(&p->hunt.seed, name, m->argv[i], strlen(m->argv[i]));
    }
    add_standard_input(&p->hunt.seed, p->race->recording);
}

/* --- what changes --- */

static bool is_changed(const struct paths *p, const struct pf_input_source *s)
{
    const struct pf_input_source *old = pf_input_bytes_find(&p->hunt.seed, s->name);
    return !old || old->n != s->n || memcmp(old->bytes, s->bytes, s->n) != 0;
}

/* Notes which sources the input changes. False: more than how->inputs sources would then have been
 * changed in all. */
static bool may_change(struct paths *p, const struct pf_input_bytes *in)
{
    for (size_t i = 0; i < in->sources.len; i++) {
        unsigned k = 0;
        if (!is_changed(p, &in->sources.at[i]))
            continue;
        while (k < p->nchanged && strcmp(p->changed[k], in->sources.at[i].name))
            k++;
        if (k < p->nchanged)
            continue;
        const struct pf_input_source *old =
            pf_input_bytes_find(&p->hunt.seed, in->sources.at[i].name);
        if (!old || k == p->how->inputs || k == SOURCES_MAX)
            return false;
        p->changed[p->nchanged++] = old->name;
    }
    return true;
}

/* argv[1]="-x", stdin="abc": the sources that differ from the recording. */
static void describe(const struct paths *p, const struct pf_input_bytes *in, struct pf_text *t)
{
    for (size_t i = 0; i < in->sources.len; i++) {
        const struct pf_input_source *s = &in->sources.at[i];
        if (!is_changed(p, s))
            continue;
        pf_text_format(t, "%s%s=\"", t->n ? ", " : "", s->name);
        for (size_t k = 0; k < s->n && k < SHOWN; k++)
            if (s->bytes[k] >= ' ' && s->bytes[k] < 127 && !strchr("\"\\", s->bytes[k]))
                pf_text_char(t, (char)s->bytes[k]);
            else
                pf_text_format(t, "\\x%02x", s->bytes[k]);
        pf_text_add(t, s->n > SHOWN ? "...\"" : "\"");
    }
}

/* --- recordings --- */

/* Writes the schedule of a trace up to an event (PF_NONE: whole) as a plan file. */
static pf_status write_plan(const struct pf_trace *t, uint32_t last, const char *file,
                            struct pf_error *e)
{
    pf_schedule_plan plan = {0};
    uint32_t *pivot = pf_schedule_plan_pivots(t);
    pf_schedule_plan_add_trace(&plan, t, pivot, 0,
                               last == PF_NONE ? (uint32_t)t->events.len : last);
    pf_status s = pf_schedule_plan_write(&plan, file, e);
    pf_vec_release(&plan);
    free(pivot);
    return s;
}

/* How a recording is scheduled. */
struct path_schedule {
    const char *plan; /* NULL: the policy alone */
    const char *policy; /* NULL: that of the first recording */
};

/* Records the program with an input. */
static pf_status record(struct paths *p, const struct pf_input_bytes *in, struct path_schedule how,
                        bool symbolic, const char *file, pf_source_aliases *aliases,
                        struct pf_error *e)
{
    char *input = pf_mem_format("%s/stdin", p->folder), **argv = NULL;
    const struct pf_input_source *given = pf_input_bytes_find(in, "stdin");
    pf_status s = pf_hunt_arguments(&p->hunt, in, &argv, aliases, e);
    if (s == PF_OK && given)
        s = pf_hunt_write_file(input, given->bytes, given->n, e);
    struct pf_judge_left left = pf_judge_clock_left(p->race->clock, RUN_MS);
    struct pf_record_again r = {.clip = p->race->recording,
                                .file = file,
                                .argv = argv,
                                .input = given ? input : NULL,
                                .plan = how.plan,
                                .schedule = how.policy,
                                .symbolic = symbolic,
                                .folder = p->race->scratch,
                                .limit_ms = left.limit_ms,
                                .fair_ms = left.fair_ms,
                                .should_stop = p->how->should_stop,
                                .arg = p->how->arg};
    if (s == PF_OK && pf_judge_clock_cuts(p->race->clock))
        s = pf_fail(e, PF_IO, "the time was up");
    p->race->clock->runs++;
    if (s == PF_OK)
        s = pf_record_again(&r, e);
    if (s != PF_OK) /* perhaps because the time is up now */
        (void)pf_judge_clock_cuts(p->race->clock);
    if (s == PF_OK && r.end.outcome == PF_OUTCOME_DIVERGED)
        s = pf_fail(e, PF_BAD, "the schedule could not be followed");
    pf_hunt_arguments_free(argv);
    free(input);
    return s;
}

/* --- symbolic runs --- */

struct symbolic_run {
    char *file;
    bool shared; /* the file is used for other races, too */
    pf_source_aliases aliases;
};

/* Makes a symbolic run along the whole schedule of a trace. */
static pf_status run_symbolic(struct paths *p, const struct pf_input_bytes *in,
                              const struct pf_trace *t, const char *name, struct symbolic_run *r,
                              struct pf_error *e)
{
    char *plan = pf_mem_format("%s/symbolic.plan", p->folder);
    *r = (struct symbolic_run){.file = pf_mem_format("%s/%s.clip", p->folder, name)};
    pf_status s = write_plan(t, PF_NONE, plan, e);
    if (s == PF_OK)
        s = record(p, in, (struct path_schedule){.plan = plan}, true, r->file, &r->aliases, e);
    free(plan);
    return s;
}

static void release_symbolic(struct symbolic_run *r)
{
    if (r->file && !r->shared)
        unlink(r->file);
    free(r->file);
    for (size_t i = 0; i < r->aliases.len; i++)
        free(r->aliases.at[i].actual);
    pf_vec_release(&r->aliases);
}

/* The symbolic run along the recording itself, which is made once for all its races. */
static pf_status run_recording(struct paths *p, struct symbolic_run *r, struct pf_error *e)
{
    struct pf_further *f = p->race->further;
    if (f && f->symbolic) {
        *r = (struct symbolic_run){.file = pf_mem_copy(f->symbolic), .shared = true};
        return PF_OK;
    }
    pf_status s = run_symbolic(p, &p->hunt.seed, p->race->t, "symbolic", r, e);
    char *kept = pf_mem_format("%s/symbolic.clip", p->race->scratch);
    if (s == PF_OK && f && !r->aliases.len && !rename(r->file, kept)) {
        free(r->file);
        r->file = pf_mem_copy(kept);
        r->shared = true;
        f->symbolic = kept;
        return s;
    }
    free(kept);
    return s;
}

/* Compares the outputs of both orders as formulas. If the solver finds an input under which they
 * should differ, or may differ because only one order takes its path, sets *other to it and returns
 * true. */
static bool compare_outputs(struct paths *p, const struct pf_input_bytes *in,
                            const struct symbolic_run *primary, const char *alternate,
                            struct pf_input_bytes *other)
{
    struct symbolic_run flipped = {0};
    struct pf_trace t;
    struct pf_error e;
    enum pf_outputs result = PF_OUTPUTS_UNKNOWN;
    pf_trace_init(&t);
    struct pf_judge_left left = pf_judge_clock_left(p->race->clock, 0);
    t.recorded.replay_limit_ms = left.limit_ms;
    t.recorded.replay_fair_ms = left.fair_ms;
    pf_status s = pf_load_trace(VERB, alternate, &t, &e);
    if (s == PF_OK)
        s = run_symbolic(p, in, &t, "alternate", &flipped, &e);
    struct pf_symbolic_outputs q = {.clip = {primary->file, flipped.file},
                                    .aliases = {&primary->aliases, &flipped.aliases},
                                    .input = in,
                                    .worker = p->how->worker,
                                    .solver_ms = p->how->solver_ms};
    if (s == PF_OK)
        result = pf_symbolic_outputs_compare(&q);
    else
        snprintf(q.text, sizeof q.text, "%.*s", (int)strcspn(e.text, "\n"), e.text);
    bool known = false;
    for (size_t i = 0; i < p->out->evidence.len; i++)
        known |= p->out->evidence.at[i].text && !strcmp(p->out->evidence.at[i].text, q.text);
    if (result == PF_OUTPUTS_EQUAL && !known)
        pf_evidence_text(p->out, "inputs", q.text);
    else if (result == PF_OUTPUTS_UNKNOWN && !*p->unknown)
        snprintf(p->unknown, sizeof p->unknown, "%.290s", q.text);
    p->limit += q.limit;
    p->failed += q.failed;
    *other = q.other;
    release_symbolic(&flipped);
    pf_trace_release(&t);
    return q.has_other;
}

/* Adds the conditions of a symbolic run of a recording to the tree. If the race is harmless there,
 * compares the outputs of both orders; alternate: a run of the alternate order, NULL: none. */
static bool explore(struct paths *p, const struct pf_input_bytes *in, const struct pf_trace *t,
                    uint64_t predicted, const char *alternate)
{
    struct symbolic_run r;
    pf_hunt_keys branches = {0};
    bool new;
    struct pf_error e;
    struct pf_input_bytes other;
    pf_status s =
        t == p->race->t ? run_recording(p, &r, &e) : run_symbolic(p, in, t, "symbolic", &r, &e);
    bool done = s == PF_OK && pf_hunt_paths_add(p->tree, r.file, p->number, in, 1, predicted,
                                                &r.aliases, &branches, &new, &e) == PF_OK;
    if (!done)
        note_incomplete(p, e.text);
    if (done && alternate && p->how->symbolic_output &&
        compare_outputs(p, in, &r, alternate, &other))
        pf_vec_push(&p->named, other);
    release_symbolic(&r);
    pf_vec_release(&branches);
    return done;
}

/* --- one more input --- */

/* Stores the input as files, with the command that uses it. */
static void keep_input(struct paths *p, struct pf_verdict *v, const struct pf_input_bytes *in,
                       const char *words)
{
    char *folder = pf_mem_format("%s/%s.input", p->race->folder, p->race->name), *command = NULL;
    struct pf_error ignored;
    if (pf_hunt_write_input(&p->hunt, in, folder, &command, &ignored) == PF_OK) {
        char *text = pf_mem_format("%s\nfiles: %s\ncommand: %s", words, folder, command);
        pf_evidence_text(v, "input", text);
        free(text);
    }
    free(command);
    free(folder);
}

/* The verdict with another input is worse: replaces the current one by it. */
static void take_worse(struct paths *p, struct pf_verdict *v, const struct pf_input_bytes *in)
{
    struct pf_pool pool;
    struct pf_text words;
    pf_pool_init_malloc(&pool);
    pf_text_init(&words, &pool);
    describe(p, in, &words);
    pf_text_char(&words, 0);
    keep_input(p, v, in, words.at);
    char *with = pf_mem_format("with %s", words.at);
    pf_verdict_take(p->out, v, with);
    free(with);
    pf_pool_release(&pool);
}

/* Records the program with the input and judges the race in that recording. False: the race did not
 * happen. */
static bool try_schedule(struct paths *p, const struct pf_hunt_answer *answer,
                         struct path_schedule how)
{
    struct pf_judge_again again = {
        .how = p->how, .race = p->race, .file = pf_mem_format("%s/%u.clip", p->folder, p->number)};
    struct pf_verdict v = {.class = PF_JUDGED_UNDECIDED};
    char *name = pf_mem_format("%s.path%u", p->race->name, p->number);
    struct pf_error ignored;
    bool met = record(p, &answer->input, how, false, again.file, NULL, &ignored) == PF_OK &&
               pf_judge_again(&again, name, &v);
    bool harmless = v.class == PF_JUDGED_K_WITNESS;
    p->out->schedules += v.schedules;
    p->out->control += v.control;
    if (harmless && p->out->class == PF_JUDGED_K_WITNESS)
        p->out->k += v.k;
    if (met && v.class < p->out->class && v.class <= PF_JUDGED_OUTPUT_DIFFERS)
        take_worse(p, &v, &answer->input);
    if (met && !how.policy && again.job->t.events.len > p->longest_events) {
        p->longest_events = again.job->t.events.len;
        pf_input_bytes_release(&p->longest);
        pf_input_bytes_copy(&p->longest, &answer->input);
    }
    if (met && !how.policy && p->out->class != PF_JUDGED_SPEC_VIOLATED)
        explore(p, &answer->input, &again.job->t, answer->predicted,
                harmless ? pf_verdict_alternate(&v) : NULL);
    pf_verdict_discard(&v);
    pf_judge_again_release(&again);
    free(name);
    return met;
}

static void try_input(struct paths *p, const struct pf_hunt_answer *answer)
{
    char *plan = pf_mem_format("%s/prefix.plan", p->folder);
    p->number++;
    p->attempts++;
    struct pf_error ignored;
    bool met = (write_plan(p->race->t, p->race->b, plan, &ignored) == PF_OK &&
                try_schedule(p, answer, (struct path_schedule){.plan = plan})) ||
               (!pf_judge_clock_cuts(p->race->clock) &&
                try_schedule(p, answer, (struct path_schedule){0}));
    p->out->paths += met;
    p->missed += !met;
    free(plan);
}

/* A race may do harm only with another input and another schedule before the race: judges it in
 * random recordings with the input that had the longest run. */
static void try_longest(struct paths *p)
{
    struct pf_hunt_answer answer = {.input = p->longest};
    for (unsigned i = 1; i <= p->how->recordings && p->out->class == PF_JUDGED_K_WITNESS &&
                         !pf_judge_clock_cuts(p->race->clock);
         i++) {
        char policy[32];
        snprintf(policy, sizeof policy, "random:%u", i);
        p->number++;
        (void)try_schedule(p, &answer, (struct path_schedule){.policy = policy});
    }
}

/* --- all inputs --- */

static void add_summary(struct paths *p)
{
    struct pf_hunt_paths_counts c;
    struct pf_pool pool;
    struct pf_text t;
    const struct pf_hunt_losses *lost = pf_hunt_paths_losses(p->tree);
    pf_pool_init_malloc(&pool);
    pf_text_init(&t, &pool);
    pf_hunt_paths_counts(p->tree, &c);
    c.limit += p->limit;
    c.failed += p->failed;
    pf_text_format(&t, "%u of at most %u inputs met the race", p->out->paths, p->how->paths);
    if (p->missed)
        pf_text_format(&t, "; %u other%s did not", p->missed, p->missed == 1 ? "" : "s");
    for (unsigned i = 0; i < p->nchanged; i++)
        pf_text_format(&t, "%s%s", i ? ", " : "; changed: ", p->changed[i]);
    for (size_t i = 0; i < lost->all.len && i < 4; i++)
        pf_text_format(&t, "%s%s%s%s",
                       i ? ", " : "; not modelled: ", pf_hunt_loss_text(lost->all.at[i].reason),
                       *lost->all.at[i].name ? " " : "", lost->all.at[i].name);
    if (*p->unknown)
        pf_text_format(&t, "; outputs are not compared for all inputs: %s", p->unknown);
    if (*p->incomplete)
        pf_text_format(&t, "; incomplete: %s", p->incomplete);
    else if (c.failed)
        pf_text_format(&t, "; incomplete: the solver failed on %llu question%s",
                       (unsigned long long)c.failed, c.failed == 1 ? "" : "s");
    else if (c.limit)
        pf_text_format(&t, "; incomplete: the solver reached its time limit on %llu question%s",
                       (unsigned long long)c.limit, c.limit == 1 ? "" : "s");
    else if (p->race->clock->cut)
        pf_text_add(&t, "; incomplete: the time was up");
    pf_text_char(&t, 0);
    pf_evidence_text(p->out, "paths", t.at);
    pf_pool_release(&pool);
}

/* The next input: one that the comparison of outputs has found, else one that takes another
 * path. */
static bool next_input(struct paths *p, struct pf_hunt_answer *answer)
{
    if (!p->named.len)
        return pf_hunt_paths_next(p->tree, NULL, NULL, answer);
    *answer = (struct pf_hunt_answer){.input = p->named.at[--p->named.len]};
    return true;
}

static void explore_inputs(struct paths *p)
{
    struct pf_hunt_answer answer;
    bool harmless = p->out->class == PF_JUDGED_K_WITNESS;
    if (!explore(p, &p->hunt.seed, p->race->t, 0, harmless ? pf_verdict_alternate(p->out) : NULL))
        return;
    while (p->out->paths < p->how->paths && p->out->class != PF_JUDGED_SPEC_VIOLATED &&
           p->attempts < ATTEMPTS * p->how->paths && !p->race->clock->cut &&
           next_input(p, &answer)) {
        if (may_change(p, &answer.input) && !pf_judge_clock_cuts(p->race->clock))
            try_input(p, &answer);
        pf_input_bytes_release(&answer.input);
    }
    if (p->out->class == PF_JUDGED_K_WITNESS && p->longest_events)
        try_longest(p);
    if (p->out->class == PF_JUDGED_K_WITNESS && p->out->paths > 1)
        snprintf(p->out->reason, sizeof p->out->reason,
                 "%u runs of the alternate order, with %u inputs, gave results of the primary one",
                 p->out->k, p->out->paths);
}

void pf_judge_paths(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                    struct pf_verdict *out)
{
    struct paths p = {.how = how, .race = race, .out = out};
    struct pf_error e;
    if (pf_program_check_symbolic(race->recording->meta.program, &e) != PF_OK) {
        pf_evidence_text(out, "paths",
                         "only the recorded input: the program was not built with pf cc --symbolic "
                         "or --on-demand");
        return;
    }
    p.folder = pf_mem_format("%s/%s.paths", race->scratch, race->name);
    if (pf_folder_make(p.folder, &e) == PF_OK) {
        p.hunt.settings.argv = race->recording->meta.argv;
        p.hunt.settings.cwd = race->recording->meta.cwd;
        p.hunt.settings.state = race->folder;
        p.tree = pf_hunt_paths_new(how->worker, how->solver_ms);
        read_seed(&p);
        explore_inputs(&p);
        add_summary(&p);
        pf_input_bytes_release(&p.hunt.seed);
        pf_input_bytes_release(&p.longest);
        for (size_t i = 0; i < p.named.len; i++)
            pf_input_bytes_release(&p.named.at[i]);
        pf_vec_release(&p.named);
        pf_hunt_paths_free(p.tree);
    }
    pf_folder_remove(p.folder);
    free(p.folder);
}
