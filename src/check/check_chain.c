/* check_chain.c - see check_chain.h. */
#define _GNU_SOURCE
#include "check_chain.h"
#include "allocation.h"
#include "explore_slices.h"
#include "policy_shares.h"
#include "program.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a full run that needs more than a tenth of the time budget is not repeated */
#define SLOW_SHARE 10
#define EXPLORE_EVENTS 200000 /* a program with longer runs is not searched systematically */
#define LONG_EVENTS 1000000 /* the search of a longer recording may take the whole time budget */
#define MAX_FAILED_RECORDINGS 2     /* consecutive recordings that failed */
#define DIRECTED_PER_ROUND 16    /* findings that get a recording aimed at them in one round */
#define RUN_AGAIN 8 /* a program whose free run did not end gets one in every 8th round */
/* the size of a batch in schedules, and about how many events its schedules have together */
#define BATCH_FIRST 32
#define BATCH_LEAST 8
#define BATCH_MOST 128
#define BATCH_EVENTS 2000000
#define LENGTH_LEAST 8 /* of pct */
/* The batch of every third round starts at main's first event, so that a thread may run before main
 * has started the others. All other batches start at the first switch, so that what main does
 * before it is run only once. */
#define EARLY_ROUNDS 3

enum state { WAITING, RUNNING, OVER };

struct pf_chain_test {
    bool direct; /* it can be recorded */
    bool batches; /* it can be run many times from a checkpoint */
    bool switches; /* also from its first switch */
    bool switches_only; /* what main does before that cannot be private (file_overlay.h) */
    unsigned failed; /* consecutive recordings that produced no clip */
    bool slow, hangs; /* its full runs are slow; a free run did not end */
    bool complete;
    bool forks; /* its forked children have many schedules; a batch would not record them */
    bool hunts; /* pf hunt can run it, and has inputs left to try */
    enum state run, record, hatch, look, explore, hunt;
    struct pf_explore_slices slices;
    PF_VEC(uint64_t) clips; /* steps whose recordings are to be searched for predictions */
    uint64_t clip; /* the last of those that was taken in this round; 0: none */
    uint64_t seeds; /* schedules of all batches so far */
    uint64_t length; /* events of a schedule, in the last step; 0: unknown */
    size_t aimed; /* batches aimed at a race so far */
    struct pf_policy_shares shares;
};

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
        c->tests[i].direct = pf_program_check(settings->tests.at[i].path, &ignored) == PF_OK;
        c->tests[i].batches = c->tests[i].switches = !settings->server && !settings->for_ms;
        c->tests[i].hunts =
            settings->hunt && !settings->part.first &&
            pf_program_check_symbolic(settings->tests.at[i].path, &ignored) == PF_OK;
        c->judges |= c->tests[i].direct && c->tests[i].batches && !settings->part.first;
    }
    return PF_OK;
}

void pf_chain_release(struct pf_chain *c)
{
    for (size_t i = 0; c->tests && i < c->ntests; i++)
        pf_vec_release(&c->tests[i].clips);
    free(c->tests);
    pf_vec_release(&c->tried);
    pf_vec_release(&c->aimed);
    pf_vec_release(&c->children);
    *c = (struct pf_chain){0};
}

/* --- schedules --- */

static void set_policy(const struct pf_chain *c, struct pf_chain_unit *u)
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
static void set_schedule(const struct pf_chain *c, struct pf_chain_unit *u)
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
static const struct pf_chain_target *find_aim(const struct pf_chain *c, size_t test,
                                              const struct pf_chain_wanted *wanted)
{
    for (size_t k = 0; k < wanted->naims; k++) {
        const struct pf_chain_target *a = &wanted->aims[(c->tests[test].aimed + k) % wanted->naims];
        if (*a->positions && (a->test == test || a->test == PF_CHAIN_ANY))
            return a;
    }
    return NULL;
}

static void set_batch(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                      struct pf_chain_unit *u)
{
    struct pf_chain_test *t = &c->tests[u->test];
    const struct pf_chain_target *aim = find_aim(c, u->test, wanted);
    enum pf_share_policy policy = pf_policy_shares_next(&t->shares, aim != NULL);
    uint64_t n = BATCH_EVENTS / length_of(t), most = BATCH_MOST;
    if (!t->seeds && c->round <= 1)
        most = BATCH_FIRST;
    t->aimed += policy == PF_SHARE_AIMED;
    u->late = t->switches && (t->switches_only || c->round % EARLY_ROUNDS != 1);
    pf_share_policy_text(u->schedule, sizeof u->schedule, policy, length_of(t),
                         aim ? aim->positions : "");
    u->first = c->seed + t->seeds;
    u->schedules = n < BATCH_LEAST ? BATCH_LEAST : n > most ? most : n;
    t->seeds += u->schedules;
}

/* --- the next step --- */

static bool is_ordinary(const struct pf_check_line *l)
{
    return l->kind != PF_CHECK_DIRECT && l->kind != PF_CHECK_LOOK && l->kind != PF_CHECK_JUDGE &&
           l->kind != PF_CHECK_HUNT;
}

static bool begin(struct pf_chain *c, enum state *state, enum pf_check_kind kind, size_t test,
                  uint64_t clip, struct pf_chain_unit *u)
{
    *u = (struct pf_chain_unit){.kind = kind, .test = test, .round = c->round, .clip = clip};
    *state = RUNNING;
    c->running++;
    c->ordinary += is_ordinary(u);
    return true;
}

static bool runs_freely(const struct pf_chain *c, const struct pf_chain_test *t)
{
    return t->run == WAITING && (!t->hangs || c->round % RUN_AGAIN == 0);
}

static bool next_record(struct pf_chain *c, size_t test, const struct pf_chain_wanted *wanted,
                        struct pf_chain_unit *u)
{
    struct pf_chain_test *t = &c->tests[test];
    if (t->record != WAITING || !t->direct)
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

/* A slice of the systematic search, once a recording has shown that the program has several threads
 * and how long its runs are. Predictions come first: they need fewer schedules. */
static bool next_explore(struct pf_chain *c, size_t test, struct pf_chain_unit *u)
{
    struct pf_chain_test *t = &c->tests[test];
    bool fits = c->rounds || pf_chain_explore_ms(c) > 2 * t->slices.ms;
    if (!c->explores || t->explore != WAITING || t->record != OVER || t->clips.len ||
        t->hatch == RUNNING || !t->direct || !t->batches || t->complete || !t->length ||
        t->length > EXPLORE_EVENTS || !fits || !pf_explore_slices_due(&t->slices, t->seeds))
        return false;
    begin(c, &t->explore, PF_CHECK_EXPLORE, test, 0, u);
    u->schedules = pf_explore_slices_next(&t->slices, t->length);
    return true;
}

/* The first part of a round: recordings, which also show how long the program takes, free runs, and
 * predictions. */
static bool next_ordinary(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                          struct pf_chain_unit *u)
{
    for (size_t i = 0; i < c->ntests; i++)
        if (next_record(c, i, wanted, u))
            return true;
    for (size_t i = 0; i < c->ntests; i++)
        if (runs_freely(c, &c->tests[i])) {
            begin(c, &c->tests[i].run, PF_CHECK_RUN, i, 0, u);
            set_policy(c, u);
            return true;
        }
    for (size_t i = 0; i < c->ntests; i++) {
        struct pf_chain_test *t = &c->tests[i];
        if (t->hatch == RUNNING || !t->clips.len)
            continue;
        t->clip = t->clips.at[0];
        memmove(t->clips.at, t->clips.at + 1, --t->clips.len * sizeof *t->clips.at);
        return begin(c, &t->hatch, PF_CHECK_HATCH, i, t->clip, u);
    }
    if (c->children.len) {
        enum state ignored;
        struct pf_chain_recording *child = &c->children.at[--c->children.len];
        begin(c, &ignored, PF_CHECK_HATCH, child->test, child->clip, u);
        strcpy(u->child, child->child);
        return true;
    }
    for (size_t i = 0; i < c->ntests; i++)
        if (next_explore(c, i, u))
            return true;
    return false;
}

static struct pf_chain_tried *find_tried(struct pf_chain *c, uint64_t finding)
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
        if (c->tests[(first + k) % c->ntests].direct)
            return (first + k) % c->ntests;
    return PF_CHAIN_ANY;
}

static bool next_look(struct pf_chain *c, bool wanted, struct pf_chain_unit *u)
{
    enum state ignored;
    if (c->aimed.len) {
        struct pf_chain_recording *a = &c->aimed.at[--c->aimed.len];
        begin(c, &ignored, PF_CHECK_LOOK, a->test, a->clip, u);
        strcpy(u->child, a->child);
        strcpy(u->schedule, "racefuzzer");
        return true;
    }
    for (size_t i = 0; wanted && i < c->ntests; i++)
        if (c->tests[i].look == WAITING && c->tests[i].clip)
            return begin(c, &c->tests[i].look, PF_CHECK_LOOK, i, c->tests[i].clip, u);
    return false;
}

static bool next_directed(struct pf_chain *c, const struct pf_chain_target *targets, size_t n,
                          struct pf_chain_unit *u)
{
    enum state ignored;
    for (size_t i = 0, given = 0; i < n && given < DIRECTED_PER_ROUND; i++) {
        struct pf_chain_tried *t = find_tried(c, targets[i].finding);
        bool had = t && t->round == c->round;
        size_t test = t && !had && t->tries < PF_CHAIN_TRIES && *targets[i].positions
                          ? test_for(c, &targets[i], t->tries)
                          : PF_CHAIN_ANY;
        given += had;
        if (test == PF_CHAIN_ANY)
            continue;
        begin(c, &ignored, PF_CHECK_DIRECT, test, 0, u);
        t->round = c->round;
        u->finding = targets[i].finding;
        snprintf(u->schedule, sizeof u->schedule, "racefuzzer:%s,%u", targets[i].positions,
                 t->tries + 1);
        return true;
    }
    return false;
}

/* Steps that come before the search of a long recording for predictions: they try to confirm races
 * that were observed. This recording may show them, or another one that is aimed at them. */
static bool next_before_long_search(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                                    struct pf_chain_unit *u)
{
    bool waits = false;
    for (size_t i = 0; i < c->ntests && wanted->ntargets && !c->ordinary; i++) {
        struct pf_chain_test *t = &c->tests[i];
        if (!t->clips.len || t->length <= LONG_EVENTS || t->run == WAITING)
            continue;
        waits = true;
        t->clip = t->clips.at[0];
        if (t->look == WAITING)
            return begin(c, &t->look, PF_CHECK_LOOK, i, t->clip, u);
    }
    return waits &&
           (next_look(c, false, u) || next_directed(c, wanted->targets, wanted->ntargets, u));
}

/* At the end of a round: judges the races that were confirmed since the last time. */
static bool next_judge(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                       struct pf_chain_unit *u)
{
    enum state ignored;
    if (!c->judges || c->judging || wanted->unjudged <= c->left_unjudged || !pf_chain_judge_ms(c))
        return false;
    c->judging = true;
    c->left_unjudged = wanted->unjudged;
    size_t test = wanted->unjudged_test < c->ntests ? wanted->unjudged_test : 0;
    return begin(c, &ignored, PF_CHECK_JUDGE, test, 0, u);
}

/* At the end of a round: a slice of a hunt. */
static bool next_hunt(struct pf_chain *c, struct pf_chain_unit *u)
{
    for (size_t i = 0; i < c->ntests; i++) {
        struct pf_chain_test *t = &c->tests[i];
        if (t->hunts && t->hunt == WAITING && pf_chain_hunt_ms(c))
            return begin(c, &t->hunt, PF_CHECK_HUNT, i, 0, u);
    }
    return false;
}

size_t pf_chain_open(const struct pf_chain *c)
{
    size_t n = c->aimed.len;
    for (size_t i = 0; i < c->ntests; i++)
        n += c->tests[i].clips.len + c->tests[i].slices.left;
    return n;
}

bool pf_chain_is_complete(const struct pf_chain *c)
{
    for (size_t i = 0; i < c->ntests; i++)
        if (!c->tests[i].complete)
            return false;
    return true;
}

static void next_round(struct pf_chain *c)
{
    bool hunts = false;
    for (size_t i = 0; i < c->ntests; i++)
        hunts |= c->tests[i].hunts;
    c->over = (c->skipped && !c->started) || (!c->rounds && pf_chain_is_complete(c) && !hunts);
    c->skipped = c->started = false;
    c->round++;
    for (size_t i = 0; i < c->ntests; i++) {
        struct pf_chain_test *t = &c->tests[i];
        t->run = t->record = t->hatch = t->look = t->explore = t->hunt = WAITING;
        t->clip = 0;
        pf_vec_clear(&t->clips);
    }
}

void pf_chain_start_at(struct pf_chain *c, uint64_t round)
{
    while (c->round < round)
        next_round(c);
    c->over = false;
}

static bool is_over(const struct pf_chain *c)
{
    return c->over || (c->rounds && c->round >= c->rounds);
}

bool pf_chain_next(struct pf_chain *c, const struct pf_chain_wanted *wanted,
                   struct pf_chain_unit *unit)
{
    while (!is_over(c)) {
        if (next_before_long_search(c, wanted, unit) || next_ordinary(c, wanted, unit))
            return true;
        if (c->ordinary) /* their findings decide what is left to look for */
            return false;
        if (next_look(c, wanted->ntargets > 0, unit) ||
            next_directed(c, wanted->targets, wanted->ntargets, unit) ||
            next_judge(c, wanted, unit) || next_hunt(c, unit))
            return true;
        if (c->running)
            return false;
        next_round(c);
    }
    return false;
}

/* --- steps that have ended --- */

static void add_recording(pf_vec_to_search *list, const struct pf_check_line *l, const char *child)
{
    struct pf_chain_recording r = {.test = l->test, .clip = l->step};
    snprintf(r.child, sizeof r.child, "%s", child);
    pf_vec_push(list, r);
}

/* The recording has been searched. */
static void forget_recording(pf_vec_to_search *list, const struct pf_check_line *l)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i].clip == l->clip && !strcmp(list->at[i].child, l->child))
            list->at[i--] = list->at[--list->len];
}

void pf_chain_add_child(struct pf_chain *c, const struct pf_check_line *unit, const char *path,
                        bool many)
{
    if (strlen(path) >= sizeof unit->child)
        return;
    c->tests[unit->test].forks |= many;
    if (unit->kind == PF_CHECK_DIRECT)
        add_recording(&c->aimed, unit, path);
    else
        add_recording(&c->children, unit, path);
}

static void apply_result(struct pf_chain *c, const struct pf_check_line *l, bool clip)
{
    struct pf_chain_test *t = &c->tests[l->test];
    struct pf_chain_tried *tried;
    switch (l->kind) {
    case PF_CHECK_RUN:
        t->run = OVER;
        t->slow |= !strcmp(l->schedule, "full") && l->wall_ms * SLOW_SHARE > c->budget_ms;
        t->hangs |= !strcmp(l->how, "limit");
        break;
    case PF_CHECK_RECORD:
        t->record = OVER;
        if (clip)
            pf_vec_push(&t->clips, l->step);
        t->length = l->length ? l->length : t->length;
        t->batches &= strcmp(l->how, "limit") != 0; /* its schedules would not end either */
        t->failed = clip ? 0 : t->failed + 1;
        t->direct = t->failed < MAX_FAILED_RECORDINGS;
        break;
    case PF_CHECK_BATCH:
        t->record = OVER;
        if (l->late)
            t->switches = clip && !l->refused;
        else if (l->refused)
            t->switches_only = true;
        else
            t->batches = clip;
        t->batches &= t->switches || !t->switches_only;
        t->length = l->length ? l->length : t->length;
        if (pf_share_policy_of(l->schedule) != PF_SHARE_POLICIES)
            pf_policy_shares_add(&t->shares, pf_share_policy_of(l->schedule), l->schedules,
                                 l->behaviours, l->failures);
        break;
    case PF_CHECK_EXPLORE:
        t->explore = OVER;
        c->explore_ms += l->wall_ms;
        pf_explore_slices_add(&t->slices, l->schedules, l->left, l->wall_ms);
        break;
    case PF_CHECK_HUNT:
        t->hunt = OVER;
        c->hunt_ms += l->wall_ms;
        t->hunts &= l->left != 0;
        break;
    case PF_CHECK_HATCH:
        if (!l->child[0])
            t->hatch = OVER;
        break;
    case PF_CHECK_LOOK:
        if (l->clip == t->clip && !l->child[0])
            t->look = OVER;
        break;
    case PF_CHECK_JUDGE:
        c->judging = false;
        c->judge_ms += l->wall_ms;
        c->left_unjudged = l->undecided;
        break;
    case PF_CHECK_DIRECT:
        tried = find_tried(c, l->finding);
        if (tried) {
            tried->tries++;
            tried->round = l->round;
        }
        if (clip)
            add_recording(&c->aimed, l, "");
        break;
    default:
        break;
    }
}

void pf_chain_ended(struct pf_chain *c, const struct pf_check_line *unit, bool clip)
{
    c->running--;
    c->ordinary -= is_ordinary(unit);
    c->started = true;
    c->tests[unit->test].complete |= unit->complete;
    c->cut |= unit->round == 0 && is_ordinary(unit) && pf_check_line_cut(unit);
    apply_result(c, unit, clip);
}

void pf_chain_add_recording(struct pf_chain *c, const struct pf_check_line *line)
{
    pf_vec_push(&c->tests[line->test].clips, line->step);
}

void pf_chain_skip(struct pf_chain *c, const struct pf_chain_unit *unit)
{
    struct pf_chain_test *t = &c->tests[unit->test];
    c->running--;
    c->ordinary -= is_ordinary(unit);
    c->cut |= unit->round == 0 && is_ordinary(unit);
    c->skipped = true;
    switch (unit->kind) {
    case PF_CHECK_RUN:
        t->run = OVER;
        break;
    case PF_CHECK_RECORD:
    case PF_CHECK_BATCH:
        t->record = OVER;
        break;
    case PF_CHECK_EXPLORE:
        t->explore = OVER;
        break;
    case PF_CHECK_HUNT:
        t->hunt = OVER;
        break;
    case PF_CHECK_HATCH:
        if (!unit->child[0])
            t->hatch = OVER;
        break;
    case PF_CHECK_LOOK:
        if (unit->clip == t->clip && !unit->child[0])
            t->look = OVER;
        break;
    case PF_CHECK_JUDGE:
        c->judging = false;
        break;
    default: /* DIRECT: pf_chain_next has noted that the finding got its recording */
        break;
    }
}

void pf_chain_restore(struct pf_chain *c, const struct pf_check_line *line, bool clip)
{
    if (line->test >= c->ntests)
        return;
    struct pf_chain_test *t = &c->tests[line->test];
    while (c->round < line->round)
        next_round(c);
    c->over = false; /* the user asked to continue */
    if (line->kind == PF_CHECK_RECORD && line->clip) {
        if (clip)
            pf_chain_add_recording(c, line);
        return;
    }
    if (line->kind == PF_CHECK_BATCH)
        t->seeds += line->schedules;
    if (!pf_check_line_cut(line)) { /* otherwise it is repeated */
        apply_result(c, line, line->kind == PF_CHECK_BATCH ? line->schedules > 0 : clip);
        t->complete |= line->complete;
    }
    if (line->kind == PF_CHECK_LOOK)
        forget_recording(&c->aimed, line);
    if (line->kind == PF_CHECK_HATCH && !pf_check_line_cut(line) && line->child[0])
        forget_recording(&c->children, line);
    for (size_t i = 0; line->kind == PF_CHECK_HATCH && !line->child[0] &&
                       !pf_check_line_cut(line) && i < t->clips.len;
         i++)
        if (t->clips.at[i] == line->clip) {
            t->clip = line->clip;
            t->clips.at[i] = t->clips.at[--t->clips.len];
        }
}

bool pf_chain_first_round_done(const struct pf_chain *c)
{
    bool all = !c->cut;
    for (size_t i = 0; i < c->ntests && c->round == 0; i++)
        all &= c->tests[i].run == OVER &&
               (!c->tests[i].direct || (c->tests[i].record == OVER && !c->tests[i].clips.len &&
                                        c->tests[i].hatch != RUNNING));
    return all;
}

unsigned pf_chain_tries(const struct pf_chain *c, uint64_t finding)
{
    for (size_t i = 0; i < c->tried.len; i++)
        if (c->tried.at[i].finding == finding)
            return c->tried.at[i].tries;
    return 0;
}
