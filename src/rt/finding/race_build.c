/*
 * race_build.c - see race_build.h.
 *
 * Names of object files come from /proc/self/maps, not from the dynamic linker: the reporting
 * thread may hold the linker's locks.
 */
#include "race_build.h"
#include "crash_report.h"
#include "finding_builder.h"
#include "fingerprint.h"
#include "hooks.h"
#include "last_sleep.h"
#include "lockset.h"
#include "module.h"
#include "race.h"
#include "rt.h"
#include "runtime_access.h"
#include "slot.h"
#include "stack.h"
#include "sys.h"
#include "textbuf.h"
#include "thread_table.h"
#include <fcntl.h>

#define PART 4096

char *pf_file_text(struct pf_pool *pool, const char *path, size_t *size)
{
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    struct pf_text t;
    char *part = pf_pool_get(pool, PART); /* the target's stack may be small */
    long r = -1;
    pf_text_init(&t, pool);
    while (part && (r = pf_sys(SYS_read, fd, part, PART)) > 0)
        pf_text_bytes(&t, part, (size_t)r);
    pf_sys(SYS_close, fd);
    pf_text_char(&t, 0);
    *size = t.n - 1;
    return r < 0 || t.failed ? NULL : t.at;
}

struct pf_finding_builder pf_builder_for(struct pf_pool *pool)
{
    size_t size;
    return (struct pf_finding_builder){.pool = pool,
                                       .maps = pf_file_text(pool, "/proc/self/maps", &size)};
}

struct pf_finding *pf_builder_begin(struct pf_finding_builder *b, enum pf_kind kind,
                                    const char *analysis, size_t accesses, size_t threads)
{
    struct pf_finding *f = pf_pool_get(b->pool, sizeof *f);
    struct pf_access *room = pf_pool_get(b->pool, accesses * sizeof *room + 1);
    b->threads = pf_pool_get(b->pool, threads * sizeof *b->threads + 1);
    if (!f || !room || !b->threads)
        return NULL;
    *f = (struct pf_finding){.kind = kind,
                             .status = PF_STATUS_OBSERVED,
                             .analysis = analysis,
                             .count = 1,
                             .threads = b->threads,
                             .accesses = room};
    return b->finding = f;
}

const char *pf_builder_text(struct pf_finding_builder *b, const char *s)
{
    if (!s)
        return NULL;
    const char *copy = pf_pool_text(b->pool, s, pf_str_len(s));
    b->failed |= !copy;
    return copy;
}

uintptr_t pf_maps_hex(const char **s)
{
    uintptr_t v = 0;
    for (;; (*s)++) {
        char c = **s;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return v;
        v = v << 4 | (uintptr_t)digit;
    }
}

const char *pf_maps_path(const char *maps, const void *p, size_t *length)
{
    for (const char *s = maps; s && *s;) {
        uintptr_t lo = pf_maps_hex(&s);
        s += *s == '-';
        uintptr_t hi = pf_maps_hex(&s);
        const char *end = s;
        while (*end && *end != '\n')
            end++;
        if ((uintptr_t)p >= lo && (uintptr_t)p < hi) {
            while (s < end && *s != '/')
                s++;
            *length = (size_t)(end - s);
            return s < end ? s : NULL;
        }
        s = end + (*end == '\n');
    }
    return NULL;
}

static const char *module_of(struct pf_finding_builder *b, const void *p)
{
    size_t length;
    const char *path = pf_maps_path(b->maps, p, &length);
    return path ? pf_pool_text(b->pool, path, length) : NULL;
}

struct stack_copy {
    struct pf_finding_builder *b;
    struct pf_stack_frame *at;
    size_t n, room;
    struct pf_position top;
};

static bool count_position(const struct pf_position *p, void *arg)
{
    struct stack_copy *w = arg;
    if (w->n++ == 0)
        w->top = *p;
    return true;
}

static bool copy_position(const struct pf_position *p, void *arg)
{
    struct stack_copy *w = arg;
    struct pf_finding_builder *b = w->b;
    if (w->n == w->room)
        return false;
    w->at[w->n++] = (struct pf_stack_frame){
        .function = pf_builder_text(b, p->func),
        .file = pf_builder_text(b, p->file),
        .module = p->file ? module_of(b, p->func) : NULL,
        .merged_lines = pf_builder_text(b, p->merged_lines),
        .line = p->line,
        .column = p->column,
        .first_line = p->func_line,
        .folded = p->folded,
    };
    return true;
}

/* The lock prevents objects from being unloaded while their strings are copied. */
struct pf_backtrace pf_builder_stack(struct pf_finding_builder *b, uint32_t id,
                                     struct pf_position *top)
{
    struct stack_copy w = {.b = b};
    pf_module_lock();
    pf_stack_walk(id, count_position, &w);
    w.at = pf_pool_get(b->pool, w.n * sizeof *w.at + 1);
    w.room = w.n;
    w.n = 0;
    if (w.at)
        pf_stack_walk(id, copy_position, &w);
    if (top) {
        *top = w.top;
        top->var = pf_builder_text(b, w.top.var);
    }
    pf_module_unlock();
    b->failed |= !w.at;
    return (struct pf_backtrace){w.at, w.n};
}

static bool count_source(const struct pf_position *p, void *arg)
{
    return !p->file || count_position(p, arg);
}
static bool copy_source(const struct pf_position *p, void *arg)
{
    return !p->file || copy_position(p, arg);
}

/* The current stack of t, with or without functions of the C library. site: as in pf_failure. */
static struct pf_backtrace build_live_backtrace(struct pf_finding_builder *b,
                                                const struct pf_thread *t, uint32_t site, bool libc)
{
    struct stack_copy w = {.b = b};
    pf_module_lock();
    pf_stack_walk_live_at(t, site, libc ? count_position : count_source, &w);
    w.at = pf_pool_get(b->pool, w.n * sizeof *w.at + 1);
    w.room = w.n;
    w.n = 0;
    if (w.at)
        pf_stack_walk_live_at(t, site, libc ? copy_position : copy_source, &w);
    pf_module_unlock();
    b->failed |= !w.at;
    return (struct pf_backtrace){w.at, w.n};
}

static enum pf_op op_of(uint64_t record, uint32_t site_kind)
{
    bool write = record >> PF_WRITE_BIT & 1, atomic = record >> PF_ATOMIC_BIT & 1;
    if (site_kind == PF_SITE_FREE)
        return PF_OP_FREE;
    if (site_kind == PF_SITE_LOCK)
        return PF_OP_LOCK;
    if (site_kind == PF_SITE_CALL)
        atomic = false; /* an allocation (pf_shadow_allocated) */
    return atomic  ? (write ? PF_OP_ATOMIC_WRITE : PF_OP_ATOMIC_READ)
           : write ? PF_OP_WRITE
                   : PF_OP_READ;
}

static uint32_t id_of(uint64_t record) { return record & ((1u << PF_ID_BITS) - 1); }

/* The innermost part of a stack, as far as the fingerprint uses it; strings are not copied. */
static struct short_stack {
    struct pf_stack_frame at[PF_FINGERPRINT_DEPTH_MAX];
    size_t n;
    uint32_t kind;
} short_stack[2]; /* protected by the report lock; not on the target's stack, which may be small */

static bool add_short_position(const struct pf_position *p, void *arg)
{
    struct short_stack *g = arg;
    if (g->n == 0)
        g->kind = p->kind;
    g->at[g->n] = (struct pf_stack_frame){.function = p->func,
                                          .file = p->file,
                                          .line = p->line,
                                          .column = p->column,
                                          .first_line = p->func_line};
    return !pf_stack_frame_is_user(&g->at[g->n++]) && g->n < PF_FINGERPRINT_DEPTH_MAX;
}

uint64_t pf_race_fingerprint(uint64_t now, uint64_t then)
{
    struct pf_access accesses[2] = {0};
    struct pf_finding f = {.kind = PF_KIND_RACE, .accesses = accesses, .naccesses = 2};
    uint64_t record[2] = {now, then};
    pf_module_lock();
    for (int i = 0; i < 2; i++) {
        struct short_stack *g = &short_stack[i];
        g->n = g->kind = 0;
        pf_stack_walk(id_of(record[i]), add_short_position, g);
        accesses[i].op = op_of(record[i], g->kind);
        accesses[i].stack = (struct pf_backtrace){g->at, g->n};
    }
    uint64_t id = pf_fingerprint(&f);
    pf_module_unlock();
    return id;
}

const char *pf_builder_name(struct pf_finding_builder *b, uintptr_t addr)
{
    struct pf_global g;
    if (!pf_global_find(addr, &g) || !g.name)
        return NULL;
    struct pf_text t;
    pf_text_init(&t, b->pool);
    pf_text_add(&t, g.name);
    if (addr != g.addr) {
        pf_text_add(&t, "+0x");
        pf_text_hex(&t, addr - g.addr, 1);
    }
    pf_text_char(&t, 0);
    b->failed |= t.failed;
    return t.failed ? NULL : t.at;
}

static const char *source_name(struct pf_finding_builder *b, const char *name)
{
    const char *source = pf_source_name(b->pool, name);
    b->failed |= name && !source;
    return source;
}

/* The kind of a race: that of its first access to a vtable pointer or an external object; without
 * one, the kind of its location. */
static enum pf_kind kind_of_race(const struct pf_finding *f)
{
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_access *a = &f->accesses[i];
        if (pf_str_same(a->variable, PF_VTABLE_POINTER))
            return PF_KIND_VPTR_RACE;
        if (a->stack.n && pf_str_starts(a->stack.at[0].function, PF_EXTERNAL_ACCESS))
            return PF_KIND_EXTERNAL_RACE;
    }
    return f->location.kind == PF_LOCATION_DESCRIPTOR ? PF_KIND_DESCRIPTOR_RACE : PF_KIND_RACE;
}

void pf_builder_locks(struct pf_finding_builder *b, struct pf_access *a, uint32_t lockset)
{
    size_t n = pf_lockset_get(lockset, NULL, 0);
    struct pf_held_lock *held = pf_pool_get(b->pool, n * sizeof *held + 1);
    struct pf_lock *locks = pf_pool_get(b->pool, n * sizeof *locks + 1);
    if (!held || !locks) {
        b->failed = true;
        return;
    }
    n = pf_lockset_get(lockset, held, n);
    for (size_t i = 0; i < n; i++) /* the set lists the newest lock first, a report the oldest */
        locks[n - 1 - i] = (struct pf_lock){.address = held[i].addr,
                                            .name = pf_builder_name(b, held[i].addr),
                                            .shared = held[i].shared,
                                            .first = true, /* see lock_acquire in hb.c */
                                            .taken = pf_builder_stack(b, held[i].where, NULL)};
    a->locks = locks;
    a->nlocks = n;
}

static void build_access(struct pf_finding_builder *b, struct pf_access *a,
                         const struct pf_thread *t, uintptr_t granule, uint64_t record)
{
    struct pf_position top;
    uint32_t sid = record >> PF_SID_SHIFT & PF_SID_MASK;
    uint32_t clk = record >> PF_CLK_SHIFT & PF_CLK_MAX;
    uint32_t mask = (uint32_t)(record >> PF_MASK_SHIFT);
    a->thread = t ? t->number : 0;
    a->stack = pf_builder_stack(b, id_of(record), &top);
    a->op = op_of(record, top.kind);
    a->size = top.size ? top.size : (uint64_t)__builtin_popcount(mask);
    a->address = granule + (uintptr_t)__builtin_ctz(mask | 0x100);
    a->range = a->stack.n && !top.size && (top.kind == PF_SITE_READ || top.kind == PF_SITE_WRITE);
    a->variable = top.kind == PF_SITE_READ || top.kind == PF_SITE_WRITE ||
                          top.kind == PF_SITE_ATOMIC_READ || top.kind == PF_SITE_ATOMIC_WRITE
                      ? top.var
                      : NULL;
    pf_builder_locks(b, a, pf_epoch_lockset(sid, clk));
}

/* Searches for the thread whose stack or thread-local storage contains addr. */
struct owner_search {
    struct pf_finding_builder *b;
    uintptr_t addr;
    struct pf_location *location;
};

static void check_thread(struct pf_thread *t, void *arg)
{
    struct owner_search *w = arg;
    bool tls = w->addr >= t->tls_lo && w->addr < t->tls_hi;
    if (w->location->kind == PF_LOCATION_UNKNOWN &&
        (tls || (w->addr >= t->stack_lo && w->addr < t->stack_hi))) {
        w->location->kind = tls ? PF_LOCATION_TLS : PF_LOCATION_STACK;
        w->location->thread = t->number;
        if (!tls)
            w->location->stack = build_live_backtrace(w->b, t, 0, false);
    }
}

void pf_builder_location(struct pf_finding_builder *b, struct pf_location *l, uintptr_t addr)
{
    struct pf_global g;
    struct pf_block block;
    struct pf_descriptor fd;
    if (pf_hooks.descriptor_at(addr, &fd)) {
        *l = (struct pf_location){.kind = PF_LOCATION_DESCRIPTOR,
                                  .thread = fd.thread,
                                  .address = (uintptr_t)fd.number,
                                  .stack = pf_builder_stack(b, fd.where, NULL)};
    } else if (pf_global_find(addr, &g)) {
        *l = (struct pf_location){.kind = PF_LOCATION_GLOBAL,
                                  .name = pf_builder_text(b, g.name),
                                  .file = pf_builder_text(b, g.file),
                                  .line = g.line,
                                  .address = g.addr,
                                  .size = g.size};
    } else if (pf_block_find((void *)addr, &block)) {
        *l = (struct pf_location){.kind = PF_LOCATION_HEAP,
                                  .freed = block.freed,
                                  .thread = block.thread,
                                  .address = block.addr,
                                  .size = block.size,
                                  .stack = pf_builder_stack(b, block.where, NULL)};
    } else {
        struct owner_search w = {b, addr, l};
        pf_thread_each(check_thread, &w);
    }
}

void pf_builder_add_thread(struct pf_finding_builder *b, const struct pf_thread *t)
{
    if (!t || pf_finding_thread(b->finding, t->number))
        return;
    struct pf_thread_info *a = &b->threads[b->finding->nthreads++];
    a->number = t->number;
    a->parent = t->parent;
    a->tid = t->tid;
    a->running = t->state == PF_THREAD_RUNNING;
    a->name = t->name[0] ? pf_builder_text(b, t->name) : NULL;
    if (t->number)
        a->created = pf_builder_stack(b, t->created_at, NULL);
}

struct pf_finding *pf_race_build(struct pf_pool *pool, uint64_t id, struct pf_thread *t,
                                 uintptr_t granule, uint64_t now, uint64_t then)
{
    struct pf_finding_builder b = pf_builder_for(pool);
    struct pf_finding *f = pf_builder_begin(&b, PF_KIND_RACE, "fasttrack", 2, 3);
    if (!f)
        return NULL;
    struct pf_access *accesses = f->accesses;
    const struct pf_thread *other =
        pf_epoch_thread(then >> PF_SID_SHIFT & PF_SID_MASK, then >> PF_CLK_SHIFT & PF_CLK_MAX);
    uint32_t common = (uint32_t)((now & then) >> PF_MASK_SHIFT);
    f->naccesses = 2;
    build_access(&b, &accesses[0], t, granule, now);
    build_access(&b, &accesses[1], other, granule, then);
    pf_builder_location(&b, &f->location, granule + (uintptr_t)__builtin_ctz(common | 0x100));
    f->kind = kind_of_race(f);
    pf_builder_add_thread(&b, t);
    pf_builder_add_thread(&b, other);
    if (f->location.kind == PF_LOCATION_HEAP || f->location.kind == PF_LOCATION_DESCRIPTOR)
        pf_builder_add_thread(&b, pf_thread_by_number(f->location.thread));
    for (size_t i = 0; i < 2; i++) {
        struct pf_access *a = &accesses[i];
        if (f->location.kind == PF_LOCATION_GLOBAL && f->kind == PF_KIND_RACE)
            a->variable = source_name(&b, f->location.name);
        if (a->op == PF_OP_FREE && f->location.kind == PF_LOCATION_HEAP) {
            a->address = f->location.address;
            a->size = f->location.size;
        }
    }
    bool freed = accesses[0].op == PF_OP_FREE || accesses[1].op == PF_OP_FREE;
    if (!freed && pf_thread_before_sleep(t, other, then >> PF_SID_SHIFT & PF_SID_MASK,
                                         then >> PF_CLK_SHIFT & PF_CLK_MAX))
        f->sleep = pf_builder_stack(&b, t->order.slept_at, NULL);
    f->id = id;
    return b.failed ? NULL : f;
}

/* --- failures of the program --- */

static const char *describe_failure(struct pf_finding_builder *b, const struct pf_failure *e)
{
    struct pf_text t;
    pf_text_init(&t, b->pool);
    if (e->kind == PF_FAILURE_ASSERTION) {
        pf_text_add(&t, "assertion failed: ");
        pf_text_add(&t, e->assertion);
    } else if (e->kind == PF_FAILURE_CRASH) {
        pf_text_add(&t, "the program died of signal ");
        pf_text_u64(&t, (uint64_t)e->signal);
        pf_text_add(&t, " (");
        const char *meaning;
        pf_text_add(&t, pf_crash_signal(e->signal, &meaning));
        pf_text_add(&t, meaning ? ", " : "");
        pf_text_add(&t, meaning);
        pf_text_char(&t, ')');
    } else {
        pf_text_add(&t, e->kind == PF_FAILURE_HANG ? "the program hung" : "deadlock");
    }
    if (e->limit) {
        pf_text_add(&t, ", after ");
        pf_text_add(&t, e->limit);
    }
    if (e->early_limit)
        pf_text_add(&t, ", after the time limit of a wait had passed");
    pf_text_char(&t, 0);
    b->failed |= t.failed;
    return t.at;
}

static void build_stop(struct pf_finding_builder *b, struct pf_access *a,
                       const struct pf_failure *e, const struct pf_failed_thread *at)
{
    bool waits = e->kind == PF_FAILURE_DEADLOCK || e->kind == PF_FAILURE_HANG;
    *a = (struct pf_access){.thread = at->t->number,
                            .op = at->lock ? PF_OP_LOCK
                                  : waits  ? PF_OP_WAIT
                                           : PF_OP_FAIL,
                            .address = at->lock,
                            .variable = at->lock ? pf_builder_name(b, at->lock) : NULL,
                            .stack = build_live_backtrace(b, at->t, at->site, true)};
    struct pf_lock *locks = pf_pool_get(b->pool, at->t->order.nheld * sizeof *locks + 1);
    b->failed |= !locks;
    for (uint32_t i = 0; locks && i < at->t->order.nheld; i++) {
        const struct pf_held_lock *h = &at->t->order.held[i];
        locks[i] = (struct pf_lock){
            .address = h->addr,
            .name = pf_builder_name(b, h->addr),
            .shared = h->shared,
            .first = !h->taken_at && !pf_rt.events, /* in directed mode, `where` is its own */
            .taken = pf_builder_stack(b, h->taken_at ? h->taken_at : h->where, NULL)};
    }
    a->locks = locks;
    a->nlocks = locks ? at->t->order.nheld : 0;
}

struct pf_finding *pf_failure_build(struct pf_pool *pool, const struct pf_failure *e)
{
    static const enum pf_kind kinds[] = {[PF_FAILURE_CRASH] = PF_KIND_CRASH,
                                         [PF_FAILURE_ASSERTION] = PF_KIND_ASSERTION,
                                         [PF_FAILURE_DEADLOCK] = PF_KIND_DEADLOCK,
                                         [PF_FAILURE_HANG] = PF_KIND_HANG};
    struct pf_finding_builder b = pf_builder_for(pool);
    struct pf_finding *f = pf_builder_begin(&b, kinds[e->kind], "failure", e->n, e->n);
    if (!f)
        return NULL;
    struct pf_access *accesses = f->accesses;
    f->naccesses = e->n;
    f->suspicious = e->suspicious;
    f->signal = e->kind == PF_FAILURE_CRASH ? e->signal : 0;
    f->harm = e->kind == PF_FAILURE_DEADLOCK && !e->limit ? NULL : describe_failure(&b, e);
    for (size_t i = 0; i < e->n; i++) {
        build_stop(&b, &accesses[i], e, &e->at[i]);
        if (!i && e->line && accesses[i].stack.n)
            pf_crash_set_line(e->line, (struct pf_stack_frame *)&accesses[i].stack.at[0]);
        pf_builder_add_thread(&b, e->at[i].t);
    }
    f->id = pf_fingerprint(f);
    return b.failed ? NULL : f;
}

struct pf_backtrace pf_backtrace_build(struct pf_pool *pool, uint32_t id)
{
    struct pf_finding_builder b = pf_builder_for(pool);
    return pf_builder_stack(&b, id, NULL);
}
