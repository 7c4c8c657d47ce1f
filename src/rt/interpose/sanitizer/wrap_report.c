/*
 * wrap_report.c - ThreadSanitizer's interface to reports: the hook __tsan_on_report of a program,
 * and the questions that it and a debugger ask about the report (sanitizer/tsan_interface.h).
 *
 * Stacks have no program counters here. A trace consists of references to the frames of the report,
 * valid until the hook returns, which __sanitizer_symbolize_pc turns into text.
 */
#include "finding.h"
#include "module.h"
#include "reporter.h"
#include "runtime_access.h"
#include "textbuf.h"
#include "thread_table.h"
#include "wrap.h"
#include <string.h>

#define PROVIDE(result, fn, parameters)                                                            \
    result fn parameters;                                                                          \
    PF_EXPORT __attribute__((weak)) result fn parameters

/* ThreadSanitizer's words for the kinds that it has. */
static const char *description(const struct pf_finding *f)
{
    static const char *const words[PF_KINDS] = {
        [PF_KIND_RACE] = "data-race",
        [PF_KIND_DESCRIPTOR_RACE] = "data-race",
        [PF_KIND_VPTR_RACE] = "data-race-vptr",
        [PF_KIND_EXTERNAL_RACE] = "external-race",
        [PF_KIND_USE_AFTER_FREE] = "heap-use-after-free",
        [PF_KIND_DEADLOCK] = "lock-order-inversion",
        [PF_KIND_THREAD_LEAK] = "thread-leak",
        [PF_KIND_MUTEX_DESTROY_LOCKED] = "locked-mutex-destroy",
        [PF_KIND_MUTEX_DOUBLE_LOCK] = "mutex-double-lock",
        [PF_KIND_MUTEX_INVALID] = "mutex-invalid-access",
        [PF_KIND_MUTEX_BAD_UNLOCK] = "mutex-bad-unlock",
        [PF_KIND_MUTEX_BAD_READ_LOCK] = "mutex-bad-read-lock",
        [PF_KIND_MUTEX_BAD_READ_UNLOCK] = "mutex-bad-read-unlock",
        [PF_KIND_MUTEX_WRONG_CONTEXT] = "mutex-held-in-wrong-context",
        [PF_KIND_SIGNAL_UNSAFE] = "signal-unsafe-call",
        [PF_KIND_ERRNO_IN_SIGNAL] = "errno-in-signal-handler",
    };
    if (f->kind == PF_KIND_USE_AFTER_FREE ||
        (pf_finding_is_pair(f) && f->accesses[1].op == PF_OP_FREE))
        return f->kind == PF_KIND_VPTR_RACE ? "heap-use-after-free-vptr" : "heap-use-after-free";
    return words[f->kind] ? words[f->kind] : pf_kind_name(f->kind);
}

/* True if the report consists of accesses; else of stacks. */
static bool has_accesses(const struct pf_finding *f)
{
    return pf_kind_is_race(f->kind) || pf_kind_is_memory_error(f->kind);
}

static void put_trace(const struct pf_backtrace *stack, void **trace, unsigned long room)
{
    for (unsigned long i = 0; trace && i < room; i++)
        trace[i] = i < stack->n ? (void *)(uintptr_t)&stack->at[i] : NULL;
}

/* Lock number `index` of the report, or the misused lock, which is number 0. False: the report has
 * fewer locks. */
static bool find_lock(const struct pf_finding *f, unsigned long index, struct pf_lock *out)
{
    bool any = false;
    for (size_t i = 0; i < f->naccesses; i++)
        for (size_t k = 0; k < f->accesses[i].nlocks; k++) {
            any = true;
            *out = f->accesses[i].locks[k];
            if (pf_finding_lock_number(f, out->address) == index)
                return true;
        }
    if (any || index || !pf_kind_is_misuse(f->kind) || !f->naccesses || !f->accesses[0].address)
        return false;
    const struct pf_access *earliest = &f->accesses[f->naccesses - 1];
    *out = (struct pf_lock){.address = f->accesses[0].address, .taken = earliest->stack};
    return true;
}

/* Thread number `index` of the report, in the order of first accesses; -1: it has fewer threads. */
static int thread_at(const struct pf_finding *f, unsigned long index)
{
    for (size_t i = 0; i < f->naccesses; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first &= f->accesses[k].thread != f->accesses[i].thread;
        if (first && !index--)
            return (int)f->accesses[i].thread;
    }
    return -1;
}

PROVIDE(void *, __tsan_get_current_report, (void))
{
    return (void *)(uintptr_t)pf_reporter_current();
}

PROVIDE(int, __tsan_get_report_data,
        (void *report, const char **words, int *count, int *stack_count, int *mop_count,
         int *loc_count, int *mutex_count, int *thread_count, int *unique_tid_count,
         void **sleep_trace, unsigned long trace_size))
{
    const struct pf_finding *f = report;
    bool accesses = has_accesses(f);
    int locks = 0, threads = 0;
    struct pf_lock lock;
    while (find_lock(f, (unsigned long)locks, &lock))
        locks++;
    while (!accesses && thread_at(f, (unsigned long)threads) >= 0)
        threads++;
    *words = description(f);
    *count = (int)f->count - 1; /* repetitions */
    *stack_count = accesses ? 0 : (int)f->naccesses;
    *mop_count = accesses ? (int)f->naccesses : 0;
    *loc_count = f->location.kind != PF_LOCATION_UNKNOWN;
    *mutex_count = locks;
    *thread_count = (int)f->nthreads;
    *unique_tid_count = threads;
    put_trace(&f->sleep, sleep_trace, trace_size);
    return 1;
}

/* These return 0 if there is no such item. */
PROVIDE(int, __tsan_get_report_tag, (void *report, unsigned long *tag))
{
    *tag = 0;
    return report != NULL;
}
PROVIDE(int, __tsan_get_report_stack,
        (void *report, unsigned long i, void **trace, unsigned long trace_size))
{
    const struct pf_finding *f = report;
    if (has_accesses(f) || i >= f->naccesses)
        return 0;
    put_trace(&f->accesses[i].stack, trace, trace_size);
    return 1;
}
PROVIDE(int, __tsan_get_report_mop,
        (void *report, unsigned long i, int *tid, void **addr, int *size, int *write, int *atomic,
         void **trace, unsigned long trace_size))
{
    const struct pf_finding *f = report;
    if (!has_accesses(f) || i >= f->naccesses)
        return 0;
    const struct pf_access *a = pf_finding_shown(f, i);
    *tid = (int)a->thread;
    *addr = (void *)a->address;
    *size = (int)a->size;
    *write = a->op != PF_OP_READ && a->op != PF_OP_ATOMIC_READ && a->op != PF_OP_LOCK;
    *atomic = a->op == PF_OP_ATOMIC_READ || a->op == PF_OP_ATOMIC_WRITE;
    put_trace(&a->stack, trace, trace_size);
    return 1;
}

static const char *location_word(enum pf_location_kind kind)
{
    return kind == PF_LOCATION_DESCRIPTOR ? "fd" : pf_location_name(kind);
}

PROVIDE(int, __tsan_get_report_loc,
        (void *report, unsigned long i, const char **type, void **addr, void **start,
         unsigned long *size, int *tid, int *fd, int *suppressable, void **trace,
         unsigned long trace_size))
{
    const struct pf_finding *f = report;
    const struct pf_location *l = &f->location;
    bool descriptor = l->kind == PF_LOCATION_DESCRIPTOR;
    if (i || l->kind == PF_LOCATION_UNKNOWN)
        return 0;
    *type = location_word(l->kind);
    *addr = f->naccesses ? (void *)pf_finding_shown(f, 0)->address : NULL;
    *start = descriptor ? NULL : (void *)l->address;
    *size = (unsigned long)l->size;
    *tid = (int)l->thread;
    *fd = descriptor ? (int)l->address : 0;
    *suppressable = 0;
    put_trace(&l->stack, trace, trace_size);
    return 1;
}
PROVIDE(int, __tsan_get_report_loc_object_type, (void *report, unsigned long i, const char **type))
{
    const struct pf_finding *f = report;
    *type = f->kind == PF_KIND_EXTERNAL_RACE && f->naccesses ? f->accesses[0].variable : "";
    return !i;
}
PROVIDE(int, __tsan_get_report_mutex,
        (void *report, unsigned long i, uint64_t *number, void **addr, int *destroyed, void **trace,
         unsigned long trace_size))
{
    struct pf_lock l;
    if (!find_lock(report, i, &l))
        return 0;
    *number = i;
    *addr = (void *)l.address;
    *destroyed = 0;
    put_trace(&l.taken, trace, trace_size);
    return 1;
}
PROVIDE(int, __tsan_get_report_thread,
        (void *report, unsigned long i, int *tid, uint64_t *os_id, int *running, const char **name,
         int *parent_tid, void **trace, unsigned long trace_size))
{
    const struct pf_finding *f = report;
    if (i >= f->nthreads)
        return 0;
    const struct pf_thread_info *t = &f->threads[i];
    *tid = (int)t->number;
    *os_id = (uint64_t)t->tid;
    *running = t->running;
    *name = t->name ? t->name : "";
    *parent_tid = (int)t->parent;
    put_trace(&t->created, trace, trace_size);
    return 1;
}
PROVIDE(int, __tsan_get_report_unique_tid, (void *report, unsigned long i, int *tid))
{
    int found = thread_at(report, i);
    if (found >= 0)
        *tid = found;
    return found >= 0;
}

/* --- memory --- */

static void copy_name(char *to, size_t room, const char *from)
{
    if (!to || !room)
        return;
    size_t n = from ? strnlen(from, room - 1) : 0;
    memcpy(to, from ? from : "", n);
    to[n] = 0;
}

struct region_query {
    uintptr_t addr;
    enum pf_location_kind kind;
    uintptr_t lo, hi;
};
static void find_thread(struct pf_thread *t, void *arg)
{
    struct region_query *q = arg;
    bool tls = q->addr >= t->tls_lo && q->addr < t->tls_hi;
    if (tls || (q->addr >= t->stack_lo && q->addr < t->stack_hi))
        *q = (struct region_query){q->addr, tls ? PF_LOCATION_TLS : PF_LOCATION_STACK,
                                   tls ? t->tls_lo : t->stack_lo, tls ? t->tls_hi : t->stack_hi};
}

/* The kind of the memory at addr: global, heap, stack, tls, or an empty text. */
PROVIDE(const char *, __tsan_locate_address,
        (void *addr, char *name, size_t name_size, void **region, size_t *region_size))
{
    struct pf_global g;
    struct pf_block b;
    struct region_query q = {.addr = (uintptr_t)addr};
    pf_nest();
    copy_name(name, name_size, NULL);
    if (pf_global_find((uintptr_t)addr, &g)) {
        q = (struct region_query){q.addr, PF_LOCATION_GLOBAL, g.addr, g.addr + g.size};
        copy_name(name, name_size, g.name);
    } else if (pf_block_find(addr, &b)) {
        q = (struct region_query){q.addr, PF_LOCATION_HEAP, b.addr, b.addr + b.size};
    } else {
        pf_thread_each(find_thread, &q);
    }
    pf_unnest();
    *region = (void *)q.lo;
    *region_size = q.hi - q.lo;
    return q.kind == PF_LOCATION_UNKNOWN ? "" : location_word(q.kind);
}

/* The thread that allocated the block at addr. The stack of the allocation is in reports only. */
PROVIDE(int, __tsan_get_alloc_stack,
        (void *addr, void **trace, size_t size, int *thread_id, void *os_id))
{
    struct pf_block b;
    pf_nest();
    bool known = pf_block_find(addr, &b);
    const struct pf_thread *t = known ? pf_thread_by_number(b.thread) : NULL;
    if (known)
        *thread_id = (int)b.thread;
    if (t && os_id)
        *(uint64_t *)os_id = (uint64_t)t->tid;
    put_trace(&(struct pf_backtrace){0}, trace, size);
    pf_unnest();
    return 0;
}

/* --- frames as text --- */

static size_t add_text(char *out, size_t room, size_t n, const char *s)
{
    for (; s && *s; s++, n++)
        if (n + 1 < room)
            out[n] = *s;
    return n;
}
static size_t add_number(char *out, size_t room, size_t n, uint64_t v, unsigned base)
{
    char digits[24];
    unsigned k = 0;
    do
        digits[k++] = "0123456789abcdef"[v % base];
    while (v /= base);
    while (k)
        n = add_text(out, room, n, (char[]){digits[--k], 0});
    return n;
}

static bool contains(const struct pf_backtrace *stack, const void *pc)
{
    return (uintptr_t)pc - (uintptr_t)stack->at < stack->n * sizeof *stack->at;
}

/* The frame of the current report that an element of a trace refers to; NULL: it refers to none. */
static const struct pf_stack_frame *frame_at(const void *pc)
{
    const struct pf_finding *f = pf_reporter_current();
    if (!f)
        return NULL;
    bool found = contains(&f->location.stack, pc) || contains(&f->sleep, pc);
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_access *a = &f->accesses[i];
        found |= contains(&a->stack, pc);
        for (size_t k = 0; k < a->nlocks; k++)
            found |= contains(&a->locks[k].taken, pc);
    }
    for (size_t i = 0; i < f->nthreads; i++)
        found |= contains(&f->threads[i].created, pc);
    return found ? pc : NULL;
}

PROVIDE(void, __sanitizer_symbolize_pc, (void *pc, const char *format, char *out, size_t room))
{
    const struct pf_stack_frame *p = frame_at(pc);
    size_t n = 0;
    if (!out || !room)
        return;
    for (const char *s = format; *s; s++) {
        if (*s != '%') {
            n = add_text(out, room, n, (char[]){*s, 0});
            continue;
        }
        switch (*++s) {
        case 'p':
            n = add_number(out, room, add_text(out, room, n, "0x"), (uintptr_t)pc, 16);
            break;
        case 'F':
            n = add_text(out, room, n, "in ");
            /* fall through */
        case 'f':
            n = add_text(out, room, n, p && p->function ? p->function : "??");
            break;
        case 's':
        case 'S':
        case 'L':
            n = add_text(out, room, n, p && p->file ? p->file : "??");
            if (*s == 's' || !p || !p->line)
                break;
            n = add_number(out, room, add_text(out, room, n, ":"), p->line, 10);
            if (p->column)
                n = add_number(out, room, add_text(out, room, n, ":"), p->column, 10);
            break;
        case 'l':
            n = add_number(out, room, n, p ? p->line : 0, 10);
            break;
        case 'c':
            n = add_number(out, room, n, p ? p->column : 0, 10);
            break;
        case 0:
            s--;
            break;
        default:
            n = add_text(out, room, n, (char[]){*s, 0});
        }
    }
    out[n < room ? n : room - 1] = 0;
}
