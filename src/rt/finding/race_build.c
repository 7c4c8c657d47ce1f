/*
 * race_build.c - builds the findings of races and of failures of the program, see race_build.h.
 */
#include "race_build.h"
#include "crash_report.h"
#include "finding_builder.h"
#include "fingerprint.h"
#include "last_sleep.h"
#include "module.h"
#include "reporter.h"
#include "rt.h"
#include "slot.h"
#include "stack.h"
#include "textbuf.h"
#include "thread_table.h"

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
                            .stack = pf_builder_live_stack(b, at->t, at->site, true)};
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
