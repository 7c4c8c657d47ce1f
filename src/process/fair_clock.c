/* fair_clock.c - see fair_clock.h. */
#define _GNU_SOURCE
#include "fair_clock.h"
#include "duration.h"
#include "process_tree.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads the beginning of a file as a text. */
static bool read_text(const char *path, char *to, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, to, room - 1) : -1;
    if (fd >= 0)
        close(fd);
    to[n > 0 ? n : 0] = 0;
    return n > 0;
}

static uint64_t idle_ms(void)
{
    char text[256];
    return read_text("/proc/stat", text, sizeof text) ? pf_fair_idle_ms(text) : PF_FAIR_UNKNOWN;
}

static void add_process(pid_t pid, void *sum)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (read_text(path, text, sizeof text))
        *(uint64_t *)sum += pf_fair_cpu_ms(text);
}

uint64_t pf_cpu_ms(bool alive)
{
    uint64_t us = 0, others = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage r;
        if (getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &r))
            continue;
        us += (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000 +
              (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
    }
    if (alive)
        pf_process_tree_visit(getpid(), add_process, &others);
    return us / 1000 + others;
}

void pf_fair_clock_begin(struct pf_fair_clock *c)
{
    pf_fair_time_begin(&c->time, pf_now_ms(), idle_ms());
    c->cpu_ms = pf_cpu_ms(false);
}

uint64_t pf_fair_clock_ms(struct pf_fair_clock *c, bool alive)
{
    uint64_t cpu = pf_cpu_ms(alive);
    pf_fair_time_see(&c->time, pf_now_ms(), idle_ms());
    return pf_fair_time_ms(&c->time, cpu > c->cpu_ms ? cpu - c->cpu_ms : 0);
}
