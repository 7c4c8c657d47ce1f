/* check_loop.c - see check_loop.h. */
#define _GNU_SOURCE
#include "check_loop.h"
#include "check_progress.h"
#include "check_step.h"
#include "clip.h"
#include "crew.h"
#include "duration.h"
#include "server_driver.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct loop {
    struct pf_check_work *w;
    struct pf_check_progress progress;
    struct pf_crew crew;
    struct pf_check_step *steps; /* by the crew's places */
    uint64_t began_ms, deadline_ms;
    uint64_t *usual_ms; /* by test: how long its first run took */
    char pf[PATH_MAX];
    pf_status status;
    struct pf_error *e;
};

static void fail(struct loop *l, pf_status s)
{
    if (l->status == PF_OK)
        l->status = s;
    pf_crew_stop(&l->crew);
}

/* --- starting --- */

/* No step may take all that is left: half of it, or much longer than the program usually runs. */
static uint64_t limit_of(const struct loop *l, const struct pf_check_line *unit)
{
    uint64_t now = pf_now_ms(), left = l->deadline_ms > now ? l->deadline_ms - now : 0;
    uint64_t half = left / 2 + 1, usual = l->usual_ms[unit->test];
    if (unit->kind == PF_CHECK_HATCH) /* many runs of the program in one */
        return left * 3 / 4 + 1;
    uint64_t patient = (unit->kind == PF_CHECK_RUN ? 20 : 200) * usual + 5000;
    return usual && patient < half ? patient : half;
}

static pf_status start(struct loop *l, size_t place)
{
    struct pf_check_work *w = l->w;
    struct pf_check_step *s = &l->steps[place];
    pf_status st = PF_OK;
    s->plan = w->plan;
    s->folder = w->folder;
    s->slot = place;
    s->line.step = ++w->steps;
    s->limit_ms = limit_of(l, &s->line);
    if (s->line.kind == PF_CHECK_HATCH) {
        char known[PATH_MAX];
        pf_check_path(known, w->folder->whole, "/known", 0);
        st = pf_check_found_known(&w->found, known, l->e);
    }
    if (st == PF_OK)
        st = pf_check_step_init(s, l->pf, l->e);
    return st == PF_OK ? pf_crew_start(&l->crew, place, &s->keep, l->e) : st;
}

static void fill(struct loop *l)
{
    struct pf_check_work *w = l->w;
    for (size_t i = 0; i < l->crew.n && !l->crew.stopping; i++) {
        if (l->crew.at[i].busy ||
            !pf_chain_next(&w->chain, w->found.targets, w->found.ntargets, &l->steps[i].line))
            continue;
        pf_status st = start(l, i);
        if (st != PF_OK)
            fail(l, st);
    }
}

/* --- ending --- */

/* The last line of the output that is ours: "pf VERB: ...". */
static void find_complaint(const struct pf_kept *k, const char *begins, char *to, size_t room)
{
    const char *at = k->output, *end = k->output + k->noutput;
    size_t n = strlen(begins);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if ((size_t)(stop - at) > n && !strncmp(at, begins, n))
            snprintf(to, room, "%.*s", (int)(stop - at - (ptrdiff_t)n), at + n);
        at = stop + 1;
    }
    for (char *c = to; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
}

static bool has_clip(const struct loop *l, const struct pf_check_line *line)
{
    char path[PATH_MAX];
    struct pf_clip clip;
    struct pf_error ignored;
    pf_check_path(path, l->w->folder->whole, PF_CHECK_CLIP, line->step);
    if (pf_clip_open(&clip, path, &ignored) != PF_OK)
        return false;
    /* Of one that was killed there is what it wrote until then. */
    bool some = clip.ended || clip.stream[0].length;
    some &= clip.end.outcome != PF_OUTCOME_DIVERGED;
    pf_clip_release(&clip);
    return some;
}

/* What people should know of a step that did not go as it should. */
static void set_trouble(struct loop *l, struct pf_check_line *line, const struct pf_kept *k,
                        bool clip)
{
    char begins[32];
    bool ours = line->kind != PF_CHECK_RUN;
    snprintf(begins, sizeof begins, "pf %s: ",
             line->kind == PF_CHECK_HATCH  ? "hatch"
             : line->kind == PF_CHECK_LOOK ? "predict"
                                           : "record");
    if (k->how == PF_KEPT_UNSTARTED)
        snprintf(line->trouble, sizeof line->trouble, "could not be started: %s",
                 strerror(k->reason));
    else if (ours && !clip && WIFEXITED(k->wait) && WEXITSTATUS(k->wait) == 2)
        find_complaint(k, begins, line->trouble, sizeof line->trouble);
    else if (l->w->plan->server && line->kind != PF_CHECK_HATCH)
        find_complaint(k, PF_ATTEND_SAYS, line->trouble, sizeof line->trouble);
}

static void describe(struct loop *l, struct pf_check_line *line, const struct pf_kept *k)
{
    static const char *const hows[] = {[PF_KEPT_ENDED] = "ended",
                                       [PF_KEPT_LIMIT] = "limit",
                                       [PF_KEPT_STOPPED] = "stopped",
                                       [PF_KEPT_UNSTARTED] = "unstarted"};
    snprintf(line->how, sizeof line->how, "%s", hows[k->how]);
    line->wait = k->wait;
    line->wall_ms = k->wall_ns / 1000000;
    if (line->kind == PF_CHECK_RUN && !l->usual_ms[line->test] && k->how == PF_KEPT_ENDED)
        l->usual_ms[line->test] = line->wall_ms + 1;
}

static void collect(struct loop *l, size_t place)
{
    struct pf_check_work *w = l->w;
    struct pf_check_line *line = &l->steps[place].line;
    static struct pf_kept kept;
    bool whole = pf_crew_collect(&l->crew, place, &kept), news = false;
    pf_check_step_release(&l->steps[place]);
    if (!whole)
        kept = (struct pf_kept){.how = PF_KEPT_STOPPED};
    describe(l, line, &kept);
    bool records = line->kind == PF_CHECK_RECORD || line->kind == PF_CHECK_DIRECT;
    bool clip = records && has_clip(l, line);
    set_trouble(l, line, &kept, clip);
    pf_status st = l->status;
    if (st == PF_OK)
        st = pf_check_found_take(&w->found, w->folder, line, &news, l->e);
    /* A step that was stopped is done again by --continue; what a free run or a hatch saw stays. */
    bool kept_some = kept.how != PF_KEPT_STOPPED || (line->kind == PF_CHECK_HATCH && line->events);
    if (st == PF_OK && kept_some)
        st = pf_check_journal_add(w->folder, line, l->e);
    pf_chain_ended(&w->chain, line, clip, news);
    if (st != PF_OK)
        fail(l, st);
    else
        pf_check_progress_ended(&l->progress, w, line, news);
}

/* --- the loop --- */

static void show(struct loop *l)
{
    const struct pf_check_line *what = NULL;
    for (size_t i = 0; i < l->crew.n; i++)
        if (l->crew.at[i].busy)
            what = &l->steps[i].line;
    uint64_t now = pf_now_ms();
    pf_check_progress_show(&l->progress, l->w, what, now - l->began_ms,
                           l->deadline_ms - l->began_ms, l->crew.stopping);
}

static int patience(const struct loop *l)
{
    uint64_t now = pf_now_ms();
    if (l->crew.stopping)
        return 200;
    uint64_t left = l->deadline_ms > now ? l->deadline_ms - now + 1 : 0;
    return left > 200 ? 200 : (int)left;
}

static void run(struct loop *l)
{
    for (fill(l); l->crew.running; fill(l)) {
        show(l);
        int signal = pf_crew_wait(&l->crew, patience(l));
        l->w->signal = l->w->signal ? l->w->signal : signal;
        for (size_t i = 0; i < l->crew.n; i++)
            if (l->crew.at[i].ready)
                collect(l, i);
        if (!l->crew.stopping && pf_now_ms() >= l->deadline_ms) {
            l->w->out_of_time = true;
            pf_crew_stop(&l->crew);
        }
    }
    pf_check_progress_clear(&l->progress);
}

static pf_status allocate(struct loop *l)
{
    ssize_t n = readlink("/proc/self/exe", l->pf, sizeof l->pf - 1);
    if (n <= 0)
        return pf_fail(l->e, PF_IO, "/proc/self/exe: %s", strerror(errno));
    l->steps = calloc(l->crew.n, sizeof *l->steps);
    l->usual_ms = calloc(l->w->plan->tests.n, sizeof *l->usual_ms);
    return l->steps && l->usual_ms ? PF_OK : pf_fail(l->e, PF_NOMEM, "out of memory");
}

pf_status pf_check_loop(struct pf_check_work *w, struct pf_error *e)
{
    struct loop l = {.w = w, .e = e};
    l.status = pf_crew_init(&l.crew, w->plan->njobs, e);
    if (l.status == PF_OK)
        l.status = allocate(&l);
    if (l.status == PF_OK) {
        l.began_ms = pf_now_ms();
        l.deadline_ms = l.began_ms + w->plan->time_ms;
        pf_check_progress_init(&l.progress, w->plan->quiet);
        run(&l);
    }
    free(l.steps);
    free(l.usual_ms);
    pf_crew_release(&l.crew);
    return l.status;
}
