/* check_summary.c - see findings.h: the summary of pf check, as JSON and as text. */
#include "finding_json.h"
#include "findings.h"
#include "text_format.h"
#include <string.h>

static uint64_t schedules(const struct pf_check_summary *c)
{
    return c->recordings + c->sampled + c->searched + c->hunted + c->directed + c->candidates;
}

static void add_notes(struct pf_text *t, const char *name, const struct pf_check_note *first)
{
    pf_json_key(t, name);
    pf_text_char(t, '[');
    for (const struct pf_check_note *n = first; n; n = n->next) {
        pf_text_add(t, n == first ? "\n{" : ",\n{");
        pf_json_str(t, "text", n->text);
        pf_json_num(t, "times", n->times);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
}

void pf_check_summary_batch(struct pf_check_summary *c, uint64_t schedules, uint64_t behaviours)
{
    c->sampled += schedules;
    c->behaviours += behaviours;
    if (!c->stride)
        c->stride = 1;
    if (c->ncurve == PF_CHECK_CURVE) {
        for (size_t i = 0; i < PF_CHECK_CURVE / 2; i++)
            c->curve[i] = c->curve[2 * i + 1];
        c->ncurve = PF_CHECK_CURVE / 2;
        c->stride *= 2;
    }
    if (++c->batches % c->stride == 0)
        c->curve[c->ncurve++] = (struct pf_check_point){c->sampled, c->behaviours};
}

void pf_check_summary_exit(struct pf_check_summary *c, int status)
{
    if (!c->exits)
        c->first_exit = status;
    else if (c->exits == 1)
        c->other_exit = status;
    else if (c->other_exit != status)
        c->other_exit = -1;
    c->exits++;
}

/* A program that fails in every run, or in every run after the first one, has probably not done
 * what the user wants to check. */
static void add_exits_text(struct pf_text *t, const struct pf_check_summary *c)
{
    if (c->hides)
        pf_text_add(t, "note: the program fails if the files of its first run are there; all later "
                       "recordings do not see these files, free runs do\n");
    if (c->checks != 1 || c->several_tests || !c->exits || c->hides)
        return;
    if (c->first_exit && (c->exits == 1 || c->other_exit == c->first_exit))
        pf_text_format(t,
                       "note: the program ended with status %d in every free run and recording\n",
                       c->first_exit);
    else if (!c->first_exit && c->exits > 1 && c->other_exit > 0)
        pf_text_format(t,
                       "note: the program ended with status 0 in the first run and with status %d "
                       "in all later free runs and recordings: the first run may have changed "
                       "files that they need\n",
                       c->other_exit);
}

static void add_curve(struct pf_text *t, const struct pf_check_summary *c)
{
    pf_json_key(t, "curve");
    pf_text_char(t, '[');
    for (size_t i = 0; i < c->ncurve; i++) {
        pf_text_add(t, i ? ",[" : "[");
        pf_text_u64(t, c->curve[i].schedules);
        pf_text_char(t, ',');
        pf_text_u64(t, c->curve[i].behaviours);
        pf_text_char(t, ']');
    }
    pf_text_char(t, ']');
}

static void add_explorations(struct pf_text *t, const struct pf_check_summary *c)
{
    pf_json_key(t, "explorations");
    pf_text_char(t, '[');
    for (const struct pf_check_exploration *x = c->explorations; x; x = x->next) {
        pf_text_add(t, x == c->explorations ? "\n{" : ",\n{");
        pf_json_str(t, "command", x->command);
        pf_json_num(t, "test", x->test);
        pf_json_num(t, "schedules", x->schedules);
        pf_json_num(t, "classes", x->classes);
        pf_json_num(t, "targets", x->targets);
        pf_json_bool(t, "complete", x->complete);
        pf_json_str(t, "model", x->c11 ? "c11" : "sequential consistency only");
        if (x->assumes_addresses)
            pf_json_bool(t, "assumes_addresses", true);
        pf_json_str(t, "failed", x->failed);
        add_notes(t, "open", x->unexplored);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
}

void pf_check_summary_json(struct pf_text *t, const struct pf_check_summary *c)
{
    pf_json_key(t, "check");
    pf_text_char(t, '{');
    pf_json_num(t, "checks", c->checks);
    pf_json_num(t, "runs", c->runs);
    pf_json_num(t, "recordings", c->recordings);
    pf_json_num(t, "sampled", c->sampled);
    pf_json_num(t, "searched", c->searched);
    if (c->hunted)
        pf_json_num(t, "hunted", c->hunted);
    pf_json_num(t, "behaviours", c->behaviours);
    pf_json_num(t, "directed", c->directed);
    pf_json_num(t, "schedules", schedules(c));
    pf_json_num(t, "candidates", c->candidates);
    pf_json_num(t, "refuted", c->refuted);
    pf_json_num(t, "undecided", c->undecided);
    pf_json_num(t, "events", c->events);
    pf_json_num(t, "ms", c->ms);
    add_curve(t, c);
    add_explorations(t, c);
    add_notes(t, "gaps", c->gaps);
    pf_text_char(t, '}');
}

static void add_count(struct pf_text *t, uint64_t n, const char *one, const char *many)
{
    pf_text_u64(t, n);
    pf_text_char(t, ' ');
    pf_text_add(t, n == 1 ? one : many);
}

/* One line for the search, and one for each thing that it left out. */
static void add_exploration_text(struct pf_text *t, const struct pf_check_exploration *x,
                                 const struct pf_check_summary *c)
{
    if (c->checks > 1) {
        pf_text_name(t, x->command);
        pf_text_add(t, ": ");
    }
    if (c->several_tests)
        pf_text_format(t, "program %llu: ", (unsigned long long)x->test + 1);
    if (x->failed) {
        pf_text_add(t, "systematic search: no result: ");
        pf_text_name(t, x->failed);
        pf_text_char(t, '\n');
        return;
    }
    if (x->complete) {
        pf_text_add(t, "complete for this input: ");
        add_count(t, x->classes, "execution is possible, and was seen",
                  "executions are possible, and all were seen");
        pf_text_add(t, x->c11 ? " (C11: there is no data race, and all atomic operations are "
                                "sequentially consistent)\n"
                              : " (sequential consistency only)\n");
        if (x->assumes_addresses)
            pf_text_add(
                t, "  assumed: nothing depends on the addresses of allocated memory; they were "
                   "the same in all runs\n");
        return;
    }
    pf_text_add(t, "systematic search: ");
    add_count(t, x->classes, "execution", "different executions");
    pf_text_add(t, x->targets ? "; " : "; nothing is left to try\n");
    if (x->targets) {
        add_count(t, x->targets, "target is", "targets are");
        pf_text_add(t, " left\n");
    }
    for (const struct pf_check_note *n = x->unexplored; n; n = n->next) {
        pf_text_add(t, "  not explored: ");
        pf_text_name(t, n->text);
        pf_text_add(t, ", ");
        add_count(t, n->times, "time", "times");
        pf_text_char(t, '\n');
    }
}

void pf_check_summary_text(struct pf_text *t, const struct pf_check_summary *c)
{
    pf_text_add(t, "explored: ");
    add_count(t, c->runs, "free run", "free runs");
    pf_text_add(t, "; ");
    add_count(t, schedules(c), "schedule", "schedules");
    pf_text_add(t, " (");
    add_count(t, c->recordings, "recording", "recordings");
    pf_text_add(t, ", ");
    pf_text_u64(t, c->sampled);
    pf_text_add(t, " in batches, ");
    if (c->searched) {
        pf_text_u64(t, c->searched);
        pf_text_add(t, " in systematic search, ");
    }
    if (c->hunted) {
        pf_text_u64(t, c->hunted);
        pf_text_add(t, " in hunts for other inputs, ");
    }
    add_count(t, c->candidates, "prediction tried", "predictions tried");
    pf_text_add(t, ", ");
    pf_text_u64(t, c->directed);
    pf_text_add(t, " aimed at a finding); ");
    add_count(t, c->events, "event", "events");
    pf_text_format(t, " searched for predictions; %.1f s\n", (double)c->ms / 1000);
    for (const struct pf_check_exploration *x = c->explorations; x; x = x->next)
        add_exploration_text(t, x, c);
    add_exits_text(t, c);
}

/* True if the texts differ only in numbers, or in how the run of a recording differs from it. */
static bool is_alike(const char *a, const char *b)
{
    static const char diverged[] = "the run diverged from the recording";
    for (;;) {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b)
            return false;
        if (!*a || (!strncmp(a, diverged, sizeof diverged - 1) &&
                    !strncmp(b, diverged, sizeof diverged - 1)))
            return true;
        a++;
        b++;
    }
}

void pf_check_summary_losses(struct pf_text *t, const struct pf_check_summary *c)
{
    for (const struct pf_check_note *n = c->gaps; n; n = n->next) {
        const struct pf_check_note *first = c->gaps;
        uint64_t others = 0;
        while (!is_alike(first->text, n->text))
            first = first->next;
        if (first != n)
            continue; /* counted with the first one */
        for (const struct pf_check_note *o = n->next; o; o = o->next)
            others += is_alike(n->text, o->text) ? o->times : 0;
        pf_text_add(t, "pf: incomplete: ");
        pf_text_name(t, n->text);
        if (n->times > 1) {
            pf_text_add(t, ", ");
            add_count(t, n->times, "time", "times");
        }
        if (others) {
            pf_text_add(t, "; and ");
            add_count(t, others, "similar one", "similar ones");
        }
        pf_text_char(t, '\n');
    }
}
