/*
 * orphan.c - see orphan.h. The target writes the chunks itself, without zstd and without libc's
 * stdio, because it may be anywhere in its own code when pf dies.
 */
#define _GNU_SOURCE
#include "orphan.h"
#include "chunk.h"
#include "stream_ring.h"
#include "sys.h"
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

/* How long the target may take to reach the end of its segment: this much processor time. If it
 * gets little processor time: this many alarms, one each second. */
#define PATIENCE_NS 1000000000u
#define PATIENCE_ALARMS 10

static volatile bool orphaned;
static uint64_t orphaned_at; /* processor time at which pf died */
static unsigned alarms;

void pf_orphan_init(void)
{
    bool records = pf_direct.mode == PF_DIRECT_RECORD;
    pf_sys(SYS_prctl, PR_SET_PDEATHSIG, records ? PF_ORPHAN_SIGNAL : SIGKILL);
    if (!pf_channel_pf_alive()) /* pf died before the prctl */
        pf_orphan_end();
}

void pf_orphan_die_with(uint32_t parent)
{
    pf_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    while ((uint32_t)pf_sys(SYS_getppid) != parent) /* it died before the prctl */
        pf_sys(SYS_exit_group, 2);
}

bool pf_orphaned(void) { return orphaned; }

static uint64_t processor_time(void) { return pf_sys_clock(CLOCK_PROCESS_CPUTIME_ID); }

static void set_alarm(void) /* the target's own timers are virtual: the kernel's is free */
{
    struct itimerval second = {.it_value = {1, 0}};
    pf_sys(SYS_setitimer, ITIMER_REAL, &second, NULL);
}

bool pf_orphan_handle_signal(const siginfo_t *info)
{
    const struct pf_channel *c = pf_channel_get();
    if (orphaned && info->si_signo == SIGALRM) {
        if (++alarms == PATIENCE_ALARMS || processor_time() - orphaned_at >= PATIENCE_NS)
            pf_orphan_end();
        set_alarm();
        return true;
    }
    /* The sender of the signal is the process that died. Some of its threads may still be
     * running. */
    if (info->si_signo != PF_ORPHAN_SIGNAL || !c || (uint32_t)info->si_pid != c->pf)
        return false;
    orphaned = true;
    orphaned_at = processor_time();
    set_alarm();
    pf_sched_preempt_soon();
    return true;
}

/* --- XXH64, the checksum of chunks, written from its specification --- */

#define P1 0x9e3779b185ebca87u
#define P2 0xc2b2ae3d27d4eb4fu
#define P3 0x165667b19e3779f9u
#define P4 0x85ebca77c2b2ae63u
#define P5 0x27d4eb2f165667c5u

static uint64_t rotate(uint64_t v, int n) { return v << n | v >> (64 - n); }
static uint64_t load8(const unsigned char *p)
{
    uint64_t v;
    __builtin_memcpy(&v, p, 8);
    return v;
}
static uint64_t mix(uint64_t lane, uint64_t word) { return rotate(lane + word * P2, 31) * P1; }

static uint64_t hash(const unsigned char *p, size_t n, uint64_t seed)
{
    const unsigned char *end = p + n;
    uint64_t h = seed + P5;
    if (n >= 32) {
        uint64_t lane[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
        for (; end - p >= 32; p += 32)
            for (int i = 0; i < 4; i++)
                lane[i] = mix(lane[i], load8(p + 8 * i));
        h = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
        for (int i = 0; i < 4; i++)
            h = (h ^ mix(0, lane[i])) * P1 + P4;
    }
    h += n;
    for (; end - p >= 8; p += 8)
        h = rotate(h ^ mix(0, load8(p)), 27) * P1 + P4;
    if (end - p >= 4) {
        uint32_t word;
        __builtin_memcpy(&word, p, 4);
        h = rotate(h ^ word * P1, 23) * P2 + P3;
        p += 4;
    }
    for (; p < end; p++)
        h = rotate(h ^ *p * P5, 11) * P1;
    h = (h ^ h >> 33) * P2;
    h = (h ^ h >> 29) * P3;
    return h ^ h >> 32;
}

/* --- the file --- */

/* Reads the complete chunks of the file: stores the length of each stream in them and the file
 * offset where they end. False if the clip already has its end record, or if the file is not a
 * clip. */
static bool find_ends(long fd, uint64_t length[PF_STREAMS], uint64_t *end)
{
    struct pf_chunk k;
    uint64_t size = (uint64_t)pf_sys(SYS_lseek, fd, 0, SEEK_END);
    for (*end = sizeof(struct pf_clip_header);
         pf_sys(SYS_pread64, fd, &k, sizeof k, *end) == (long)sizeof k &&
         k.magic == PF_CHUNK_MAGIC && k.stored <= size - *end - sizeof k;
         *end += sizeof k + k.stored) {
        if (k.stream == PF_STREAM_END)
            return false;
        if (k.stream < PF_STREAMS)
            length[k.stream] = k.at + k.raw;
    }
    return *end > sizeof(struct pf_clip_header);
}

/* Appends the bytes of a stream's ring from position `from` on. */
static bool append(long fd, enum pf_stream s, uint64_t from)
{
    unsigned char *base;
    struct pf_ring *r = pf_ring_of(s, &base);
    if (!r || r->use != PF_RING_WRITE || from >= r->head)
        return true;
    if (r->head - from > r->size)
        return false; /* pf could not write these bytes and dropped them */
    struct pf_chunk k = {.magic = PF_CHUNK_MAGIC,
                         .stream = (uint8_t)s,
                         .codec = PF_CODEC_RAW,
                         .stored = (uint32_t)(r->head - from),
                         .raw = (uint32_t)(r->head - from),
                         .at = from};
    const unsigned char *bytes = base + (from & (r->size - 1));
    k.check =
        hash(bytes, k.stored, hash((const unsigned char *)&k, offsetof(struct pf_chunk, check), 0));
    struct iovec v[] = {{&k, sizeof k}, {(void *)bytes, k.stored}};
    return pf_sys_write_by(SYS_writev, fd, v, 2) == (long)(sizeof k + k.stored);
}

static bool save(void)
{
    uint64_t length[PF_STREAMS] = {0}, end;
    long fd = pf_sys(SYS_open, pf_channel_get()->file, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0 || !find_ends(fd, length, &end))
        return false;
    pf_sys(SYS_ftruncate, fd, end); /* pf may have died in the middle of a chunk */
    pf_sys(SYS_lseek, fd, end, SEEK_SET);
    bool ok = true;
    for (int s = 0; s < PF_STREAMS; s++) /* events last: they refer to the others */
        ok &= s == PF_STREAM_EVENT || append(fd, (enum pf_stream)s, length[s]);
    return append(fd, PF_STREAM_EVENT, length[PF_STREAM_EVENT]) && ok;
}

/* A thread of pf that is about to end may still be in the middle of a write. */
static void wait_for_pf_threads(void)
{
    struct timespec nap = {0, 1000000};
    for (int i = 0; i < 2000 && pf_channel_pf_alive(); i++)
        pf_sys(SYS_nanosleep, &nap, NULL);
}

_Noreturn void pf_orphan_end(void)
{
    wait_for_pf_threads();
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_direct_say(
            save() ? "pf has ended: the program is ended too; its recording is saved up to here"
                   : "pf has ended: the program is ended too; the end of its recording is lost");
    for (;;)
        pf_sys(SYS_exit_group, 2);
}
