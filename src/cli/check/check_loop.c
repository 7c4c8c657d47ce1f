/* check_loop.c - see check_loop.h. */
#define _GNU_SOURCE
#include "check_loop.h"
#include "check_attend.h"
#include "check_progress.h"
#include "check_step.h"
#include "cli.h"
#include "clip.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct slot {
    bool busy;
    struct pf_keeper keeper;
    struct pf_check_step step;
};

struct loop {
    struct pf_check_work *w;
    struct pf_check_progress progress;
    struct pf_keeper_life life;
    struct slot *slots;
    size_t nslots, running;
    uint64_t began_ms, deadline_ms;
    uint64_t *usual_ms; /* by test: how long its first run took */
    char pf[PATH_MAX];
    bool stopping;
    pf_status status;
    struct pf_error *e;
};

static void stop(struct loop *l)
{
    l->stopping = true;
    for (size_t i = 0; i < l->nslots; i++)
        if (l->slots[i].busy)
            pf_keeper_stop(&l->slots[i].keeper);
}

static void fail(struct loop *l, pf_status s)
{
    if (l->status == PF_OK)
        l->status = s;
    stop(l);
}

/* --- starting --- */

/* No step may take all that is left: half of it, or much longer than the program usually runs. */
static uint64_t limit_of(const struct loop *l, const struct pf_check_line *unit)
{
    uint64_t now = pf_cli_now_ms(), left = l->deadline_ms > now ? l->deadline_ms - now : 0;
    uint64_t half = left / 2 + 1, usual = l->usual_ms[unit->test];
    if (unit->kind == PF_CHECK_HATCH) /* many runs of the program in one */
        return left * 3 / 4 + 1;
    uint64_t patient = (unit->kind == PF_CHECK_RUN ? 20 : 200) * usual + 5000;
    return usual && patient < half ? patient : half;
}

static pf_status start(struct loop *l, struct slot *s)
{
    struct pf_check_work *w = l->w;
    pf_status st = PF_OK;
    s->step.plan = w->plan;
    s->step.folder = w->folder;
    s->step.slot = (size_t)(s - l->slots);
    s->step.line.step = ++w->steps;
    s->step.limit_ms = limit_of(l, &s->step.line);
    if (s->step.line.kind == PF_CHECK_HATCH) {
        char known[PATH_MAX];
        pf_check_path(known, w->folder->whole, "/known", 0);
        st = pf_check_found_known(&w->found, known, l->e);
    }
    if (st == PF_OK)
        st = pf_check_step_init(&s->step, l->pf, l->e);
    fflush(NULL);
    if (st == PF_OK)
        st = pf_keeper_start(&s->keeper, &s->step.keep, &l->life, l->e);
    s->busy = st == PF_OK;
    l->running += s->busy;
    return st;
}

static void fill(struct loop *l)
{
    struct pf_check_work *w = l->w;
    for (size_t i = 0; i < l->nslots && !l->stopping; i++) {
        struct slot *s = &l->slots[i];
        if (s->busy ||
            !pf_chain_next(&w->chain, w->found.targets, w->found.ntargets, &s->step.line))
            continue;
        pf_status st = start(l, s);
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

static void collect(struct loop *l, struct slot *s)
{
    struct pf_check_work *w = l->w;
    struct pf_check_line *line = &s->step.line;
    static struct pf_kept kept;
    bool whole = pf_keeper_collect(&s->keeper, &kept), news = false;
    s->busy = false;
    l->running--;
    pf_check_step_release(&s->step);
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

static void take_signals(struct loop *l, int fd)
{
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        l->w->signal = l->w->signal ? l->w->signal : (int)info.ssi_signo;
        stop(l);
    }
}

static void show(struct loop *l)
{
    const struct pf_check_line *what = NULL;
    for (size_t i = 0; i < l->nslots; i++)
        if (l->slots[i].busy)
            what = &l->slots[i].step.line;
    uint64_t now = pf_cli_now_ms();
    pf_check_progress_show(&l->progress, l->w, what, now - l->began_ms,
                           l->deadline_ms - l->began_ms, l->stopping);
}

static int patience(const struct loop *l)
{
    uint64_t now = pf_cli_now_ms();
    if (l->stopping)
        return 200;
    uint64_t left = l->deadline_ms > now ? l->deadline_ms - now + 1 : 0;
    return left > 200 ? 200 : (int)left;
}

static void run(struct loop *l, struct pollfd *fds)
{
    for (fill(l); l->running; fill(l)) {
        size_t at = 1;
        show(l);
        for (size_t i = 0; i < l->nslots; i++)
            if (l->slots[i].busy)
                fds[at++] = (struct pollfd){l->slots[i].keeper.fd, POLLIN, 0};
        poll(fds, at, patience(l));
        if (fds[0].revents)
            take_signals(l, fds[0].fd);
        for (size_t i = 1; i < at; i++)
            for (size_t k = 0; fds[i].revents && k < l->nslots; k++)
                if (l->slots[k].busy && l->slots[k].keeper.fd == fds[i].fd) {
                    collect(l, &l->slots[k]);
                    break;
                }
        if (!l->stopping && pf_cli_now_ms() >= l->deadline_ms) {
            l->w->out_of_time = true;
            stop(l);
        }
    }
    pf_check_progress_clear(&l->progress);
}

pf_status pf_check_loop(struct pf_check_work *w, struct pf_error *e)
{
    struct loop l = {.w = w, .e = e, .nslots = w->plan->njobs};
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    sigprocmask(SIG_BLOCK, &set, &before);
    int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    l.slots = calloc(l.nslots, sizeof *l.slots);
    l.usual_ms = calloc(w->plan->tests.n, sizeof *l.usual_ms);
    struct pollfd *fds = calloc(l.nslots + 1, sizeof *fds);
    ssize_t n = readlink("/proc/self/exe", l.pf, sizeof l.pf - 1);
    if (signals < 0 || n <= 0)
        l.status = pf_fail(e, PF_IO, "cannot begin: %s", strerror(errno));
    else if (!l.slots || !l.usual_ms || !fds)
        l.status = pf_fail(e, PF_NOMEM, "out of memory");
    else
        l.status = pf_keeper_life_init(&l.life, e);
    if (l.status == PF_OK) {
        l.began_ms = pf_cli_now_ms();
        l.deadline_ms = l.began_ms + w->plan->time_ms;
        fds[0] = (struct pollfd){signals, POLLIN, 0};
        pf_check_progress_init(&l.progress, w->plan->quiet);
        run(&l, fds);
    }
    free(l.slots);
    free(l.usual_ms);
    free(fds);
    if (signals >= 0)
        close(signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return l.status;
}
