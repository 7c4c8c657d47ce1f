/* crew.c - see crew.h. */
#define _GNU_SOURCE
#include "crew.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

pf_status pf_crew_init(struct pf_crew *c, size_t n, struct pf_error *e)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    *c = (struct pf_crew){.n = n, .life = {{-1, -1}}};
    sigprocmask(SIG_BLOCK, &set, &c->before);
    c->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (c->signals < 0)
        return pf_fail(e, PF_IO, "signalfd: %s", strerror(errno));
    c->at = calloc(n, sizeof *c->at);
    if (!c->at)
        return pf_fail(e, PF_NOMEM, "out of memory");
    return pf_keeper_life_init(&c->life, e);
}

void pf_crew_release(struct pf_crew *c)
{
    free(c->at);
    for (int i = 0; i < 2; i++)
        if (c->life.fd[i] >= 0)
            close(c->life.fd[i]);
    if (c->signals >= 0)
        close(c->signals);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
}

pf_status pf_crew_start(struct pf_crew *c, size_t place, const struct pf_keep *what,
                        struct pf_error *e)
{
    fflush(NULL); /* a keeper is forked: what we have not written would be written twice */
    pf_status st = pf_keeper_start(&c->at[place].keeper, what, &c->life, e);
    c->at[place].busy = st == PF_OK;
    c->running += st == PF_OK;
    return st;
}

void pf_crew_stop(struct pf_crew *c)
{
    c->stopping = true;
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].busy)
            pf_keeper_stop(&c->at[i].keeper);
}

int pf_crew_wait(struct pf_crew *c, int ms)
{
    struct pollfd fds[c->n + 1]; /* a free place has none: poll passes over it */
    struct signalfd_siginfo info;
    int signal = 0;
    for (size_t i = 0; i < c->n; i++)
        fds[i] = (struct pollfd){c->at[i].busy ? c->at[i].keeper.fd : -1, POLLIN, 0};
    fds[c->n] = (struct pollfd){c->signals, POLLIN, 0};
    poll(fds, c->n + 1, ms);
    for (size_t i = 0; i < c->n; i++)
        c->at[i].ready = c->at[i].busy && fds[i].revents;
    while (read(c->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        signal = signal ? signal : (int)info.ssi_signo;
        pf_crew_stop(c);
    }
    return signal;
}

bool pf_crew_collect(struct pf_crew *c, size_t place, struct pf_kept *result)
{
    struct pf_crew_place *p = &c->at[place];
    bool whole = pf_keeper_collect(&p->keeper, result);
    *p = (struct pf_crew_place){0};
    c->running--;
    return whole;
}
