/*
 * rewind.c - see rewind.h. The code that restores memory runs on a stack of its own, entered by
 * pf_switch (switch.S).
 */
#include "rewind.h"
#include "context.h"
#include "hot_pages.h"
#include "mappings.h"
#include "shared_state.h"
#include "signals.h"
#include "stream_ring.h"
#include "sys.h"
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define PAGES_MAX 2048 /* saved pages; if there are more, the copy is not rewound */
#define STACK 65536
#define MAPPED_MAX 64 /* ranges that a run maps, or unmaps, and that are undone */
/* After this many copies, rewinding is given up if fewer runs were rewound than copies were
 * made. */
#define TRIALS 64
#define CLEARED_MAX 256 /* ranges whose pages are remembered */
#define CLEARED_HASH 0x9e3779b97f4a7c15ull
#define CLEARED_PARTS 8

/* Calls that change nothing in the kernel. */
static const uint16_t unchanging[] = {
    SYS_getpid,        SYS_gettid,      SYS_getppid,    SYS_getuid,      SYS_geteuid,
    SYS_getgid,        SYS_getegid,     SYS_futex,      SYS_sched_yield, SYS_clock_gettime,
    SYS_gettimeofday,  SYS_time,        SYS_getrusage,  SYS_times,       SYS_getcpu,
    SYS_fstat,         SYS_stat,        SYS_lstat,      SYS_newfstatat,  SYS_statx,
    SYS_access,        SYS_faccessat,   SYS_readlink,   SYS_readlinkat,  SYS_getcwd,
    SYS_uname,         SYS_sysinfo,     SYS_pread64,    SYS_mincore,     SYS_clock_getres,
    SYS_rt_sigpending, SYS_getsockname, SYS_getpeername};

/* The pages of a range that exist when a run begins. */
struct cleared_range {
    uint64_t from, to; /* to = 0: not known */
    uint32_t nparts;
    struct pf_page_range part[CLEARED_PARTS];
};

struct rewinder {
    void *sp; /* the rewinder's stack pointer, while the target runs */
    void *start; /* the stack pointer of the target's context at the beginning of a run */
    uint64_t fs; /* the thread pointer of that context */
    uint64_t mask; /* of signals */
    long faults; /* page faults before the run */
    int wait; /* status of the run, as from wait(2) */
    uint32_t nmapped;
    struct pf_page_range mapped[MAPPED_MAX]; /* new memory of the run */
    uint32_t nhidden;
    struct pf_page_range hidden[MAPPED_MAX]; /* memory that the run unmapped */
    uint64_t heap; /* end of the heap before the run; 0: not changed */
    uint32_t nsaved;
    struct pf_page_range saved[PF_HOT_MAX];
    struct cleared_range cleared[CLEARED_MAX];
    unsigned char stack[STACK] __attribute__((aligned(64)));
    unsigned char pages[PAGES_MAX][PF_PAGE] __attribute__((aligned(PF_PAGE)));
};
static struct rewinder *rewinder; /* NULL: no rewinding */

static long page_faults(void)
{
    struct rusage u;
    pf_sys(SYS_getrusage, RUSAGE_SELF, &u);
    return u.ru_minflt + u.ru_majflt;
}

/* --- system calls that are undone --- */

static bool is_owned(uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < rewinder->nmapped; i++)
        if (from < to && from >= rewinder->mapped[i].start && to <= rewinder->mapped[i].end)
            return true;
    return false;
}

/* The part of [from, to) that is in one private mapping without a file. Returns false if the range
 * begins with something else. */
static bool find_private(uint64_t from, uint64_t to, struct pf_page_range *part, bool *writable)
{
    const struct pf_mapping *m = pf_mapping_find(from);
    if (!m || m->file || m->shared || *m->name)
        return false;
    *part = (struct pf_page_range){from, m->hi < to ? m->hi : to};
    *writable = m->writable;
    return true;
}

/* True if memory can be made inaccessible instead of being unmapped. */
static bool can_hide(uint64_t from, uint64_t to)
{
    struct pf_page_range part = {.end = from};
    uint32_t n = rewinder->nhidden;
    bool writable;
    while (part.end < to) {
        if (!find_private(part.end, to, &part, &writable) || n++ == MAPPED_MAX)
            return false;
    }
    return from % PF_PAGE == 0 && to % PF_PAGE == 0;
}

static long hide(uint64_t from, uint64_t to)
{
    struct pf_page_range part = {.end = from};
    bool writable;
    while (part.end < to && find_private(part.end, to, &part, &writable))
        if (writable) { /* otherwise it is a guard page, which stays one */
            rewinder->hidden[rewinder->nhidden++] = part;
            pf_sys(SYS_mprotect, part.start, part.end - part.start, PROT_NONE);
        }
    return 0;
}

static bool can_undo(long number, const long a[6])
{
    uint64_t from = (uint64_t)a[0], to = (uint64_t)(a[0] + a[1]);
    const long kind = MAP_ANONYMOUS | MAP_PRIVATE, others = MAP_NORESERVE | MAP_STACK;
    uint64_t heap = rewinder->heap;
    switch (number) {
    case SYS_mmap:
        return (a[3] & ~others) == kind && rewinder->nmapped < MAPPED_MAX;
    case SYS_munmap:
        return is_owned(from, to) || (from < to && can_hide(from, to));
    case SYS_mprotect:
        return is_owned(from, to);
    case SYS_brk:
        return !from || from >= (heap ? heap : (uint64_t)pf_sys(SYS_brk, 0));
    default:
        return false;
    }
}

/* Performs a call that can_undo has accepted, and notes how to undo it. */
static long perform_undoable(long number, const long a[6])
{
    if (number == SYS_brk && !rewinder->heap)
        rewinder->heap = (uint64_t)pf_sys(SYS_brk, 0);
    if (number == SYS_munmap && !is_owned((uint64_t)a[0], (uint64_t)(a[0] + a[1])))
        return hide((uint64_t)a[0], (uint64_t)(a[0] + a[1]));
    long r = pf_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_mmap && !pf_sys_failed(r))
        rewinder->mapped[rewinder->nmapped++] =
            (struct pf_page_range){(uint64_t)r, pf_page_up((uint64_t)(r + a[1]))};
    return r;
}

static long perform(long number, const long a[6])
{
    pf_rewind_on = 0;
    bool undo = can_undo(number, a);
    long r = undo ? perform_undoable(number, a) : 0;
    pf_rewind_on = 1;
    return undo ? r : pf_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Undoes the calls of the run. Returns how many page faults its new memory has caused. */
static long unmap(void)
{
    unsigned char exists[1024];
    long faults = 0;
    for (uint32_t i = 0; i < rewinder->nmapped; i++) {
        const struct pf_page_range *m = &rewinder->mapped[i];
        for (uint64_t at = m->start, n; at < m->end; at += n * PF_PAGE) {
            n = (m->end - at) / PF_PAGE;
            n = n < sizeof exists ? n : sizeof exists;
            bool known = pf_sys_mincore((void *)at, n * PF_PAGE, exists) == 0;
            for (uint64_t k = 0; k < n && known; k++)
                faults += exists[k] & 1;
        }
        pf_sys(SYS_munmap, m->start, m->end - m->start);
    }
    for (uint32_t i = 0; i < rewinder->nhidden; i++) {
        const struct pf_page_range *m = &rewinder->hidden[i];
        pf_sys(SYS_mprotect, m->start, m->end - m->start, PROT_READ | PROT_WRITE);
    }
    if (rewinder->heap)
        pf_sys(SYS_brk, rewinder->heap);
    rewinder->nmapped = rewinder->nhidden = 0;
    rewinder->heap = 0;
    return faults;
}

/* --- pages --- */

static void copy_pages(bool back)
{
    unsigned char *p = rewinder->pages[0];
    for (uint32_t i = 0; i < rewinder->nsaved; i++) {
        uint64_t n = rewinder->saved[i].end - rewinder->saved[i].start;
        void *at = (void *)rewinder->saved[i].start;
        pf_copy(back ? at : p, back ? p : at, n);
        p += n;
    }
}

/* Saves the pages that earlier copies wrote. Returns false if there are too many. */
static bool save_pages(void)
{
    const struct pf_resident *r = &pf_channel_get()->resident;
    uint64_t total = 0;
    for (uint32_t i = 0; i < r->nhot; i++) {
        total += (r->hot[i].end - r->hot[i].start) / PF_PAGE;
        if (total > PAGES_MAX)
            return false;
        rewinder->saved[i] = r->hot[i];
    }
    rewinder->nsaved = r->nhot;
    pf_sys_populate(rewinder->pages, total * PF_PAGE);
    copy_pages(false);
    return true;
}

/* Undoes the calls of the run. True if every page that it wrote is known to be saved; otherwise the
 * copy ends, and the next one saves them. */
static bool wrote_saved_pages_only(void)
{
    const struct pf_resident *r = &pf_channel_get()->resident;
    long faults = page_faults();
    if (faults == rewinder->faults + unmap())
        return true;
    if (!pf_hot_pages_find((uint64_t)rewinder, (uint64_t)(rewinder + 1)))
        return false;
    for (uint32_t i = 0, k = 0; i < r->nhot; i++) {
        while (k < rewinder->nsaved && rewinder->saved[k].end < r->hot[i].end)
            k++;
        if (k == rewinder->nsaved || rewinder->saved[k].start > r->hot[i].start)
            return false;
    }
    return true;
}

/* --- pages that are cleared --- */

/* Adds the page to the list. Returns false if there is no room. */
static bool note_page(struct cleared_range *c, uint64_t page)
{
    struct pf_page_range *last = c->nparts ? &c->part[c->nparts - 1] : NULL;
    if (last && last->end == page) {
        last->end += PF_PAGE;
        return true;
    }
    if (c->nparts == CLEARED_PARTS)
        return false;
    c->part[c->nparts++] = (struct pf_page_range){page, page + PF_PAGE};
    return true;
}

/* Zeroes the pages that exist, and lists them. Returns false if the list is too short. */
static bool clear_existing(uint64_t from, uint64_t to, struct cleared_range *c)
{
    unsigned char exists[1024];
    bool all = true;
    for (uint64_t at = from, n; at < to; at += n * PF_PAGE) {
        n = (pf_page_up(to) - at) / PF_PAGE;
        n = n < sizeof exists ? n : sizeof exists;
        bool known = pf_sys_mincore((void *)at, n * PF_PAGE, exists) == 0;
        for (uint64_t i = 0; i < n; i++)
            if (!known || exists[i] & 1) {
                pf_zero((void *)(at + i * PF_PAGE), PF_PAGE);
                all = all && note_page(c, at + i * PF_PAGE);
            }
    }
    return all;
}

/* All runs of a copy begin with the same pages, because a copy ends with the run that adds one
 * outside of new mappings. So if this run has not added any yet, the list of an earlier run is
 * right. To ask the kernel again for each stack of 8 MB would take longer than most short runs. */
static void clear(uint64_t from, uint64_t to)
{
    struct cleared_range *known = &rewinder->cleared[from / PF_PAGE * CLEARED_HASH >> 56];
    struct cleared_range now = {.from = from, .to = to};
    bool unchanged = page_faults() == rewinder->faults;
    if (unchanged && known->from == from && known->to == to) {
        for (uint32_t i = 0; i < known->nparts; i++)
            pf_zero((void *)known->part[i].start, known->part[i].end - known->part[i].start);
        return;
    }
    if (clear_existing(from, to, &now) && unchanged)
        *known = now;
}

/* --- runs --- */

/* Reports the end of the run and waits for the next request. Returns false if none comes. */
static bool next_request(void)
{
    struct pf_resident *r = &pf_channel_get()->resident;
    const struct timespec most = {1, 0};
    r->wait = rewinder->wait;
    r->used_up = 0;
    r->rewound++;
    uint32_t ended = __atomic_add_fetch(&r->ended, 1, __ATOMIC_SEQ_CST);
    pf_sys(SYS_futex, &r->ended, FUTEX_WAKE, 1);
    if (__atomic_load_n(&r->asked, __ATOMIC_ACQUIRE) == ended)
        pf_sys(SYS_futex, &r->asked, FUTEX_WAIT, ended, &most);
    if (__atomic_load_n(&r->asked, __ATOMIC_ACQUIRE) == ended)
        return false;
    r->taken = ended + 1;
    return true;
}

static _Noreturn void leave(void)
{
    pf_rewind_on = 0; /* otherwise the system call would end the run, not the process */
    if (WIFSIGNALED(rewinder->wait))
        pf_kernel_die_now(WTERMSIG(rewinder->wait));
    for (;;)
        pf_sys(SYS_exit_group, WEXITSTATUS(rewinder->wait));
}

/* Saves and restores memory, on the rewinder's stack. It writes only to its own memory, to the
 * channel and to pages that it restores; a change elsewhere would stay. */
static _Noreturn void rewind_runs(void)
{
    const uint64_t all = ~0ull;
    /* pf_rewind_on is 0 here, when the pages are saved, and therefore after they are restored */
    pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &rewinder->mask, 8);
    bool possible = save_pages();
    rewinder->faults = page_faults();
    for (;;) {
        pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &rewinder->mask, NULL, 8);
        pf_rewind_on = 1;
        pf_switch(&rewinder->sp, rewinder->start, rewinder->fs);
        pf_rewind_on = 0;
        pf_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
        if (!possible || !wrote_saved_pages_only())
            leave();
        rewinder->faults = page_faults();
        copy_pages(true);
        if (page_faults() != rewinder->faults)
            leave();
        if (!next_request())
            leave();
    }
}

/* The run ends. Returns if the process must end. */
static void end_run(int wait)
{
    void *sp;
    if (pf_rewind_spoiled) {
        pf_rewind_on = 0;
        return;
    }
    rewinder->wait = wait;
    pf_switch(&sp, rewinder->sp, rewinder->fs);
}

static void leave_process(int status) { end_run((status & 255) << 8); }

void pf_rewind_prepare(void)
{
    if (!pf_shared_state_has_memory())
        rewinder = pf_sys_map(NULL, sizeof *rewinder);
    for (uint32_t i = 0; i < sizeof unchanging / sizeof *unchanging; i++)
        pf_rewind_unchanging[unchanging[i] / 64] |= 1ull << unchanging[i] % 64;
    pf_rewind_leave = leave_process;
    pf_rewind_die = end_run;
    pf_rewind_perform = perform;
    pf_rewind_clear = clear;
}

void pf_rewind_begin(void)
{
    struct pf_resident *r = &pf_channel_get()->resident;
    pf_hot_pages_touch();
    if (!rewinder || (r->copies > TRIALS && r->rewound < r->copies))
        return;
    uint64_t *sp = (uint64_t *)(void *)(rewinder->stack + STACK) - 9; /* as switch.S saves it */
    uint32_t control[2] = {0};
    __asm__("stmxcsr %0" : "=m"(control[0]));
    __asm__("fnstcw %0" : "=m"(control[1]));
    pf_copy(sp, control, 8);
    sp[7] = (uint64_t)rewind_runs;
    rewinder->fs = pf_context_self()->fs;
    pf_switch(&rewinder->start, sp, rewinder->fs);
}
