/* unsteady_output.c - see unsteady_output.h. */
#include "unsteady_output.h"
#include "evidence.h"
#include <stdio.h>

/* From now on, these descriptors are not compared. Returns false and drops nothing if there are
 * none, or if no output would be left. */
static bool drop_descriptors(struct pf_judging *j, uint64_t bits, uint64_t all, const char *why)
{
    if (!bits || bits == all)
        return false;
    j->own.unsteady |= bits;
    for (size_t i = 0; i < j->g.at.len; i++) {
        pf_run_output_drop(&j->g.at.at[i].output, bits);
        j->g.at.at[i].has_twin = false;
    }
    for (int fd = 0; fd < 64; fd++)
        if (bits >> fd & 1) {
            char text[160];
            snprintf(text, sizeof text, "descriptor %d: not compared, because %s differ in it", fd,
                     why);
            pf_evidence_text(j->out, "unsteady", text);
        }
    return true;
}

/* No descriptor would be left. If the two outputs differ only in numbers, these are not compared:
 * for example how long the program took, as the last line of its results. */
static void hide_numbers(struct pf_judging *j, const struct pf_judge_run *again, const char *why)
{
    struct pf_output_numbers fresh = {0}, *all = &j->own.hidden;
    if (!pf_output_numbers_add(&fresh, &pf_judging_run(j, 0)->output, &again->output) ||
        fresh.n > PF_OUTPUT_NUMBERS - all->n)
        return;
    for (unsigned i = 0; i < fresh.n; i++) {
        char text[160];
        all->at[all->n++] = fresh.at[i];
        snprintf(text, sizeof text,
                 "descriptor %d, line %u: number %u is not compared, because %s differ in it",
                 fresh.at[i].fd, fresh.at[i].line + 1, fresh.at[i].number + 1, why);
        pf_evidence_text(j->out, "unsteady", text);
    }
    for (size_t i = 0; i < j->g.at.len; i++) {
        pf_output_numbers_hide(&fresh, &j->g.at.at[i].output);
        j->g.at.at[i].has_twin = false;
    }
}

/* Drops descriptors whose output differs between two runs that should be equal: for example
 * standard error, if it shows times. If no other one has output, hides the numbers that differ. */
static void drop_unsteady(struct pf_judging *j, const struct pf_judge_run *again, const char *why)
{
    uint64_t all,
        bits = pf_run_output_differing(&pf_judging_run(j, 0)->output, &again->output, &all);
    if (!drop_descriptors(j, bits, all, why) && bits)
        hide_numbers(j, again, why);
}

bool pf_unsteady_output_drop_varying(struct pf_judging *j)
{
    uint64_t all, bits = pf_judge_runs_varying(&j->g, &all);
    return drop_descriptors(j, bits, all, "several runs of one order");
}

void pf_unsteady_output_repeat(struct pf_judging *j)
{
    struct pf_judge_wish wishes[] = {{.recorded = true, .n = 1},
                                     {.recorded = true, .other_clock = true, .n = 1}};
    struct pf_error e;
    size_t at = j->g.at.len;
    j->repeated = true;
    j->varies = pf_judge_runs_add(&j->g, wishes, 2, &e) != PF_OK ||
                !pf_judging_usable(pf_judging_run(j, at));
    if (j->varies)
        return;
    drop_unsteady(j, pf_judging_run(j, at), "two runs of the same order and schedule");
    const struct pf_judge_run *first = pf_judging_run(j, 0), *other = pf_judging_run(j, at + 1);
    bool clock = pf_judging_usable(other) && !*other->failure &&
                 other->run.events == first->run.events && !pf_judge_runs_same(first, other);
    if (clock)
        drop_unsteady(j, other, "two runs that differ only in their clocks");
    j->varies = !pf_judge_runs_same(first, pf_judging_run(j, at)) ||
                (clock && !pf_judge_runs_same(first, other));
}
