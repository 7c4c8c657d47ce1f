/* check_chain.c - see check_chain.h. */
#define _GNU_SOURCE
#include "check_chain.h"
#include "program.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a full run that needs more than a tenth of the time budget is not repeated */
#define SLOW_SHARE 10
#define MAX_FAILED_RECORDINGS 2     /* consecutive recordings that failed */
#define DIRECTED_PER_ROUND 16    /* findings that get a directed recording in one round */

enum state { WAITING, RUNNING, OVER };

struct pf_chain_test {
    bool direct; /* it can be recorded */
    unsigned failed; /* consecutive recordings that produced no clip */
    bool slow;
    enum state run, record, hatch, look;
    uint64_t clip; /* the step that recorded the clip of this round; 0: none */
};

struct pf_chain_tried {
    uint64_t finding, round;
    unsigned tries;
};

struct pf_chain_aimed {
    size_t test;
    uint64_t clip;
};

pf_status pf_chain_init(struct pf_chain *c, const struct pf_check_settings *settings,
                        struct pf_error *e)
{
    struct pf_error ignored;
    *c = (struct pf_chain){.ntests = settings->tests.n,
                           .rounds = settings->rounds,
                           .sample = settings->sample,
                           .budget_ms = settings->time_ms};
    c->tests = calloc(c->ntests, sizeof *c->tests);
    if (!c->tests)
        return pf_fail(e, PF_NOMEM, "out of memory");
    for (size_t i = 0; i < c->ntests; i++)
        c->tests[i].direct = pf_program_check(settings->tests.at[i].path, &ignored) == PF_OK;
    return PF_OK;
}

void pf_chain_release(struct pf_chain *c)
{
    free(c->tests);
    free(c->tried);
    free(c->aimed);
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

static void set_schedule(struct pf_chain_unit *u)
{
    static const char *const forms[] = {"pct:%" PRIu64 ",5", "pct:%" PRIu64 ",3", "random:%" PRIu64,
                                        "pos:%" PRIu64};
    if (u->round == 0) {
        strcpy(u->schedule, "rr");
        return;
    }
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
    snprintf(u->schedule, sizeof u->schedule, forms[u->round % 4], u->round);
#pragma clang diagnostic pop
}

/* --- the next step --- */

static bool begin(struct pf_chain *c, enum state *state, enum pf_check_kind kind, size_t test,
                  uint64_t clip, struct pf_chain_unit *u)
{
    *u = (struct pf_chain_unit){.kind = kind, .test = test, .round = c->round, .clip = clip};
    *state = RUNNING;
    c->running++;
    c->ordinary += kind == PF_CHECK_RUN || kind == PF_CHECK_RECORD || kind == PF_CHECK_HATCH;
    return true;
}

/* The first part of a round: a free run, a recording, and its predictions. */
static bool next_ordinary(struct pf_chain *c, struct pf_chain_unit *u)
{
    for (size_t i = 0; i < c->ntests; i++)
        if (c->tests[i].run == WAITING) {
            begin(c, &c->tests[i].run, PF_CHECK_RUN, i, 0, u);
            set_policy(c, u);
            return true;
        }
    for (size_t i = 0; i < c->ntests; i++)
        if (c->tests[i].record == WAITING && c->tests[i].direct) {
            begin(c, &c->tests[i].record, PF_CHECK_RECORD, i, 0, u);
            set_schedule(u);
            return true;
        }
    for (size_t i = 0; i < c->ntests; i++)
        if (c->tests[i].hatch == WAITING && c->tests[i].clip)
            return begin(c, &c->tests[i].hatch, PF_CHECK_HATCH, i, c->tests[i].clip, u);
    return false;
}

static struct pf_chain_tried *find_tried(struct pf_chain *c, uint64_t finding)
{
    for (size_t i = 0; i < c->ntried; i++)
        if (c->tried[i].finding == finding)
            return &c->tried[i];
    if (c->ntried == c->captried) {
        c->captried = c->captried ? 2 * c->captried : 64;
        struct pf_chain_tried *more = realloc(c->tried, c->captried * sizeof *more);
        if (!more)
            return NULL;
        c->tried = more;
    }
    c->tried[c->ntried] = (struct pf_chain_tried){.finding = finding, .round = UINT64_MAX};
    return &c->tried[c->ntried++];
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
    if (c->naimed) {
        struct pf_chain_aimed *a = &c->aimed[--c->naimed];
        begin(c, &ignored, PF_CHECK_LOOK, a->test, a->clip, u);
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

static void next_round(struct pf_chain *c)
{
    c->idle_rounds = c->news ? 0 : c->idle_rounds + 1;
    c->news = false;
    c->over = c->skipped && !c->started;
    c->skipped = c->started = false;
    c->round++;
    for (size_t i = 0; i < c->ntests; i++) {
        struct pf_chain_test *t = &c->tests[i];
        t->run = t->record = t->hatch = t->look = WAITING;
        t->clip = 0;
    }
}

static bool is_over(const struct pf_chain *c)
{
    return c->over || (c->rounds ? c->round >= c->rounds : c->idle_rounds >= PF_CHAIN_IDLE_ROUNDS);
}

bool pf_chain_next(struct pf_chain *c, const struct pf_chain_target *targets, size_t n,
                   struct pf_chain_unit *unit)
{
    while (!is_over(c)) {
        if (next_ordinary(c, unit))
            return true;
        if (c->ordinary) /* their findings decide what is left to look for */
            return false;
        if (next_look(c, n > 0, unit) || next_directed(c, targets, n, unit))
            return true;
        if (c->running)
            return false;
        next_round(c);
    }
    return false;
}

/* --- steps that have ended --- */

static void add_aimed(struct pf_chain *c, size_t test, uint64_t clip)
{
    if (c->naimed == c->capaimed) {
        c->capaimed = c->capaimed ? 2 * c->capaimed : 16;
        struct pf_chain_aimed *more = realloc(c->aimed, c->capaimed * sizeof *more);
        if (!more)
            return;
        c->aimed = more;
    }
    c->aimed[c->naimed++] = (struct pf_chain_aimed){test, clip};
}

static void forget_aimed(struct pf_chain *c, uint64_t clip)
{
    for (size_t i = 0; i < c->naimed; i++)
        if (c->aimed[i].clip == clip)
            c->aimed[i--] = c->aimed[--c->naimed];
}

static void apply_result(struct pf_chain *c, const struct pf_check_line *l, bool clip)
{
    struct pf_chain_test *t = &c->tests[l->test];
    struct pf_chain_tried *tried;
    switch (l->kind) {
    case PF_CHECK_RUN:
        t->run = OVER;
        t->slow |= !strcmp(l->schedule, "full") && l->wall_ms * SLOW_SHARE > c->budget_ms;
        break;
    case PF_CHECK_RECORD:
        t->record = OVER;
        t->clip = clip ? l->step : 0;
        t->failed = clip ? 0 : t->failed + 1;
        t->direct = t->failed < MAX_FAILED_RECORDINGS;
        break;
    case PF_CHECK_HATCH:
        t->hatch = OVER;
        break;
    case PF_CHECK_LOOK:
        if (l->clip == t->clip)
            t->look = OVER;
        break;
    case PF_CHECK_DIRECT:
        tried = find_tried(c, l->finding);
        if (tried) {
            tried->tries++;
            tried->round = l->round;
        }
        if (clip)
            add_aimed(c, l->test, l->step);
        break;
    default:
        break;
    }
}

static bool is_ordinary(const struct pf_check_line *l)
{
    return l->kind == PF_CHECK_RUN || l->kind == PF_CHECK_RECORD || l->kind == PF_CHECK_HATCH;
}

bool pf_check_line_cut(const struct pf_check_line *line)
{
    return !strcmp(line->how, PF_CHECK_STOPPED) || !strcmp(line->how, PF_CHECK_BUDGET);
}

void pf_chain_ended(struct pf_chain *c, const struct pf_check_line *unit, bool clip, bool news)
{
    c->running--;
    c->ordinary -= is_ordinary(unit);
    c->news |= news;
    c->started = true;
    c->cut |= unit->round == 0 && is_ordinary(unit) && pf_check_line_cut(unit);
    apply_result(c, unit, clip);
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
        t->record = OVER;
        break;
    case PF_CHECK_HATCH:
        t->hatch = OVER;
        break;
    case PF_CHECK_LOOK:
        if (unit->clip == t->clip)
            t->look = OVER;
        break;
    default: /* a finding gets one directed recording in a round, as pf_chain_next has noted */
        break;
    }
}

void pf_chain_restore(struct pf_chain *c, const struct pf_check_line *line, bool clip)
{
    if (line->test >= c->ntests)
        return;
    while (c->round < line->round)
        next_round(c);
    if (!pf_check_line_cut(line)) /* otherwise it is repeated */
        apply_result(c, line, clip);
    /* whether it found anything new is unknown, and the user asked to continue */
    c->idle_rounds = 0;
    if (line->kind == PF_CHECK_LOOK)
        forget_aimed(c, line->clip);
}

bool pf_chain_first_round_done(const struct pf_chain *c)
{
    bool all = !c->cut;
    for (size_t i = 0; i < c->ntests && c->round == 0; i++)
        all &= c->tests[i].run == OVER &&
               (!c->tests[i].direct ||
                (c->tests[i].record == OVER && (!c->tests[i].clip || c->tests[i].hatch == OVER)));
    return all;
}

unsigned pf_chain_tries(const struct pf_chain *c, uint64_t finding)
{
    for (size_t i = 0; i < c->ntried; i++)
        if (c->tried[i].finding == finding)
            return c->tried[i].tries;
    return 0;
}
