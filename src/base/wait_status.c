/* wait_status.c - see wait_status.h. */
#define _GNU_SOURCE
#include "wait_status.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

int pf_wait_status(int wait)
{
    return WIFSIGNALED(wait) ? 128 + WTERMSIG(wait) : WEXITSTATUS(wait);
}

const char *pf_signal_text(char to[PF_SIGNAL_TEXT], int wait)
{
    snprintf(to, PF_SIGNAL_TEXT, "signal %d (%s)", WTERMSIG(wait), strsignal(WTERMSIG(wait)));
    return to;
}
