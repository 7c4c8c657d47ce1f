/* continuation_limit.c - see continuation_limit.h. */
#include "continuation_limit.h"
#include "number_text.h"
#include "sys.h"
#include <fcntl.h>
#include <time.h>

#define NS_PER_MS 1000000
#define LEAST_MS 100 /* between two looks at the CPU time */

static uint64_t now_ms(void) { return pf_sys_clock(CLOCK_MONOTONIC) / NS_PER_MS; }

/* Reads the beginning of a file of /proc; "" if it cannot be read. */
static void read_text(const char *path, char *to, size_t room)
{
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n = -1;
    if (fd >= 0) {
        n = pf_sys(SYS_read, fd, to, room - 1);
        pf_sys(SYS_close, fd);
    }
    to[n > 0 ? n : 0] = 0;
}

static uint64_t idle_ms(void)
{
    char text[256];
    read_text("/proc/stat", text, sizeof text);
    return pf_fair_idle_ms(text);
}

static uint64_t cpu_ms(long pid)
{
    char path[48] = "/proc/", text[512];
    struct pf_number_text number;
    char *at = path + sizeof "/proc/" - 1;
    for (const char *s = pf_number_format(&number, (uint32_t)pid); *s;)
        *at++ = *s++;
    for (const char *s = "/stat"; *s;)
        *at++ = *s++;
    *at = 0;
    read_text(path, text, sizeof text);
    return pf_fair_cpu_ms(text);
}

void pf_continuation_limit_begin(struct pf_continuation_limit *l, uint64_t most_ns)
{
    l->most_ms = most_ns / NS_PER_MS;
    pf_fair_time_begin(&l->time, now_ms(), idle_ms());
}

uint64_t pf_continuation_limit_left(struct pf_continuation_limit *l, long pid)
{
    pf_fair_time_see(&l->time, now_ms(), idle_ms());
    uint64_t used = pf_fair_time_ms(&l->time, cpu_ms(pid));
    if (used >= l->most_ms)
        return 0;
    uint64_t left = l->most_ms - used;
    return (left > LEAST_MS ? left : LEAST_MS) * NS_PER_MS;
}
