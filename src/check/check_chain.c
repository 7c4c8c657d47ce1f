/* check_chain.c - see check_chain.h. */
#define _GNU_SOURCE
#include "check_chain.h"
#include "allocation.h"
#include "chain_test.h"
#include "program.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program whose runs have more events is not searched systematically, and only one recording in a
 * round is aimed at each of its findings (otherwise up to TRIES_PER_ROUND). */
#define EXPLORE_EVENTS 200000
#define DIRECTED_PER_ROUND 16 /* findings that get recordings aimed at them in one round */
#define TRIES_PER_ROUND 4 /* most recordings aimed at one finding in a round */
#define RUN_AGAIN 8 /* a program whose free run did not end gets one in every 8th round */
/* the least size of a batch in schedules, the most of a program's first batch (of later ones:
 * PF_CHAIN_BATCH_MOST), and about how many events its schedules have together */
#define BATCH_FIRST 32
#define BATCH_LEAST 8
#define BATCH_EVENTS 2000000
#define LENGTH_LEAST 8 /* the least length of runs that pct gets as its parameter */
/* The batch of every third round starts at main's first event, so that a thread may run before main
 * has started the others. All other batches start at the first switch, so that what main does
 * before it is run only once. */
#define EARLY_ROUNDS 3

pf_status pf_chain_init(struct pf_chain *c, const struct pf_check_settings *settings,
                        struct pf_error *e)
{
    struct pf_error ignored;
    *c = (struct pf_chain){.ntests = settings->tests.n,
                           .rounds = settings->rounds,
                           .sample = settings->sample,
                           .seed = settings->first_seed,
                           .explores = !settings->part.first || settings->part.explores,
                           .budget_ms = settings->time_ms};
    c->tests = pf_mem_zero(c->ntests, sizeof *c->tests);
    for (size_t i = 0; i < c->ntests; i++) {
        c->tests[i].recordable =
            pf_program_check(settings->tests.at[i].path, false, &ignored) == PF_OK;
        c->tests[i].batches = c->tests[i].switches = !settings->server && !settings->for_ms;
        c->tests[i].hunts =
            settings->hunt && !settings->part.first &&
            pf_program_check_symbolic(settings->tests.at[i].path, &ignored) == PF_OK;
        c->judges |= c->tests[i].recordable && c->tests[i].batches && !settings->part.first;
    }
    return PF_OK;
}

void pf_chain_release(struct pf_chain *c)
{
    for (size_t i = 0; c->tests && i < c->ntests; i++)
        pf_vec_release(&c->tests[i].to_search);
    free(c->tests);
    pf_vec_release(&c->tried);
    pf_vec_release(&c->aimed_recordings);
    pf_vec_release(&c->child_recordings);
    *c = (struct pf_chain){0};
}

/* --- schedules --- */

static void set_sampling_policy(const struct pf_chain *c, struct pf_check_line *u)
{
    bool full = u->round % 2 == 0 && !c->tests[u->test].slow;
    snprintf(u->schedule, sizeof u->schedule, "%s",
             c->sample ? c->sample
             : full    ? "full"
                       : "atexrace");
}

static uint64_t length_of(const struct pf_chain_test *t)
{
    return t->length > LENGTH_LEAST ? t->length : LENGTH_LEAST;
}

/* The schedule of a single recording: round robin first, then the policies in turn. */
static void set_schedule(const struct pf_chain *c, struct pf_check_line *u)
{
    if (u->round == 0) {
        strcpy(u->schedule, "rr");
        return;
    }
    char form[sizeof u->schedule];
    pf_share_policy_text(form, sizeof form, (enum pf_share_policy)(u->round % PF_SHARE_AIMED),
                         length_of(&c->tests[u->test]), "");
    const char *star = strchr(form, '*');
    snprintf(u->schedule, sizeof u->schedule, "%.*s%" PRIu64 "%s", (int)(star - form), form,
             c->seed + u->round, star + 1);
}

/* A race to aim at, of this program; NULL: there is none. They take turns. */
static const struct pf_chain_target *find_race_to_aim_at(const struct pf_chain *c, size_t test,
                                                         const struct pf_chain_wanted *wanted)
{
    for (size_t k = 0; k < wanted->nraces; k++) {
        const struct pf_chain_target *a =
            &wanted->races[(c->tests[test].aimed_batches + k) % wanted->nraces];
        if (*a->positions && (a->test == test || a->test == PF_CHAIN_ANY))
            return a;
    }
    return NULL;
}

static void set_batch(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                      struct pf_check_line *u)
{
    struct pf_chain_test *t = &c->tests[u->test];
    const struct pf_chain_target *aim = find_race_to_aim_at(c, u->test, wanted);
    enum pf_share_policy policy = pf_policy_shares_next(&t->shares, aim != NULL);
    uint64_t n = BATCH_EVENTS / length_of(t), most = PF_CHAIN_BATCH_MOST;
    if (!t->seeds && c->round <= 1)
        most = BATCH_FIRST;
    t->aimed_batches += policy == PF_SHARE_AIMED;
    u->late = t->switches && (t->switches_only || c->round % EARLY_ROUNDS != 1);
    pf_share_policy_text(u->schedule, sizeof u->schedule, policy, length_of(t),
                         aim ? aim->positions : "");
    u->first = c->seed + t->seeds;
    u->schedules = n < BATCH_LEAST ? BATCH_LEAST : n > most ? most : n;
    t->seeds += u->schedules;
}

/* --- the next step --- */

bool pf_chain_is_ordinary(const struct pf_check_line *l)
{
    return l->kind != PF_CHECK_DIRECT && l->kind != PF_CHECK_LOOK && l->kind != PF_CHECK_JUDGE &&
           l->kind != PF_CHECK_HUNT;
}

static bool begin(struct pf_chain *c, enum pf_chain_state *state, enum pf_check_kind kind,
                  size_t test, uint64_t from_step, struct pf_check_line *u)
{
    *u = (struct pf_check_line){
        .kind = kind, .test = test, .round = c->round, .from_step = from_step};
    u->hides = c->tests[test].hides && (kind == PF_CHECK_RECORD || kind == PF_CHECK_DIRECT ||
                                        kind == PF_CHECK_BATCH || kind == PF_CHECK_EXPLORE);
    *state = PF_CHAIN_RUNNING;
    c->running++;
    c->ordinary += pf_chain_is_ordinary(u);
    return true;
}

static bool runs_freely(const struct pf_chain *c, const struct pf_chain_test *t)
{
    return t->run == PF_CHAIN_WAITING && (!t->hangs || c->round % RUN_AGAIN == 0);
}

/* True if it is not known yet whether the files of the first recording are to be hidden. */
static bool waits_for_run(const struct pf_chain *c, const struct pf_chain_test *t)
{
    return t->creates && c->round == 0 && t->run != PF_CHAIN_OVER;
}

static bool next_record(struct pf_chain *c, size_t test, const struct pf_chain_wanted *wanted,
                        struct pf_check_line *u)
{
    struct pf_chain_test *t = &c->tests[test];
    if (t->record != PF_CHAIN_WAITING || !t->recordable)
        return false;
    if (t->batches && !t->forks && c->round) {
        begin(c, &t->record, PF_CHECK_BATCH, test, 0, u);
        set_batch(c, wanted, u);
    } else {
        begin(c, &t->record, PF_CHECK_RECORD, test, 0, u);
        set_schedule(c, u);
    }
    return true;
}

/* True if the next slice of the systematic search is due. Without a number of rounds the search
 * also gets as much time as all other steps together. */
static bool explore_is_due(const struct pf_chain *c, const struct pf_chain_test *t)
{
    if (pf_explore_slices_due(&t->slices, t->length, t->seeds))
        return true;
    return !t->slices.over && !c->rounds && c->explore_ms < c->other_ms;
}

/* A slice of the systematic search, once a recording has shown that the program has several threads
 * and how long its runs are. `looks`: the slice that comes before the predictions. All others come
 * after them. */
static bool next_explore(struct pf_chain *c, size_t test, bool looks, struct pf_check_line *u)
{
    struct pf_chain_test *t = &c->tests[test];
    bool fits = c->rounds || pf_chain_explore_ms(c) > 2 * t->slices.ms;
    bool after_predictions = !t->to_search.len && t->hatch != PF_CHAIN_RUNNING;
    if (!c->explores || waits_for_run(c, t) || t->explore != PF_CHAIN_WAITING ||
        t->record != PF_CHAIN_OVER || !t->recordable || !t->batches || t->complete || !t->length ||
        t->length > EXPLORE_EVENTS || !fits ||
        (looks ? !pf_explore_slices_looks(&t->slices, t->length) : !after_predictions) ||
        !explore_is_due(c, t))
        return false;
    begin(c, &t->explore, PF_CHECK_EXPLORE, test, 0, u);
    u->schedules = pf_explore_slices_next(&t->slices, t->length);
    return true;
}

/* The first part of a round, in this order: recordings (they also show how long the program takes);
 * free runs; the first short slice of the systematic search; predictions, then those of forked
 * children; other slices. */
static bool next_ordinary(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                          struct pf_check_line *u)
{
    for (size_t i = 0; i < c->ntests; i++)
        if (next_record(c, i, wanted, u))
            return true;
    for (size_t i = 0; i < c->ntests; i++)
        if (runs_freely(c, &c->tests[i])) {
            begin(c, &c->tests[i].run, PF_CHECK_RUN, i, 0, u);
            set_sampling_policy(c, u);
            return true;
        }
    for (size_t i = 0; i < c->ntests; i++)
        if (next_explore(c, i, true, u))
            return true;
    for (size_t i = 0; i < c->ntests; i++) {
        struct pf_chain_test *t = &c->tests[i];
        if (t->hatch == PF_CHAIN_RUNNING || !t->to_search.len || waits_for_run(c, t))
            continue;
        t->searched = t->to_search.at[0];
        pf_chain_take_search(t, 0);
        return begin(c, &t->hatch, PF_CHECK_HATCH, i, t->searched, u);
    }
    if (c->child_recordings.len) {
        enum pf_chain_state ignored;
        struct pf_chain_recording *child = &c->child_recordings.at[--c->child_recordings.len];
        begin(c, &ignored, PF_CHECK_HATCH, child->test, child->step, u);
        strcpy(u->child, child->child);
        return true;
    }
    for (size_t i = 0; i < c->ntests; i++)
        if (next_explore(c, i, false, u))
            return true;
    return false;
}

struct pf_chain_tried *pf_chain_find_tried(struct pf_chain *c, uint64_t finding)
{
    for (size_t i = 0; i < c->tried.len; i++)
        if (c->tried.at[i].finding == finding)
            return &c->tried.at[i];
    pf_vec_push(&c->tried, (struct pf_chain_tried){.finding = finding, .round = UINT64_MAX});
    return &c->tried.at[c->tried.len - 1];
}

/* The program to record for this finding: the one that has seen it, else each in turn. */
static size_t test_for(const struct pf_chain *c, const struct pf_chain_target *t, unsigned tries)
{
    size_t first = t->test < c->ntests ? t->test : tries % c->ntests;
    for (size_t k = 0; k < c->ntests; k++)
        if (c->tests[(first + k) % c->ntests].recordable)
            return (first + k) % c->ntests;
    return PF_CHAIN_ANY;
}

static bool next_look(struct pf_chain *c, bool wanted, struct pf_check_line *u)
{
    enum pf_chain_state ignored;
    if (c->aimed_recordings.len) {
        struct pf_chain_recording *a = &c->aimed_recordings.at[--c->aimed_recordings.len];
        begin(c, &ignored, PF_CHECK_LOOK, a->test, a->step, u);
        strcpy(u->child, a->child);
        strcpy(u->schedule, "racefuzzer");
        return true;
    }
    for (size_t i = 0; wanted && i < c->ntests; i++)
        if (c->tests[i].look == PF_CHAIN_WAITING && c->tests[i].searched)
            return begin(c, &c->tests[i].look, PF_CHECK_LOOK, i, c->tests[i].searched, u);
    return false;
}

/* RaceFuzzer holds a thread at one access until another thread comes to the other access. That
 * never happens if a thread gets to its access only after the other one has passed: because of a
 * value that it waits for, say. If only the memory order of the value is too weak to order the
 * accesses, an ordinary schedule shows the race. So every second recording has an ordinary
 * schedule: first round robin, later fixed random priorities, under which one thread may run to its
 * end before another begins. */
static void set_aim(const struct pf_chain *c, struct pf_check_line *u,
                    const struct pf_chain_target *target, unsigned number)
{
    if (number % 2)
        snprintf(u->schedule, sizeof u->schedule, "racefuzzer:%s,%u", target->positions, number);
    else if (number == 2)
        strcpy(u->schedule, "rr");
    else
        snprintf(u->schedule, sizeof u->schedule, "pct:%" PRIu64 ",1,%" PRIu64, c->seed + number,
                 length_of(&c->tests[u->test]));
}

/* True if the finding gets one more recording aimed at it in this round. */
static bool may_try(const struct pf_chain *c, const struct pf_chain_tried *t, size_t test)
{
    bool is_short =
        test < c->ntests && c->tests[test].length && c->tests[test].length <= EXPLORE_EVENTS;
    return t->tries < PF_CHAIN_TRIES &&
           (t->round != c->round ||
            (is_short && t->in_round < TRIES_PER_ROUND && t->tries == t->begun));
}

static bool next_directed(struct pf_chain *c, const struct pf_chain_target *targets, size_t n,
                          struct pf_check_line *u)
{
    enum pf_chain_state ignored;
    for (size_t i = 0, given = 0; i < n && given < DIRECTED_PER_ROUND; i++) {
        struct pf_chain_tried *t = pf_chain_find_tried(c, targets[i].finding);
        size_t test = *targets[i].positions ? test_for(c, &targets[i], t->tries) : PF_CHAIN_ANY;
        bool had = t->round == c->round;
        given += had;
        if (test == PF_CHAIN_ANY || !may_try(c, t, test))
            continue;
        begin(c, &ignored, PF_CHECK_DIRECT, test, 0, u);
        t->in_round = had ? t->in_round + 1 : 1;
        t->round = c->round;
        t->begun = t->tries + 1;
        u->finding = targets[i].finding;
        set_aim(c, u, &targets[i], t->begun);
        return true;
    }
    return false;
}

/* Steps that come before the search of a long recording for predictions: they try to confirm races
 * that were observed. Either the long recording itself shows them (a look), or a further recording
 * aimed at them does. */
static bool next_before_long_search(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                                    struct pf_check_line *u)
{
    bool waits = false;
    for (size_t i = 0; i < c->ntests && wanted->ntargets && !c->ordinary; i++) {
        struct pf_chain_test *t = &c->tests[i];
        if (!t->to_search.len || t->length <= PF_CHAIN_LONG_EVENTS || t->run == PF_CHAIN_WAITING)
            continue;
        waits = true;
        t->searched = t->to_search.at[0];
        if (t->look == PF_CHAIN_WAITING)
            return begin(c, &t->look, PF_CHECK_LOOK, i, t->searched, u);
    }
    return waits &&
           (next_look(c, false, u) || next_directed(c, wanted->targets, wanted->ntargets, u));
}

/* At the end of a round: judges the races that were confirmed since the last time. */
static bool next_judge(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                       struct pf_check_line *u)
{
    enum pf_chain_state ignored;
    if (!c->judges || c->judging || wanted->unjudged <= c->left_unjudged || !pf_chain_judge_ms(c))
        return false;
    c->judging = true;
    c->left_unjudged = wanted->unjudged;
    size_t test = wanted->unjudged_test < c->ntests ? wanted->unjudged_test : 0;
    return begin(c, &ignored, PF_CHECK_JUDGE, test, 0, u);
}

/* At the end of a round: a hunt, for a part of its share of the time. */
static bool next_hunt(struct pf_chain *c, struct pf_check_line *u)
{
    for (size_t i = 0; i < c->ntests; i++) {
        struct pf_chain_test *t = &c->tests[i];
        if (t->hunts && t->hunt == PF_CHAIN_WAITING && pf_chain_hunt_ms(c))
            return begin(c, &t->hunt, PF_CHECK_HUNT, i, 0, u);
    }
    return false;
}

size_t pf_chain_count_open(const struct pf_chain *c)
{
    size_t n = c->aimed_recordings.len;
    for (size_t i = 0; i < c->ntests; i++)
        n += c->tests[i].to_search.len + c->tests[i].slices.left;
    return n;
}

bool pf_chain_is_complete(const struct pf_chain *c)
{
    for (size_t i = 0; i < c->ntests; i++)
        if (!c->tests[i].complete)
            return false;
    return true;
}

void pf_chain_next_round(struct pf_chain *c)
{
    bool hunts = false;
    for (size_t i = 0; i < c->ntests; i++)
        hunts |= c->tests[i].hunts;
    c->over = (c->skipped && !c->started) || (!c->rounds && pf_chain_is_complete(c) && !hunts);
    c->skipped = c->started = false;
    c->round++;
    for (size_t i = 0; i < c->ntests; i++) {
        struct pf_chain_test *t = &c->tests[i];
        t->run = t->record = t->hatch = t->look = t->explore = t->hunt = PF_CHAIN_WAITING;
        t->searched = 0;
        pf_vec_clear(&t->to_search);
    }
}

void pf_chain_start_at(struct pf_chain *c, uint64_t round)
{
    while (c->round < round)
        pf_chain_next_round(c);
    c->over = false;
}

static bool is_over(const struct pf_chain *c)
{
    return c->over || (c->rounds && c->round >= c->rounds);
}

bool pf_chain_next(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                   struct pf_check_line *step)
{
    while (!is_over(c)) {
        if (next_before_long_search(c, wanted, step) || next_ordinary(c, wanted, step))
            return true;
        if (c->ordinary) /* their findings decide what is left to look for */
            return false;
        if (next_look(c, wanted->ntargets > 0, step) ||
            next_directed(c, wanted->targets, wanted->ntargets, step) ||
            next_judge(c, wanted, step) || next_hunt(c, step))
            return true;
        if (c->running)
            return false;
        pf_chain_next_round(c);
    }
    return false;
}
