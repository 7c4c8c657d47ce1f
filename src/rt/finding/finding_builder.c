/*
 * finding_builder.c - see finding_builder.h.
 *
 * Names of object files come from /proc/self/maps, not from the dynamic linker: the reporting
 * thread may hold the linker's locks.
 */
#include "finding_builder.h"
#include "file_text.h"
#include "hooks.h"
#include "lockset.h"
#include "module.h"
#include "runtime_access.h"
#include "textbuf.h"
#include "thread_table.h"

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

static const char *module_of(struct pf_finding_builder *b, const void *p)
{
    size_t length;
    uintptr_t range[2];
    const char *path = pf_maps_path(b->maps, p, &length, range);
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

struct pf_backtrace pf_builder_live_stack(struct pf_finding_builder *b, const struct pf_thread *t,
                                          uint32_t site, bool libc)
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
            w->location->stack = pf_builder_live_stack(w->b, t, 0, false);
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

struct pf_backtrace pf_backtrace_build(struct pf_pool *pool, uint32_t id)
{
    struct pf_finding_builder b = pf_builder_for(pool);
    return pf_builder_stack(&b, id, NULL);
}
