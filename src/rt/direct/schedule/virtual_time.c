/*
 * virtual_time.c - time as the target sees it. It is a function of the schedule (scheduler.c): 50
 * ns for each event, 1 us for each system call, and the time that passed while no thread could run.
 * A sleep takes no real time, and the same seed gives the same times. A clock read needs no log,
 * except in runs of an exploration (pf_input_clock).
 *
 * The clocks start at the values they had when the recording began; the header of the schedule
 * contains them.
 *
 * The vDSO answers clock reads without a system call, so its functions are overwritten with code
 * that makes the system call.
 */
#define _GNU_SOURCE
#include "scheduler.h"
#include "sys.h"
#include "textbuf.h"
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define SECOND 1000000000ull
/* of clocks that were changed (pf_virtual_change) */
#define AHEAD 1234567u /* ns that they are ahead */
#define FASTER 8 /* they run faster by one part in 8 */

/* The header of the schedule (docs/format/schedule.md). */
static struct schedule_header {
    int64_t pid;
    uint64_t realtime, monotonic, boottime, tai;
} header;

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

/* Stores the start value of a clock. Returns false for an unknown clock. */
static bool base_of(int clock, uint64_t *base)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
        *base = header.realtime;
        return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
        *base = header.monotonic;
        return true;
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *base = header.boottime;
        return true;
    case CLOCK_TAI:
        *base = header.tai;
        return true;
    default: /* clocks of processes and threads start at 0 */
        *base = 0;
        return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
    }
}

uint64_t pf_virtual_deadline(int clock, const struct timespec *t)
{
    uint64_t base, at = nanoseconds(t);
    if (t->tv_sec < 0 || !base_of(clock, &base) || at <= base)
        return 1;
    return at - base;
}

/* The time at which pf_virtual_change set the target's clocks ahead and made them faster; 0: it has
 * not been called. */
static uint64_t changed_at;

void pf_virtual_change(void) { changed_at = pf_sched_now() ? pf_sched_now() : 1; }

static long read_clock(int clock, struct timespec *t)
{
    uint64_t base;
    if (!base_of(clock, &base))
        return -EINVAL;
    uint64_t now = base + pf_sched_now();
    if (changed_at)
        now += AHEAD + (pf_sched_now() - changed_at) / FASTER;
    pf_input_clock(clock, &now);
    *t = (struct timespec){(time_t)(now / SECOND), (long)(now % SECOND)};
    return 0;
}

/* Code that reads the clock this often, without an event in between, is taken to wait for another
 * thread. */
#define READS_MAX 16

bool pf_virtual_is_polling(void)
{
    static uint64_t reads, events;
    if (events != pf_sched_events())
        reads = 0;
    events = pf_sched_events();
    return ++reads % READS_MAX == 0;
}

static long sleep_until(uint64_t deadline, struct timespec *left)
{
    struct pf_wait w = {.kind = PF_WAIT_TIME, .deadline = deadline};
    if (deadline <= pf_sched_now()) {
        pf_sched_yield();
        return 0;
    }
    if (pf_sched_wait(&w) != PF_WOKEN_SIGNAL)
        return 0;
    pf_signal_run_after_wait(); /* sleeps are never restarted */
    uint64_t now = pf_sched_now(), rest = deadline > now ? deadline - now : 0;
    if (left)
        *left = (struct timespec){(time_t)(rest / SECOND), (long)(rest % SECOND)};
    return -EINTR;
}

static long sleep_on(int clock, long flags, const struct timespec *t, struct timespec *left)
{
    uint64_t base;
    if (!base_of(clock, &base) || t->tv_nsec < 0 || t->tv_nsec >= (long)SECOND || t->tv_sec < 0)
        return -EINVAL;
    if (flags & TIMER_ABSTIME)
        return sleep_until(pf_virtual_deadline(clock, t), NULL);
    return sleep_until(pf_sched_now() + nanoseconds(t), left);
}

bool pf_virtual_call(long number, const long argument[6], long *result)
{
    struct timespec t;
    if ((number == SYS_clock_gettime || number == SYS_gettimeofday || number == SYS_time) &&
        pf_virtual_is_polling())
        pf_sched_yield();
    switch (number) {
    case SYS_clock_gettime:
        *result = read_clock((int)argument[0], (struct timespec *)argument[1]);
        return true;
    case SYS_gettimeofday:
        read_clock(CLOCK_REALTIME, &t);
        if (argument[0])
            *(struct timeval *)argument[0] = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
        if (argument[1])
            *(struct timezone *)argument[1] = (struct timezone){0};
        *result = 0;
        return true;
    case SYS_time:
        read_clock(CLOCK_REALTIME, &t);
        if (argument[0])
            *(time_t *)argument[0] = t.tv_sec;
        *result = t.tv_sec;
        return true;
    case SYS_clock_getres: {
        uint64_t base;
        bool known = base_of((int)argument[0], &base);
        if (known && argument[1])
            *(struct timespec *)argument[1] = (struct timespec){0, 1};
        *result = known ? 0 : -EINVAL;
        return true;
    }
    case SYS_nanosleep:
        *result = sleep_on(CLOCK_MONOTONIC, 0, (const struct timespec *)argument[0],
                           (struct timespec *)argument[1]);
        return true;
    case SYS_clock_nanosleep:
        *result = sleep_on((int)argument[0], argument[1], (const struct timespec *)argument[2],
                           (struct timespec *)argument[3]);
        return true;
    default:
        return false;
    }
}

/* --- initialisation --- */

static const struct {
    const char *name;
    uint32_t number;
} in_vdso[] = {
    {"__vdso_clock_gettime", SYS_clock_gettime},
    {"__vdso_gettimeofday", SYS_gettimeofday},
    {"__vdso_time", SYS_time},
    {"__vdso_clock_getres", SYS_clock_getres},
    {"__vdso_getcpu", SYS_getcpu},
    {"__vdso_getrandom", SYS_getrandom},
};

/* mov $number, %eax; syscall; ret */
static void overwrite(uint8_t *code, uint32_t number)
{
    code[0] = 0xb8;
    pf_copy(code + 1, &number, 4);
    code[5] = 0x0f;
    code[6] = 0x05;
    code[7] = 0xc3;
}

static void patch_vdso(void)
{
    uint64_t base = getauxval(AT_SYSINFO_EHDR), strings = 0, symbols = 0, size = 0;
    if (!base)
        return;
    const Elf64_Ehdr *e = (const void *)base;
    const Elf64_Phdr *p = (const void *)(base + e->e_phoff);
    for (int i = 0; i < e->e_phnum; i++) {
        if (p[i].p_type == PT_LOAD)
            size = p[i].p_offset + p[i].p_memsz;
        if (p[i].p_type != PT_DYNAMIC)
            continue;
        for (const Elf64_Dyn *d = (const void *)(base + p[i].p_offset); d->d_tag; d++) {
            strings = d->d_tag == DT_STRTAB ? base + d->d_un.d_ptr : strings;
            symbols = d->d_tag == DT_SYMTAB ? base + d->d_un.d_ptr : symbols;
        }
    }
    size = pf_page_up(size);
    if (!strings || !symbols ||
        pf_sys(SYS_mprotect, base, size, PROT_READ | PROT_WRITE | PROT_EXEC) < 0) {
        pf_direct_refuse(
            "cannot overwrite the vDSO, so clock reads would not be the recorded ones");
    }
    /* The string table directly follows the symbol table. */
    for (const Elf64_Sym *s = (const void *)symbols; (uint64_t)(s + 1) <= strings; s++)
        for (size_t i = 0; i < sizeof in_vdso / sizeof in_vdso[0]; i++)
            if (s->st_shndx && pf_str_same((const char *)strings + s->st_name, in_vdso[i].name))
                overwrite((uint8_t *)base + s->st_value, in_vdso[i].number);
    pf_sys(SYS_mprotect, base, size, PROT_READ | PROT_EXEC);
}

void pf_virtual_init(void)
{
    if (pf_direct.mode == PF_DIRECT_RECORD) {
        header = (struct schedule_header){pf_sys(SYS_getpid), pf_sys_clock(CLOCK_REALTIME),
                                          pf_sys_clock(CLOCK_MONOTONIC),
                                          pf_sys_clock(CLOCK_BOOTTIME), pf_sys_clock(CLOCK_TAI)};
        pf_ring_put(PF_STREAM_SCHEDULE, &header, sizeof header);
    } else {
        const struct schedule_header *h = pf_ring_get(PF_STREAM_SCHEDULE, sizeof header);
        if (!h)
            pf_direct_refuse("the recording has no schedule");
        header = *h;
    }
    pf_direct.pid = header.pid;
    patch_vdso();
}
