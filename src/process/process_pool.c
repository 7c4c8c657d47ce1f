/* process_pool.c - see process_pool.h. */
#define _GNU_SOURCE
#include "process_pool.h"
#include "allocation.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

pf_status pf_process_pool_init(struct pf_process_pool *c, size_t n, struct pf_error *e)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    *c = (struct pf_process_pool){.n = n, .life = {{-1, -1}}};
    sigprocmask(SIG_BLOCK, &set, &c->before);
    c->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (c->signals < 0)
        return pf_fail(e, PF_IO, "signalfd: %s", strerror(errno));
    c->at = pf_mem_zero(n, sizeof *c->at);
    return pf_supervisor_lifeline_init(&c->life, e);
}

void pf_process_pool_release(struct pf_process_pool *c)
{
    free(c->at);
    for (int i = 0; i < 2; i++)
        if (c->life.fd[i] >= 0)
            close(c->life.fd[i]);
    if (c->signals >= 0)
        close(c->signals);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
}

pf_status pf_process_pool_start(struct pf_process_pool *c, size_t slot,
                                const struct pf_command *what, struct pf_error *e)
{
    fflush(NULL); /* the supervisor is forked: unflushed output would be written twice */
    pf_status st = pf_supervisor_start(&c->at[slot].supervisor, what, &c->life, e);
    c->at[slot].busy = st == PF_OK;
    c->running += st == PF_OK;
    return st;
}

void pf_process_pool_stop(struct pf_process_pool *c)
{
    c->stopping = true;
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].busy)
            pf_supervisor_stop(&c->at[i].supervisor);
}

int pf_process_pool_wait(struct pf_process_pool *c, int ms)
{
    struct pollfd fds[c->n + 1]; /* poll ignores the negative descriptor of a free slot */
    struct signalfd_siginfo info;
    int signal = 0;
    for (size_t i = 0; i < c->n; i++)
        fds[i] = (struct pollfd){c->at[i].busy ? c->at[i].supervisor.fd : -1, POLLIN, 0};
    fds[c->n] = (struct pollfd){c->signals, POLLIN, 0};
    poll(fds, c->n + 1, ms);
    for (size_t i = 0; i < c->n; i++)
        c->at[i].ready = c->at[i].busy && fds[i].revents;
    while (read(c->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        signal = signal ? signal : (int)info.ssi_signo;
        pf_process_pool_stop(c);
    }
    return signal;
}

bool pf_process_pool_collect(struct pf_process_pool *c, size_t slot,
                             struct pf_supervisor_result *result)
{
    struct pf_process_slot *p = &c->at[slot];
    bool whole = pf_supervisor_collect(&p->supervisor, result);
    *p = (struct pf_process_slot){0};
    c->running--;
    return whole;
}
