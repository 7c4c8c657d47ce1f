/* chain_results.c - what a step that has ended, or is skipped, changes for the following steps. */
#include "chain_test.h"
#include "message.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* if a free run under the policy full takes more than a tenth of the time budget, later free runs
 * use atexrace */
#define SLOW_SHARE 10
#define MAX_FAILED_RECORDINGS 2 /* consecutive recordings that failed */

static void add_recording(pf_vec_to_search *list, const struct pf_check_line *l, const char *child)
{
    struct pf_chain_recording r = {.test = l->test, .step = l->step};
    snprintf(r.child, sizeof r.child, "%s", child);
    pf_vec_push(list, r);
}

/* The recording has been searched. */
static void forget_recording(pf_vec_to_search *list, const struct pf_check_line *l)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i].step == l->from_step && !strcmp(list->at[i].child, l->child))
            list->at[i--] = list->at[--list->len];
}

void pf_chain_add_child(struct pf_chain *c, const struct pf_check_line *step, const char *path,
                        bool many)
{
    if (strlen(path) >= sizeof step->child)
        return;
    c->tests[step->test].forks |= many;
    if (step->kind == PF_CHECK_DIRECT)
        add_recording(&c->aimed_recordings, step, path);
    else
        add_recording(&c->child_recordings, step, path);
}

/* The files that the first recording created are in the way of every later run: from now on
 * recordings do not see them. The first recording is made again, because its schedules cannot be
 * tried with these files. */
static void hide_created(struct pf_chain_test *t, const struct pf_check_line *run)
{
    int status = WIFEXITED(run->wait) ? WEXITSTATUS(run->wait) : 0;
    if (!t->creates || t->hides || run->round || !status || status == PF_EXIT_FOUND ||
        strcmp(run->how, "ended"))
        return;
    t->hides = true;
    t->record = PF_CHAIN_WAITING;
    pf_vec_clear(&t->to_search);
}

/* A recording that hides files has ended. Without a clip, the program cannot be run that way. */
static void take_hidden(struct pf_chain_test *t, bool produced)
{
    if (produced)
        return;
    t->hides = t->creates = false;
    t->failed = 0;
    pf_vec_push(&t->to_search, t->first);
}

static void apply_result(struct pf_chain *c, const struct pf_check_line *l, bool produced)
{
    struct pf_chain_test *t = &c->tests[l->test];
    struct pf_chain_tried *tried;
    bool looked;
    c->other_ms += l->kind == PF_CHECK_EXPLORE ? 0 : l->wall_ms;
    switch (l->kind) {
    case PF_CHECK_RUN:
        t->run = PF_CHAIN_OVER;
        hide_created(t, l);
        t->slow |= !strcmp(l->schedule, "full") && l->wall_ms * SLOW_SHARE > c->budget_ms;
        t->hangs |= !strcmp(l->how, "limit");
        break;
    case PF_CHECK_RECORD:
        t->record = PF_CHAIN_OVER;
        if (produced)
            pf_vec_push(&t->to_search, l->step);
        t->length = l->length ? l->length : t->length;
        t->batches &= strcmp(l->how, "limit") != 0; /* its schedules would not end either */
        t->failed = produced ? 0 : t->failed + 1;
        t->recordable = t->failed < MAX_FAILED_RECORDINGS;
        t->creates |= l->creates;
        t->first = l->creates ? l->step : t->first;
        if (l->hides && l->round == 0)
            take_hidden(t, produced);
        break;
    case PF_CHECK_BATCH:
        t->record = PF_CHAIN_OVER;
        if (l->late)
            t->switches = produced && !l->refused;
        else if (l->refused)
            t->switches_only = true;
        else
            t->batches = produced;
        t->batches &= t->switches || !t->switches_only;
        t->length = l->length ? l->length : t->length;
        if (pf_share_policy_of(l->schedule) != PF_SHARE_POLICIES)
            pf_policy_shares_add(&t->shares, pf_share_policy_of(l->schedule), l->schedules,
                                 l->behaviours, l->failures);
        break;
    case PF_CHECK_EXPLORE:
        looked = pf_explore_slices_looks(&t->slices, t->length);
        pf_explore_slices_add(&t->slices, l->schedules, l->left, l->wall_ms);
        t->explore = looked && !t->slices.over ? PF_CHAIN_WAITING : PF_CHAIN_OVER;
        c->explore_ms += l->wall_ms;
        break;
    case PF_CHECK_HUNT:
        t->hunt = PF_CHAIN_OVER;
        c->hunt_ms += l->wall_ms;
        t->hunts &= l->left != 0;
        break;
    case PF_CHECK_HATCH:
        if (!l->child[0])
            t->hatch = PF_CHAIN_OVER;
        break;
    case PF_CHECK_LOOK:
        if (l->from_step == t->searched && !l->child[0])
            t->look = PF_CHAIN_OVER;
        break;
    case PF_CHECK_JUDGE:
        c->judging = false;
        c->judge_ms += l->wall_ms;
        c->left_unjudged = l->undecided;
        break;
    case PF_CHECK_DIRECT:
        tried = pf_chain_find_tried(c, l->finding);
        tried->tries++;
        if (tried->begun < tried->tries) { /* restored from the journal */
            tried->begun = tried->tries;
            tried->in_round = tried->round == l->round ? tried->in_round + 1 : 1;
        }
        tried->round = l->round;
        if (produced)
            add_recording(&c->aimed_recordings, l, "");
        break;
    default:
        break;
    }
}

void pf_chain_ended(struct pf_chain *c, const struct pf_check_line *step, bool produced)
{
    c->running--;
    c->ordinary -= pf_chain_is_ordinary(step);
    c->started = true;
    c->tests[step->test].complete |= step->complete;
    c->cut |= step->round == 0 && pf_chain_is_ordinary(step) && pf_check_line_cut(step);
    apply_result(c, step, produced);
}

void pf_chain_add_recording(struct pf_chain *c, const struct pf_check_line *line)
{
    pf_vec_push(&c->tests[line->test].to_search, line->step);
}

void pf_chain_take_search(struct pf_chain_test *t, size_t i)
{
    uint64_t *at = t->to_search.at + i;
    memmove(at, at + 1, (--t->to_search.len - i) * sizeof *at);
}

void pf_chain_skip(struct pf_chain *c, const struct pf_check_line *step)
{
    struct pf_chain_test *t = &c->tests[step->test];
    c->running--;
    c->ordinary -= pf_chain_is_ordinary(step);
    c->cut |= step->round == 0 && pf_chain_is_ordinary(step);
    c->skipped = true;
    switch (step->kind) {
    case PF_CHECK_RUN:
        t->run = PF_CHAIN_OVER;
        break;
    case PF_CHECK_RECORD:
    case PF_CHECK_BATCH:
        t->record = PF_CHAIN_OVER;
        break;
    case PF_CHECK_EXPLORE:
        t->explore = PF_CHAIN_OVER;
        break;
    case PF_CHECK_HUNT:
        t->hunt = PF_CHAIN_OVER;
        break;
    case PF_CHECK_HATCH:
        if (!step->child[0])
            t->hatch = PF_CHAIN_OVER;
        break;
    case PF_CHECK_LOOK:
        if (step->from_step == t->searched && !step->child[0])
            t->look = PF_CHAIN_OVER;
        break;
    case PF_CHECK_JUDGE:
        c->judging = false;
        break;
    default: /* DIRECT: pf_chain_next has noted that the finding got its recording */
        break;
    }
}

void pf_chain_restore(struct pf_chain *c, const struct pf_check_line *line, bool produced)
{
    if (line->test >= c->ntests)
        return;
    struct pf_chain_test *t = &c->tests[line->test];
    while (c->round < line->round)
        pf_chain_next_round(c);
    c->over = false; /* the user asked to continue */
    if (line->kind == PF_CHECK_RECORD && line->from_step) {
        if (produced)
            pf_chain_add_recording(c, line);
        return;
    }
    if (line->kind == PF_CHECK_BATCH && line->first + line->schedules > c->seed + t->seeds)
        t->seeds = line->first + line->schedules - c->seed;
    if (!pf_check_line_cut(line)) { /* otherwise it is repeated */
        apply_result(c, line, line->kind == PF_CHECK_BATCH ? line->schedules > 0 : produced);
        t->complete |= line->complete;
    }
    if (line->kind == PF_CHECK_LOOK && !pf_check_line_cut(line))
        forget_recording(&c->aimed_recordings, line);
    if (line->kind == PF_CHECK_HATCH && !pf_check_line_cut(line) && line->child[0])
        forget_recording(&c->child_recordings, line);
    for (size_t i = 0; line->kind == PF_CHECK_HATCH && !line->child[0] &&
                       !pf_check_line_cut(line) && i < t->to_search.len;
         i++)
        if (t->to_search.at[i] == line->from_step) {
            t->searched = line->from_step;
            pf_chain_take_search(t, i);
        }
}

uint64_t pf_chain_first_recording(const struct pf_chain *c, uint64_t step)
{
    const pf_vec_to_search *lists[] = {&c->aimed_recordings, &c->child_recordings};
    for (size_t i = 0; i < c->ntests; i++)
        for (size_t k = 0; k < c->tests[i].to_search.len; k++)
            if (c->tests[i].to_search.at[k] < step)
                step = c->tests[i].to_search.at[k];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < lists[i]->len; k++)
            if (lists[i]->at[k].step < step)
                step = lists[i]->at[k].step;
    return step;
}

bool pf_chain_first_round_done(const struct pf_chain *c)
{
    bool all = !c->cut;
    for (size_t i = 0; i < c->ntests && c->round == 0; i++)
        all &= c->tests[i].run == PF_CHAIN_OVER &&
               (!c->tests[i].recordable ||
                (c->tests[i].record == PF_CHAIN_OVER && !c->tests[i].to_search.len &&
                 c->tests[i].hatch != PF_CHAIN_RUNNING));
    return all;
}

uint64_t pf_chain_explored(const struct pf_chain *c, size_t test)
{
    return c->tests[test].slices.done;
}

uint64_t pf_chain_length(const struct pf_chain *c, size_t test) { return c->tests[test].length; }

unsigned pf_chain_tries(const struct pf_chain *c, uint64_t finding)
{
    for (size_t i = 0; i < c->tried.len; i++)
        if (c->tried.at[i].finding == finding)
            return c->tried.at[i].tries;
    return 0;
}
