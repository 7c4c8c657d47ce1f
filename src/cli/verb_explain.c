/* verb_explain.c - `pf explain`: describes one finding step by step, with the source lines. */
#include "cli.h"
#include "file.h"
#include "finding_text.h"
#include "launch.h"
#include "narrative.h"
#include "shell_word.h"
#include "source_lines.h"
#include "state_read.h"
#include "text_format.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "explain"

struct explainer {
    struct pf_text *t;
    const struct pf_finding *f;
    struct pf_sources *sources;
    struct pf_pool *pool;
    bool all; /* fold no steps */
};

/* Writes "> 36 |     pthread_create(...)", with one line before and one after it. */
static void add_lines(struct explainer *w, const struct pf_stack_frame *p)
{
    for (uint32_t line = p->line > 1 ? p->line - 1 : 1; line <= p->line + 1; line++) {
        size_t n;
        const char *s = pf_sources_line(w->sources, p->file, p->module, line, &n);
        char number[24];
        if (!s)
            continue;
        snprintf(number, sizeof number, "    %s%6u | ", line == p->line ? ">" : " ", line);
        pf_text_add(w->t, number);
        pf_text_line(w->t, s, n);
        pf_text_char(w->t, '\n');
    }
}

static void add_position(struct explainer *w, const struct pf_backtrace *stack)
{
    const struct pf_stack_frame *p = pf_backtrace_source(stack);
    if (!p || !p->function) {
        pf_text_add(w->t, "    at an unknown position\n");
        return;
    }
    pf_text_add(w->t, "    in ");
    pf_text_name(w->t, p->function);
    if (p->file) {
        pf_text_add(w->t, ", ");
        pf_text_name(w->t, p->file);
        pf_text_char(w->t, ':');
        pf_text_u64(w->t, p->line);
        pf_merged_lines_text(w->t, p);
    }
    for (size_t i = (size_t)(p - stack->at) + 1; i < stack->n && i < 12; i++) {
        pf_text_add(w->t, " < ");
        pf_text_name(w->t, stack->at[i].function ? stack->at[i].function : "??");
    }
    pf_text_char(w->t, '\n');
    if (p->file)
        add_lines(w, p);
}

static void add_capital(struct pf_text *t, size_t from)
{
    if (from < t->n && t->at[from] >= 'a' && t->at[from] <= 'z')
        t->at[from] -= 'a' - 'A';
}

static void add_steps(struct explainer *w)
{
    struct pf_narrative narrative = pf_narrative_of(w->f, false, w->pool);
    for (size_t i = 0; i < narrative.n; i++) {
        pf_text_u64(w->t, i + 1);
        pf_text_add(w->t, ". ");
        size_t from = w->t->n;
        pf_thread_text(w->t, w->f, narrative.at[i].thread);
        add_capital(w->t, from);
        pf_text_char(w->t, ' ');
        pf_narrative_step_text(w->t, w->f, &narrative.at[i]);
        pf_text_add(w->t, narrative.at[i].kind == PF_NARRATIVE_ACCESS ? "   <--\n" : "\n");
        add_position(w, narrative.at[i].stack);
    }
}

/* True for steps that do not explain the finding: accesses of other memory, and calls. */
static bool is_irrelevant(const struct pf_schedule_step *m)
{
    static const char *const ops[] = {"read",  "write", "aread", "awrite", "rmw",
                                      "alloc", "free",  "call",  "ret",    "branch"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(m->op, ops[i]))
            return !m->marked && !m->related;
    return false;
}

/* How many steps, beginning with `first`, are printed as one line. 0: `first` is not folded,
 * because fewer than two steps are irrelevant here. */
static size_t folded_steps(const struct explainer *w, size_t first)
{
    const struct pf_finding *f = w->f;
    size_t n = 0;
    while (first + n < f->nwitness && f->witness[first + n].thread == f->witness[first].thread &&
           is_irrelevant(&f->witness[first + n]))
        n++;
    return w->all || n < 2 ? 0 : n;
}

/* Describes the schedule step by step, each with its source line. */
static void add_schedule(struct explainer *w)
{
    const struct pf_finding *f = w->f;
    if (!f->nwitness)
        return;
    pf_text_add(w->t, f->clip ? "\nSteps in the clip:\n" : "\nSteps of the schedule:\n");
    for (size_t i = 0; i < f->nwitness; i++) {
        const struct pf_schedule_step *m = &f->witness[i];
        size_t n = folded_steps(w, i);
        if (n) {
            pf_text_add(w->t, "    ");
            pf_thread_text(w->t, f, m->thread);
            pf_text_format(w->t, ": %zu steps that use other memory (--all shows them)\n", n);
            i += n - 1;
            continue;
        }
        pf_text_add(w->t, m->marked ? " -> " : "    ");
        pf_thread_text(w->t, f, m->thread);
        pf_text_add(w->t, ": ");
        pf_schedule_step_text(w->t, m);
        pf_text_char(w->t, '\n');
        const char *line = m->file ? pf_sources_line(w->sources, m->file, NULL, m->line, &n) : NULL;
        if (!m->file)
            continue;
        pf_text_add(w->t, "          ");
        pf_text_name(w->t, pf_str_base(m->file));
        pf_text_format(w->t, ":%u", m->line);
        if (line) {
            pf_text_add(w->t, " | ");
            pf_text_line(w->t, line, n);
        }
        pf_text_char(w->t, '\n');
    }
}

static void add_lock_names(struct explainer *w, const struct pf_access *a)
{
    for (size_t i = 0; i < a->nlocks; i++) {
        pf_text_add(w->t, i ? ", M" : "M");
        pf_text_u64(w->t, pf_finding_lock_number(w->f, a->locks[i].address));
        if (a->locks[i].name) {
            pf_text_add(w->t, " '");
            pf_text_name(w->t, a->locks[i].name);
            pf_text_char(w->t, '\'');
        }
    }
}

/* Explains what the locks tell about the cause, and what would fix it. */
static void add_advice(struct explainer *w)
{
    struct pf_text *t = w->t;
    if (!pf_finding_is_pair(w->f))
        return;
    const struct pf_access *a = &w->f->accesses[1], *b = &w->f->accesses[0];
    pf_text_add(t, "\nNothing orders the two accesses: they can happen in either order or at "
                   "the same time. The\n"
                   "compiler may assume that this never happens. ");
    if (a->op == PF_OP_FREE || b->op == PF_OP_FREE)
        pf_text_add(t, "One of them frees the memory, so the other may use it\n"
                       "afterwards. Let the freeing thread wait for the other one (join, or a "
                       "reference count).\n");
    else if (!a->nlocks && !b->nlocks)
        pf_text_add(t, "Neither thread holds a lock. Hold the same lock at both\n"
                       "accesses, make both atomic, or let one thread wait for the other.\n");
    else if (!a->nlocks || !b->nlocks) {
        pf_thread_text(t, w->f, a->nlocks ? a->thread : b->thread);
        pf_text_add(t, " holds\n");
        add_lock_names(w, a->nlocks ? a : b);
        pf_text_add(t, ", the other thread holds no lock: it should probably take the same one.\n");
    } else {
        pf_text_add(t, "Both hold locks, but not the same one:\n");
        add_lock_names(w, a);
        pf_text_add(t, " against ");
        add_lock_names(w, b);
        pf_text_add(t, " (a lock that both took only for reading does not help).\n");
    }
}

static void add_command(struct pf_text *t, const char *before, const char *command,
                        const char *clip)
{
    pf_text_add(t, before);
    pf_text_add(t, command);
    pf_text_shell_word(t, clip);
    pf_text_char(t, '\n');
}

static void add_stages(struct pf_text *t, const struct pf_finding *f)
{
    for (const struct pf_stage *s = f->stages; s; s = s->next) {
        pf_text_add(t, s == f->stages ? "\nHow it was seen: " : "; ");
        pf_text_name(t, pf_stage_words(s->stage));
        pf_text_add(t, " ");
        pf_text_add(t, pf_finding_status_name(s->status));
        pf_text_add(t, " it ");
        pf_text_u64(t, s->count);
        pf_text_add(t, s->count == 1 ? " time" : " times");
    }
    pf_text_add(t, f->stages ? ".\n" : "");
}

static void add_replay(struct explainer *w)
{
    struct pf_text *t = w->t;
    const struct pf_finding *f = w->f;
    if (f->suspicious) {
        pf_text_add(t, "\nSuspicious, it does not count: not shown to matter (");
        pf_text_name(t, f->suspicious);
        pf_text_add(t, ").\n");
    }
    if (f->harm) {
        pf_text_add(t, "\nConsequence in the clip: ");
        pf_text_name(t, f->harm);
        size_t n = strlen(f->harm); /* an assertion's text ends with a full stop */
        pf_text_add(t, n && f->harm[n - 1] == '.' ? "\n" : ".\n");
    }
    add_stages(t, f);
    if (f->clip) {
        bool watched = pf_kind_is_memory_error(f->kind);
        add_command(t, "\nTo replay it:\n", watched ? "    pf replay --watch " : "    pf replay ",
                    f->clip);
        add_command(t, "To replay it in gdb, with all threads, up to where it happens:\n",
                    "    pf replay --gdb ", f->clip);
        if (f->recording)
            add_command(t, "To replay the recording, with the accesses in their original order:\n",
                        "    pf replay ", f->recording);
        return;
    }
    pf_text_add(t, "\nThere is no clip: the finding was ");
    pf_text_add(t, pf_finding_status_name(f->status));
    pf_text_add(t, ", not yet confirmed by a replay.\n");
    if (f->tries) {
        pf_text_u64(t, f->tries);
        pf_text_add(t, f->tries == 1 ? " schedule was" : " schedules were");
        pf_text_add(t, " aimed at it and did not show it again.\n");
    }
}

static void add_head(struct explainer *w)
{
    struct pf_text *t = w->t;
    const struct pf_finding *f = w->f;
    pf_text_add(t, "Finding ");
    pf_text_hex(t, f->id, 16);
    pf_text_add(t, ", ");
    pf_text_add(t, pf_finding_status_name(f->status));
    pf_text_add(t, ", seen ");
    pf_text_u64(t, f->count);
    pf_text_add(t, f->count == 1 ? " time" : " times");
    if (f->verdict) {
        pf_text_add(t, ", judged ");
        pf_text_name(t, f->verdict);
    }
    pf_text_add(t, ":\n");
    size_t from = t->n;
    pf_finding_title(t, f);
    add_capital(t, from);
    pf_text_add(t, ".\n\n");
}

/* The other findings with the same cause. */
static void add_group(struct explainer *w, const struct pf_findings *all)
{
    bool first = true;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i] != w->f && all->at[i]->group == w->f->group) {
            pf_text_add(w->t, first ? "\nFindings with the same cause:\n" : "");
            pf_text_add(w->t, "    ");
            pf_text_hex(w->t, all->at[i]->id, 16);
            pf_text_add(w->t, " ");
            pf_finding_title(w->t, all->at[i]);
            pf_text_char(w->t, '\n');
            first = false;
        }
}

int pf_verb_explain(int argc, char **argv)
{
    const char *state = PF_DEFAULT_STATE, *folder = NULL;
    bool all = false;
    const struct pf_cli_option options[] = {
        {"state", "DIR", "read the findings in DIR (default " PF_DEFAULT_STATE ")", &state, NULL},
        {"source", "DIR", "also search for the sources in DIR", &folder, NULL},
        {"all", NULL, "show all steps, also calls and accesses of unrelated memory", NULL, &all},
    };
    const struct pf_cli_verb verb = {VERB, "[OPTION...] FINDING",
                                     "Describes one finding step by step, with the source lines. "
                                     "FINDING is its id, or the first digits\n"
                                     "of it; pf report lists the ids.",
                                     options, sizeof options / sizeof options[0]};
    struct pf_findings f;
    struct pf_sources sources;
    struct pf_text t;
    struct pf_error e;
    const struct pf_finding *it = NULL;
    int status = PF_EXIT_USAGE;
    int first = pf_cli_parse(&verb, argc, argv, &status);
    if (first < 0)
        return status;
    if (argc - first != 1)
        return pf_complain(VERB, "%s; usage: pf explain %s",
                           argc > first ? "give only one finding" : "no finding given", verb.usage);
    pf_findings_init(&f);
    pf_sources_init(&sources, folder);
    pf_status s = pf_state_read(&f, state, &e);
    if (s == PF_OK)
        s = pf_state_find(&f, argv[first], &it, &e);
    if (s == PF_OK) {
        pf_text_init(&t, &f.pool);
        struct explainer w = {&t, it, &sources, &f.pool, all};
        add_head(&w);
        add_steps(&w);
        add_schedule(&w);
        add_advice(&w);
        add_replay(&w);
        pf_findings_sort(&f);
        add_group(&w, &f);
        s = pf_file_write("-", t.at, t.n, &e);
    }
    pf_sources_release(&sources);
    pf_findings_release(&f);
    return s == PF_OK ? PF_EXIT_OK : pf_complain(VERB, "%s", e.text);
}
