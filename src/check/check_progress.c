/* check_progress.c - see check_progress.h. */
#include "check_progress.h"
#include "message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void pf_check_progress_init(struct pf_check_progress *p, bool quiet)
{
    const char *term = getenv("TERM");
    *p = (struct pf_check_progress){
        .on = !quiet && isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb")), .quiet = quiet};
}

void pf_check_step_describe(char *to, size_t room, const struct pf_check_line *l)
{
    switch (l->kind) {
    case PF_CHECK_RUN:
        snprintf(to, room, "running freely (%s)", l->schedule);
        break;
    case PF_CHECK_RECORD:
        snprintf(to, room, "recording under %s", l->schedule);
        break;
    case PF_CHECK_HATCH:
        snprintf(to, room, "trying the predictions of recording %llu%s%s",
                 (unsigned long long)l->from_step, l->child[0] ? ", child " : "", l->child);
        break;
    case PF_CHECK_BATCH:
        snprintf(to, room, "running schedules under %s", l->schedule);
        break;
    case PF_CHECK_EXPLORE:
        snprintf(to, room, "searching schedules systematically");
        break;
    case PF_CHECK_DIRECT:
        snprintf(to, room, "aiming at %016llx", (unsigned long long)l->finding);
        break;
    case PF_CHECK_HUNT:
        snprintf(to, room, "hunting with other inputs");
        break;
    case PF_CHECK_JUDGE:
        snprintf(to, room, "judging the confirmed races");
        break;
    default:
        snprintf(to, room, "searching recording %llu%s%s", (unsigned long long)l->from_step,
                 l->child[0] ? ", child " : "", l->child);
    }
}

static int columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

static void add_found(char *to, size_t room, const struct pf_check_found *f)
{
    if (!f->confirmed && !f->observed)
        snprintf(to, room, "nothing found yet");
    else
        snprintf(to, room, "%zu confirmed%s, %zu observed", f->confirmed,
                 f->harmful ? " (harm)" : "", f->observed);
}

/* New behaviours per minute, over about the last minute. */
static uint64_t behaviours_per_minute(struct pf_check_progress *p, uint64_t behaviours,
                                      uint64_t spent_ms)
{
    size_t newest = (p->samples + PF_CHECK_RATE_SAMPLES - 1) % PF_CHECK_RATE_SAMPLES;
    if (!p->samples || spent_ms - p->sample[newest].ms >= PF_CHECK_RATE_STEP_MS) {
        p->sample[p->samples % PF_CHECK_RATE_SAMPLES].ms = spent_ms;
        p->sample[p->samples++ % PF_CHECK_RATE_SAMPLES].behaviours = behaviours;
    }
    size_t oldest = p->samples < PF_CHECK_RATE_SAMPLES ? 0 : p->samples % PF_CHECK_RATE_SAMPLES;
    uint64_t ms = spent_ms - p->sample[oldest].ms;
    uint64_t more = behaviours - p->sample[oldest].behaviours;
    return more * 60000 / (ms > 1000 ? ms : 1000);
}

void pf_check_progress_show(struct pf_check_progress *p, const struct pf_check_work *w,
                            const struct pf_check_line *what, uint64_t spent_ms, uint64_t time_ms,
                            bool stopping)
{
    char line[512], doing[256] = "", found[64];
    if (!p->on)
        return;
    if (stopping)
        snprintf(doing, sizeof doing, "stopping");
    else if (what)
        pf_check_step_describe(doing, sizeof doing, what);
    add_found(found, sizeof found, &w->found);
    const char *test =
        w->settings->tests.n > 1 && what ? w->settings->tests.at[what->test].name : "";
    snprintf(line, sizeof line,
             "[%llu/%llu s] %s | %llu schedules, %llu new behaviours/min, %zu targets open | "
             "round %llu: %s %s",
             (unsigned long long)spent_ms / 1000, (unsigned long long)(time_ms + 999) / 1000, found,
             (unsigned long long)w->schedules,
             (unsigned long long)behaviours_per_minute(p, w->behaviours, spent_ms),
             w->found.targets.len + pf_chain_count_open(&w->chain),
             (unsigned long long)w->chain.round + 1, doing, test);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?'; /* names come from the user and may hold control characters */
    fprintf(stderr, "\r%.*s\033[K", columns() - 1, line);
    fflush(stderr);
    p->shown = true;
}

void pf_check_progress_clear(struct pf_check_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

void pf_check_progress_ended(struct pf_check_progress *p, const struct pf_check_work *w,
                             const struct pf_check_line *line, bool news)
{
    char doing[256], found[64];
    if (p->quiet || (!news && !line->trouble[0]))
        return;
    pf_check_progress_clear(p);
    pf_check_step_describe(doing, sizeof doing, line);
    add_found(found, sizeof found, &w->found);
    if (line->trouble[0]) {
        fprintf(stderr, "pf check: %s: ", doing);
        pf_print_name(stderr, line->trouble);
        fputc('\n', stderr);
    }
    if (news)
        pf_note("check", "%s: %s", doing, found);
}
