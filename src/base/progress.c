/* progress.c - see progress.h. */
#include "progress.h"
#include "duration.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void pf_progress_init(struct pf_progress *p, uint64_t done)
{
    const char *term = getenv("TERM");
    *p = (struct pf_progress){.on = isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb")),
                              .began_ns = pf_now_ns(),
                              .first = done};
}

static int columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

static void add_left(char *at, size_t room, const struct pf_progress *p, uint64_t done,
                     uint64_t wanted)
{
    uint64_t spent = pf_now_ns() - p->began_ns, fresh = done - p->first;
    if (fresh == 0 || done >= wanted)
        return;
    uint64_t s = (uint64_t)((double)spent / (double)fresh * (double)(wanted - done) / 1e9);
    if (s >= 3600)
        snprintf(at, room, ", %" PRIu64 "h%02" PRIu64 " left", s / 3600, s / 60 % 60);
    else
        snprintf(at, room, ", %" PRIu64 ":%02" PRIu64 " left", s / 60, s % 60);
}

void pf_progress_show(struct pf_progress *p, uint64_t done, uint64_t wanted, uint64_t findings,
                      uint64_t failed, const char *what)
{
    char bar[21], left[48] = "", line[1024];
    if (!p->on)
        return;
    size_t full = wanted ? (size_t)(done * (sizeof bar - 1) / wanted) : 0;
    memset(bar, '.', sizeof bar - 1);
    memset(bar, '#', full);
    bar[sizeof bar - 1] = 0;
    add_left(left, sizeof left, p, done, wanted);
    snprintf(line, sizeof line,
             "[%s] %" PRIu64 "/%" PRIu64 ", %" PRIu64 " %s, %" PRIu64 " failed%s  %s", bar, done,
             wanted, findings, findings == 1 ? "finding" : "findings", failed, left, what);
    int room = columns() - 1;
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' '; /* names come from the user and may hold control characters */
    fprintf(stderr, "\r%.*s\033[K", room, line);
    fflush(stderr);
    p->shown = true;
}

void pf_progress_clear(struct pf_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
