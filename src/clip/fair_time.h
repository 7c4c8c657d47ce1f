/*
 * fair_time.h - how long something has taken, without the time in which other programs had all
 * cores. Used by pf and by the runtime, so that a verdict does not depend on the load.
 *
 * Model:   time counts while a core is free, or while the measured processes run:
 *              fair = min(elapsed, idle + cpu)
 *          where `idle` is the idle time of the machine and `cpu` the CPU time of the processes.
 *          It is at least a tenth of the elapsed time, so that a limit is reached in any case.
 * Memory:  plain data.
 * Threads: one caller for each object.
 * Errors:  if /proc/stat cannot be read, the machine counts as idle: all elapsed time counts.
 */
#ifndef PF_CLIP_FAIR_TIME_H
#define PF_CLIP_FAIR_TIME_H

#include <stdint.h>

#define PF_FAIR_MOST 10 /* most elapsed time, as a multiple of the fair time */
#define PF_FAIR_TICK_MS 10 /* unit of times in /proc: 1 / USER_HZ */
#define PF_FAIR_UNKNOWN UINT64_MAX

struct pf_fair_time {
    uint64_t began_ms, seen_ms; /* begin, and the last call of pf_fair_time_see */
    uint64_t seen_idle_ms; /* idle time of all cores at that call */
    uint64_t idle_ms; /* time since the begin in which a core was free */
};

/* Reads a number and the blanks before it; *at moves behind it. */
static inline uint64_t pf_fair_number(const char **at)
{
    uint64_t n = 0;
    while (**at == ' ')
        ++*at;
    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n * 10 + (uint64_t)(**at - '0');
    return n;
}

/* The idle time of all cores: `idle` and `iowait` of the first line of /proc/stat. */
static inline uint64_t pf_fair_idle_ms(const char *stat)
{
    if (stat[0] != 'c' || stat[1] != 'p' || stat[2] != 'u' || stat[3] != ' ')
        return PF_FAIR_UNKNOWN;
    stat += 4;
    for (int i = 0; i < 3; i++) /* user nice system */
        pf_fair_number(&stat);
    uint64_t idle = pf_fair_number(&stat);
    return (idle + pf_fair_number(&stat)) * PF_FAIR_TICK_MS;
}

/* The CPU time of a process and of its children that have ended, from /proc/PID/stat, whose second
 * field is a name in parentheses that may contain any characters. */
static inline uint64_t pf_fair_cpu_ms(const char *stat)
{
    const char *at = 0;
    uint64_t cpu = 0;
    for (; *stat; stat++)
        if (*stat == ')')
            at = stat + 1;
    for (int field = 3; at && *at; field++) { /* fields are numbered as in proc(5) */
        while (*at == ' ')
            at++;
        if (field >= 14 && field <= 17) { /* utime stime cutime cstime */
            cpu += pf_fair_number(&at);
            continue;
        }
        while (*at && *at != ' ')
            at++;
    }
    return cpu * PF_FAIR_TICK_MS;
}

/* idle: of the machine, PF_FAIR_UNKNOWN if it cannot be read. */
static inline void pf_fair_time_begin(struct pf_fair_time *f, uint64_t now_ms, uint64_t idle_ms)
{
    *f = (struct pf_fair_time){.began_ms = now_ms, .seen_ms = now_ms, .seen_idle_ms = idle_ms};
}

/* Many cores may have more idle time than has elapsed: time counts once. */
static inline void pf_fair_time_see(struct pf_fair_time *f, uint64_t now_ms, uint64_t idle_ms)
{
    uint64_t elapsed = now_ms - f->seen_ms, idle = elapsed;
    if (idle_ms != PF_FAIR_UNKNOWN && f->seen_idle_ms != PF_FAIR_UNKNOWN)
        idle = idle_ms > f->seen_idle_ms ? idle_ms - f->seen_idle_ms : 0;
    f->idle_ms += idle < elapsed ? idle : elapsed;
    f->seen_ms = now_ms;
    f->seen_idle_ms = idle_ms;
}

/* The fair time until the last pf_fair_time_see; cpu: CPU time of the processes since the begin. */
static inline uint64_t pf_fair_time_ms(const struct pf_fair_time *f, uint64_t cpu_ms)
{
    uint64_t elapsed = f->seen_ms - f->began_ms, fair = f->idle_ms + cpu_ms;
    fair = fair < elapsed ? fair : elapsed;
    return fair > elapsed / PF_FAIR_MOST ? fair : elapsed / PF_FAIR_MOST;
}

#endif
